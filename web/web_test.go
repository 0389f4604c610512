package web

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/allrows/allrows/agent"
	"github.com/allrows/allrows/agent/plan"
	"github.com/allrows/allrows/schema"
	"github.com/allrows/allrows/workbook"
)

func TestFormat(t *testing.T) {
	measure := func(typ, unit string) agent.Column { return agent.Column{Type: typ, Unit: unit, Role: "measure"} }
	for _, tt := range []struct {
		name  string
		value any
		col   agent.Column
		want  Cell
	}{
		{"null", nil, measure("DOUBLE", "%"), Cell{"null", true, true}},
		{"grouped", int64(12881717), measure("BIGINT", ""), Cell{"12,881,717", false, true}},
		{"negative money", "-25000", measure("DECIMAL(9,0)", "$"), Cell{"-$25,000", false, true}},
		{"cents stay", "25000.50", measure("DECIMAL(9,2)", "$"), Cell{"$25,000.50", false, true}},
		{"a float is shortened", 14.142857142857142, measure("DOUBLE", "%"), Cell{"14.14%", false, true}},
		{"a small float keeps its digits", 0.00012345, measure("DOUBLE", ""), Cell{"0.000123", false, true}},
		{"a whole float", 8.0, measure("DOUBLE", ""), Cell{"8", false, true}},
		{"a wide integer", "170141183460469231731687303715884105727", measure("HUGEINT", ""), Cell{"170,141,183,460,469,231,731,687,303,715,884,105,727", false, true}},
		{"a key is not grouped", int64(2026), agent.Column{Type: "BIGINT", Role: "key"}, Cell{"2026", false, true}},
		{"a unit in words", int64(3), measure("BIGINT", "kg"), Cell{"3 kg", false, true}},
		{"infinite", "Infinity", measure("DOUBLE", ""), Cell{"Infinity", false, true}},
		{"text", "N/A", agent.Column{Type: "VARCHAR"}, Cell{"N/A", false, false}},
		{"date", "2026-01-01", agent.Column{Type: "DATE"}, Cell{"2026-01-01", false, false}},
		{"list", []any{"a", int64(1)}, agent.Column{Type: "VARCHAR[]"}, Cell{`["a",1]`, false, false}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Format(tt.value, tt.col)); diff != "" {
				t.Errorf("Format(%v, %+v) (-want +got):\n%s", tt.value, tt.col, diff)
			}
		})
	}
}

func TestBasis(t *testing.T) {
	use := agent.TableUse{Name: "pricing.tiers", Workbook: "pricing.xlsx", Sheet: "Tiers", Rows: 42, RowsMatched: 42, LoadedAt: "today"}
	part, file := use, use
	part.RowsMatched = 7
	file.Sheet, file.Name, file.Workbook = "", "orders.orders", "orders.parquet"
	for _, tt := range []struct {
		name string
		r    agent.Receipt
		want string
	}{
		{"all", agent.Receipt{Complete: true, Tables: []agent.TableUse{use}}, "all 42 rows of pricing.xlsx · Tiers, loaded today"},
		{"some match", agent.Receipt{Complete: true, Tables: []agent.TableUse{part}}, "7 rows that match, of all 42 rows of pricing.xlsx · Tiers, loaded today"},
		{"looked up", agent.Receipt{Trust: "looked_up", Tables: []agent.TableUse{part}}, "7 rows looked up among 42 of pricing.xlsx · Tiers, loaded today"},
		{"a selection is not called all", agent.Receipt{Tables: []agent.TableUse{use}}, "a selection from 42 rows of pricing.xlsx · Tiers, loaded today"},
		{"no sheet", agent.Receipt{Complete: true, Tables: []agent.TableUse{file}}, "all 42 rows of orders.parquet, loaded today"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := strings.Join(Basis(tt.r), "; "); got != tt.want {
				t.Errorf("Basis = %q, want %q", got, tt.want)
			}
		})
	}
}

func column(header string, typ workbook.Type, distinct int64, unit string) *schema.Column {
	c := &schema.Column{Profile: schema.Profile{Distinct: distinct}}
	c.Name, c.Header, c.Type, c.Unit.Symbol = strings.ToLower(header), header, typ, unit
	return c
}

func TestSamples(t *testing.T) {
	text, decimal := workbook.Type{Kind: workbook.Text}, workbook.Type{Kind: workbook.Decimal, Width: 5, Scale: 2}
	tiers := &schema.Table{Ref: schema.Ref{Workbook: "pricing", Table: "tiers"}, Rows: 42, Columns: []*schema.Column{
		column("id", workbook.Type{Kind: workbook.Int}, 42, ""), column("Region", text, 6, ""), column("Discount (%)", decimal, 20, "%")}}
	plain := &schema.Table{Ref: schema.Ref{Workbook: "x", Table: "words"}, Rows: 3, Columns: []*schema.Column{column("Word", text, 3, "")}}
	got := Samples(&schema.Context{Tables: []*schema.Table{tiers, plain}}, 4)
	want := []string{"average discount by region", "How many rows does words have?", "Which region has the highest average discount?", "What is the highest discount?"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Samples (-want +got):\n%s", diff)
	}
	if got := Samples(&schema.Context{}, 4); len(got) != 0 {
		t.Errorf("Samples of nothing = %q", got)
	}
}

// Workbooks hold any text: none of it may become markup or script.
func TestPageEscapes(t *testing.T) {
	const evil = `<script>alert(1)</script>"'><img src=x onerror=alert(1)>`
	a := &agent.Answer{ID: "a1", Question: evil, Text: evil, Outcome: agent.Answered,
		Result:   &agent.Result{Columns: []agent.Column{{Name: evil, Type: "VARCHAR"}, {Name: "b", Type: evil}}, Rows: [][]any{{evil, evil}}},
		Choices:  []plan.Choice{{Reading: evil, Ask: evil}},
		Warnings: []agent.Warning{{Text: evil}},
		Receipt: agent.Receipt{Reading: evil, SQL: evil, Trust: "computed", Citations: []agent.Citation{{Workbook: evil, Sheet: evil, Range: evil}},
			Tables: []agent.TableUse{{Workbook: evil, Sheet: evil}}, Checks: []agent.CheckMade{{Name: evil, Result: "pass", Detail: evil}}}}
	p, err := New()
	if err != nil {
		t.Fatal(err)
	}
	h := Home{Samples: []string{evil}, Books: []Book{{Name: evil, File: evil, Notes: []string{evil}, Tables: []BookTable{{Name: evil, Label: evil, Columns: []string{evil}}}}},
		Answers: []*Answer{View(a, []string{evil})}, Problem: &Problem{What: evil}}
	var b strings.Builder
	if err := p.Render(&b, "home", h); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "<script>alert") || strings.Contains(b.String(), "<img") {
		t.Error("the page holds markup of a workbook")
	}
	for _, inline := range []string{" style=", " onclick=", "javascript:"} {
		if strings.Contains(b.String(), inline) {
			t.Errorf("the page has %q, which its policy refuses", inline)
		}
	}
}

func TestDocs(t *testing.T) {
	p, err := New()
	if err != nil {
		t.Fatal(err)
	}
	for _, keys := range []bool{false, true} {
		var b strings.Builder
		if err := p.Render(&b, "docs", NewDocs("http://h:1", "v", keys)); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(b.String(), "Authorization: Bearer KEY"); got != keys || !strings.Contains(b.String(), "http://h:1/v1/ask") {
			t.Errorf("with keys %v the page shows a key: %v", keys, got)
		}
	}
}

func TestFigure(t *testing.T) {
	one := &agent.Answer{Outcome: agent.Answered, Result: &agent.Result{
		Columns: []agent.Column{{Name: "region", Type: "VARCHAR", Role: "key"}, {Name: "discount", Type: "DOUBLE", Unit: "%", Role: "measure"}}, Rows: [][]any{{"North", 12.5}}}}
	if v := View(one, nil); v.Figure != "12.5%" || v.Grid == nil {
		t.Errorf("a row with a key = figure %q, grid %v, want 12.5%% with its grid", v.Figure, v.Grid)
	}
	one.Result.Columns, one.Result.Rows = one.Result.Columns[1:], [][]any{{12.5}}
	if v := View(one, nil); v.Figure != "12.5%" || v.Grid != nil {
		t.Errorf("one figure = %q, grid %v, want it alone", v.Figure, v.Grid)
	}
	one.Outcome = agent.Empty
	if v := View(one, nil); v.Figure != "" {
		t.Errorf("no answer shows the figure %q", v.Figure)
	}
}

func TestView(t *testing.T) {
	rows := make([][]any, shownRows+1)
	for i := range rows {
		rows[i] = []any{int64(i)}
	}
	v := View(&agent.Answer{Outcome: agent.Answered, Result: &agent.Result{Columns: []agent.Column{{Name: "n", Type: "BIGINT"}}, Rows: rows}}, nil)
	if v.Grid.Shown() != shownRows || v.Grid.Total != shownRows+1 {
		t.Errorf("the grid shows %d of %d, want %d of %d", v.Grid.Shown(), v.Grid.Total, shownRows, shownRows+1)
	}
}
