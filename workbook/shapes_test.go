package workbook

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"
)

func names(tb *Table) string {
	var out []string
	for _, c := range tb.Columns {
		out = append(out, c.Header)
	}
	return strings.Join(out, " | ")
}

func (x *fixture) merge(sheet, a, b string) { x.t.Helper(); x.must(x.f.MergeCell(sheet, a, b)) }

// shape is a sheet and what must be read from it.
type shape struct {
	name  string
	build func(x *fixture)
	table string
	head  string
	rows  []string
	check func(t *testing.T, wb *Workbook, tb *Table)
}

var shapes = []shape{
	{"merged header rows", func(x *fixture) {
		x.sheet("S", []any{"Region", "2024", nil, "2025", nil}, []any{nil, "Q1", "Q2", "Q1", "Q2"}, []any{"North", 1, 2, 3, 4}, []any{"South", 5, 6, 7, 8})
		x.merge("S", "B1", "C1")
		x.merge("S", "D1", "E1")
		x.merge("S", "A1", "A2")
	}, "book", "Region | 2024 / Q1 | 2024 / Q2 | 2025 / Q1 | 2025 / Q2", []string{"North | 1 | 2 | 3 | 4", "South | 5 | 6 | 7 | 8"}, nil},
	{"header rows without merges", func(x *fixture) {
		x.sheet("S", []any{nil, "Income", nil, "Cost", nil}, []any{"Item", 2023, 2024, 2023, 2024}, []any{"a", 1.5, 2, 3, 4}, []any{"b", 5, 6, 7, 8})
	}, "book", "Item | Income / 2023 | Income / 2024 | Cost / 2023 | Cost / 2024", []string{"a | 1.5 | 2 | 3 | 4", "b | 5.0 | 6 | 7 | 8"}, nil},
	{"labels merged downwards", func(x *fixture) {
		x.sheet("S", []any{"Group", "Year", "Value"}, []any{"A", 2023, 10}, []any{nil, 2024, 11}, []any{"B", 2023, 12}, []any{nil, 2024, 13})
		x.merge("S", "A2", "A3")
		x.merge("S", "A4", "A5")
	}, "book", "Group | Year | Value", []string{"A | 2023 | 10", "A | 2024 | 11", "B | 2023 | 12", "B | 2024 | 13"}, nil},
	{"labels left blank", func(x *fixture) {
		x.sheet("S", []any{"Group", "Kind", "Value"}, []any{"A", "x", 10}, []any{nil, "y", 11}, []any{"B", "x", 12}, []any{nil, "y", 13})
	}, "book", "Group | Kind | Value", []string{"A | x | 10", "A | y | 11", "B | x | 12", "B | y | 13"}, nil},
	{"headings between rows", func(x *fixture) {
		x.sheet("S", []any{"Item", "2023", "2024"}, []any{"Income"}, []any{"a", 1, 2}, []any{"b", 3, 4}, []any{"Cost"}, []any{"a", 5, 6})
	}, "book", "Section | Item | 2023 | 2024", []string{"Income | a | 1 | 2", "Income | b | 3 | 4", "Cost | a | 5 | 6"}, nil},
	{"headings above headings", func(x *fixture) {
		x.sheet("S", []any{"Item", "2023", "2024"}, []any{"Young"}, []any{"Income"}, []any{"a", 1, 2}, []any{"Cost"}, []any{"a", 5, 6}, []any{"Old"}, []any{"Income"}, []any{"a", 7, 8})
	}, "book", "Group | Section | Item | 2023 | 2024", []string{"Young | Income | a | 1 | 2", "Young | Cost | a | 5 | 6", "Old | Income | a | 7 | 8"}, nil},
	{"a row of units", func(x *fixture) {
		x.sheet("S", []any{"Item", "2023", "2024"}, []any{nil, "dollars", "percent"}, []any{"a", 1, 2}, []any{"b", 5, 6})
	}, "book", "Item | 2023 (dollars) | 2024 (percent)", []string{"a | 1 | 2", "b | 5 | 6"}, func(t *testing.T, _ *Workbook, tb *Table) {
		if tb.Columns[1].Unit.Code != "USD" || tb.Columns[2].Unit.Code != "percent" {
			t.Errorf("units %+v %+v", tb.Columns[1].Unit, tb.Columns[2].Unit)
		}
	}},
	{"fields down the side", func(x *fixture) {
		x.sheet("S", []any{"Company data"}, nil, []any{"Name", "Acme", "Globex", "Initech", "Umbra"}, []any{"Founded", 1999, 2005, 2010, 2011}, []any{"Seat", "Lyon", "Oslo", "Ulm", "Graz"},
			[]any{"Revenue (EUR)", 12.5, "unknown", 8, 7}, []any{"Since", day("2020-01-01"), day("2021-05-02"), day("2022-02-03"), day("2023-03-04")})
		x.format("S", "B7:E7", "yyyy-mm-dd")
	}, "book", "Name | Founded | Seat | Revenue (EUR) | Since", []string{"Acme | 1999 | Lyon | 12.5 | 2020-01-01", "Globex | 2005 | Oslo |  | 2021-05-02", "Initech | 2010 | Ulm | 8.0 | 2022-02-03", "Umbra | 2011 | Graz | 7.0 | 2023-03-04"}, func(t *testing.T, wb *Workbook, tb *Table) {
		if r := wb.Ledger.Sheets[0].Tables[0].Rejected; !tb.Turned || tb.Range != "A3:E7" || len(r) != 1 || r[0].Cell != "C6" {
			t.Errorf("turned %v range %s rejected %+v", tb.Turned, tb.Range, r)
		}
	}},
	{"labels indented by spaces", func(x *fixture) {
		x.sheet("S", []any{"Item", "2023", "2024"}, []any{"Assets", 6, 7}, []any{"  Cash", 1, 2}, []any{"  Debt", 5, 5}, []any{"    Short", 3, 3}, []any{"Equity", 2, 2})
	}, "book", "Parent Item | Item | 2023 | 2024", []string{" | Assets | 6 | 7", "Assets | Cash | 1 | 2", "Assets | Debt | 5 | 5", "Debt | Short | 3 | 3", " | Equity | 2 | 2"}, nil},
	{"labels indented by style", func(x *fixture) {
		x.sheet("S", []any{"Item", "2023", "2024"}, []any{"Assets", 6, 7}, []any{"Cash", 1, 2}, []any{"Debt", 5, 5}, []any{"Equity", 2, 2})
		id, err := x.f.NewStyle(&excelize.Style{Alignment: &excelize.Alignment{Horizontal: "left", Indent: 1}})
		x.must(err)
		x.must(x.f.SetCellStyle("S", "A3", "A4", id))
	}, "book", "Parent Item | Item | 2023 | 2024", []string{" | Assets | 6 | 7", "Assets | Cash | 1 | 2", "Assets | Debt | 5 | 5", " | Equity | 2 | 2"}, nil},
	{"a named range", func(x *fixture) {
		x.sheet("My sheet", []any{"Name", "Sales"}, []any{"a", 1}, []any{"b", 2})
		x.sheet("Other", []any{"x", "y"}, []any{"a", 1}, []any{"b", 2})
		x.must(x.f.SetDefinedName(&excelize.DefinedName{Name: "SalesByName", RefersTo: "'My sheet'!$A$1:$B$3"}))
	}, "salesbyname", "Name | Sales", []string{"a | 1", "b | 2"}, nil},
	{"two stacked tables", func(x *fixture) {
		x.sheet("S", []any{"First table"}, []any{"Name", "Sales"}, []any{"a", 1}, []any{"b", 2}, nil, []any{"Second table"}, []any{"City", "People", "Area"}, []any{"c", 3, 4}, []any{"d", 5, 6})
	}, "second_table", "City | People | Area", []string{"c | 3 | 4", "d | 5 | 6"}, nil},
	{"two tables side by side", func(x *fixture) {
		x.sheet("S", []any{"Name", "Sales", nil, "City", "People"}, []any{"a", 1, nil, "c", 3}, []any{"b", 2, nil, "d", 5}, []any{nil, nil, nil, "e", 7})
	}, "s_2", "City | People", []string{"c | 3", "d | 5", "e | 7"}, nil},
	{"Excel table", func(x *fixture) {
		x.sheet("S", []any{"remark"}, nil, []any{nil, "Name", "Sales"}, []any{nil, "a", 1}, []any{nil, "b", 2}, nil, []any{"another remark"})
		x.must(x.f.AddTable("S", &excelize.Table{Range: "B3:C5", Name: "SalesTable"}))
	}, "book", "Name | Sales", []string{"a | 1", "b | 2"}, nil},
	{"dates of 1904", func(x *fixture) {
		yes := true
		x.sheet("S", []any{"Name", "Day"}, []any{"a", 43830}, []any{"b", 43831})
		x.format("S", "B2:B3", "dd/mm/yyyy")
		x.must(x.f.SetWorkbookProps(&excelize.WorkbookPropsOptions{Date1904: &yes}))
	}, "book", "Name | Day", []string{"a | 2024-01-01", "b | 2024-01-02"}, nil},
	{"odd cells", func(x *fixture) {
		x.sheet("S", []any{"Name", "Value"}, []any{"a", 1}, []any{"b", "unknown"}, []any{"c", 3}, []any{"d", "n/a"}, []any{"e", 5}, []any{"f", 6})
	}, "book", "Name | Value", []string{"a | 1", "b | ", "c | 3", "d | ", "e | 5", "f | 6"}, func(t *testing.T, wb *Workbook, _ *Table) {
		got := wb.Ledger.Sheets[0].Tables[0].Rejected
		if d := cmp.Diff([]RejectedCell{{Cell: "B3", Column: "value", Text: "unknown", Reason: "no number"}}, got); d != "" {
			t.Error(d)
		}
	}},
	{"total by formula", func(x *fixture) {
		x.sheet("S", []any{"Name", "Value"}, []any{"a", 1}, []any{"b", 2}, []any{"all of it", 3})
		x.must(x.f.SetCellFormula("S", "B4", "SUM(B2:B3)"))
		x.must(x.f.SetCellValue("S", "B4", 3))
		x.must(x.f.SetCellFormula("S", "B4", "SUM(B2:B3)"))
	}, "book", "Name | Value", nil, nil},
	{"numeric, missing and repeated headers", func(x *fixture) {
		x.sheet("S", []any{"select", "2023", nil, "a.b\n\"c\"", "a.b\n\"c\""}, []any{"x", 1, 2, 3, 4}, []any{"y", 5, 6, 7, 8})
	}, "book", `select | 2023 |  | a.b "c" | a.b "c"`, []string{"x | 1 | 2 | 3 | 4", "y | 5 | 6 | 7 | 8"}, func(t *testing.T, _ *Workbook, tb *Table) {
		var got []string
		for _, c := range tb.Columns {
			got = append(got, c.Name)
		}
		if d := cmp.Diff([]string{"select_", "y2023", "column_c", "a_b_c", "a_b_c_2"}, got); d != "" {
			t.Error(d)
		}
	}},
	{"mixed currencies", func(x *fixture) {
		x.sheet("S", []any{"Name", "Price"}, []any{"a", "$1,200.50"}, []any{"b", "€900.00"}, []any{"c", "$7.25"})
	}, "book", "Name | Price", []string{"a | 1200.50", "b | 900.00", "c | 7.25"}, func(t *testing.T, _ *Workbook, tb *Table) {
		if d := cmp.Diff([]string{"EUR", "USD"}, tb.Columns[1].Unit.Mixed); d != "" {
			t.Error(d)
		}
	}},
	{"blank rows and columns around", func(x *fixture) {
		x.sheet("S", nil, nil, []any{nil, nil, "Name", "Value"}, []any{nil, nil, "a", 1}, nil, []any{nil, nil, "b", 2}, nil, nil, []any{nil, nil, "Source: the office"})
	}, "book", "Name | Value", []string{"a | 1", "b | 2"}, func(t *testing.T, _ *Workbook, tb *Table) {
		if tb.Range != "C3:D6" || len(tb.Notes) != 1 {
			t.Errorf("range %s notes %v", tb.Range, tb.Notes)
		}
	}},
}

func TestShapes(t *testing.T) {
	for _, tt := range shapes {
		t.Run(tt.name, func(t *testing.T) {
			x := newFixture(t)
			tt.build(x)
			wb := x.open("book.xlsx")
			tb := table(t, wb, tt.table)
			if got := names(tb); got != tt.head {
				t.Errorf("headers %q, want %q", got, tt.head)
			}
			if d := cmp.Diff(tt.rows, text(tb)); tt.rows != nil && d != "" {
				t.Error(d)
			}
			if tt.check != nil {
				tt.check(t, wb, tb)
			}
		})
	}
}
