package sqltool_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/allrows/allrows/guardrails"
	"github.com/allrows/allrows/schema"
	"github.com/allrows/allrows/sqltool"
)

func TestMain(m *testing.M) {
	sqltool.MaybeWorker()
	maybeProbe()
	os.Exit(m.Run())
}

// loaded loads one file into a new store and returns both with a runner.
func loaded(t *testing.T, name, content string) (*sqltool.Store, *sqltool.Runner, sqltool.Version) {
	t.Helper()
	return loadedWith(t, sqltool.Config{Workers: 1, Timeout: 5 * time.Second}, name, content)
}

func loadedWith(t *testing.T, cfg sqltool.Config, name, content string) (*sqltool.Store, *sqltool.Runner, sqltool.Version) {
	t.Helper()
	source := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(source, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	store, err := sqltool.OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	cfg.Store = store
	r, err := sqltool.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return store, r, publish(t, store, r, source, "w", "v1")
}

func publish(t *testing.T, store *sqltool.Store, r *sqltool.Runner, source, name, version string) sqltool.Version {
	t.Helper()
	g, err := store.Stage(name)
	if err != nil {
		t.Fatal(err)
	}
	report, err := r.Load(t.Context(), sqltool.LoadRequest{Paths: []string{source}, Dir: g.Dir, Workbook: name}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tb := range report.Tables {
		tb.Version = version
	}
	if err := g.WriteStaged(report.Ledger, report.Tables); err != nil {
		t.Fatal(err)
	}
	v, err := g.Publish(context.Background(), sqltool.Manifest{Workbook: name, Version: version, LoadedAt: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestLoadAndReadRows(t *testing.T) {
	_, r, v := loaded(t, "w.csv", "city,pay\nLyon,3\nParis,4.5\n")
	walls, err := r.Walls(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("walls: %+v", walls)
	scope := guardrails.NewScope("local", &schema.Context{Tables: v.Tables})
	ref := v.Tables[0].Ref
	res, err := r.Rows(t.Context(), scope, ref, []int64{3})
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Rows) != 1 || res.Rows[0][1] != "Paris" || res.Rows[0][2] != "4.5" {
		t.Errorf("row 3 = %v, want [3 Paris 4.5]", res.Rows)
	}
	tree, err := r.ParseTree(t.Context(), "SELECT 1")
	if err != nil || len(tree) == 0 {
		t.Errorf("ParseTree = %s, %v", tree, err)
	}
	var n int
	err = r.ScanTable(t.Context(), v, ref.Table, func(int64, []string, []bool) error { n++; return nil })
	if err != nil || n != 2 {
		t.Errorf("scan gave %d rows, %v, want 2", n, err)
	}
}

// One prepared statement parses every text, also after one that is no SQL and one
// whose caller went away.
func TestParseTreeAfterOthers(t *testing.T) {
	_, r, _ := loaded(t, "w.csv", "city,pay\nLyon,3\n")
	want, err := r.ParseTree(t.Context(), "SELECT 1")
	if err != nil {
		t.Fatal(err)
	}
	gone, stop := context.WithCancel(t.Context())
	stop()
	_, _ = r.ParseTree(gone, "SELECT 2")
	for _, other := range []string{"SELECT FROM (", "", "SELECT '" + strings.Repeat("x", 1<<16) + "'"} {
		if tree, err := r.ParseTree(t.Context(), other); err != nil || len(tree) == 0 {
			t.Errorf("ParseTree(%.20q) = %d bytes, %v", other, len(tree), err)
		}
		if tree, err := r.ParseTree(t.Context(), "SELECT 1"); err != nil || string(tree) != string(want) {
			t.Errorf("after %.20q: ParseTree = %s, %v, want %s", other, tree, err, want)
		}
	}
}

func TestResultTypes(t *testing.T) {
	_, r, v := loaded(t, "w.csv", "city,pay\nLyon,3\n")
	for sql, want := range map[string]any{
		"SELECT 1":                                 int64(1),
		"SELECT 1::DOUBLE":                         float64(1),
		"SELECT 9007199254740993":                  "9007199254740993",
		"SELECT 1.50":                              "1.5",
		"SELECT 'NaN'::DOUBLE":                     "NaN",
		"SELECT DATE '2025-02-03'":                 "2025-02-03",
		"SELECT TIMESTAMP '2025-02-03 04:05:06.7'": "2025-02-03T04:05:06.7",
		"SELECT TIME '04:05:06'":                   "04:05:06",
		"SELECT INTERVAL '1 year 2 days'":          "P1Y2D",
		"SELECT NULL":                              nil,
		"SELECT true":                              true,
		"SELECT [1, NULL, 3]":                      []any{int64(1), nil, int64(3)},
		"SELECT {'a': 'x', 'b': 2}":                map[string]any{"a": "x", "b": int64(2)},
		"SELECT count(*) FROM w":                   int64(1),
	} {
		res, err := r.Run(t.Context(), checked(t, r, v, sql))
		if err != nil {
			t.Errorf("%s: %v", sql, err)
			continue
		}
		if d := cmp.Diff(want, res.Rows[0][0]); d != "" {
			t.Errorf("%s (%s): %s", sql, res.Columns[0].Type, d)
		}
	}
}

func TestUncheckedQueryDoesNotRun(t *testing.T) {
	_, r, _ := loaded(t, "w.csv", "city,pay\nLyon,3\n")
	if _, err := r.Run(t.Context(), guardrails.Query{}); err == nil {
		t.Error("a query that no guard made ran")
	}
}

func TestSnapshotPinsItsVersion(t *testing.T) {
	store, r, v := loaded(t, "w.csv", "city,pay\nLyon,3\n")
	snap, err := store.Snapshot("w.csv")
	if err != nil {
		t.Fatal(err)
	}
	source := filepath.Join(t.TempDir(), "w.csv")
	if err := os.WriteFile(source, []byte("city,pay\nNice,7\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	publish(t, store, r, source, "w", "v2")
	if err := store.Retain(t.Context(), "w", 1); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Version("w", v.ID); err != nil {
		t.Errorf("a pinned version went: %v", err)
	}
	snap.Close()
	if err := store.Retain(t.Context(), "w", 1); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Version("w", v.ID); err == nil {
		t.Error("version v1 stayed after its reader left")
	}
}

func TestUnknownWorkbook(t *testing.T) {
	store, err := sqltool.OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	_, err = store.Snapshot("nothing.xlsx")
	if _, ok := errors.AsType[*sqltool.NotFoundError](err); !ok {
		t.Errorf("Snapshot of nothing = %v, want a NotFoundError", err)
	}
}
