package sqltool

import (
	"context"
	"sync"
)

// current is the request that this worker serves; a cancel message stops it.
var current struct {
	sync.Mutex
	stop context.CancelFunc
}

func setCurrent(stop context.CancelFunc) {
	current.Lock()
	defer current.Unlock()
	current.stop = stop
}

func stopCurrent() {
	current.Lock()
	defer current.Unlock()
	if current.stop != nil {
		current.stop()
	}
}
