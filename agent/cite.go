package agent

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"github.com/allrows/allrows/agent/tools"
	"github.com/allrows/allrows/schema"
)

// citedCells is how many runs of cells a receipt lists for one part.
const citedCells = 100

// cite says where a part's figures stand: the very cells where each row of the
// result is a row of a sheet, else the columns' ranges.
func (r *run) cite(p *tools.Part) []Citation {
	if len(p.RowIDs) > 0 {
		return r.citeCells(p)
	}
	if p.Compiled == nil || p.Plan == nil {
		return r.citeTables(p)
	}
	var out []Citation
	for _, c := range p.Compiled.Cites {
		t := r.env.Schema.Table(c.Ref)
		if t == nil || t.Column(c.Column) == nil {
			continue
		}
		first, last := dataRows(t)
		for _, m := range p.Matched {
			if m.Ref == c.Ref && m.FirstRow > 0 {
				first, last = m.FirstRow, m.LastRow
			}
		}
		out = append(out, citeRows(t, t.Column(c.Column), first, last)...)
	}
	if len(out) == 0 {
		return r.citeTables(p)
	}
	return out
}

// citeTables cites the whole of the tables that a part read.
func (r *run) citeTables(p *tools.Part) []Citation {
	var refs []schema.Ref
	if p.Compiled != nil {
		refs = p.Compiled.Tables
	} else if p.Result != nil && len(r.out.Facts) == 0 {
		refs = p.Result.Tables
	}
	var out []Citation
	for _, ref := range refs {
		if t := r.env.Schema.Table(ref); t != nil {
			out = append(out, Citation{Workbook: t.File, Sheet: t.Sheet, Range: tableRange(t)})
		}
	}
	return out
}

// cell is one cell of a table.
type cell struct {
	ref    schema.Ref
	column string
	row    int64
}

// citeCells cites the cells of a part, neighbours in one column as one range.
func (r *run) citeCells(p *tools.Part) []Citation {
	var cells []cell
	for _, rows := range p.RowIDs {
		for _, c := range partColumns(p) {
			i := 0
			if p.Compiled != nil {
				i = slices.Index(p.Compiled.RowTables, c.Ref)
			}
			if i >= 0 && i < len(rows) && rows[i] > 0 {
				cells = append(cells, cell{c.Ref, c.Column, rows[i]})
			}
		}
	}
	slices.SortStableFunc(cells, func(a, b cell) int {
		return cmp.Or(cmp.Compare(a.ref.String(), b.ref.String()), cmp.Compare(r.place(a), r.place(b)), cmp.Compare(a.row, b.row))
	})
	cells = slices.Compact(cells)
	var out []Citation
	for i := 0; i < len(cells) && len(out) < citedCells; {
		j := i + 1
		for j < len(cells) && cells[j].ref == cells[i].ref && cells[j].column == cells[i].column && cells[j].row == cells[j-1].row+1 {
			j++
		}
		if t := r.env.Schema.Table(cells[i].ref); t != nil && t.Column(cells[i].column) != nil {
			out = append(out, citeRows(t, t.Column(cells[i].column), cells[i].row, cells[j-1].row)...)
		}
		i = j
	}
	return out
}

// citeRows cites a run of a column's cells, in each of the files that hold them by
// the rows of that file.
func citeRows(t *schema.Table, c *schema.Column, first, last int64) []Citation {
	if len(t.Parts) == 0 {
		return []Citation{{Workbook: t.File, Sheet: t.Sheet, Range: columnRange(c, first, last)}}
	}
	var out []Citation
	for _, p := range t.Parts {
		if from, to := max(first, p.First), min(last, p.Last); from <= to {
			out = append(out, Citation{Workbook: p.File, Sheet: p.Sheet, Range: columnRange(c, from-p.Shift, to-p.Shift)})
		}
	}
	return out
}

// place is where a column stands in its table.
func (r *run) place(c cell) int {
	t := r.env.Schema.Table(c.ref)
	if t == nil {
		return 0
	}
	return slices.IndexFunc(t.Columns, func(x *schema.Column) bool { return x.Name == c.column })
}

// partColumns are the source columns that a part shows.
func partColumns(p *tools.Part) []schema.ColumnRef {
	var out []schema.ColumnRef
	if p.Plan == nil {
		for _, c := range p.Columns {
			out = append(out, schema.ColumnRef{Ref: p.Ref, Column: c.Name})
		}
		return out
	}
	if len(p.Plan.Select) == 0 {
		for _, c := range p.Columns {
			out = append(out, schema.ColumnRef{Ref: p.Plan.From, Column: c.Name})
		}
		return out
	}
	return p.Compiled.Cites
}

// columnRange is a run of a column's cells in A1, or by the column's name where
// the source has no sheet.
func columnRange(c *schema.Column, first, last int64) string {
	if c.Letter == "" {
		if first == last {
			return fmt.Sprintf("%s[%d]", c.Name, first)
		}
		return fmt.Sprintf("%s[%d:%d]", c.Name, first, last)
	}
	if first == last {
		return c.Letter + strconv.FormatInt(first, 10)
	}
	return fmt.Sprintf("%s%d:%s%d", c.Letter, first, c.Letter, last)
}

var a1Range = regexp.MustCompile(`^([A-Z]+)(\d+):([A-Z]+)(\d+)$`)

// dataRows are the first and last row of the table's data in its sheet.
func dataRows(t *schema.Table) (first, last int64) {
	if n := len(t.Parts); n > 0 {
		return t.Parts[0].First, t.Parts[n-1].Last
	}
	if m := a1Range.FindStringSubmatch(t.Range); m != nil {
		top, err1 := strconv.ParseInt(m[2], 10, 64)
		bottom, err2 := strconv.ParseInt(m[4], 10, 64)
		if err1 == nil && err2 == nil {
			if t.Rows > 0 && bottom-top >= t.Rows {
				top = max(top+1, bottom-t.Rows+1)
			}
			return top, bottom
		}
	}
	return 1, max(t.Rows, 1)
}

// tableRange is the whole table in A1, or its rows where there is no sheet.
func tableRange(t *schema.Table) string {
	if t.Range != "" {
		return t.Range
	}
	return fmt.Sprintf("%s[1:%d]", t.Table, t.Rows)
}
