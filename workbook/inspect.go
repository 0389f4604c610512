package workbook

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/goccy/go-yaml"
)

// Role is what a row or a cell of a sheet was taken for.
type Role string

// The roles of rows and cells.
const (
	RoleBlank   Role = "blank"
	RoleTitle   Role = "title"
	RoleHeader  Role = "header"
	RoleRow     Role = "row"
	RoleTotal   Role = "total"
	RoleSection Role = "section"
	RoleNote    Role = "note"
)

// Inspection is a workbook with everything that its sheets hold, for drawing.
type Inspection struct {
	Workbook *Workbook
	Sheets   []SheetView
}

// SheetView is the grid of a sheet by role.
type SheetView struct {
	Name    string
	Hidden  bool
	LastRow int // of those that hold anything
	Columns int
	l       *layout
}

// GridRow is one row of a sheet as a reader sees it.
type GridRow struct {
	Row   int
	Cells []GridCell // one a column, from the first
}

// GridCell is one cell as a reader sees it.
type GridCell struct {
	Text string
	Role Role
}

// Inspect reads a file as [Open] does and keeps the grids of its sheets. A
// source that DuckDB reads has none.
func Inspect(ctx context.Context, path string, opt Options) (*Inspection, error) {
	o, err := open(ctx, path, opt)
	if err != nil {
		return nil, err
	}
	in := &Inspection{Workbook: o.wb}
	for _, l := range o.layouts {
		name := l.s.name
		if name == "" {
			name = filepath.Base(path)
		}
		in.Sheets = append(in.Sheets, SheetView{Name: name, Hidden: l.s.hidden, LastRow: l.s.grid.last, Columns: l.s.grid.cols, l: l})
	}
	return in, nil
}

// Rows returns the rows from first to last that hold anything, cut to so many
// columns.
func (v *SheetView) Rows(first, last, columns int) []GridRow {
	g := v.l.s.grid
	var out []GridRow
	for i := g.find(first); i < len(g.rows) && int(g.rows[i].num) <= last; i++ {
		row := GridRow{Row: int(g.rows[i].num), Cells: make([]GridCell, min(columns, v.Columns))}
		for c := range row.Cells {
			row.Cells[c].Role = RoleBlank
		}
		for _, c := range g.rowCells(i) {
			if int(c.col) < len(row.Cells) {
				row.Cells[c.col] = GridCell{gridText(v.l.s, &c), v.l.roleOf(i, int(c.col))}
			}
		}
		out = append(out, row)
	}
	return out
}

// gridText is what a cell shows, errors and formulas included.
func gridText(s *sheet, c *cell) string {
	if t, ok := cellText(s, c); ok {
		return strings.Join(strings.Fields(t), " ")
	}
	if c.kind == kindError {
		return s.grid.text(c)
	}
	return "=…"
}

// roleOf is the role of a cell: that of its row in the table whose columns it
// stands in, else that of the row.
func (l *layout) roleOf(i, col int) Role {
	for k := range l.regions {
		r := &l.regions[k]
		if col < r.col1 || col > r.col2 {
			continue
		}
		switch {
		case holds(r.headers, i):
			return RoleHeader
		case holds(r.body, i):
			return RoleRow
		case holds(r.totals, i):
			return RoleTotal
		case holds(r.sections, i):
			return RoleSection
		}
	}
	switch l.roles[i] {
	case roleTitle:
		return RoleTitle
	case roleBlank, roleRuler:
		return RoleBlank
	case roleHeader, roleRepeated:
		return RoleHeader
	}
	return RoleNote
}

func holds(rows []int, i int) bool {
	_, ok := slices.BinarySearch(rows, i)
	return ok
}

// WriteOverrides writes what was detected in the form of the file that
// overrules it, for people to change.
func (in *Inspection) WriteOverrides(w io.Writer) error {
	o := Overrides{Sheets: map[string]SheetOverride{}}
	for _, v := range in.Sheets {
		var so SheetOverride
		for _, t := range in.tables(v) {
			so.Tables = append(so.Tables, overrideOf(t))
		}
		o.Sheets[v.Name] = so
	}
	if _, err := fmt.Fprintf(w, "# What Allrows took %s for. Change what is wrong; what you delete is detected again.\n", in.Workbook.Ledger.File); err != nil {
		return fmt.Errorf("workbook: writing overrides: %w", err)
	}
	if err := yaml.NewEncoder(w, yaml.IndentSequence(true)).Encode(&o); err != nil {
		return fmt.Errorf("workbook: writing overrides: %w", err)
	}
	return nil
}

// tables are the tables of one sheet.
func (in *Inspection) tables(v SheetView) []*Table {
	var out []*Table
	for _, t := range in.Workbook.Tables {
		if t.Sheet == v.l.s.name {
			out = append(out, t)
		}
	}
	return out
}

func overrideOf(t *Table) TableOverride {
	o := TableOverride{Name: t.Name, Title: t.Title, Range: t.Range, HeaderRows: t.HeaderRows, Columns: map[string]ColumnOverride{}}
	for _, c := range t.Checks {
		if !slices.Contains(o.Totals, c.Row) {
			o.Totals = append(o.Totals, c.Row)
		}
	}
	sort.Ints(o.Totals)
	rect, _ := ParseRange(t.Range)
	if n := len(o.Totals); n > 0 && o.Totals[n-1] > rect.Row2 {
		rect.Row2 = o.Totals[n-1]
		o.Range = rect.String()
	}
	for i, c := range t.Columns {
		letter := c.Letter
		if letter == "" {
			letter = ColumnLetter(rect.Col1 + i)
		}
		o.Columns[letter] = ColumnOverride{Name: c.Name, Header: c.Header, Type: overrideType(c.Type.Kind), Unit: unitText(c.Unit), Locale: c.Locale}
	}
	return o
}

func overrideType(k Kind) string {
	switch k {
	case Int, Decimal, Float:
		return "number"
	case Other:
		return ""
	}
	return string(k)
}

// unitText writes a unit as people do.
func unitText(u Unit) string {
	switch {
	case u.Code == "percent":
		return "%"
	case u.Per != "" && !strings.Contains(u.Symbol, "/"):
		return u.Symbol + "/" + u.Per
	}
	return u.Symbol
}
