package semparse

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/allrows/allrows/agent/link"
	"github.com/allrows/allrows/agent/plan"
	"github.com/allrows/allrows/schema"
	"github.com/allrows/allrows/workbook"
)

// cells is a value index of a few cells.
type cells map[string]schema.ColumnRef

// FindValues finds the cells that are the phrase.
func (c cells) FindValues(_ context.Context, phrase string, _ int) ([]schema.ValueMatch, error) {
	var out []schema.ValueMatch
	for value, ref := range c {
		if strings.EqualFold(value, phrase) {
			out = append(out, schema.ValueMatch{Column: ref, Value: value, Rows: 7, Score: 1, How: "exact"})
		}
	}
	return out, nil
}

func talkContext() (*schema.Context, cells) {
	column := func(name, header string, kind workbook.Kind, unique bool) *schema.Column {
		return &schema.Column{Column: workbook.Column{Name: name, Header: header, Type: workbook.Type{Kind: kind}},
			Profile: schema.Profile{Distinct: 6, Unique: unique}}
	}
	tiers := schema.Ref{Workbook: "pricing", Table: "tiers"}
	cities := schema.Ref{Workbook: "cities", Table: "cities"}
	c := &schema.Context{Tables: []*schema.Table{
		{Ref: tiers, File: "pricing.xlsx", Title: "Regional discount tiers", Rows: 42, Columns: []*schema.Column{
			column("region", "Region", workbook.Text, false), column("tier", "Tier", workbook.Int, false), column("discount", "Discount", workbook.Decimal, false)}},
		{Ref: cities, File: "cities.xlsx", Rows: 50, Columns: []*schema.Column{
			column("city_name", "city_name", workbook.Text, true), column("state", "state", workbook.Text, false), column("population", "population", workbook.Int, true)}},
	}}
	return c, cells{"North": {Ref: tiers, Column: "region"}, "South": {Ref: tiers, Column: "region"}, "Seattle": {Ref: cities, Column: "city_name"}}
}

func askedOf(t *testing.T, question string) (*Planner, *asked) {
	t.Helper()
	c, values := talkContext()
	l, err := link.New()
	if err != nil {
		t.Fatal(err)
	}
	q, err := l.Link(t.Context(), question, c, values, time.Date(2026, 5, 4, 0, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	a, err := p.prepare(q)
	if err != nil {
		t.Fatal(err)
	}
	return p, a
}

func TestTalk(t *testing.T) {
	for _, tt := range []struct{ question, tool, decline string }{
		{"What pricing information do we have?", "overview", ""},
		{"what data do we have?", "overview", ""},
		{"What columns does the cities table have?", "describe_table", ""},
		{"Describe the Seattle record", "entity", ""},
		{"Tell me everything about Seattle", "entity", ""},
		{"dime todo sobre Seattle", "entity", ""},
		{"¿Qué información hay?", "overview", ""},
		{"Why did discounts go up last year?", "", "unsupported"},
		{"Delete the South rows", "", "unsupported"},
		{"Borra las filas de South", "", "unsupported"},
		{"Welche Daten gibt es?", "overview", ""},
		{"Zeige alles zu Seattle", "entity", ""},
		{"Warum ist der Rabatt so hoch?", "", "unsupported"},
		{"Que dados temos?", "overview", ""},
		{"Diga tudo sobre Seattle", "entity", ""},
		{"average discount by region", "", ""},
		{"how many cities are there?", "", ""},
		{"What is the discount for the North?", "", ""},
		{"what customer churn information do we have?", "", ""},
	} {
		t.Run(tt.question, func(t *testing.T) {
			tool, code := "", ""
			p, a := askedOf(t, tt.question)
			if s := p.talk(a, plan.Turn{}); s != nil {
				if s.Call != nil {
					tool = s.Call.Tool
				}
				if s.Decline != nil {
					code = s.Decline.Code
				}
			}
			if tool != tt.tool || code != tt.decline {
				t.Errorf("talk proposes %q, declines %q; want %q, %q", tool, code, tt.tool, tt.decline)
			}
		})
	}
}

func TestFollow(t *testing.T) {
	c, _ := talkContext()
	col := func(name string) plan.Expr {
		return plan.Col(schema.ColumnRef{Ref: c.Tables[0].Ref, Column: name})
	}
	north := plan.Compare(col("region"), "=", plan.Text("North"))
	prev := &plan.Plan{From: c.Tables[0].Ref, Where: &north, Select: []plan.Item{{Expr: plan.Agg("avg", col("discount")), Role: "measure"}}}
	for _, tt := range []struct{ question, want string }{
		{"and in the South?", "Average of Discount over the rows of Regional discount tiers where Region is South"},
		{"South?", "Average of Discount over the rows of Regional discount tiers where Region is South"},
		{"by tier", "Average of Discount by Tier over the rows of Regional discount tiers where Region is North"},
		{"and by tier in the South?", "Average of Discount by Tier over the rows of Regional discount tiers where Region is South"},
		{"the total?", "Sum of Discount over the rows of Regional discount tiers where Region is North"},
		{"how many are there?", "Number of rows of Regional discount tiers where Region is North"},
		{"only tier 3", "Average of Discount over the rows of Regional discount tiers where Region is North and Tier is 3"},
		{"und nach Tier?", "Average of Discount by Tier over the rows of Regional discount tiers where Region is North"},
		{"e por tier?", "Average of Discount by Tier over the rows of Regional discount tiers where Region is North"},
		{"¿y en South?", "Average of Discount over the rows of Regional discount tiers where Region is South"},
		{"total population of Seattle", ""},
		{"average discount by region", ""},
		{"and for premium customers?", ""},
	} {
		t.Run(tt.question, func(t *testing.T) {
			got := ""
			p, a := askedOf(t, tt.question)
			if p := p.follow(a, plan.Turn{Previous: prev}); p != nil {
				got = p.Reading(c, "en")
			}
			if got != tt.want {
				t.Errorf("follow = %q, want %q", got, tt.want)
			}
		})
	}
	if p, a := askedOf(t, "and in the South?"); p.follow(a, plan.Turn{}) != nil {
		t.Error("follow completes a question without one before it")
	}
}
