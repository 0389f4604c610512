package sqltool

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"runtime"

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
	w := &worker{settings: s, pipe: newFramer(os.Stdin, os.Stdout), requests: make(chan request)}
	walls := raiseWalls(s.Wall)
	if err := w.pipe.write(response{Walls: &walls}); err != nil {
		os.Exit(1)
	}
	go w.receive()
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
}

// receive reads requests until the gateway goes away, which ends the process
// whatever it is doing: a worker never outlives its gateway.
func (w *worker) receive() {
	for {
		var r request
		if err := w.pipe.read(&r); err != nil {
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
		ctx, cancel := context.WithCancel(context.Background())
		setCurrent(cancel)
		resp := w.handle(ctx, r)
		setCurrent(nil)
		cancel()
		resp.Done = true
		if err := w.pipe.write(resp); err != nil {
			if _, tooBig := errors.AsType[*LimitError](err); !tooBig {
				os.Exit(1)
			}
			_ = w.pipe.write(response{Done: true, Err: toWire(err)})
		}
	}
}

func (w *worker) handle(ctx context.Context, r request) (resp response) {
	var err error
	switch r.Op {
	case opParse:
		resp.Tree, err = w.parse(ctx, r.SQL)
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
	if errors.Is(err, context.Canceled) {
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
