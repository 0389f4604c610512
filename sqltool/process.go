package sqltool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/allrows/allrows/workbook"
	"github.com/duckdb/duckdb-go/v2"
)

// workerEnv marks a process as a worker; its value is the worker's settings.
const workerEnv = "ALLROWS_WORKER"

// process is one worker process as the gateway sees it. It serves one request
// at a time.
type process struct {
	cmd    *exec.Cmd
	pipe   *framer
	temp   string
	Walls  Walls
	frames chan response
	dead   chan struct{}
	err    error // why the process ended; read after dead is closed
}

// startProcess re-executes this binary as a worker with an environment of its
// settings alone and no descriptors but its pipes. Its folder for spills goes when
// it ends.
func startProcess(s settings) (*process, error) {
	exe, err := self()
	if err != nil {
		return nil, fmt.Errorf("finding our own binary: %w", err)
	}
	if err := os.MkdirAll(s.TempDir, 0o700); err != nil {
		return nil, fmt.Errorf("making a worker's folder for spills: %w", err)
	}
	s.Wall.WriteDirs = append(slices.Clone(s.Wall.WriteDirs), s.TempDir)
	text, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("encoding a worker's settings: %w", err)
	}
	cmd := exec.Command(exe)
	cmd.Args = []string{"gateway-worker"}
	cmd.Env = []string{workerEnv + "=" + string(text)}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // an interrupt at the terminal is the gateway's to handle
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	said := &headWriter{}
	cmd.Stderr = said
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting a worker: %w", err)
	}
	p := &process{cmd: cmd, pipe: newFramer(out, in), temp: s.TempDir, frames: make(chan response, 4), dead: make(chan struct{})}
	go p.receive(said)
	return p, p.hello()
}

// self is the path of this binary. On Linux it is the one that runs, also after an
// upgrade put another in its place.
func self() (string, error) {
	if runtime.GOOS == "linux" {
		return "/proc/self/exe", nil
	}
	return os.Executable()
}

// hello waits for the worker's first message, which says what walls it stands behind.
func (p *process) hello() error {
	select {
	case r := <-p.frames:
		if r.Walls == nil {
			p.kill()
			return errors.New("a worker began without its hello")
		}
		p.Walls = *r.Walls
		return nil
	case <-p.dead:
		return fmt.Errorf("a worker ended at its start: %w", p.err)
	case <-time.After(20 * time.Second):
		p.kill()
		return errors.New("a worker did not start within 20 s")
	}
}

// receive hands on the worker's messages until it ends.
func (p *process) receive(said *headWriter) {
	defer close(p.dead)
	for {
		var r response
		var err error
		if r.body, err = p.pipe.read(&r); err != nil {
			_ = p.cmd.Process.Kill()
			p.err = errors.Join(p.cmd.Wait(), said.err(), os.RemoveAll(p.temp))
			return
		}
		p.frames <- r
	}
}

// killAfter is how long a worker that was asked to stop may take.
const killAfter = 800 * time.Millisecond

// call sends a request and passes every message but the last to each. It returns
// within a second of the context's end: the worker is asked to stop, then killed.
func (p *process) call(ctx context.Context, req request, each func(response) error) (*response, error) {
	if end, ok := ctx.Deadline(); ok {
		req.Millis = max(1, time.Until(end).Milliseconds())
	}
	if err := p.pipe.write(req, nil); err != nil {
		p.kill()
		return nil, fmt.Errorf("writing to a worker: %w", err)
	}
	ended := ctx.Done()
	var grace <-chan time.Time
	cut := false // messages were passed over after the context's end
	for {
		select {
		case r := <-p.frames:
			if r.Done {
				if r.Retire {
					p.kill()
				}
				if cut { // a part must never look like the whole
					return nil, context.Cause(ctx)
				}
				return &r, nil
			}
			if each == nil || ended == nil {
				cut = cut || each != nil
				continue
			}
			if err := each(r); err != nil {
				p.kill()
				return nil, err
			}
		case <-ended:
			_ = p.pipe.write(request{Op: opCancel}, nil)
			ended, grace = nil, time.After(killAfter)
		case <-grace:
			p.kill()
			return nil, context.Cause(ctx)
		case <-p.dead:
			return p.last()
		}
	}
}

// last returns the answer that a worker gave before it ended, if it gave one.
func (p *process) last() (*response, error) {
	for {
		select {
		case r := <-p.frames:
			if r.Done {
				return &r, nil
			}
		default:
			return nil, &crashError{p.err}
		}
	}
}

// The codes with which a worker ends itself.
const (
	exitMemory = 71 // its resident memory passed the limit
	exitCPU    = 72 // its request used more processor time than its deadline allows
)

func (e *crashError) code() int {
	if x, ok := errors.AsType[*exec.ExitError](e.err); ok {
		return x.ExitCode()
	}
	return 0
}

// tooMuchMemory is said of a file whose load would exceed its memory.
const tooMuchMemory = "reading it takes more memory than a load may take; split the workbook or export its tables as csv"

// loading says why a worker ended while it read a file.
func (e *crashError) loading(path string) error {
	if e.code() == exitMemory {
		return &workbook.FileError{Path: path, Code: workbook.CodeLimit, Err: e,
			Text: tooMuchMemory}
	}
	return &workbook.FileError{Path: path, Code: workbook.CodeCorrupt, Err: e,
		Text: "the process that read the file ended; the file is damaged or too large, open it in a spreadsheet program and save it again"}
}

// typed says why a worker ended during a request.
func (e *crashError) typed() error {
	switch e.code() {
	case exitMemory:
		_, text := describe(duckdb.ErrorTypeOutOfMemory)
		return &EngineError{Kind: "out of memory", Text: text, Raw: e.Error()}
	case exitCPU:
		return &EngineError{Kind: "processor time", Text: "the query took more processor time than a query may take; filter or aggregate earlier", Raw: e.Error()}
	}
	return &EngineError{Kind: "crash", Text: "the engine's process ended on this query, most likely out of memory; filter or aggregate earlier", Raw: e.Error()}
}

// crashError is a worker that ended during a request.
type crashError struct{ err error }

func (e *crashError) Error() string { return fmt.Sprintf("a worker ended during a request: %v", e.err) }
func (e *crashError) Unwrap() error { return e.err }

func (p *process) alive() bool {
	select {
	case <-p.dead:
		return false
	default:
		return true
	}
}

func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	for {
		select {
		case <-p.frames: // let receive come to the end of the pipe
		case <-p.dead:
			return
		}
	}
}

// headWriter keeps the beginning of what a worker printed, where a crash says why.
type headWriter struct{ buf []byte }

func (t *headWriter) Write(b []byte) (int, error) {
	t.buf = append(t.buf, b[:min(len(b), 2048-len(t.buf))]...)
	return len(b), nil
}

func (t *headWriter) err() error {
	if len(t.buf) == 0 {
		return nil
	}
	return errors.New(strconv.Quote(string(t.buf)))
}
