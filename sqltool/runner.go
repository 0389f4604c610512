package sqltool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"cmp"

	"github.com/allrows/allrows/guardrails"
	"github.com/allrows/allrows/schema"
)

// Config configures a [Runner]. Store is required; other zero values have defaults.
type Config struct {
	Store    *Store
	Workers  int           // query processes; default the number of cores
	Timeout  time.Duration // of a query whose context has no earlier deadline; default 10 s
	MemoryMB int           // of a worker's engine; default 1024
	Logger   *slog.Logger  // default discards
}

// addressMB is the address space of a worker beyond its engine's memory: the
// binary, the Go runtime and what DuckDB allocates outside its limit.
const addressMB = 2560

// Runner is the pool of worker processes. Queries wait for a free one; a worker
// that dies or is killed is replaced. It is safe for concurrent use.
type Runner struct {
	cfg      Config
	settings string
	temp     string
	slots    chan *process // nil: a worker that is not started yet
	closed   sync.Once
}

// New makes a pool. Its workers start when they are first needed.
func New(cfg Config) (*Runner, error) {
	if cfg.Store == nil {
		return nil, errors.New("sqltool: Config.Store is nil")
	}
	cfg.Workers = cmp.Or(cfg.Workers, runtime.NumCPU())
	cfg.Timeout = cmp.Or(cfg.Timeout, 10*time.Second)
	cfg.MemoryMB = cmp.Or(cfg.MemoryMB, 1024)
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	temp, err := os.MkdirTemp("", "allrows-worker-*")
	if err != nil {
		return nil, fmt.Errorf("sqltool: making the workers' folder for spills: %w", err)
	}
	r := &Runner{cfg: cfg, temp: temp, slots: make(chan *process, cfg.Workers)}
	r.settings, err = r.encode(wallSpec{
		ReadDirs:  []string{cfg.Store.workbooksDir()},
		WriteDirs: []string{temp},
		AddressMB: int64(cfg.MemoryMB) + addressMB,
	}, temp)
	if err != nil {
		return nil, err
	}
	for range cfg.Workers {
		r.slots <- nil
	}
	return r, nil
}

func (r *Runner) encode(wall wallSpec, temp string) (string, error) {
	b, err := json.Marshal(settings{Wall: wall, MemoryMB: r.cfg.MemoryMB, TempDir: temp, Threads: runtime.NumCPU()})
	return string(b), err
}

// Close ends the workers. Queries that run come to their end first.
func (r *Runner) Close() error {
	var err error
	r.closed.Do(func() {
		for range r.cfg.Workers {
			if p := <-r.slots; p != nil {
				p.kill()
			}
		}
		err = os.RemoveAll(r.temp)
	})
	return err
}

// Walls starts a worker where none runs and says what confines it.
func (r *Runner) Walls(ctx context.Context) (Walls, error) {
	p, err := r.acquire(ctx)
	if err != nil {
		return Walls{}, err
	}
	defer r.release(p)
	return p.Walls, nil
}

// acquire waits for a worker and starts it where it does not run.
func (r *Runner) acquire(ctx context.Context) (*process, error) {
	select {
	case p := <-r.slots:
		if p != nil && p.alive() {
			return p, nil
		}
		p, err := startProcess(r.settings)
		if err != nil {
			r.slots <- nil
			return nil, fmt.Errorf("sqltool: %w", err)
		}
		return p, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// release gives a worker back. One that was killed is replaced at once, so that
// the next query does not pay for its start.
func (r *Runner) release(p *process) {
	if p.alive() {
		r.slots <- p
		return
	}
	go func() {
		fresh, err := startProcess(r.settings)
		if err != nil {
			r.cfg.Logger.Error("a worker did not start again", "error", err)
		}
		r.slots <- fresh
	}()
}

// do runs one request on a worker within the runner's time limit.
func (r *Runner) do(ctx context.Context, req request, each func(response) error) (*response, EngineTime, error) {
	begun := time.Now()
	ctx, stop := context.WithTimeoutCause(ctx, r.cfg.Timeout, &TimeoutError{After: r.cfg.Timeout})
	defer stop()
	p, err := r.acquire(ctx)
	if err != nil {
		return nil, EngineTime{}, err
	}
	defer r.release(p)
	queued := time.Since(begun)
	resp, err := p.call(ctx, req, each)
	if _, crashed := errors.AsType[*crashError](err); crashed {
		r.cfg.Logger.Error("a worker ended during a request", "op", req.Op, "error", err)
		return nil, EngineTime{}, &EngineError{Kind: "crash", Text: "the engine's process ended on this query, most likely out of memory; filter or aggregate earlier", Raw: err.Error()}
	}
	if err != nil {
		return nil, EngineTime{}, err
	}
	if resp.Err != nil {
		return nil, EngineTime{}, r.typed(ctx, resp.Err)
	}
	t := EngineTime{Queue: queued.Microseconds(), Engine: resp.Micros}
	if resp.Result != nil {
		resp.Result.restore()
	}
	t.IPC = time.Since(begun).Microseconds() - t.Queue - t.Engine
	return resp, t, nil
}

// typed rebuilds a worker's error; a stop at the deadline is a timeout.
func (r *Runner) typed(ctx context.Context, e *wireError) error {
	if ctx.Err() != nil && (e.Kind == "cancelled" || e.Kind == "engine") {
		return context.Cause(ctx)
	}
	if e.Raw != "" {
		r.cfg.Logger.Debug("engine error", "kind", e.Code, "raw", e.Raw)
	}
	return e.err()
}

// ParseTree returns DuckDB's syntax tree of a text (json_serialize_sql), made in
// an empty locked engine. It satisfies guardrails.TreeParser.
func (r *Runner) ParseTree(ctx context.Context, sql string) ([]byte, error) {
	resp, _, err := r.do(ctx, request{Op: opParse, SQL: sql}, nil)
	if err != nil {
		return nil, err
	}
	return resp.Tree, nil
}

// Run runs a checked query over the versions that its scope names.
func (r *Runner) Run(ctx context.Context, q guardrails.Query) (*Result, error) {
	if q.Wrapped() == "" {
		return nil, errors.New("sqltool: the query was not checked by the guard")
	}
	files, err := r.files(q.Scope(), q.Tables())
	if err != nil {
		return nil, err
	}
	req := request{Op: opRun, SQL: q.Wrapped(), TreeHash: q.TreeHash(), Files: files, Tables: q.Tables(), Caps: q.Scope().Caps.Defaults()}
	resp, t, err := r.do(ctx, req, nil)
	if err != nil {
		return nil, err
	}
	resp.Result.Tables, resp.Result.Engine = q.Tables(), t
	return resp.Result, nil
}

// Rows returns rows of one table by their numbers, with the columns and under the
// row filter of the scope: what a hit points to may be outside it.
func (r *Runner) Rows(ctx context.Context, scope *guardrails.Scope, ref schema.Ref, rows []int64) (*Result, error) {
	if len(rows) == 0 {
		return &Result{Rows: [][]any{}}, nil
	}
	files, err := r.files(scope, []schema.Ref{ref})
	if err != nil {
		return nil, err
	}
	resp, t, err := r.do(ctx, request{Op: opRows, Files: files, Numbers: rows, Caps: scope.Caps.Defaults()}, nil)
	if err != nil {
		return nil, err
	}
	resp.Result.Tables, resp.Result.Engine = []schema.Ref{ref}, t
	return resp.Result, nil
}

// files returns the version files that hold the tables, with each table as the
// scope shows it.
func (r *Runner) files(scope *guardrails.Scope, refs []schema.Ref) ([]file, error) {
	var out []file
	index := map[string]int{}
	for _, ref := range refs {
		st := scope.Table(ref)
		if st == nil {
			return nil, &NotFoundError{What: "table", Name: ref.String()}
		}
		path := filepath.Join(r.cfg.Store.workbookDir(ref.Workbook), st.Table.Version, tablesFile)
		i, ok := index[path]
		if !ok {
			i = len(out)
			index[path] = i
			out = append(out, file{Path: path})
		}
		out[i].Tables = append(out[i].Tables, fileTable{
			Ref: ref, Columns: viewColumns(st.Table), Filter: st.Filter, Bare: scope.Bare(ref),
		})
	}
	return out, nil
}

// viewColumns are the columns of a table's view: the permitted ones and the row number.
func viewColumns(t *schema.Table) []string {
	names := []string{schema.RowColumn}
	for _, c := range t.Columns {
		names = append(names, c.Name)
	}
	return names
}

// ScanTable hands every row of a version's table to fn in order: its number, its
// values in text form and which of them are NULL.
func (r *Runner) ScanTable(ctx context.Context, v Version, table string, fn func(row int64, values []string, nulls []bool) error) error {
	for _, t := range v.Tables {
		if t.Table != table {
			continue
		}
		f := file{Path: filepath.Join(v.Dir, tablesFile), Tables: []fileTable{{Ref: t.Ref, Columns: viewColumns(t)}}}
		_, _, err := r.do(ctx, request{Op: opScan, Files: []file{f}}, func(m response) error {
			if m.Batch == nil {
				return nil
			}
			for i, n := range m.Batch.Rows {
				if err := fn(n, m.Batch.Values[i], m.Batch.Nulls[i]); err != nil {
					return err
				}
			}
			return nil
		})
		return err
	}
	return &NotFoundError{What: "table", Name: v.Workbook + "." + table}
}
