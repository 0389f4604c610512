package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/allrows/allrows/agent"
	"github.com/allrows/allrows/agent/link"
	"github.com/allrows/allrows/agent/plan"
	"github.com/allrows/allrows/guardrails"
	"github.com/allrows/allrows/schema"
)

var tiers = schema.Ref{Workbook: "pricing", Table: "tiers"}

func tierColumn(name string) plan.Expr {
	return plan.Col(schema.ColumnRef{Ref: tiers, Column: name})
}

// averageDiscount is a plan that most of these tests run.
func averageDiscount() *plan.Plan {
	return &plan.Plan{From: tiers, Select: []plan.Item{{Expr: plan.Agg("avg", tierColumn("discount_pct")), Role: "measure"}}}
}

func runSQL(p *plan.Plan) []plan.Step {
	return []plan.Step{{Route: plan.Aggregate, Confidence: 0.8, Call: &plan.Call{Tool: "run_sql", Plan: p}}}
}

func ask(t *testing.T, a *agent.Agent, s *guardrails.Scope, question string) *agent.Answer {
	t.Helper()
	ans, err := a.Ask(t.Context(), agent.Request{Question: question, Scope: s})
	if err != nil {
		t.Fatal(err)
	}
	return ans
}

func reason(a *agent.Answer) string {
	if a.Reason == nil {
		return ""
	}
	return a.Reason.Code
}

// TestNoAnswer has the agent refuse what a planner would answer.
func TestNoAnswer(t *testing.T) {
	p := newParts(t)
	scope := p.load(t, "pricing.xlsx")
	again := func() []plan.Step {
		var s []plan.Step
		for range 30 {
			s = append(s, runSQL(averageDiscount())...)
		}
		return s
	}
	unsure := runSQL(averageDiscount())
	unsure[0].Confidence = 0.1
	for _, tt := range []struct {
		name     string
		question string
		steps    []plan.Step
		linker   agent.Linker
		scope    *guardrails.Scope
		outcome  agent.Outcome
		code     string
		says     string
	}{
		{"a word that means nothing", "average discount for premium customers", runSQL(averageDiscount()), plainLinker{lang: "en", unknown: []string{"premium", "customers"}}, scope, agent.Declined, "unknown_word", "premium"},
		{"a cell that the plan ignores", "average discount in the North", runSQL(averageDiscount()), linksNorth{}, scope, agent.Declined, "unsupported", "North"},
		{"too little confidence", "average discount", unsure, plainLinker{lang: "en"}, scope, agent.Declined, "ambiguous", "not sure"},
		{"no end of steps", "average discount", again(), plainLinker{lang: "en"}, scope, agent.Declined, "limit", "8 steps"},
		{"nothing proposed", "average discount", nil, plainLinker{lang: "en"}, scope, agent.Declined, "unsupported", "average discount by region"},
		{"no question", "  ", nil, plainLinker{lang: "en"}, scope, agent.Declined, "unsupported", "empty"},
		{"a question without end", strings.Repeat("discount ", 300), nil, plainLinker{lang: "en"}, scope, agent.Declined, "limit", "2,000"},
		{"nothing loaded", "average discount", nil, plainLinker{lang: "en"}, &guardrails.Scope{Principal: "tester"}, agent.Empty, "not_loaded", "No table"},
		{"nothing to explain", "why that number?", nil, plainLinker{lang: "en"}, scope, agent.Declined, "unsupported", "no answer before"},
		{"a tool that is not there", "average discount", []plan.Step{{Call: &plan.Call{Tool: "rm"}}}, plainLinker{lang: "en"}, scope, agent.Declined, "unsupported", "no such tool"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := p.agent(t, &scripted{steps: tt.steps}, tt.linker)
			got := ask(t, a, tt.scope, tt.question)
			if got.Outcome != tt.outcome || reason(got) != tt.code || !strings.Contains(got.Text, tt.says) || got.Result != nil {
				t.Errorf("Ask = %s, %s: %q; want %s, %s with %q and no result", got.Outcome, reason(got), got.Text, tt.outcome, tt.code, tt.says)
			}
		})
	}
}

// linksNorth links the last word to the region North.
type linksNorth struct{}

func (linksNorth) Link(_ context.Context, text string, c *schema.Context, _ link.ValueIndex, now time.Time) (*link.Question, error) {
	q := &link.Question{Text: text, Language: "en", Now: now, Schema: c}
	at := 0
	for _, w := range strings.Fields(text) {
		start := at + strings.Index(text[at:], w)
		at = start + len(w)
		q.Tokens = append(q.Tokens, link.Token{Text: w, Norm: strings.ToLower(w), Start: start, End: at})
	}
	n := len(q.Tokens) - 1
	q.Links = []link.Link{{First: n, Last: n, Kind: link.Value, Value: q.Tokens[n].Text, Score: 1, Column: schema.ColumnRef{Ref: tiers, Column: "region"}}}
	return q, nil
}

// TestTimeout stops a planner that does not end.
func TestTimeout(t *testing.T) {
	p := newParts(t)
	scope := p.load(t, "pricing.xlsx")
	a, err := agent.New(agent.Config{Planner: stuck{}, Linker: plainLinker{lang: "en"}, Guard: p.guard, Runner: p.runner, Timeout: 30 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if got := ask(t, a, scope, "average discount"); got.Outcome != agent.Failed || reason(got) != "timeout" {
		t.Errorf("Ask = %s, %s: %q; want a timeout", got.Outcome, reason(got), got.Text)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := a.Ask(ctx, agent.Request{Question: "average discount", Scope: scope}); !errors.Is(err, context.Canceled) {
		t.Errorf("Ask of a caller that left = %v, want its cancellation", err)
	}
}

type stuck struct{}

func (stuck) Name() string { return "stuck" }

func (stuck) Next(ctx context.Context, _ *link.Question, _ plan.Turn) (plan.Step, error) {
	<-ctx.Done()
	return plan.Step{}, ctx.Err()
}

// TestReplay answers twice with the same clock and ids: byte for byte the same,
// events and all.
func TestReplay(t *testing.T) {
	p := newParts(t)
	scope := p.load(t, "pricing.xlsx")
	once := func() string {
		a := p.agent(t, &scripted{steps: runSQL(averageDiscount())}, plainLinker{lang: "en"})
		var events []agent.Event
		if _, err := a.Ask(t.Context(), agent.Request{Question: "average discount", Scope: scope, Observe: func(e agent.Event) { events = append(events, e) }}); err != nil {
			t.Fatal(err)
		}
		var kinds []string
		for _, e := range events {
			kinds = append(kinds, e.Kind)
		}
		if d := cmp.Diff([]string{"linked", "step", "observation", "answer"}, kinds); d != "" {
			t.Errorf("events (-want +got):\n%s", d)
		}
		b, err := json.Marshal(events)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	if a, b := once(), once(); a != b {
		t.Errorf("the second run differs:\n%s\n%s", a, b)
	}
}

// TestStatement runs statements of a person: the same guard, the same answer.
func TestStatement(t *testing.T) {
	p := newParts(t)
	scope := p.load(t, "pricing.xlsx")
	a := p.agent(t, &scripted{}, plainLinker{lang: "en"})
	for _, tt := range []struct {
		name, sql string
		limit     int
		outcome   agent.Outcome
		code      string
		says      string
		complete  bool
	}{
		{"one figure", "SELECT max(min_order_usd) AS largest FROM pricing.tiers", 0, agent.Answered, "", "145,000", true},
		{"many rows", "SELECT * FROM tiers", 0, agent.Answered, "", "42 rows", true},
		{"cut", "SELECT * FROM tiers", 5, agent.Answered, "", "5 rows", false},
		{"a write", "DELETE FROM tiers", 0, agent.Declined, "unsafe", "refused", false},
		{"another table", "SELECT * FROM payroll.salaries", 0, agent.Empty, "not_loaded", "payroll", false},
		{"another column", "SELECT margin FROM tiers", 0, agent.Empty, "not_loaded", "margin", false},
		{"nothing", " ", 0, agent.Declined, "unsafe", "empty", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := a.SQL(t.Context(), agent.SQLRequest{SQL: tt.sql, Limit: tt.limit, Scope: scope})
			if err != nil {
				t.Fatal(err)
			}
			if got.Outcome != tt.outcome || reason(got) != tt.code || !strings.Contains(got.Text, tt.says) || got.Receipt.Complete != tt.complete {
				t.Errorf("SQL = %s, %s: %q, complete %v; want %s, %s with %q, complete %v", got.Outcome, reason(got), got.Text, got.Receipt.Complete, tt.outcome, tt.code, tt.says, tt.complete)
			}
		})
	}
}

// TestCall makes every tool's call as a program does.
func TestCall(t *testing.T) {
	p := newParts(t)
	scope := p.load(t, "cities.xlsx")
	a := p.agent(t, &scripted{}, plainLinker{lang: "en"})
	for _, tt := range []struct {
		tool     string
		args     map[string]any
		complete bool
		says     string
	}{
		{"run_sql", map[string]any{"sql": "SELECT count(*) AS n FROM cities.cities"}, true, "50"},
		{"lookup", map[string]any{"sql": "SELECT state FROM cities.cities WHERE id = 5"}, true, "WA"},
		{"search_rows", map[string]any{"text": "Seattle", "table": "cities.cities", "k": 3.0}, false, "selection"},
		{"entity", map[string]any{"table": "cities.cities", "column": "city_name", "value": "Seattle"}, true, "Boeing"},
		{"overview", map[string]any{"tables": []any{"cities.metro"}}, true, "10 rows"},
		{"describe_table", map[string]any{"table": "cities.employers"}, true, "Employer"},
		{"list_tables", nil, true, "3 tables"},
	} {
		got, err := a.Call(t.Context(), agent.CallRequest{Tool: tt.tool, Args: tt.args, Scope: scope})
		if err != nil || got.Outcome != agent.Answered || got.Receipt.Complete != tt.complete || !strings.Contains(got.Text, tt.says) {
			t.Errorf("Call(%s) = %+v, %v; want an answer with %q, complete %v", tt.tool, got, err, tt.says, tt.complete)
		}
	}
	for _, tt := range []struct {
		tool string
		args map[string]any
	}{{"search_rows", nil}, {"describe_table", map[string]any{"table": "payroll.salaries"}}, {"entity", map[string]any{"table": "cities.cities", "column": "mayor"}}, {"run_sql", nil}} {
		got, err := a.Call(t.Context(), agent.CallRequest{Tool: tt.tool, Args: tt.args, Scope: scope})
		if err != nil || got.Outcome == agent.Answered || got.Outcome == agent.Failed {
			t.Errorf("Call(%s, %v) = %+v, %v; want a decline", tt.tool, tt.args, got, err)
		}
	}
}

// TestSearch finds rows and resolves them under the scope.
func TestSearch(t *testing.T) {
	p := newParts(t)
	scope := p.load(t, "cities.xlsx")
	a := p.agent(t, &scripted{}, plainLinker{lang: "en"})
	find := func(s *guardrails.Scope) []string {
		t.Helper()
		got, err := a.Search(t.Context(), agent.SearchRequest{Text: "Seattle", K: 5, Scope: s})
		if err != nil {
			t.Fatal(err)
		}
		if got.Complete || got.Notice == "" {
			t.Errorf("Search says that it is the whole: %+v", got)
		}
		var out []string
		for _, h := range got.Hits {
			if len(h.Row) > 1 {
				out = append(out, h.Cell+" "+h.Row[1].(string))
			}
		}
		return out
	}
	if got := find(scope); len(got) == 0 || got[0] != "A6 Seattle" {
		t.Errorf("Search = %v, want A6 Seattle first", got)
	}
	if got := find(filtered(scope, "cities", "state <> 'WA'")); strings.Contains(strings.Join(got, " "), "Seattle") {
		t.Errorf("Search shows a row that the scope hides: %v", got)
	}
}

// filtered is the scope with a row filter on one table.
func filtered(s *guardrails.Scope, table, filter string) *guardrails.Scope {
	cut := *s
	cut.Tables = nil
	for _, st := range s.Tables {
		if st.Table.Table == table {
			st.Filter = filter
		}
		cut.Tables = append(cut.Tables, st)
	}
	return &cut
}

// TestRowFilter counts, describes and hints within the rows of the scope alone.
func TestRowFilter(t *testing.T) {
	p := newParts(t)
	south := filtered(p.load(t, "pricing.xlsx"), "tiers", "region = 'South'")
	pl := &scripted{}
	a := p.agent(t, pl, plainLinker{lang: "en"})
	pl.steps = runSQL(averageDiscount())
	got := ask(t, a, south, "average discount")
	if u := got.Receipt.Tables[0]; u.Rows != 7 || u.RowsMatched != 7 || got.Result.Rows[0][0] != 8.285714285714286 {
		t.Errorf("Ask = %v over %+v, want 8.2857 over 7 rows", got.Result.Rows, u)
	}
	if strings.Contains(got.Receipt.Reading, "42") || strings.Contains(got.Text, "42") {
		t.Errorf("the answer tells of rows that the scope hides: %q, %q", got.Text, got.Receipt.Reading)
	}
	for _, tool := range []plan.Call{{Tool: "overview"}, {Tool: "describe_table", Args: map[string]any{"table": "pricing.tiers"}}, {Tool: "list_tables"}} {
		pl.steps = []plan.Step{{Call: &tool}}
		got := ask(t, a, south, "what is there?")
		b, _ := json.Marshal(got)
		if strings.Contains(string(b), "North,") || strings.Contains(string(b), "42") || strings.Contains(got.Text, "22%") || !strings.Contains(got.Text, "7 rows") && !strings.Contains(string(b), "7") {
			t.Errorf("%s tells of rows that the scope hides: %s", tool.Tool, got.Text)
		}
	}
	none := averageDiscount()
	cond := plan.Compare(tierColumn("tier"), "=", plan.Number("9"))
	none.Where = &cond
	pl.steps = runSQL(none)
	if got := ask(t, a, south, "average discount for tier 9"); reason(got) != "no_rows" || strings.Contains(got.Text, "goes from") {
		t.Errorf("the empty answer tells of a range that was measured over hidden rows: %q", got.Text)
	}
}

// TestMixedUnits refuses to add figures of several currencies.
func TestMixedUnits(t *testing.T) {
	p := newParts(t)
	scope := p.load(t, "pricing.xlsx")
	tab := *scope.Tables[0].Table
	for i := range scope.Tables {
		if scope.Tables[i].Table.Ref != tiers {
			continue
		}
		tab = *scope.Tables[i].Table
		tab.Columns = append([]*schema.Column{}, tab.Columns...)
		for j, c := range tab.Columns {
			if c.Name == "min_order_usd" {
				mixed := *c
				mixed.Unit.Mixed = []string{"EUR", "USD"}
				tab.Columns[j] = &mixed
			}
		}
		scope.Tables[i].Table = &tab
	}
	sum := &plan.Plan{From: tiers, Select: []plan.Item{{Expr: plan.Agg("sum", tierColumn("min_order_usd")), Role: "measure"}}}
	got := ask(t, p.agent(t, &scripted{steps: runSQL(sum)}, plainLinker{lang: "en"}), scope, "total minimum order")
	if got.Outcome != agent.Declined || !strings.Contains(got.Text, "EUR, USD") {
		t.Errorf("Ask = %s: %q; want a refusal that names the currencies", got.Outcome, got.Text)
	}
}

// TestWordsComplete holds every language's templates against the English ones.
func TestWordsComplete(t *testing.T) {
	en, err := os.ReadFile("words/en.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, lang := range []string{"es", "de", "pt"} {
		b, err := os.ReadFile("words/" + lang + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		have := plan.ParseWords(string(b))
		for k, text := range plan.ParseWords(string(en)) {
			if have[k] == "" {
				t.Errorf("words/%s.txt has no %q", lang, k)
			}
			for _, blank := range []string{"{a}", "{b}", "{c}", "{n}", "{t}", "{l}", "{w}"} {
				if strings.Contains(text, blank) != strings.Contains(have[k], blank) {
					t.Errorf("words/%s.txt: %q and the English differ in %s", lang, k, blank)
				}
			}
		}
	}
}
