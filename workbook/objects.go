package workbook

import (
	"sort"
	"strings"
)

// takeObjects makes a region of every Excel table, as it is declared, and
// returns what is left of the sheet above, between and below them.
func (l *layout) takeObjects() []block {
	rest := []block{l.whole()}
	objects := append([]object(nil), l.s.objects...)
	sort.Slice(objects, func(i, j int) bool { return objects[i].rect.Row1 < objects[j].rect.Row1 })
	for _, o := range objects {
		b := block{l.s.grid.find(o.rect.Row1), l.s.grid.find(o.rect.Row2 + 1), o.rect.Col1, o.rect.Col2}
		if b.row1 >= b.row2 {
			continue
		}
		l.takeObject(o, b)
		rest = cutRows(rest, b)
	}
	return rest
}

// takeObject makes the region of one Excel table.
func (l *layout) takeObject(o object, b block) {
	r := region{name: o.name, col1: o.rect.Col1, col2: o.rect.Col2}
	if i := b.row1 - 1; i >= 0 && l.s.grid.rows[i].num >= int32(o.rect.Row1-2) && len(l.cells(b, i)) == 1 {
		r.title = strings.Clone(l.rowText(b, i))
	}
	for i := b.row1; i < b.row2; i++ {
		num := int(l.s.grid.rows[i].num)
		switch {
		case len(l.cells(b, i)) == 0:
		case num < o.rect.Row1+o.headers:
			r.headers = append(r.headers, i)
			l.setRole(i, roleHeader)
		case num > o.rect.Row2-o.totals:
			r.totals = append(r.totals, i)
			l.setRole(i, roleTotal)
		default:
			r.body = append(r.body, i)
			l.setRole(i, roleBody)
		}
	}
	r.declared = true
	l.regions = append(l.regions, r)
}

// cutRows takes the rows of b out of blocks.
func cutRows(blocks []block, b block) []block {
	var out []block
	for _, x := range blocks {
		if b.row1 >= x.row2 || b.row2 <= x.row1 {
			out = append(out, x)
			continue
		}
		if b.row1 > x.row1 {
			out = append(out, block{x.row1, b.row1, x.col1, x.col2})
		}
		if b.row2 < x.row2 {
			out = append(out, block{b.row2, x.row2, x.col1, x.col2})
		}
	}
	return out
}

// hiddenNote says in words what of a sheet is hidden but was read.
func (s *sheet) hiddenNote() []Incident {
	var out []Incident
	count := func(spans []span, last int) int {
		n := 0
		for _, h := range spans {
			n += max(0, min(h.last, last)-h.first+1)
		}
		return n
	}
	if n := count(s.hiddenRows, s.grid.last); n > 0 {
		out = append(out, Incident{Where: s.name, Code: "hidden_rows", Text: plural(n, "hidden row was read", "hidden rows were read")})
	}
	if n := count(s.hiddenCols, s.grid.cols-1); n > 0 {
		out = append(out, Incident{Where: s.name, Code: "hidden_columns", Text: plural(n, "hidden column was read", "hidden columns were read")})
	}
	return out
}
