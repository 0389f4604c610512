package agent_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/allrows/allrows/agent"
	"github.com/allrows/allrows/agent/link"
	"github.com/allrows/allrows/agent/semparse"
	"github.com/allrows/allrows/eval"
	"github.com/allrows/allrows/guardrails"
)

// planned is an agent with the built-in planner over sample workbooks.
type planned struct {
	*parts
	t     *testing.T
	agent *agent.Agent
}

// newPlanned loads every sample that the cases name and plans without a model.
func newPlanned(t *testing.T, workbooks ...string) *planned {
	t.Helper()
	p := newParts(t)
	p.load(t, workbooks...)
	pl, err := semparse.New(semparse.Config{})
	if err != nil {
		t.Fatal(err)
	}
	l, err := link.New()
	if err != nil {
		t.Fatal(err)
	}
	return &planned{p, t, p.agent(t, pl, l)}
}

// Load does nothing: the samples are loaded.
func (p *planned) Load(context.Context, eval.Source) (string, error) { return "", nil }

// Ask asks in the scope of the named workbooks.
func (p *planned) Ask(ctx context.Context, q eval.Question) (*agent.Answer, error) {
	snap, err := p.store.Snapshot(q.Workbooks...)
	if err != nil {
		return nil, err
	}
	defer snap.Close()
	return p.agent.Ask(ctx, agent.Request{Question: q.Text, Conversation: q.Conversation, Scope: guardrails.NewScope("tester", snap.Context())})
}

// TestCases asks every case of the case folder's first file, with no model.
func TestCases(t *testing.T) {
	dir := os.Getenv("ALLROWS_CASES")
	if dir == "" {
		t.Skip("ALLROWS_CASES names no folder of case files")
	}
	cases, err := eval.ReadCases(filepath.Join(dir, "first.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	p := newPlanned(t, eval.Workbooks(cases)...)
	outcomes, err := eval.Run(t.Context(), p, cases, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range outcomes {
		t.Run(o.ID, func(t *testing.T) {
			text := ""
			if o.Answer != nil {
				text = o.Answer.Text
				t.Logf("%s\n%s\n%s (%.2f)", o.Question, text, o.Answer.Receipt.SQL, o.Answer.Receipt.Confidence)
			}
			if !o.Pass {
				t.Errorf("%s: %s", o.Question, strings.Join(o.Faults, "; "))
			}
		})
	}
}

// TestSuggestions asks what a decline suggests: every suggestion is answered.
func TestSuggestions(t *testing.T) {
	p := newPlanned(t, "pricing.xlsx", "cities.xlsx", "convenio.xlsx", "customers.xlsx")
	for _, tt := range []struct{ workbook, question string }{
		{"pricing.xlsx", "what is the zorblax of the quuxes?"},
		{"cities.xlsx", "what is the zorblax of the quuxes?"},
		{"convenio.xlsx", "¿cuál es el zorblax de los quuxes?"},
		{"convenio.xlsx", "what is the zorblax of the quuxes?"},
		{"customers.xlsx", "qual é o zorblax dos quuxes?"},
		{"pricing.xlsx", "was ist der zorblax von quux?"},
	} {
		no, err := p.Ask(t.Context(), eval.Question{Text: tt.question, Workbooks: []string{tt.workbook}})
		if err != nil || no.Outcome == agent.Answered {
			t.Errorf("%s is answered: %v, %v", tt.question, no, err)
			continue
		}
		if len(no.Choices) == 0 {
			t.Errorf("%s of %s: a decline suggests nothing", tt.question, tt.workbook)
		}
		for _, c := range no.Choices {
			yes, err := p.Ask(t.Context(), eval.Question{Text: c.Ask, Workbooks: []string{tt.workbook}})
			if err != nil || yes.Outcome != agent.Answered {
				t.Errorf("%s: the suggestion %q is not answered: %s %v", tt.workbook, c.Ask, yes.Text, err)
			}
		}
	}
}

// TestNoWordIsIgnored adds a word to questions that are answered which the tables
// know nothing of: no answer may be that of the question without it.
func TestNoWordIsIgnored(t *testing.T) {
	p := newPlanned(t, "pricing.xlsx", "cities.xlsx")
	for _, q := range []string{"average discount by region", "how many cities have a population above 1 million", "total rebate for pumps", "largest city in the Pacific Northwest",
		"median discount for tier 4", "total population of the South", "which regions offer a discount above 16%", "What share of total rebate comes from valves"} {
		for _, more := range []string{" for premium customers", " in the zorblax", " excluding weekends", " among wholesale partners", " since the merger"} {
			a, err := p.Ask(t.Context(), eval.Question{Text: q + more + "?", Workbooks: []string{"pricing.xlsx", "cities.xlsx"}})
			if err != nil {
				t.Fatal(err)
			}
			if a.Outcome == agent.Answered {
				t.Errorf("%q is answered: %s", q+more, a.Text)
			}
		}
	}
}
