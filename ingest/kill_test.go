package ingest_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/allrows/allrows/guardrails"
	"github.com/allrows/allrows/ingest"
	"github.com/allrows/allrows/kb"
	"github.com/allrows/allrows/kb/embed"
	"github.com/allrows/allrows/sqltool"
)

// loadEnv makes the test binary load a file into a data folder and exit: a process
// of its own, to be killed. Its value is "folder|file".
const loadEnv = "ALLROWS_TEST_LOAD"

func maybeLoad() {
	dir, file, ok := strings.Cut(os.Getenv(loadEnv), "|")
	if !ok {
		return
	}
	if err := loadInto(dir, file); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func loadInto(dir, file string) error {
	store, err := sqltool.OpenStore(dir)
	if err != nil {
		return err
	}
	r, err := sqltool.New(sqltool.Config{Store: store, Workers: 1})
	if err != nil {
		return err
	}
	defer r.Close()
	index, err := kb.New(kb.Config{Dir: filepath.Join(dir, "index"), Embedder: embed.Static()})
	if err != nil {
		return err
	}
	l, err := ingest.New(ingest.Config{Store: store, Runner: r, Index: index})
	if err != nil {
		return err
	}
	_, err = l.Load(context.Background(), ingest.Request{Path: file, Name: "big", Replace: true})
	return err
}

// generation writes a file whose every row names its generation.
func generation(t *testing.T, dir string, g, rows int) string {
	var b strings.Builder
	b.WriteString("generation,number,city\n")
	for i := range rows {
		fmt.Fprintf(&b, "%d,%d,city %d\n", g, i, i%97)
	}
	return write(t, filepath.Join(dir, fmt.Sprintf("g%d", g), "big.csv"), b.String())
}

// A load that is killed at any moment leaves the old version or the new one,
// whole, and the next load needs no hand work.
func TestKillDuringLoad(t *testing.T) {
	const rows, kills = 8_000, 20
	data, sources := t.TempDir(), t.TempDir()
	if err := loadInto(data, generation(t, sources, 0, rows)); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	child(t, data, generation(t, sources, 1, rows), 0)
	whole := time.Since(begun)
	published := 0
	for k := range kills {
		g := k + 2
		after := time.Duration(rand.Int64N(int64(whole)*11/10)) + time.Millisecond
		child(t, data, generation(t, sources, g, rows), after)
		got, n := serving(t, data)
		if n != rows {
			t.Fatalf("killed after %s: %d rows are served, want %d", after, n, rows)
		}
		if got == int64(g) {
			published++
		}
		if got > int64(g) {
			t.Fatalf("killed after %s: generation %d is served, of %d", after, got, g)
		}
	}
	t.Logf("%d kills within %s; %d loads had published", kills, whole, published)
	last := kills + 2
	child(t, data, generation(t, sources, last, rows), 0)
	if got, n := serving(t, data); got != int64(last) || n != rows {
		t.Errorf("after the campaign generation %d with %d rows is served, want %d with %d", got, n, last, rows)
	}
	time.Sleep(1100 * time.Millisecond) // sweeping passes over folders that were just made
	if _, err := sqltool.OpenStore(data); err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(data, "workbooks", ".staging", "*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind after a sweep: %v, %v", left, err)
	}
}

// child loads in a process of its own and kills it after a while; 0 lets it end.
func child(t *testing.T, data, file string, after time.Duration) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), loadEnv+"="+data+"|"+file)
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if after > 0 {
		time.Sleep(after)
		_ = cmd.Process.Kill() // it may have ended before
		_ = cmd.Wait()
		return
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("loading %s: %v: %s", file, err, said.String())
	}
}

// serving asks the published version which generation it holds and how many rows.
func serving(t *testing.T, data string) (generation, rows int64) {
	t.Helper()
	store, err := sqltool.OpenStore(data)
	if err != nil {
		t.Fatal(err)
	}
	r, err := sqltool.New(sqltool.Config{Store: store, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	res, err := query(t, store, r, "SELECT generation, count(*) FROM big GROUP BY generation")
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Rows) != 1 {
		t.Fatalf("the served version mixes generations: %v", res.Rows)
	}
	generation, ok := res.Rows[0][0].(int64)
	if !ok {
		t.Fatalf("generation is %T %v", res.Rows[0][0], res.Rows[0][0])
	}
	return generation, res.Rows[0][1].(int64)
}

// query asks the published workbooks through the guard.
func query(t *testing.T, store *sqltool.Store, r *sqltool.Runner, sql string) (*sqltool.Result, error) {
	t.Helper()
	snap, err := store.Snapshot()
	if err != nil {
		return nil, err
	}
	defer snap.Close()
	g, err := guardrails.New(guardrails.Config{Parser: r})
	if err != nil {
		return nil, err
	}
	q, err := g.Check(t.Context(), guardrails.NewScope("t", snap.Context()), sql)
	if err != nil {
		return nil, err
	}
	return r.Run(t.Context(), q)
}
