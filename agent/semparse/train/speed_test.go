package train

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/allrows/allrows/agent/link"
	"github.com/allrows/allrows/agent/plan"
	"github.com/allrows/allrows/agent/semparse"
)

// TestSpeed holds the median time to link and plan a question over one table
// under ten milliseconds.
func TestSpeed(t *testing.T) {
	dir := os.Getenv("ALLROWS_BENCH")
	if dir == "" {
		t.Skip("ALLROWS_BENCH names no folder of development sets")
	}
	lk, err := link.New()
	if err != nil {
		t.Fatal(err)
	}
	pl, err := semparse.New(semparse.Config{})
	if err != nil {
		t.Fatal(err)
	}
	cases, err := Load(filepath.Join(dir, "wtq.train"))
	if err != nil {
		t.Fatal(err)
	}
	cache := NewCache()
	var took []time.Duration
	for _, c := range sample(cases, 200) {
		db, err := cache.Get(t.Context(), c)
		if err != nil {
			continue
		}
		for i := range 2 { // the first fills the caches of the table
			began := time.Now()
			q, err := lk.Link(t.Context(), c.Question, db.Context, db.Values, c.Now())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := pl.Next(t.Context(), q, plan.Turn{}); err != nil {
				t.Fatal(err)
			}
			if i == 1 {
				took = append(took, time.Since(began))
			}
		}
	}
	slices.Sort(took)
	t.Logf("median %v, p99 %v over %d questions", took[len(took)/2], took[len(took)*99/100], len(took))
	if m := took[len(took)/2]; m > 10*time.Millisecond {
		t.Errorf("the median question takes %v", m)
	}
}
