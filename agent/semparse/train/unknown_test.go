package train

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/allrows/allrows/agent/link"
	"github.com/allrows/allrows/agent/plan"
	"github.com/allrows/allrows/agent/semparse"
)

// TestUnknownWord replaces one content word of a question by a word that no table
// knows. The answer of the question without the change must never come back.
func TestUnknownWord(t *testing.T) {
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
	a := &asker{linker: lk, planner: pl, cache: NewCache()}
	asked, answered := 0, 0
	for _, set := range []string{"wikisql.train", "spider.train", "wtq.train"} {
		cases, err := Load(filepath.Join(dir, set))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range sample(cases, 170) {
			before, words := a.ask(t, c, c.Question)
			if before == "" {
				continue
			}
			answered++
			for i, w := range words {
				strange := []string{"premium", "zorblax", "overdue"}[i%3]
				q := strings.Replace(c.Question, w, strange, 1)
				if strings.Contains(c.Question, strange) || q == c.Question {
					continue
				}
				asked++
				if after, _ := a.ask(t, c, q); after == before {
					t.Errorf("%s: %q and %q have one answer: %.100q", c.ID, c.Question, q, after)
				}
			}
		}
	}
	t.Logf("%d questions answered, %d changed ones asked", answered, asked)
}

type asker struct {
	linker  *link.Linker
	planner *semparse.Planner
	cache   *Cache
}

// ask returns the answer at the default threshold, "" for none, and the content
// words of the question.
func (a *asker) ask(t *testing.T, c *Case, question string) (string, []string) {
	t.Helper()
	ctx := t.Context()
	db, err := a.cache.Get(ctx, c)
	if err != nil {
		return "", nil
	}
	q, err := a.linker.Link(ctx, question, db.Context, db.Values, c.Now())
	if err != nil {
		t.Fatal(err)
	}
	run := func(_ context.Context, p *plan.Plan) (*plan.Observation, error) {
		rows, err := db.Run(p)
		if err != nil {
			return nil, err
		}
		return &plan.Observation{Rows: rows, RowsIn: int64(len(rows))}, nil
	}
	s, err := a.planner.Next(ctx, q, plan.Turn{Run: run})
	if err != nil {
		t.Fatal(err)
	}
	if s.Call == nil || s.Call.Plan == nil {
		return "", nil
	}
	rows, err := db.Run(s.Call.Plan)
	if err != nil {
		return "", nil
	}
	var words []string
	for _, tok := range q.Tokens {
		if !tok.Filler && len(tok.Text) > 3 && tok.Text[0] > '9' {
			words = append(words, tok.Text)
		}
	}
	out := ""
	for _, r := range rows {
		out += key(r) + "\n"
	}
	return out, words
}
