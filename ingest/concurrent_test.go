package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/allrows/allrows/ingest"
	"github.com/allrows/allrows/sqltool"
)

// children loads each file in a process of its own, all at the same time, and
// waits for them.
func children(t *testing.T, data string, files ...string) {
	t.Helper()
	var all sync.WaitGroup
	for _, f := range files {
		all.Go(func() {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), loadEnv+"="+data+"|"+f)
			if said, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("loading %s: %v: %s", f, err, said)
			}
		})
	}
	all.Wait()
}

// Processes that load the same file at once all end well, with one version.
func TestLoadSameFileAtOnce(t *testing.T) {
	data, sources := t.TempDir(), t.TempDir()
	f := generation(t, sources, 1, 2_000)
	children(t, data, f, f, f, f)
	if g, n := serving(t, data); g != 1 || n != 2_000 {
		t.Errorf("generation %d with %d rows is served", g, n)
	}
	store, err := sqltool.OpenStore(data)
	if err != nil {
		t.Fatal(err)
	}
	versions, err := store.Versions("big")
	if err != nil || len(versions) != 1 {
		t.Errorf("%d versions, %v; want one", len(versions), err)
	}
}

// Processes that load different files under one name all end well: each was
// current once, the last one is, and none is torn.
func TestLoadDifferentFilesAtOnce(t *testing.T) {
	data, sources := t.TempDir(), t.TempDir()
	var files []string
	for g := range 3 {
		files = append(files, generation(t, sources, g+1, 2_000))
	}
	children(t, data, files...)
	if g, n := serving(t, data); g < 1 || g > 3 || n != 2_000 {
		t.Errorf("generation %d with %d rows is served", g, n)
	}
	store, err := sqltool.OpenStore(data)
	if err != nil {
		t.Fatal(err)
	}
	versions, err := store.Versions("big")
	if err != nil || len(versions) != 3 {
		t.Errorf("%d versions, %v; want 3", len(versions), err)
	}
}

// Loads of one process, of different workbooks, do not disturb each other.
func TestLoadManyWorkbooksAtOnce(t *testing.T) {
	store, l := folder(t)
	dir := t.TempDir()
	var all sync.WaitGroup
	for i := range 6 {
		path := write(t, filepath.Join(dir, fmt.Sprintf("w%d.csv", i)), fmt.Sprintf("city,pay\nLyon,%d\n", i))
		all.Go(func() {
			if _, err := l.Load(t.Context(), ingest.Request{Path: path}); err != nil {
				t.Errorf("loading %s: %v", path, err)
			}
		})
	}
	all.Wait()
	names, err := store.Workbooks()
	if err != nil || len(names) != 6 {
		t.Errorf("workbooks %v, %v; want 6", names, err)
	}
}

// A load that is cancelled leaves nothing behind and the old version serving.
func TestCancelledLoad(t *testing.T) {
	store, l := folder(t)
	dir := t.TempDir()
	path := write(t, filepath.Join(dir, "pay.csv"), "city,pay\nLyon,3\n")
	first, err := l.Load(t.Context(), ingest.Request{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	serves := first.Version
	for n, phase := range []string{"reading", "profiling", "indexing", "publishing"} {
		var b strings.Builder
		b.WriteString("city,pay\n")
		for i := range 20_000 {
			fmt.Fprintf(&b, "city %d,%d\n", i, i+n)
		}
		write(t, path, b.String())
		ctx, stop := context.WithCancel(t.Context())
		_, err = l.Load(ctx, ingest.Request{Path: path, Progress: func(p ingest.Progress) {
			if p.Phase == phase {
				stop()
			}
		}})
		stop()
		if err == nil { // the cancel came too late to matter
			v, err := store.Current("pay")
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("cancelled in phase %s: it ended first", phase)
			serves = v.ID
			continue
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled in phase %s: %v", phase, err)
		}
		if v, err := store.Current("pay"); err != nil || v.ID != serves {
			t.Errorf("cancelled in phase %s: %s serves, %v", phase, v.ID, err)
		}
		left, err := filepath.Glob(filepath.Join(store.Dir(), "workbooks", ".staging", "pay-*"))
		if err != nil || len(left) > 0 {
			t.Errorf("cancelled in phase %s: left behind %v, %v", phase, left, err)
		}
	}
}

// Names that the engine has for itself do not hide a workbook.
func TestEngineNames(t *testing.T) {
	store, l, r := opened(t)
	dir := t.TempDir()
	for _, name := range []string{"main", "temp", "memory", "system", "pg_catalog", "information_schema", "duckdb_tables", "sqlite_master", "tables"} {
		path := write(t, filepath.Join(dir, name+".csv"), "city,pay\nLyon,3\nNice,5\n")
		report, err := l.Load(t.Context(), ingest.Request{Path: path})
		if err != nil {
			t.Errorf("loading %s: %v", name, err)
			continue
		}
		ref := report.Tables[0].Ref
		for _, from := range []string{ref.String(), ref.Table} {
			res, err := query(t, store, r, "SELECT sum(pay) FROM "+from)
			if err != nil || res.Rows[0][0] != int64(8) && res.Rows[0][0] != "8" {
				t.Errorf("from %s: %v, %v", from, res, err)
			}
		}
	}
}
