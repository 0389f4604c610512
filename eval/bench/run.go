package bench

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/allrows/allrows/agent"
	"github.com/allrows/allrows/eval"
)

// Config configures a run. Gateway is required.
type Config struct {
	Gateway  eval.Gateway
	Parallel int                               // questions asked at once; default one a CPU
	Progress func(phase string, done, all int) // called from many goroutines, one at a time; may be nil
	Each     func(Result)                      // called as a case ends, one at a time; may be nil
}

// Best is what would have been answered with the threshold off.
type Best struct {
	Rows  [][]any `json:"rows"`
	SQL   string  `json:"sql"`
	Right bool    `json:"right"`
}

// Result is one case with what was answered. Rows is null where nothing was
// answered, and the key and measure columns of the answer otherwise.
type Result struct {
	ID         string        `json:"id"`
	Outcome    agent.Outcome `json:"outcome"`
	Rows       [][]any       `json:"rows"`
	Confidence float64       `json:"confidence"`
	Right      bool          `json:"right"`
	Kind       string        `json:"kind"`
	SQL        string        `json:"sql"`
	ElapsedMS  float64       `json:"elapsed_ms"`
	Best       Best          `json:"best"`
	Error      string        `json:"error,omitempty"`
}

// Answered reports whether the question got an answer at the threshold. That no
// row matches is one: it may be wrong.
func (r *Result) Answered() bool { return r.Rows != nil }

// Run loads the tables that the cases need, each once, then asks the questions.
// Results come in the order of the cases. The error is that of a context that
// ended: a table that cannot be loaded fails its own cases.
func Run(ctx context.Context, cfg Config, s *Set, cases []Case) ([]Result, error) {
	r := &runner{Config: cfg, set: s, workbooks: map[string]loaded{}}
	r.Parallel = cmp.Or(max(cfg.Parallel, 0), runtime.NumCPU())
	if err := r.load(ctx, cases); err != nil {
		return nil, err
	}
	results := make([]Result, len(cases))
	err := r.each(ctx, "asking", len(cases), func(i int) {
		results[i] = r.ask(ctx, &cases[i])
		if r.Each != nil {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.Each(results[i])
		}
	})
	return results, err
}

type loaded struct {
	workbook string
	err      error
}

type runner struct {
	Config
	set *Set

	mu        sync.Mutex
	workbooks map[string]loaded // by table path; complete before the first question
}

// each calls do for 0 … n-1 from as many goroutines as may run at once.
func (r *runner) each(ctx context.Context, phase string, n int, do func(i int)) error {
	var next, done atomic.Int64
	var wg sync.WaitGroup
	for range min(r.Parallel, n) {
		wg.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				do(i)
				if r.Progress != nil {
					r.mu.Lock()
					r.Progress(phase, int(done.Add(1)), n)
					r.mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("bench: %s: %w", phase, err)
	}
	return nil
}

func (r *runner) load(ctx context.Context, cases []Case) error {
	paths := tablesOf(cases)
	return r.each(ctx, "loading", len(paths), func(i int) {
		p := paths[i]
		name, err := r.Gateway.Load(ctx, eval.Source{
			Path: filepath.Join(r.set.Dir, filepath.FromSlash(p)), Name: r.set.names[p],
		})
		r.mu.Lock()
		defer r.mu.Unlock()
		r.workbooks[p] = loaded{name, err}
	})
}

func (r *runner) ask(ctx context.Context, c *Case) Result {
	res := Result{ID: c.ID, Kind: c.Kind(), Outcome: agent.Failed}
	now, err := c.Now()
	q := eval.Question{Text: c.Question, Now: now}
	for _, t := range c.Tables {
		w := r.workbooks[t]
		if w.err != nil {
			err = fmt.Errorf("loading %s: %w", t, w.err)
		}
		q.Workbooks = append(q.Workbooks, w.workbook)
	}
	if err != nil {
		res.Error = err.Error()
		return res
	}
	start := time.Now()
	a, err := r.Gateway.Ask(ctx, q)
	res.ElapsedMS = float64(time.Since(start).Microseconds()) / 1000
	if err != nil {
		res.Error = err.Error()
		return res
	}
	res.Outcome, res.Confidence, res.SQL = a.Outcome, a.Receipt.Confidence, a.Receipt.SQL
	res.Rows = rowsOf(a)
	res.Right = a.Outcome != agent.Failed && c.Right(res.Rows)
	res.Best = Best{Rows: res.Rows, SQL: res.SQL, Right: res.Right}
	if res.Answered() || c.AnswerType == Unanswerable {
		return res
	}
	q.Best = true
	if a, err = r.Gateway.Ask(ctx, q); err != nil {
		res.Error = err.Error()
		return res
	}
	best := rowsOf(a)
	res.Best = Best{Rows: best, SQL: a.Receipt.SQL, Right: c.Right(best)}
	return res
}

// rowsOf is what an answer gave: rows, no rows (not nil), or nothing (nil).
func rowsOf(a *agent.Answer) [][]any {
	if a.Outcome == agent.Empty && a.Reason != nil && a.Reason.Code == "no_rows" {
		return [][]any{}
	}
	return eval.Rows(a)
}
