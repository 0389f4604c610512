package agent_test

import (
	"context"
	"strings"
	"testing"

	"github.com/allrows/allrows/agent"
	"github.com/allrows/allrows/agent/link"
	"github.com/allrows/allrows/agent/plan"
	"github.com/allrows/allrows/guardrails"
)

// asksBack is a planner that always asks back which of its readings is meant.
type asksBack struct{ choices []plan.Choice }

func (asksBack) Name() string { return "asks back" }

func (a asksBack) Next(context.Context, *link.Question, plan.Turn) (plan.Step, error) {
	return plan.Step{Clarify: a.choices}, nil
}

// TestPickedChoice answers by the reading that the asker picks, however it is
// picked, and by nothing else.
func TestPickedChoice(t *testing.T) {
	p := newParts(t)
	scope := p.load(t, "pricing.xlsx")
	largest := averageDiscount()
	largest.Select[0].Expr = plan.Agg("max", tierColumn("discount_pct"))
	a := p.agent(t, asksBack{[]plan.Choice{
		{Reading: "Average of Discount; no filter", Ask: "1", Route: plan.Aggregate, Plan: averageDiscount()},
		{Reading: "Maximum of Discount; no filter", Ask: "2", Route: plan.Aggregate, Plan: largest},
	}}, plainLinker{lang: "en"})
	pick := func(s *guardrails.Scope, says string) *agent.Answer {
		t.Helper()
		first, err := a.Ask(t.Context(), agent.Request{Question: "discount", Scope: scope})
		if err != nil {
			t.Fatal(err)
		}
		second, err := a.Ask(t.Context(), agent.Request{Question: says, Conversation: first.Conversation, Scope: s})
		if err != nil {
			t.Fatal(err)
		}
		return second
	}
	for says, want := range map[string]string{
		"1": "9.4", "2.": "22%", "the first one": "9.4", "la segunda": "22%", "Option 2": "22%",
		"maximum of discount; no filter": "22%", "Average of Discount; no filter.": "9.4",
	} {
		if got := pick(scope, says); got.Outcome != agent.Answered || !strings.Contains(got.Text, want) || got.Question != says {
			t.Errorf("%q picks %s: %q, want %s", says, got.Outcome, got.Text, want)
		}
	}
	for _, says := range []string{"3", "0", "the", "first and second", "discount"} {
		if got := pick(scope, says); got.Outcome != agent.Clarify {
			t.Errorf("%q picks %s: %q, want it asked back", says, got.Outcome, got.Text)
		}
	}
	other := *scope
	other.Principal = "another"
	if got := pick(&other, "2"); got.Outcome != agent.Clarify {
		t.Errorf("another's choice can be picked: %s: %q", got.Outcome, got.Text)
	}
	narrow := *scope
	narrow.Tables = nil
	for _, st := range scope.Tables {
		if st.Table.Ref != tiers {
			narrow.Tables = append(narrow.Tables, st)
		}
	}
	if got := pick(&narrow, "2"); got.Outcome == agent.Answered || strings.Contains(got.Text, "22") {
		t.Errorf("a choice over a table that is hidden now gives %s: %q", got.Outcome, got.Text)
	}
}

// TestDeclineWithoutChoices does not ask which one where it offers none.
func TestDeclineWithoutChoices(t *testing.T) {
	p := newParts(t)
	scope := p.load(t, "pricing.xlsx")
	for lang, not := range map[string]string{"en": "Which one", "es": "¿Cuál", "de": "Welche", "pt": "Qual"} {
		a := p.agent(t, &scripted{steps: []plan.Step{{Decline: &plan.Reason{Code: "ambiguous"}}}}, plainLinker{lang: lang})
		if got := ask(t, a, scope, "discount"); got.Outcome != agent.Declined || got.Text == "" || strings.Contains(got.Text, not) {
			t.Errorf("%s: %s: %q", lang, got.Outcome, got.Text)
		}
	}
}

// TestNothingMatches does not call a table empty that has rows.
func TestNothingMatches(t *testing.T) {
	p := newParts(t)
	scope := p.load(t, "pricing.xlsx")
	having := plan.Compare(plan.Agg("avg", tierColumn("discount_pct")), ">", plan.Number("1000"))
	none := &plan.Plan{From: tiers, GroupBy: []plan.Expr{tierColumn("region")}, Having: &having,
		Select: []plan.Item{{Expr: tierColumn("region"), Role: "key"}}}
	filtered := *none
	where := plan.Compare(tierColumn("discount_pct"), "<", plan.Number("20"))
	filtered.Where = &where
	for _, pl := range []*plan.Plan{none, &filtered} {
		a := p.agent(t, &scripted{steps: runSQL(pl)}, plainLinker{lang: "en"})
		if got := ask(t, a, scope, "regions"); reason(got) != "no_rows" || strings.Contains(got.Text, "has no rows") || !strings.Contains(got.Text, "1,000") {
			t.Errorf("%s: %q does not say which condition leaves nothing", reason(got), got.Text)
		}
	}
}

// TestManyUnknownWords names each once, and not all of a long list.
func TestManyUnknownWords(t *testing.T) {
	p := newParts(t)
	scope := p.load(t, "pricing.xlsx")
	words := append(strings.Fields("foo Foo foo bar "+strings.Repeat("é", 1500)), strings.Fields("a b c d e f g h i")...)
	a := p.agent(t, &scripted{steps: runSQL(averageDiscount())}, plainLinker{lang: "en", unknown: words})
	got := ask(t, a, scope, "discount")
	if reason(got) != "unknown_word" || strings.Count(strings.ToLower(got.Text), "“foo”") != 1 || len(got.Text) > 500 {
		t.Errorf("%s: %q", reason(got), got.Text)
	}
}

// TestCellsKeepTheirCase writes a cell as it is stored, at the start of a text too.
func TestCellsKeepTheirCase(t *testing.T) {
	p := newParts(t)
	scope := p.load(t, "pricing.xlsx")
	a := p.agent(t, &scripted{}, plainLinker{lang: "en"})
	got, err := a.SQL(t.Context(), agent.SQLRequest{SQL: "SELECT lower(region) AS r FROM pricing.tiers WHERE region = 'North' LIMIT 1", Scope: scope})
	if err != nil || got.Text != "north." {
		t.Errorf("SQL says %q, %v; want the cell as it is", got.Text, err)
	}
}
