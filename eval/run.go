package eval

import (
	"context"
	"fmt"
	"time"

	"github.com/allrows/allrows/agent"
)

// Outcome is one case with its answer and what is wrong with it.
type Outcome struct {
	ID        string        `json:"id"`
	Kind      string        `json:"kind"`
	Language  string        `json:"language,omitempty"`
	Question  string        `json:"question"`
	Pass      bool          `json:"pass"`
	Faults    []string      `json:"faults,omitempty"`
	ElapsedMS float64       `json:"elapsed_ms"`
	Answer    *agent.Answer `json:"answer,omitempty"`
}

// Run asks the cases in their order. Each done is told as it ends; it may be
// nil. The error is that of a context that ended: a question that could not be
// asked is a case that fails.
func Run(ctx context.Context, gw Gateway, cases []Case, done func(Outcome)) ([]Outcome, error) {
	conversations := map[string]string{}
	outcomes := make([]Outcome, 0, len(cases))
	for _, c := range cases {
		if err := ctx.Err(); err != nil {
			return outcomes, fmt.Errorf("running case %s: %w", c.ID, err)
		}
		o := Outcome{ID: c.ID, Kind: kindOf(c), Language: c.Language, Question: c.Question}
		start := time.Now()
		a, err := gw.Ask(ctx, Question{
			Text: c.Question, Workbooks: c.Workbooks, Asker: c.Asker, Conversation: conversations[c.After],
		})
		o.ElapsedMS = float64(time.Since(start).Microseconds()) / 1000
		if err != nil {
			o.Faults = []string{err.Error()}
		} else {
			conversations[c.ID] = a.Conversation
			o.Answer, o.Faults = a, Match(&c.Expect, a)
		}
		o.Pass = len(o.Faults) == 0
		outcomes = append(outcomes, o)
		if done != nil {
			done(o)
		}
	}
	return outcomes, nil
}

// kindOf is the case's kind, else the letters that its id begins with.
func kindOf(c Case) string {
	if c.Kind != "" {
		return c.Kind
	}
	for i, r := range c.ID {
		if (r < 'a' || r > 'z') && i > 0 {
			return c.ID[:i]
		}
	}
	return c.ID
}

// Workbooks returns the workbooks that the cases name, each once, in order.
func Workbooks(cases []Case) []string {
	var names []string
	seen := map[string]bool{}
	for _, c := range cases {
		for _, w := range c.Workbooks {
			if !seen[w] {
				seen[w] = true
				names = append(names, w)
			}
		}
	}
	return names
}
