package kb_test

import (
	"iter"
	"strings"
	"testing"

	"github.com/allrows/allrows/kb"
	"github.com/allrows/allrows/kb/embed"
	"github.com/allrows/allrows/schema"
	"github.com/allrows/allrows/workbook"
)

// text and whole are column kinds for tables of tests.
var (
	text  = workbook.Type{Kind: workbook.Text}
	whole = workbook.Type{Kind: workbook.Int}
	date  = workbook.Type{Kind: workbook.Date}
	money = workbook.Type{Kind: workbook.Decimal, Width: 12, Scale: 2}
)

// tiers is the table that the samples open with.
func tiers() (*schema.Table, [][]string) {
	t := &schema.Table{Ref: schema.Ref{Workbook: "pricing", Table: "tiers"}, Version: "v1", File: "pricing.xlsx", Sheet: "Tiers",
		Title: "Regional discount tiers", Columns: []*schema.Column{
			column("region", "Region", text), column("tier", "Tier", whole), column("discount", "Discount %", money),
			column("min_order", "Min order USD", money), column("effective", "Effective", date)}}
	t.Columns[2].Unit = workbook.Unit{Symbol: "%"}
	var rows [][]string
	for i, region := range []string{"North", "South", "East", "West", "Coastal", "Central"} {
		for tier := 1; tier <= 7; tier++ {
			day := "2025-07-01"
			if tier%2 == 1 {
				day = "2026-01-01"
			}
			rows = append(rows, []string{region, string(rune('0' + tier)), string(rune('0'+tier)) + ".5", string(rune('1'+i)) + string(rune('0'+tier)) + "000", day})
		}
	}
	return profiled(t, rows), rows
}

func column(name, header string, typ workbook.Type) *schema.Column {
	return &schema.Column{Column: workbook.Column{Name: name, Header: header, Type: typ}}
}

// profiled measures the rows the way sqltool does, as far as kb reads it.
func profiled(t *schema.Table, rows [][]string) *schema.Table {
	t.Rows = int64(len(rows))
	for i, c := range t.Columns {
		counts := map[string]int64{}
		for _, r := range rows {
			v := r[i]
			if v == "" {
				c.Profile.Nulls++
				continue
			}
			if counts[v]++; counts[v] == 1 {
				c.Profile.Top = append(c.Profile.Top, schema.ValueCount{Value: v})
			}
			if c.Profile.Min == "" || less(v, c.Profile.Min) {
				c.Profile.Min = v
			}
			if c.Profile.Max == "" || less(c.Profile.Max, v) {
				c.Profile.Max = v
			}
		}
		c.Profile.Distinct = int64(len(counts))
		c.Profile.Unique = c.Profile.Distinct == t.Rows
		for j := range c.Profile.Top {
			c.Profile.Top[j].Rows = counts[c.Profile.Top[j].Value]
		}
		c.Profile.Top = c.Profile.Top[:min(20, len(c.Profile.Top))]
	}
	return t
}

func less(a, b string) bool {
	if strings.Trim(a+b, "0123456789.") == "" && len(a) != len(b) {
		return len(a) < len(b)
	}
	return a < b
}

func seq(rows [][]string) iter.Seq2[int64, []string] {
	return func(yield func(int64, []string) bool) {
		for i, r := range rows {
			if !yield(int64(i+2), r) {
				return
			}
		}
	}
}

func newStore(t testing.TB, cfg kb.Config) *kb.Store {
	t.Helper()
	if cfg.Dir == "" {
		cfg.Dir = t.TempDir()
	}
	if cfg.Embedder == nil {
		cfg.Embedder = embed.Static()
	}
	s, err := kb.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func build(t testing.TB, s *kb.Store, table *schema.Table, rows [][]string) {
	t.Helper()
	if _, err := s.Build(t.Context(), table, seq(rows)); err != nil {
		t.Fatal(err)
	}
}

func TestSearchFindsTheRow(t *testing.T) {
	s := newStore(t, kb.Config{})
	table, rows := tiers()
	build(t, s, table, rows)
	for _, tt := range []struct{ question, want string }{
		{"What is the discount for North tier 3?", "pricing.tiers/row/4"},
		{"discount of the third tier in the south", "pricing.tiers/row/11"},
		{"minimum order of coastl tier 7", "pricing.tiers/row/36"},
		{"central region, tier 1, effective January 1, 2026", "pricing.tiers/row/37"},
	} {
		hits, err := s.Search(t.Context(), kb.Query{Text: tt.question, Tables: []*schema.Table{table}, K: 3})
		if err != nil {
			t.Fatal(err)
		}
		if len(hits) == 0 || hits[0].ID != tt.want {
			t.Errorf("Search(%q) = %v, want %s first", tt.question, ids(hits), tt.want)
		}
	}
}

func ids(hits []kb.Hit) []string {
	var out []string
	for _, h := range hits {
		out = append(out, h.ID+": "+h.Why)
	}
	return out
}

func TestHiddenColumnsDoNotMatchOrShow(t *testing.T) {
	s := newStore(t, kb.Config{})
	table, rows := tiers()
	build(t, s, table, rows)
	scoped := *table
	scoped.Columns = table.Columns[1:] // no region
	hits, err := s.Search(t.Context(), kb.Query{Text: "Coastal", Tables: []*schema.Table{&scoped}})
	if err != nil || len(hits) != 0 {
		t.Errorf("a hidden value was found: %v, %v", ids(hits), err)
	}
	hits, err = s.Search(t.Context(), kb.Query{Text: "tier 3 discount", Tables: []*schema.Table{&scoped}, K: 50})
	if err != nil || len(hits) == 0 {
		t.Fatalf("Search = %v, %v", hits, err)
	}
	for _, h := range hits {
		if strings.Contains(h.Text, "North") || strings.Contains(h.Text, "Region:") || strings.Contains(h.Embedded, "Central") {
			t.Errorf("a hidden column is shown:\n%s", h.Text)
		}
	}
	values, err := s.Values([]*schema.Table{&scoped}).FindValues(t.Context(), "north", 5)
	if err != nil || len(values) != 0 {
		t.Errorf("FindValues of a hidden column = %v, %v", values, err)
	}
}

func TestSummarize(t *testing.T) {
	table, _ := tiers()
	const want = "Regional discount tiers: 42 rows, 6 regions (North, South, East, West, Coastal, Central), tiers 1–7, Discount % 1.5–7.5, " +
		"Min order USD 11000–67000, Effective 2025-07-01 to 2026-01-01 (pricing.xlsx · Tiers)."
	if got := kb.Summarize(table); got != want {
		t.Errorf("Summarize =\n%s\nwant\n%s", got, want)
	}
}

func TestFindValues(t *testing.T) {
	table := &schema.Table{Ref: schema.Ref{Workbook: "convenio", Table: "tabla"}, Version: "v1", File: "convenio.xlsx",
		Columns: []*schema.Column{column("categoria", "Categoría", text), column("city", "City", text), column("note", "Note", text)}}
	rows := [][]string{
		{"Oficial de 1ª", "New York", strings.Repeat("long ", 100)}, {"Oficial de 2ª", "São Paulo", ""},
		{"Auxiliar", "Seattle", ""}, {"Jefe de sección", "Seattle", ""},
	}
	profiled(table, rows)
	s := newStore(t, kb.Config{})
	build(t, s, table, rows)
	v := s.Values([]*schema.Table{table})
	for _, tt := range []struct{ phrase, value, how string }{
		{"Seattle", "Seattle", "exact"},
		{"seattle", "Seattle", "folded"},
		{"sao paulo", "São Paulo", "folded"},
		{"oficial de primera", "Oficial de 1ª", "folded"},
		{"york new", "New York", "tokens"},
		{"york", "New York", "part"},
		{"jefe seccion", "Jefe de sección", "part"},
		{"seatle", "Seattle", "fuzzy"},
		{"new yrok", "New York", "fuzzy"},
		{"paolo", "São Paulo", "fuzzy"},
		{"xyzzy", "", ""},
	} {
		got, err := v.FindValues(t.Context(), tt.phrase, 3)
		if err != nil {
			t.Fatal(err)
		}
		if tt.value == "" && len(got) > 0 || tt.value != "" && (len(got) == 0 || got[0].Value != tt.value || got[0].How != tt.how) {
			t.Errorf("FindValues(%q) = %+v, want %s (%s)", tt.phrase, got, tt.value, tt.how)
		}
	}
	if un, err := v.Unindexed(t.Context()); err != nil || len(un) != 1 || un[0].Column != "note" {
		t.Errorf("Unindexed = %v, %v, want the note column", un, err)
	}
}
