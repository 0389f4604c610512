package sqltool_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/allrows/allrows/guardrails"
	"github.com/allrows/allrows/schema"
	"github.com/allrows/allrows/sqltool"
)

// forever is a query that ends at its deadline only.
const forever = "SELECT count(*) FROM range(1000000) a, range(1000000) b, range(1000000) c WHERE a.range * b.range = c.range + 1"

// unstoppable does not hear that it should end.
const unstoppable = "SELECT list_reduce(range(1000000), (x, y) -> x + y + list_sum(range(100000)))"

func write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// asked checks a statement for a principal.
func asked(t *testing.T, r *sqltool.Runner, v sqltool.Version, principal, sql string) guardrails.Query {
	t.Helper()
	g, err := guardrails.New(guardrails.Config{Parser: r})
	if err != nil {
		t.Fatal(err)
	}
	q, err := g.Check(t.Context(), guardrails.NewScope(principal, &schema.Context{Tables: v.Tables}), sql)
	if err != nil {
		t.Fatalf("Check(%q): %v", sql, err)
	}
	return q
}

// p95 runs a query some times and returns the time that 95% of them kept.
func p95(t *testing.T, r *sqltool.Runner, q guardrails.Query, n int) time.Duration {
	t.Helper()
	var took []time.Duration
	for range n {
		begun := time.Now()
		if _, err := r.Run(t.Context(), q); err != nil {
			t.Fatal(err)
		}
		took = append(took, time.Since(begun))
		time.Sleep(5 * time.Millisecond)
	}
	slices.Sort(took)
	return took[len(took)*95/100]
}

// One asker with fifty endless queries leaves the others a worker, and the guard
// its parser.
func TestOneAskerDoesNotTakeAll(t *testing.T) {
	_, r, v := loadedWith(t, sqltool.Config{Timeout: 3 * time.Second}, "w.csv", "city,pay\nLyon,3\nParis,4.5\n")
	bomb := asked(t, r, v, "greedy", forever)
	plain := asked(t, r, v, "modest", "SELECT sum(pay) FROM w")
	p95(t, r, plain, 20) // engines open
	alone := p95(t, r, plain, 60)
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() { _, _ = r.Run(ctx, bomb) })
	}
	time.Sleep(500 * time.Millisecond)
	beside := p95(t, r, plain, 60)
	begun := time.Now()
	if _, err := r.ParseTree(t.Context(), "SELECT 1"); err != nil {
		t.Error(err)
	}
	t.Logf("p95 alone %s, beside 50 endless queries of another %s; a parse beside them %s; %+v", alone, beside, time.Since(begun), r.Stats())
	if beside > 500*time.Millisecond {
		t.Errorf("p95 beside another's endless queries is %s (alone %s)", beside, alone)
	}
	stop()
	all.Wait()
}

// A worker that does not hear its deadline is killed within a second of it, and
// another is ready half a second later.
func TestKilledWorkerIsReplaced(t *testing.T) {
	_, r, v := loadedWith(t, sqltool.Config{Workers: 1, Timeout: 500 * time.Millisecond}, "w.csv", "city,pay\nLyon,3\n")
	bomb, plain := checked(t, r, v, unstoppable), checked(t, r, v, "SELECT count(*) FROM w")
	for range 3 {
		begun := time.Now()
		_, err := r.Run(t.Context(), bomb)
		took := time.Since(begun)
		if _, ok := errors.AsType[*sqltool.TimeoutError](err); !ok {
			if _, ok := errors.AsType[*sqltool.EngineError](err); !ok {
				t.Errorf("an endless query: %v", err)
			}
		}
		if took > 1600*time.Millisecond {
			t.Errorf("an endless query ended after %s, its limit is 500ms", took)
		}
		begun = time.Now()
		ctx, stop := context.WithTimeout(t.Context(), 5*time.Second)
		_, err = r.Run(ctx, plain)
		stop()
		ready := time.Since(begun)
		t.Logf("stopped after %s, the next answer %s later", took.Round(time.Millisecond), ready.Round(time.Millisecond))
		if err != nil && ready < 500*time.Millisecond {
			t.Errorf("the next query: %v", err)
		}
		if ready > 1500*time.Millisecond {
			t.Errorf("the next query was answered after %s", ready)
		}
	}
}

// Who leaves frees the worker.
func TestCallerLeaves(t *testing.T) {
	_, r, v := loadedWith(t, sqltool.Config{Workers: 1}, "w.csv", "city,pay\nLyon,3\n")
	bomb, plain := checked(t, r, v, forever), checked(t, r, v, "SELECT count(*) FROM w")
	for range 5 {
		ctx, leave := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { _, err := r.Run(ctx, bomb); done <- err }()
		time.Sleep(100 * time.Millisecond)
		leave()
		begun := time.Now()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("a query whose caller left: %v", err)
		}
		if _, err := r.Run(t.Context(), plain); err != nil {
			t.Error(err)
		}
		if took := time.Since(begun); took > time.Second {
			t.Errorf("the worker was free after %s", took)
		}
	}
}

// A query that breaks the engine itself does not break the next one.
func TestInternalErrorReopens(t *testing.T) {
	_, r, v := loadedWith(t, sqltool.Config{Workers: 1}, "w.csv", "id,pay\n1,3\n2,4\n3,5\n4,6\n")
	plain := checked(t, r, v, "SELECT count(*) FROM w")
	broken := checked(t, r, v, "SELECT lead(id ORDER BY id) OVER (ORDER BY id ROWS BETWEEN 3 FOLLOWING AND 1 FOLLOWING) FROM w")
	for range 3 {
		_, err := r.Run(t.Context(), broken)
		e, ok := errors.AsType[*sqltool.EngineError](err)
		if err != nil && !ok {
			t.Errorf("a query that breaks the engine: %v", err)
		}
		if ok && strings.Contains(e.Text, "INTERNAL") {
			t.Errorf("the engine's own words were shown: %s", e.Text)
		}
		t.Logf("%v", err)
		if _, err := r.Run(t.Context(), plain); err != nil {
			t.Errorf("the query after it: %v", err)
		}
	}
}

// A worker that dies in its sleep is replaced unseen; a closed runner refuses.
func TestCloseAndPing(t *testing.T) {
	_, r, v := loaded(t, "w.csv", "city,pay\nLyon,3\n")
	if err := r.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	q := checked(t, r, v, "SELECT count(*) FROM w")
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Run(t.Context(), q); err == nil {
		t.Error("a closed runner ran a query")
	}
}

// Twelve sorts that spill at the same time, in one worker's engines and in others',
// do not read each other's files.
func TestSpillsStayApart(t *testing.T) {
	_, r, v := loadedWith(t, sqltool.Config{Workers: 3, MemoryMB: 160, Timeout: 60 * time.Second}, "w.csv", "city,pay\nLyon,3\n")
	sql := "SELECT count(*), sum(n) FROM (SELECT row_number() OVER (ORDER BY hash(range + %d)) AS n, range FROM range(1000000))"
	var all sync.WaitGroup
	for i := range 6 {
		q := asked(t, r, v, fmt.Sprint("p", i), fmt.Sprintf(sql, i))
		all.Go(func() {
			res, err := r.Run(t.Context(), q)
			if e, ok := errors.AsType[*sqltool.EngineError](err); ok && e.Kind == "out of memory" {
				t.Logf("out of memory is an answer too: %s", e.Raw)
				return
			}
			if err != nil || res.Rows[0][0] != int64(1_000_000) {
				t.Errorf("sort %d: %v, %v", i, res, err)
			}
		})
	}
	all.Wait()
}
