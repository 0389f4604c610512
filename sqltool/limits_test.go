package sqltool_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/allrows/allrows/guardrails"
	"github.com/allrows/allrows/schema"
	"github.com/allrows/allrows/sqltool"
)

// checked returns a guard over a runner and a scope over a version.
func checked(t *testing.T, r *sqltool.Runner, v sqltool.Version, sql string) guardrails.Query {
	t.Helper()
	g, err := guardrails.New(guardrails.Config{Parser: r})
	if err != nil {
		t.Fatal(err)
	}
	q, err := g.Check(t.Context(), guardrails.NewScope("t", &schema.Context{Tables: v.Tables}), sql)
	if err != nil {
		t.Fatalf("Check(%q): %v", sql, err)
	}
	return q
}

// Queries that take forever, or all memory, end by their time limit and a second,
// with a typed error, and the next query is answered.
func TestBombsEnd(t *testing.T) {
	_, r, v := loadedWith(t, sqltool.Config{Workers: 1, Timeout: time.Second, MemoryMB: 256}, "w.csv", "city,pay\nLyon,3\nParis,4.5\n")
	plain := checked(t, r, v, "SELECT count(*) FROM w")
	for name, sql := range map[string]string{
		"cross join":    "SELECT count(*) FROM range(1000000) a, range(1000000) b, range(1000000) c",
		"recursion":     "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n",
		"nested repeat": "SELECT length(repeat(repeat(repeat(repeat('x', 1000), 1000), 1000), 100))",
		"string_agg":    "SELECT string_agg(repeat('x', 1000), ',') FROM range(1000000) a, range(1000) b",
		"sort":          "SELECT a.range, b.range FROM range(1000000) a, range(1000) b ORDER BY hash(a.range, b.range) LIMIT 5 OFFSET 1000000",
		"lpad":          "SELECT count(DISTINCT lpad('x' || a.range, 1000, 'y')) FROM range(1000000) a, range(1000) b",
		"window":        "SELECT sum(s) FROM (SELECT list(a.range) OVER (ORDER BY a.range) AS l, sum(a.range) OVER (ORDER BY a.range) AS s FROM range(200000) a)",
		"distinct":      "SELECT count(DISTINCT hash(a.range, b.range)) FROM range(1000000) a, range(1000) b",
		"list":          "SELECT list_reduce(range(1000000), (x, y) -> x + y + list_sum(range(100000)))",
	} {
		t.Run(name, func(t *testing.T) {
			q := checked(t, r, v, sql)
			peak := childrenPeak(t)
			begun := time.Now()
			_, err := r.Run(t.Context(), q)
			took := time.Since(begun)
			_, timeout := errors.AsType[*sqltool.TimeoutError](err)
			_, engine := errors.AsType[*sqltool.EngineError](err)
			if !timeout && !engine {
				t.Errorf("%v, want a timeout or an engine error", err)
			}
			if mb := peak(); mb > 256+64 {
				t.Errorf("its worker took %d MB of its 256", mb)
			}
			if took > 2*time.Second {
				t.Errorf("took %s, want its limit of 1 s and one more", took)
			}
			t.Logf("%s: %v", took.Round(time.Millisecond), err)
			if _, err := r.Run(t.Context(), plain); err != nil {
				t.Errorf("the query after it: %v", err)
			}
		})
	}
}

func TestParallelQueries(t *testing.T) {
	_, r, v := loadedWith(t, sqltool.Config{Workers: 2}, "w.csv", "city,pay\nLyon,3\nParis,4.5\n")
	q := checked(t, r, v, "SELECT sum(pay) FROM w")
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			res, err := r.Run(t.Context(), q)
			if err != nil || res.Rows[0][0] != "7.5" {
				t.Errorf("sum = %v, %v", res, err)
			}
		})
	}
	wg.Wait()
}

func TestCapsAreSaid(t *testing.T) {
	_, r, v := loadedWith(t, sqltool.Config{Workers: 1}, "w.csv", "city,pay\nLyon,3\nParis,4.5\n")
	for _, tt := range []struct {
		name, sql, why string
		rows           int
	}{
		{"rows", "SELECT range FROM range(5000)", "rows", 1000},
		{"exactly the cap", "SELECT range FROM range(1000)", "", 1000},
		{"bytes", "SELECT repeat('x', 1000) AS a, repeat('y', 1000) AS b FROM range(900)", "bytes", 523},
		{"value", "SELECT string_agg('long text', ',') FROM range(20000)", "value", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			res, err := r.Run(t.Context(), checked(t, r, v, tt.sql))
			if err != nil {
				t.Fatal(err)
			}
			if res.Why != tt.why || res.Truncated != (tt.why != "") || len(res.Rows) != tt.rows {
				t.Errorf("%d rows, truncated %v for %q; want %d rows for %q", len(res.Rows), res.Truncated, res.Why, tt.rows, tt.why)
			}
		})
	}
}

// A query checked in one scope reads only what that scope shows, whatever the
// worker served before.
func TestScopesStayApart(t *testing.T) {
	_, r, v := loadedWith(t, sqltool.Config{Workers: 1}, "w.csv", "city,pay\nLyon,3\nParis,4.5\n")
	g, err := guardrails.New(guardrails.Config{Parser: r})
	if err != nil {
		t.Fatal(err)
	}
	whole := guardrails.NewScope("all", &schema.Context{Tables: v.Tables})
	part := guardrails.NewScope("part", &schema.Context{Tables: v.Tables})
	part.Tables[0].Filter = "city = 'Lyon'"
	for _, tt := range []struct {
		scope *guardrails.Scope
		want  string
	}{{whole, "7.5"}, {part, "3"}, {whole, "7.5"}} {
		q, err := g.Check(t.Context(), tt.scope, "SELECT sum(pay) FROM w.w")
		if err != nil {
			t.Fatal(err)
		}
		res, err := r.Run(t.Context(), q)
		if err != nil || res.Rows[0][0] != tt.want {
			t.Errorf("scope %s: sum = %v, %v; want %s", tt.scope.Principal, res, err, tt.want)
		}
	}
	rows, err := r.Rows(t.Context(), part, v.Tables[0].Ref, []int64{2, 3})
	if err != nil || len(rows.Rows) != 1 {
		t.Errorf("rows 2 and 3 under the filter = %v, %v; want one", rows, err)
	}
}

// childrenPeak watches the resident memory of this process's children and returns
// what the largest of them took, in MB.
func childrenPeak(t *testing.T) func() int {
	t.Helper()
	done, result := make(chan struct{}), make(chan int)
	go func() {
		most := 0
		for {
			select {
			case <-done:
				result <- most
				return
			case <-time.After(5 * time.Millisecond):
				for _, mb := range childrenMB() {
					most = max(most, mb)
				}
			}
		}
	}()
	return func() int { close(done); return <-result }
}

// childrenMB is the resident memory of every child of this process. Where the
// system does not tell, there are none.
func childrenMB() []int {
	var out []int
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		b, err := os.ReadFile(path)
		if err != nil {
			continue // it ended meanwhile
		}
		fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
		if len(fields) < 22 || fields[1] != strconv.Itoa(os.Getpid()) {
			continue
		}
		pages, err := strconv.Atoi(fields[21])
		if err == nil {
			out = append(out, pages*os.Getpagesize()>>20)
		}
	}
	return out
}
