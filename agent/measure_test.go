package agent_test

import (
	"context"
	"testing"
	"time"

	"github.com/allrows/allrows/agent"
	"github.com/allrows/allrows/agent/link"
	"github.com/allrows/allrows/agent/plan"
)

// seen keeps what the planner's question and turn were.
type seen struct {
	scripted
	now  time.Time
	best bool
}

func (s *seen) Next(ctx context.Context, q *link.Question, turn plan.Turn) (plan.Step, error) {
	s.now, s.best = q.Now, turn.Best
	return s.scripted.Next(ctx, q, turn)
}

// TestBest answers for a measurement what is declined for a person: a plan of
// little confidence that leaves a word over. "Today" is the measurement's.
func TestBest(t *testing.T) {
	p := newParts(t)
	scope := p.load(t, "pricing.xlsx")
	steps := runSQL(averageDiscount())
	steps[0].Confidence = 0.1
	now := time.Date(2024, 6, 30, 0, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name   string
		linker agent.Linker
	}{
		{"little confidence", plainLinker{lang: "en"}},
		{"a word over", plainLinker{lang: "en", unknown: []string{"premium"}}},
		{"a cell over", linksNorth{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			pl := &seen{scripted: scripted{steps: steps}}
			a := p.agent(t, pl, tt.linker)
			if got := ask(t, a, scope, "average discount North"); got.Outcome != agent.Declined || pl.best {
				t.Errorf("Ask = %s with Turn.Best %v, want a decline without", got.Outcome, pl.best)
			}
			got, err := a.Ask(t.Context(), agent.Request{Question: "average discount North", Scope: scope, Best: true, Now: now})
			if err != nil {
				t.Fatal(err)
			}
			if got.Outcome != agent.Answered || !pl.best || !pl.now.Equal(now) {
				t.Errorf("Ask with Best = %s with Turn.Best %v on %v, want an answer on %v", got.Outcome, pl.best, pl.now, now)
			}
		})
	}
}
