package sqltool

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/allrows/allrows/workbook"
)

// settings are what a worker is told at its start, in its one environment variable.
type settings struct {
	Wall     wallSpec `json:"wall"`
	MemoryMB int      `json:"memory_mb"`
	TempDir  string   `json:"temp_dir"`
	Threads  int      `json:"threads"`
}

// MaybeWorker runs this process as a worker and exits, if it was started as one.
// It is the first line of main and of every TestMain.
func MaybeWorker() {
	text, ok := os.LookupEnv(workerEnv)
	if !ok {
		return
	}
	os.Clearenv()
	var s settings
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		println("worker settings:", err.Error())
		os.Exit(78)
	}
	runtime.GOMAXPROCS(max(2, s.Threads))
	debug.SetMemoryLimit(int64(s.MemoryMB) << 19) // half: the rest is the engine's
	w := &worker{settings: s, pipe: newFramer(os.Stdin, os.Stdout), requests: make(chan request)}
	walls := raiseWalls(s.Wall)
	if err := w.pipe.write(response{Walls: &walls}, nil); err != nil {
		os.Exit(1)
	}
	go w.receive()
	go w.watch()
	w.serve()
	os.Exit(0)
}

// worker is this process when it is one: it serves one request at a time.
type worker struct {
	settings settings
	pipe     *framer
	requests chan request
	parser   *engine
	engines  engineCache
	busy     atomic.Bool
}

// receive reads requests until the gateway goes away, which ends the process
// whatever it is doing: a worker never outlives its gateway.
func (w *worker) receive() {
	for {
		var r request
		if _, err := w.pipe.read(&r); err != nil {
			os.Exit(0)
		}
		if r.Op == opCancel {
			stopCurrent()
			continue
		}
		w.requests <- r
	}
}

func (w *worker) serve() {
	for r := range w.requests {
		resp := w.one(r)
		resp.Done = true
		if err := w.pipe.write(resp, resp.body); err != nil {
			if _, tooBig := errors.AsType[*LimitError](err); !tooBig {
				os.Exit(1)
			}
			_ = w.pipe.write(response{Done: true, Err: toWire(err)}, nil)
		}
	}
}

// one serves one request within its time, its memory and its share of the
// processor.
func (w *worker) one(r request) response {
	ctx, cancel := context.WithCancel(context.Background())
	if r.Millis > 0 {
		ctx, cancel = context.WithTimeout(context.Background(), time.Duration(r.Millis)*time.Millisecond)
	}
	defer cancel()
	setCurrent(cancel)
	defer setCurrent(nil)
	limitCPU(time.Duration(r.Millis)*time.Millisecond, w.settings.Threads)
	step := stepBack()
	w.busy.Store(true)
	resp := w.handle(ctx, r)
	w.busy.Store(false)
	resp.Retire = step() || w.tooLarge()
	return resp
}

func (w *worker) handle(ctx context.Context, r request) (resp response) {
	var err error
	switch r.Op {
	case opPing:
		_, err = w.parse(ctx, "SELECT 1")
	case opParse:
		resp.body, err = w.parse(ctx, r.SQL)
	case opRun:
		resp.Result, resp.Micros, err = w.run(ctx, r)
	case opRows:
		resp.Result, resp.Micros, err = w.rows(ctx, r)
	case opScan:
		err = w.scan(ctx, r)
	case opLoad:
		resp.Load, err = w.load(ctx, r.Load)
	case opJoins:
		resp.Joins, err = w.joins(ctx, r)
	default:
		err = errors.New("unknown operation " + r.Op)
	}
	if err != nil {
		return response{Err: toWire(err)}
	}
	return resp
}

// toWire keeps the type of an error over the pipe.
func toWire(err error) *wireError {
	if e, ok := errors.AsType[*EngineError](err); ok {
		return &wireError{Kind: "engine", Code: e.Kind, Text: e.Text, Raw: e.Raw}
	}
	if e, ok := errors.AsType[*LimitError](err); ok {
		return &wireError{Kind: "limit", What: e.What, Limit: e.Limit, Text: e.Actual}
	}
	if e, ok := errors.AsType[*workbook.FileError](err); ok {
		return &wireError{Kind: "file", Code: e.Code, Path: e.Path, Text: e.Text}
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return &wireError{Kind: "cancelled", Text: err.Error()}
	}
	return &wireError{Kind: "other", Text: err.Error()}
}

// err rebuilds the typed error.
func (e *wireError) err() error {
	switch e.Kind {
	case "engine":
		return &EngineError{Kind: e.Code, Text: e.Text, Raw: e.Raw}
	case "limit":
		return &LimitError{What: e.What, Limit: e.Limit, Actual: e.Text}
	case "file":
		return &workbook.FileError{Path: e.Path, Code: e.Code, Text: e.Text}
	case "cancelled":
		return context.Canceled
	}
	return errors.New(e.Text)
}
