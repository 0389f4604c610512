package sqltool

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/allrows/allrows/guardrails"
	"github.com/allrows/allrows/schema"
)

// Config configures a [Runner]. Store is required; other zero values have defaults.
type Config struct {
	Store        *Store
	Workers      int           // query processes; default one more than cores: the last is for whoever does not hold the others
	Timeout      time.Duration // of a query whose context has no earlier deadline; default 10 s
	MemoryMB     int           // resident memory of a query's worker; default 1024
	LoadMemoryMB int           // resident memory of a loading worker; default 2048
	LoadTimeout  time.Duration // of the reading of a source; default 1 h
	Loads        int           // loading workers at a time; default the number of cores
	Logger       *slog.Logger  // default discards
}

// addressMB is the address space of a worker beyond its memory: the binary, the Go
// runtime, and what is reserved and never touched.
const addressMB = 2560

// parserMB is the memory of the worker that parses.
const parserMB = 256

// Runner is the pool of worker processes: one parses, the others run queries.
// Requests wait for a free one; a worker that dies or is killed is replaced. It is
// safe for concurrent use.
type Runner struct {
	cfg     Config
	temp    *hold // folder for spills, one in it for each worker
	parsers *pool
	workers *pool
	loads   chan struct{} // one for each load under way
	warmed  sync.Once
	closed  sync.Once
}

// New makes a pool. Its workers start when they are first needed.
func New(cfg Config) (*Runner, error) {
	if cfg.Store == nil {
		return nil, errors.New("sqltool: Config.Store is nil")
	}
	cfg.Workers = cmp.Or(cfg.Workers, runtime.NumCPU()+1)
	cfg.Timeout = cmp.Or(cfg.Timeout, 10*time.Second)
	cfg.MemoryMB = cmp.Or(cfg.MemoryMB, 1024)
	cfg.LoadMemoryMB = cmp.Or(cfg.LoadMemoryMB, 2*cfg.MemoryMB)
	cfg.LoadTimeout = cmp.Or(cfg.LoadTimeout, time.Hour)
	cfg.Loads = cmp.Or(cfg.Loads, runtime.NumCPU())
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	temp, err := cfg.Store.hold("workers")
	if err != nil {
		return nil, err
	}
	r := &Runner{cfg: cfg, temp: temp, loads: make(chan struct{}, cfg.Loads)}
	r.workers = newPool(cfg.Workers, cfg.Logger, func() (*process, error) {
		s := r.settings(cfg.MemoryMB)
		s.Wall.ReadDirs = []string{cfg.Store.workbooksDir()}
		return startProcess(s)
	})
	r.parsers = newPool(1, cfg.Logger, func() (*process, error) {
		s := r.settings(parserMB)
		s.Threads = 1
		return startProcess(s)
	})
	return r, nil
}

// settings are those of a worker with that much memory.
func (r *Runner) settings(memoryMB int) settings {
	return settings{
		Wall:     wallSpec{AddressMB: int64(memoryMB) + addressMB},
		MemoryMB: memoryMB, Threads: runtime.NumCPU(), TempDir: filepath.Join(r.temp.dir, randomName()),
	}
}

// Close ends the workers. Queries that run come to their end first.
func (r *Runner) Close() error {
	var err error
	r.closed.Do(func() {
		r.workers.close()
		r.parsers.close()
		err = r.temp.release()
	})
	return err
}

// Walls starts a worker where none runs and says what confines it.
func (r *Runner) Walls(ctx context.Context) (Walls, error) {
	p, err := r.workers.acquire(ctx, "")
	if err != nil {
		return Walls{}, err
	}
	defer r.workers.release(p, "")
	return p.Walls, nil
}

// Ping asks a worker of each kind for a sign of life.
func (r *Runner) Ping(ctx context.Context) error {
	for _, p := range []*pool{r.parsers, r.workers} {
		if _, _, err := r.do(ctx, p, "", request{Op: opPing}, nil); err != nil {
			return fmt.Errorf("asking a worker for a sign of life: %w", err)
		}
	}
	return nil
}

// Stats says what the workers that run queries are at.
func (r *Runner) Stats() Stats { return r.workers.snapshot() }

// ingestTimeout is the least time that one page of a load's own reading may take,
// with the wait for a worker: a load is no question that somebody waits for.
const ingestTimeout = 5 * time.Minute

// do runs one request on a worker of the pool within the runner's time limit.
func (r *Runner) do(ctx context.Context, pl *pool, holder string, req request, each func(response) error) (*response, EngineTime, error) {
	begun := time.Now()
	limit := r.cfg.Timeout
	if holder == ingestHolder {
		limit = max(limit, ingestTimeout)
	}
	ctx, stop := context.WithTimeoutCause(ctx, limit, &TimeoutError{After: limit})
	defer stop()
	p, err := pl.acquire(ctx, holder)
	if err != nil {
		return nil, EngineTime{}, err
	}
	r.warmed.Do(r.workers.warm)
	defer pl.release(p, holder)
	queued := time.Since(begun)
	resp, err := p.call(ctx, req, each)
	if err != nil {
		return nil, EngineTime{}, r.broken(pl, req, err)
	}
	if resp.Err != nil {
		return nil, EngineTime{}, r.typed(ctx, pl, resp.Err)
	}
	t := EngineTime{Queue: queued.Microseconds(), Engine: resp.Micros}
	if resp.Result != nil {
		resp.Result.restore()
	}
	t.IPC = time.Since(begun).Microseconds() - t.Queue - t.Engine
	return resp, t, nil
}

// broken counts and types the end of a worker that did not answer.
func (r *Runner) broken(pl *pool, req request, err error) error {
	crash, crashed := errors.AsType[*crashError](err)
	if !crashed {
		pl.count(func(s *Stats) { s.Killed++ })
		r.cfg.Logger.Warn("a worker was killed", "op", req.Op, "error", err)
		return err
	}
	pl.count(func(s *Stats) { s.Crashed++ })
	r.cfg.Logger.Error("a worker ended during a request", "op", req.Op, "error", err)
	return crash.typed()
}

// typed rebuilds a worker's error; a stop at the deadline is a timeout.
func (r *Runner) typed(ctx context.Context, pl *pool, e *wireError) error {
	if e.Kind == "cancelled" || e.Kind == "engine" && ctx.Err() != nil {
		if ctx.Err() == nil { // the worker's own clock was a moment faster
			return &TimeoutError{After: r.cfg.Timeout}
		}
		return context.Cause(ctx)
	}
	if e.Kind == "engine" && (e.Code == kindOracle || e.Code == kindVerify) {
		pl.count(func(s *Stats) { s.Alarms++ })
		r.cfg.Logger.Error("the second opinion differs from the guard's", "kind", e.Code)
	}
	if e.Raw != "" {
		r.cfg.Logger.Debug("engine error", "kind", e.Code, "raw", e.Raw)
	}
	return e.err()
}

// ParseTree returns DuckDB's syntax tree of a text (json_serialize_sql), made in
// an empty locked engine. It satisfies guardrails.TreeParser.
func (r *Runner) ParseTree(ctx context.Context, sql string) ([]byte, error) {
	resp, _, err := r.do(ctx, r.parsers, "", request{Op: opParse, SQL: sql}, nil)
	if err != nil {
		return nil, err
	}
	return resp.body, nil
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
	resp, t, err := r.do(ctx, r.workers, q.Scope().Principal, req, nil)
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
	if len(rows) > maxNumbers {
		return nil, &LimitError{What: "a lookup by row numbers", Limit: fmt.Sprint(maxNumbers), Actual: fmt.Sprint(len(rows))}
	}
	resp, t, err := r.do(ctx, r.workers, scope.Principal, request{Op: opRows, Files: files, Numbers: rows, Caps: scope.Caps.Defaults()}, nil)
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

// maxNumbers bounds a lookup by row numbers.
const maxNumbers = 10_000
