package eval

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/allrows/allrows/agent"
	"github.com/allrows/allrows/agent/plan"
	"github.com/goccy/go-yaml"
)

// empty is an answer that says nothing at all.
func empty() *agent.Answer { return &agent.Answer{} }

// passesNothing reports whether the expectation is one that an answer without
// any content must fail: all but those that deny an end.
func (e *Expect) passesNothing() bool {
	denies := e.Abstains != nil && !*e.Abstains || e.Clarifies != nil && !e.Clarifies.asks ||
		e.Complete != nil && !*e.Complete
	for i := range e.OneOf {
		denies = denies || !e.OneOf[i].passesNothing()
	}
	return !denies
}

// table is an answered question; columns are "name:role:unit".
func table(columns string, rows ...[]any) *agent.Answer {
	a := &agent.Answer{Outcome: agent.Answered, Route: plan.Aggregate, Result: &agent.Result{Rows: rows}}
	for c := range strings.FieldsSeq(columns) {
		p := strings.SplitN(c+"::", ":", 4)
		a.Result.Columns = append(a.Result.Columns, agent.Column{Name: p[0], Role: p[1], Unit: p[2]})
	}
	return a
}

func said(text string) *agent.Answer { return &agent.Answer{Outcome: agent.Answered, Text: text} }

func ended(o agent.Outcome, code, text string, words ...string) *agent.Answer {
	return &agent.Answer{Outcome: o, Reason: &plan.Reason{Code: code, Text: text, Words: words}}
}

func cited(workbook, sheet, at string) *agent.Answer {
	a := said("")
	a.Receipt.Citations = []agent.Citation{{Workbook: "other.xlsx", Range: "A1"}, {Workbook: workbook, Sheet: sheet, Range: at}}
	return a
}

func asking(readings ...string) *agent.Answer {
	a := ended(agent.Clarify, "ambiguous", "")
	for _, r := range readings {
		a.Choices = append(a.Choices, plan.Choice{Reading: r})
	}
	return a
}

func row(v ...any) []any { return v }

// Every field has answers that pass and, close beside them, answers that fail: a
// matcher that cannot fail measures nothing.
func TestMatch(t *testing.T) {
	cut := table("n:measure", row("1"))
	cut.Result.Truncated = true
	complete := table("n:measure", row("1"))
	complete.Receipt.Complete = true
	called := said("")
	called.Receipt.Steps = []agent.StepMade{{Tool: "search_rows"}, {Tool: "run_sql"}}
	failed := table("n:measure", row("5"))
	failed.Outcome = agent.Failed
	for _, tt := range []struct {
		name, expect string
		answer       *agent.Answer
		pass         bool
	}{
		{"value", "value: 9.4", table("avg:measure", row("9.4")), true},
		{"value of another figure", "value: 9.4", table("avg:measure", row("9.5")), false},
		{"value without an answer", "value: 9.4", empty(), false},
		{"value of a failed question", "value: 5", failed, false},
		{"value without a result", "value: 9.4", said("9.4"), false},
		{"value cut", "value: 1", cut, false},
		{"value exact by default", "value: 9.4", table("avg:measure", row("9.40001")), false},
		{"value within tolerance", "value: 9.4\ntolerance: 0.05", table("avg:measure", row("9.4476")), true},
		{"value at tolerance", "value: 9.4\ntolerance: 0.05", table("avg:measure", row("9.45")), true},
		{"value out of tolerance", "value: 9.4\ntolerance: 0.05", table("avg:measure", row("9.4501")), false},
		{"value as float", "value: 0.3", table("x:measure", row(0.1+0.2)), true},
		{"value as integer", "value: 737015", table("x:measure", row(int64(737015))), true},
		{"value with separators", `value: "$25,000"`, table("x:measure", row("25000.00")), true},
		{"value with ten times the figure", `value: "$25,000"`, table("x:measure", row("250000")), false},
		{"value by key", "value: North", table("region:key discount:measure", row("North", "12")), true},
		{"value by measure", "value: 12", table("region:key discount:measure", row("North", "12")), true},
		{"value of two measures", "value: 12", table("a:measure b:measure", row("12", "13")), false},
		{"value of two rows", "value: 12", table("a:measure", row("12"), row("13")), false},
		{"value in context only", "value: 12", table("region:key discount:context", row("North", "12")), false},
		{"value folded", "value: seattle", table("city:key", row(" SEATTLE")), true},
		{"value of another text", "value: Seattle", table("city:key", row("Portland")), false},
		{"value as a part", "value: York", table("city:key", row("New York")), false},
		{"date", `value: "2026-01-01"`, table("d:measure", row("2026-01-01 00:00:00")), true},
		{"date of another day", `value: "2026-01-01"`, table("d:measure", row("2026-01-02")), false},
		{"date at another time", `value: "2026-01-01"`, table("d:measure", row("2026-01-01 10:00:00")), false},
		{"month", "value: September 2024", table("d:measure", row("2024-09-01")), true},
		{"month short", `value: "2024-09"`, table("d:measure", row("2024-09-01")), true},
		{"another month", `value: "2024-09"`, table("d:measure", row("2024-10-01")), false},
		{"yes", "value: true", table("x:measure", row("yes")), true},
		{"no", "value: true", table("x:measure", row("no")), false},
		{"yes as a bool", `value: "yes"`, table("x:measure", row(true)), true},
		{"percent as a fraction by its unit", "value: 24", table("x:measure:fraction", row("0.24")), true},
		{"percent as a fraction without", "value: 24", table("x:measure", row("0.24")), false},
		{"percent as a fraction of percent", "value: 24", table("x:measure:%", row("0.24")), false},
		{"hundredfold", "value: 24", table("x:measure:%", row("2400")), false},

		{"values", "values: [North, West]", table("r:key", row("West"), row("north")), true},
		{"values one missing", "values: [North, West]", table("r:key", row("West")), false},
		{"values one more", "values: [North, West]", table("r:key", row("West"), row("North"), row("South")), false},
		{"values twice", "values: [North, West]", table("r:key", row("West"), row("North"), row("West")), true},
		{"values beside a measure", "values: [North, West]", table("r:key d:measure", row("West", 1), row("North", 2)), true},
		{"values ordered", "values: [North, West]\nordered: true", table("r:key", row("North"), row("West")), true},
		{"values in another order", "values: [North, West]\nordered: true", table("r:key", row("West"), row("North")), false},
		{"values of two columns", "values: [North, West]", table("r:key s:key", row("North", "West")), false},
		{"values of nothing", "values: [North]", table("r:key"), false},

		{"rows", "rows: [[Pumps, 2000], [Valves, 1070]]", table("f:key n:measure", row("Valves", "1070"), row("Pumps", "2000")), true},
		{"rows with columns turned", "rows: [[Pumps, 2000]]", table("n:measure f:key", row("2000", "Pumps")), true},
		{"rows with another figure", "rows: [[Pumps, 2000], [Valves, 1070]]", table("f:key n:measure", row("Valves", "1071"), row("Pumps", "2000")), false},
		{"rows with figures exchanged", "rows: [[Pumps, 2000], [Valves, 1070]]", table("f:key n:measure", row("Valves", "2000"), row("Pumps", "1070")), false},
		{"rows one missing", "rows: [[Pumps, 2000], [Valves, 1070]]", table("f:key n:measure", row("Pumps", "2000")), false},
		{"rows one more", "rows: [[Pumps, 2000]]", table("f:key n:measure", row("Valves", "1070"), row("Pumps", "2000")), false},
		{"rows one twice", "rows: [[a, 1], [b, 2]]", table("f:key n:measure", row("a", 1), row("a", 1)), false},
		{"rows with a column more", "rows: [[Pumps]]", table("f:key n:measure", row("Pumps", "2000")), false},
		{"rows with context", "rows: [[Pumps]]", table("f:key n:context", row("Pumps", "2000")), true},
		{"rows ordered", "rows: [[a], [b]]\nordered: true", table("f:key", row("a"), row("b")), true},
		{"rows in another order", "rows: [[a], [b]]\nordered: true", table("f:key", row("b"), row("a")), false},
		{"rows within tolerance", "rows: [[a, 1.5]]\ntolerance: 0.1", table("f:key n:measure", row("a", "1.55")), true},
		{"rows out of tolerance", "rows: [[a, 1.5]]\ntolerance: 0.01", table("f:key n:measure", row("a", "1.55")), false},
		{"rows with NULL", "rows: [[a, null]]", table("f:key n:measure", row("a", nil)), true},
		{"rows without the NULL", "rows: [[a, null]]", table("f:key n:measure", row("a", "0")), false},
		{"rows wide", "rows: [[N, 2023, 5], [N, 2024, 6]]", table("f:key 2023:measure 2024:measure", row("N", "5", "6")), true},
		{"rows wide without keys", "rows: [[Seattle, 5], [Boise, 6]]", table("Seattle:measure Boise:measure", row("5", "6")), true},
		{"rows wide exchanged", "rows: [[N, 2023, 5], [N, 2024, 6]]", table("f:key 2023:measure 2024:measure", row("N", "6", "5")), false},
		{"no rows wanted", "rows: []", table("f:key"), true},
		{"no rows wanted, one there", "rows: []", table("f:key", row("a")), false},

		{"route", "route: aggregate", table("x:measure"), true},
		{"another route", "route: lookup", table("x:measure"), false},
		{"route of a decline", "route: lookup", &agent.Answer{Outcome: agent.Declined, Route: plan.Lookup}, false},
		{"text", "must_contain: [\"6 REGIONS\", tiers]", said("Tiers by 6 regions."), true},
		{"text with one missing", "must_contain: [\"6 regions\", rebates]", said("Tiers by 6 regions."), false},
		{"text of a decline", "must_contain: [premium]", &agent.Answer{Outcome: agent.Declined, Text: "premium"}, false},
		{"complete", "complete: true", complete, true},
		{"not complete", "complete: true", table("n:measure", row("1")), false},
		{"complete where it must not be", "complete: false", complete, false},
		{"tool", "must_call_tool: [run_sql]", called, true},
		{"another tool", "must_call_tool: [run_sql, describe_table]", called, false},

		{"cites", "cites: {workbook: pricing.xlsx, sheet: Tiers}", cited("pricing.xlsx", "Tiers", "A4:E45"), true},
		{"cites without extension", "cites: {workbook: pricing}", cited("pricing.xlsx", "Tiers", "C6"), true},
		{"cites another workbook", "cites: {workbook: prices}", cited("pricing.xlsx", "Tiers", "C6"), false},
		{"cites another sheet", "cites: {workbook: pricing.xlsx, sheet: Rebates}", cited("pricing.xlsx", "Tiers", "C6"), false},
		{"cites the cell", "cites: {range: C6}", cited("pricing.xlsx", "Tiers", "C6"), true},
		{"cites the cell's row", "cites: {range: C6}", cited("pricing.xlsx", "Tiers", "A6:E6"), true},
		{"cites another cell", "cites: {range: C6}", cited("pricing.xlsx", "Tiers", "D6"), false},
		{"cites the whole table", "cites: {range: C6}", cited("pricing.xlsx", "Tiers", "A4:E45"), false},
		{"cites nothing", "cites: {sheet: Tiers}", said(""), false},
		{"cites two", "cites: [{range: A1}, {range: C6}]", cited("pricing.xlsx", "Tiers", "C6"), true},
		{"cites one of two", "cites: [{range: A2}, {range: C6}]", cited("pricing.xlsx", "Tiers", "C6"), false},

		{"abstains", "abstains: true", ended(agent.Declined, "unsupported", ""), true},
		{"abstains by failing", "abstains: true", ended(agent.Failed, "internal", ""), false},
		{"abstains by asking", "abstains: true", asking("a"), false},
		{"abstains by finding nothing", "abstains: true", ended(agent.Empty, "no_rows", ""), false},
		{"answers where it must abstain", "abstains: true", said("12"), false},
		{"abstains where it must not", "abstains: false", ended(agent.Declined, "unsupported", ""), false},
		{"reason", "abstains: true\nbecause_contains: premium", ended(agent.Declined, "unknown_word", "", "Premium"), true},
		{"another reason", "abstains: true\nbecause_contains: premium", ended(agent.Declined, "unsupported", "discounts"), false},
		{"no reason", "abstains: true\nbecause_contains: premium", &agent.Answer{Outcome: agent.Declined, Text: "premium"}, false},
		{"clarifies", "clarifies: true", asking("a"), true},
		{"answers where it must ask", "clarifies: true", said("a"), false},
		{"asks where it must not", "clarifies: false", asking("a"), false},
		{"readings", "clarifies: [city, state]", asking("by state", "by City"), true},
		{"a reading missing", "clarifies: [city, state]", asking("by city"), false},
		{"no rows", "empty: no_rows", ended(agent.Empty, "no_rows", ""), true},
		{"not loaded for no rows", "empty: no_rows", ended(agent.Empty, "not_loaded", ""), false},
		{"declined for no rows", "empty: no_rows", ended(agent.Declined, "no_rows", ""), false},

		{"one of", "one_of: [{value: 1}, {abstains: true}]", ended(agent.Declined, "unsupported", ""), true},
		{"none of", "one_of: [{value: 1}, {abstains: true}]", table("x:measure", row("2")), false},
		{"one of, not whole", "one_of: [{value: 1, route: lookup}, {abstains: true}]", table("x:measure", row("1")), false},
		{"one of and beside", "complete: true\none_of: [{value: 1}, {value: 2}]", complete, true},
		{"one of but not beside", "complete: true\none_of: [{value: 1}, {value: 2}]", table("x:measure", row("1")), false},
		{"one of with the tolerance beside", "tolerance: 0.5\none_of: [{value: 1}, {value: 2}]", table("x:measure", row("2.4")), true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var e Expect
			if err := yaml.UnmarshalWithOptions([]byte(tt.expect), &e, yaml.Strict()); err != nil {
				t.Fatal(err)
			}
			if err := e.check(); err != nil {
				t.Fatal(err)
			}
			if faults := Match(&e, tt.answer); (len(faults) == 0) != tt.pass {
				t.Errorf("Match(%s) = %q, want pass: %v", tt.expect, faults, tt.pass)
			}
		})
	}
}

func TestParseNumber(t *testing.T) {
	for text, want := range map[string]string{
		"12": "12", "-3.50": "-7/2", "$1,234.5": "2469/2", "€ 5": "5", "12.5%": "25/2", "(1,200)": "-1200", "1e3": "1000",
		"-$5": "-5", "$-5": "-5", ".5": "1/2", "−4": "-4", "45 €": "45",
		"": "", "12 kg": "", "1,23": "", "1.2.3": "", "2026-01-01": "", "--5": "", "$": "", "1e9999": "", "n/a": "",
	} {
		n, ok := ParseNumber(text)
		if got := ""; ok {
			if got = n.Rat.RatString(); got != want {
				t.Errorf("ParseNumber(%q) = %s, want %s", text, got, want)
			}
		} else if want != "" {
			t.Errorf("ParseNumber(%q) is no number, want %s", text, want)
		}
	}
}

// fake answers by question.
type fake map[string]*agent.Answer

func (f fake) Load(_ context.Context, s Source) (string, error) { return s.Name, nil }

func (f fake) Ask(_ context.Context, q Question) (*agent.Answer, error) {
	if a := f[q.Text+"/"+q.Conversation]; a != nil {
		return a, nil
	}
	return nil, errors.New("no such question")
}

func TestRunAndReports(t *testing.T) {
	first := table("n:measure", row("1"))
	first.Conversation = "c1"
	gw := fake{"one/": first, "and?/c1": table("n:measure", row("3"))}
	cases, err := parseCases([]byte(`
- {id: agg-1, question: one, workbooks: [b.xlsx], expect: {value: 1}}
- {id: agg-2, after: agg-1, question: "and?", expect: {value: 2}}
- {id: lkp-1, question: unknown, workbooks: [a.xlsx, b.xlsx], expect: {value: 2}}
`))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(Workbooks(cases), " "); got != "b.xlsx a.xlsx" {
		t.Errorf("Workbooks = %q, want b.xlsx a.xlsx", got)
	}
	outcomes, err := Run(t.Context(), gw, cases, nil)
	if err != nil {
		t.Fatal(err)
	}
	if s := Summarize(outcomes); s.Cases != 3 || s.Passed != 1 || len(s.Kinds) != 2 || s.Kinds[0] != (Group{"agg", 2, 1}) {
		t.Errorf("Summarize = %+v, want 1 of 3, agg 1 of 2", s)
	}
	var out, js, unit strings.Builder
	if err := errors.Join(WriteTable(&out, outcomes), WriteJSON(&js, outcomes), WriteJUnit(&unit, "first", outcomes)); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		out.String(): "1 of 3 cases pass", js.String(): `"passed": 1`, unit.String(): `tests="3" failures="2"`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("report lacks %q:\n%s", want, text)
		}
	}
}
