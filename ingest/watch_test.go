package ingest_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/allrows/allrows/ingest"
)

// seen is one load that a watch reported.
type seen struct {
	path   string
	report *ingest.Report
	err    error
}

// watched runs a watch until the test ends and hands over what it reports.
func watched(t *testing.T, l *ingest.Loader, folder string) <-chan seen {
	t.Helper()
	out := make(chan seen, 10)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- l.Watch(ctx, ingest.Watching{Folder: folder, Quiet: 300 * time.Millisecond, Look: 50 * time.Millisecond,
			Report: func(path string, r *ingest.Report, err error) { out <- seen{filepath.Base(path), r, err} }})
	}()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Errorf("the watch ended with %v", err)
		}
	})
	return out
}

func next(t *testing.T, from <-chan seen) seen {
	t.Helper()
	select {
	case s := <-from:
		return s
	case <-time.After(20 * time.Second):
		t.Fatal("the watch reports nothing")
	}
	return seen{}
}

// TestWatchFolder loads what is in a folder, what comes into it, and what changes,
// once for many writes.
func TestWatchFolder(t *testing.T) {
	_, l := folder(t)
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.csv"), "city,pay\nLyon,3\n")
	reports := watched(t, l, dir)
	if s := next(t, reports); s.err != nil || s.report.Workbook != "a" || s.report.Rows != 1 {
		t.Fatalf("at the beginning: %+v", s)
	}
	path := filepath.Join(dir, "b.csv")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"city,pay\n", "Lyon,3\n", "Nice,4\n", "Brest,5\n"} { // written slowly
		if _, err := f.WriteString(line); err != nil {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if s := next(t, reports); s.err != nil || s.path != "b.csv" || s.report.Rows != 3 {
		t.Fatalf("a new file: %+v", s)
	}
	write(t, filepath.Join(dir, "~$b.csv"), "a lock\n")
	write(t, filepath.Join(dir, "readme.bin"), "no workbook\n")
	write(t, filepath.Join(dir, "c.xlsx"), "no workbook\n")
	if s := next(t, reports); s.err == nil || s.path != "c.xlsx" {
		t.Fatalf("a damaged file: %+v", s)
	}
	// Replaced, as programs do, rather than written into.
	if err := os.Rename(write(t, filepath.Join(t.TempDir(), "new"), "city,pay\nLyon,9\nNice,9\n"), filepath.Join(dir, "a.csv")); err != nil {
		t.Fatal(err)
	}
	if s := next(t, reports); s.err != nil || s.path != "a.csv" || s.report.Rows != 2 {
		t.Fatalf("a replaced file: %+v", s)
	}
	select {
	case s := <-reports:
		t.Errorf("one report too many: %+v", s)
	case <-time.After(time.Second):
	}
}

// TestWatchLoaded reloads the sources of what is loaded, under the names they have,
// also of a workbook that was loaded after the watch began.
func TestWatchLoaded(t *testing.T) {
	_, l := folder(t)
	reports := watched(t, l, "")
	path := write(t, filepath.Join(t.TempDir(), "a.csv"), "city,pay\nLyon,3\n")
	if _, err := l.Load(t.Context(), ingest.Request{Path: path, Name: "pay"}); err != nil {
		t.Fatal(err)
	}
	time.Sleep(600 * time.Millisecond) // until it is looked for
	write(t, filepath.Join(filepath.Dir(path), "other.csv"), "x,y\n1,2\n")
	write(t, path, "city,pay\nLyon,3\nNice,4\n")
	if s := next(t, reports); s.err != nil || s.report.Workbook != "pay" || s.report.Rows != 2 {
		t.Fatalf("a changed source: %+v", s)
	}
	select {
	case s := <-reports:
		t.Errorf("a file that is not loaded was: %+v", s)
	case <-time.After(time.Second):
	}
}
