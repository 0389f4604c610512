package sqltool

import (
	"os"
	"time"
)

// watchEvery is how often a worker looks at its own resident memory while it is
// at work.
const watchEvery = 10 * time.Millisecond

// watch ends this process when a request takes more memory than a worker may.
// Some functions allocate outside the engine's limit and hear no interrupt; the
// gateway starts another worker.
func (w *worker) watch() {
	for range time.Tick(watchEvery) {
		if w.busy.Load() && residentMB() > w.settings.MemoryMB {
			os.Exit(exitMemory)
		}
	}
}

// tooLarge reports whether what the last request left behind takes memory that the
// next one needs, after the engines let go of it.
func (w *worker) tooLarge() bool {
	limit := w.settings.MemoryMB * 3 / 5
	if residentMB() <= limit {
		return false
	}
	w.engines.only(nil)
	return residentMB() > limit
}
