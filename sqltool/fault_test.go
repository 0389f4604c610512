package sqltool_test

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/allrows/allrows/sqltool"
)

// Whatever call of the file layer fails, and however, the old version or the new
// one serves whole, nothing unfinished stays, and the next try succeeds.
func TestFaults(t *testing.T) {
	for _, fault := range []struct {
		op  string
		err error
	}{{"write", syscall.ENOSPC}, {"write", syscall.EIO}, {"sync", syscall.EIO}, {"rename", syscall.EIO}, {"create", syscall.EMFILE}, {"", syscall.ENOSPC}} {
		t.Run(fault.op+" "+fault.err.Error(), func(t *testing.T) {
			store, r, _ := loaded(t, "w.csv", "city,pay\nLyon,3\n")
			source := write(t, "w.csv", "city,pay\nNice,4\nParis,5\n")
			for nth := 1; ; nth++ {
				calls, failed := 0, false
				store.FailWith(func(op string) error {
					if fault.op != "" && op != fault.op {
						return nil
					}
					if calls++; calls == nth {
						failed = true
						return fault.err
					}
					return nil
				})
				err := tryPublish(t, store, r, source)
				store.FailWith(nil)
				if !failed {
					if err != nil {
						t.Fatalf("without a fault: %v", err)
					}
					t.Logf("%d calls failed one after the other", nth-1)
					return
				}
				if err == nil {
					t.Errorf("call %d failed and nobody said so", nth)
				}
				holds(t, store, r)
			}
		})
	}
}

// tryPublish loads and publishes version v2.
func tryPublish(t *testing.T, store *sqltool.Store, r *sqltool.Runner, source string) error {
	t.Helper()
	g, err := store.Stage("w")
	if err != nil {
		return err
	}
	defer func() {
		if err := g.Discard(); err != nil {
			t.Error(err)
		}
	}()
	report, err := r.Load(t.Context(), sqltool.LoadRequest{Paths: []string{source}, Dir: g.Dir, Workbook: "w"}, nil)
	if err != nil {
		return err
	}
	for _, tb := range report.Tables {
		tb.Version = "v2"
	}
	if err := g.WriteStaged(report.Ledger, report.Tables); err != nil {
		return err
	}
	_, err = g.Publish(t.Context(), sqltool.Manifest{Workbook: "w", Version: "v2", LoadedAt: time.Now()})
	return err
}

// holds checks that a whole version serves and that nothing unfinished is left.
func holds(t *testing.T, store *sqltool.Store, r *sqltool.Runner) {
	t.Helper()
	v, err := store.Current("w")
	if err != nil {
		t.Fatalf("nothing serves: %v", err)
	}
	res, err := r.Run(t.Context(), checked(t, r, v, "SELECT count(*) FROM w"))
	if want := map[string]int64{"v1": 1, "v2": 2}[v.ID]; err != nil || res.Rows[0][0] != want {
		t.Errorf("version %s serves %v, %v; want %d rows", v.ID, res, err, want)
	}
	for _, pattern := range []string{".staging/w-*", "w/.current-*", "w/*/.*", "w/*/*.wal"} {
		left, err := filepath.Glob(filepath.Join(store.Dir(), "workbooks", pattern))
		if err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	}
}
