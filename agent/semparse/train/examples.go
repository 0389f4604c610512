package train

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"github.com/allrows/allrows/agent/link"
	"github.com/allrows/allrows/agent/semparse"
)

// Example is one question with its candidate readings, run and marked.
type Example struct {
	Case  *Case
	Cands []Cand
	Right int // how many are right
	Err   error
}

// Cand is one candidate: its features, and whether its result is the answer.
type Cand struct {
	Shape  string
	Feats  []semparse.Feature
	Right  bool
	Result string // key of the result: two of one result are one answer
	Facts  semparse.Facts
}

// Builder makes examples of cases.
type Builder struct {
	Planner *semparse.Planner
	Linker  *link.Linker
	Index   *semparse.Index
	Cache   *Cache
}

// Build runs every candidate of every case, on all processors.
func (b *Builder) Build(ctx context.Context, cases []*Case, progress func(done int)) []*Example {
	out := make([]*Example, len(cases))
	var wg sync.WaitGroup
	var mu sync.Mutex
	next, done := 0, 0
	for range max(1, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for {
				mu.Lock()
				i := next
				next++
				mu.Unlock()
				if i >= len(cases) || ctx.Err() != nil {
					return
				}
				out[i] = b.example(ctx, cases[i])
				mu.Lock()
				done++
				if progress != nil {
					progress(done)
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return out
}

func (b *Builder) example(ctx context.Context, c *Case) *Example {
	ex := &Example{Case: c}
	db, err := b.Cache.Get(ctx, c)
	if err != nil {
		ex.Err = err
		return ex
	}
	for _, rel := range db.rels {
		if len(rel.rows) > maxRows {
			ex.Err = fmt.Errorf("train: a table of %s has too many rows to try readings on", c.ID)
			return ex
		}
	}
	q, err := b.Linker.Link(ctx, c.Question, db.Context, db.Values, c.Now())
	if err != nil {
		ex.Err = err
		return ex
	}
	rs, err := b.Planner.Readings(q, b.Index)
	if err != nil {
		ex.Err = err
		return ex
	}
	for _, r := range rs {
		rows, err := db.Run(r.Plan)
		k := Cand{Shape: r.Shape, Feats: r.Features, Facts: r.Facts}
		k.Facts.Result = semparse.ResultFeatures(rows, err)
		for _, name := range semparse.SortedNames(k.Facts.Result) {
			if id := b.Index.ID(name); id >= 0 {
				k.Feats = append(k.Feats, semparse.Feature{ID: id, Value: 1})
			}
		}
		if err == nil {
			k.Right = Right(c, rows)
			for _, row := range rows[:min(len(rows), 50)] {
				k.Result += key(row) + "\n"
			}
		} else {
			k.Result = "error"
		}
		if k.Right {
			ex.Right++
		}
		ex.Cands = append(ex.Cands, k)
	}
	return ex
}
