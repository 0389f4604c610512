package ingest_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/allrows/allrows/guardrails"
	"github.com/allrows/allrows/ingest"
)

// While a workbook is loaded again and again, every answer is of exactly one
// version and names it.
func TestSwapsUnderQueries(t *testing.T) {
	const swaps, rows = 25, 300
	store, l, r := opened(t)
	path := filepath.Join(t.TempDir(), "pay.csv")
	load := func(g int) {
		var b strings.Builder
		b.WriteString("generation,pay\n")
		for range rows {
			fmt.Fprintf(&b, "%d,%d\n", g, g)
		}
		if _, err := l.Load(t.Context(), ingest.Request{Path: write(t, path, b.String())}); err != nil {
			t.Errorf("generation %d: %v", g, err)
		}
	}
	load(0)
	guard, err := guardrails.New(guardrails.Config{Parser: r})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	done := make(chan struct{})
	asked := [3]int{}
	for k := range asked {
		all.Go(func() {
			seen := map[string]int64{}
			for {
				select {
				case <-done:
					return
				default:
				}
				snap, err := store.Snapshot()
				if err != nil {
					t.Error(err)
					return
				}
				q, err := guard.Check(t.Context(), guardrails.NewScope(fmt.Sprint(k), snap.Context()), "SELECT min(generation), max(generation), count(*) FROM pay")
				if err != nil {
					t.Error(err)
					return
				}
				time.Sleep(time.Millisecond)
				res, err := r.Run(t.Context(), q)
				if err != nil {
					t.Errorf("a query of version %s: %v", snap.Versions[0].ID, err)
					snap.Close()
					return
				}
				g, _ := res.Rows[0][0].(int64)
				if res.Rows[0][0] != res.Rows[0][1] || res.Rows[0][2] != int64(rows) {
					t.Errorf("an answer of mixed versions: %v", res.Rows[0])
				}
				if before, ok := seen[snap.Versions[0].ID]; ok && before != g {
					t.Errorf("version %s was generation %d, is %d", snap.Versions[0].ID, before, g)
				}
				seen[snap.Versions[0].ID] = g
				asked[k]++
				snap.Close()
			}
		})
	}
	for g := range swaps {
		load(g + 1)
	}
	close(done)
	all.Wait()
	versions, err := store.Versions("pay")
	if err != nil || len(versions) > 6 {
		t.Errorf("%d versions are kept, %v; want 5", len(versions), err)
	}
	t.Logf("%v queries during %d swaps", asked, swaps)
}
