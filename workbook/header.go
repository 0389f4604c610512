package workbook

import "strings"

// headerCell is one piece of a column's header.
type headerCell struct {
	text    string
	spanner bool // it stands above several columns
}

// header joins the pieces of a column's header: those that span columns become
// the path, the lines of its own are one name.
func joinHeader(cells []headerCell) (name string, path []string) {
	var own, units []string
	for i, c := range cells {
		if u, ok := parseUnit(c.text); ok && len(cells) > 1 && c.text[0] != '(' && (u.Code != "" || u.Scale > 1) && (i > 0 || c.spanner) {
			units = append(units, "("+c.text+")")
		} else if c.spanner {
			path = append(path, c.text)
		} else {
			own = append(own, c.text)
		}
	}
	if own = append(own, units...); len(own) > 0 {
		path = append(path, strings.Join(own, " "))
	}
	name = strings.Join(path, " / ")
	if len(path) < 2 {
		path = nil
	}
	return name, path
}

// headerCells returns what the header rows say above a column, top first.
func (l *layout) headerCells(r *region, col int) []headerCell {
	var out []headerCell
	merged := l.mergesIn(r)
	for k, h := range r.headers {
		c, m := l.headerAt(r, h, col, merged)
		if c == nil && merged == nil && k+1 < len(r.headers) {
			c = l.spannerLeft(r, k, col)
		}
		if c == nil {
			continue
		}
		t := headerText(l.s, c)
		if t == "" || len(out) > 0 && out[len(out)-1].text == t && m != nil {
			continue
		}
		span := m != nil && m.Col2 > m.Col1
		if merged == nil {
			span = int(c.col) != col || k+1 < len(r.headers) && l.spansRight(r, k, col)
		}
		out = append(out, headerCell{t, span})
	}
	return out
}

// headerText is the text of a header cell on one line, years without ".0".
func headerText(s *sheet, c *cell) string {
	t, ok := cellText(s, c)
	if !ok {
		return ""
	}
	t = strings.Join(strings.Fields(t), " ")
	if y := strings.TrimSuffix(t, ".0"); len(y) == 4 && y != t && classifyText(y) == clsYear {
		return y
	}
	return strings.Trim(t, "-_=|")
}

// mergesIn returns the merged cells that lie in the header rows, nil when
// there are none.
func (l *layout) mergesIn(r *region) []Rect {
	if len(r.headers) == 0 {
		return nil
	}
	first := int(l.s.grid.rows[r.headers[0]].num)
	last := int(l.s.grid.rows[r.headers[len(r.headers)-1]].num)
	var out []Rect
	for _, m := range l.s.merges {
		if m.Row1 >= first && m.Row1 <= last && m.Col2 >= r.col1 && m.Col1 <= r.col2 {
			out = append(out, m)
		}
	}
	return out
}

// headerAt returns the cell that covers a column in a header row, and the
// merged range that it comes from. A cell merged downwards counts once.
func (l *layout) headerAt(r *region, h, col int, merged []Rect) (*cell, *Rect) {
	num := int(l.s.grid.rows[h].num)
	for i := range merged {
		m := &merged[i]
		if m.Row1 <= num && num <= m.Row2 && m.Col1 <= col && col <= m.Col2 {
			if m.Row1 != num {
				return nil, nil
			}
			return l.s.grid.at(m.Col1, m.Row1), m
		}
	}
	if col < r.col1 || col > r.col2 {
		return nil, nil
	}
	return cellIn(l.s.grid.rowCells(h), col), nil
}

// spannerLeft finds the text to the left of a blank place in the k-th header
// row that stands above this column too: one that has texts below it.
func (l *layout) spannerLeft(r *region, k, col int) *cell {
	if !l.namedBelow(r, k, col) {
		return nil
	}
	cs := l.s.grid.rowCells(r.headers[k])
	for j := len(cs) - 1; j >= 0; j-- {
		c := int(cs[j].col)
		if c > col || c < r.col1 {
			continue
		}
		if !l.namedBelow(r, k, c) || l.namedAbove(r, k, c, col) {
			return nil
		}
		return &cs[j]
	}
	return nil
}

// namedAbove reports whether a higher header row has a text between two
// columns, so that what stands left belongs to another group.
func (l *layout) namedAbove(r *region, k, from, to int) bool {
	for _, h := range r.headers[:k] {
		for c := from + 1; c <= to; c++ {
			if cellIn(l.s.grid.rowCells(h), c) != nil {
				return true
			}
		}
	}
	return false
}

// namedBelow reports whether a header row below the k-th names the column with
// more than a unit.
func (l *layout) namedBelow(r *region, k, col int) bool {
	for _, h := range r.headers[k+1:] {
		if c := cellIn(l.s.grid.rowCells(h), col); c != nil {
			if t := headerText(l.s, c); t != "" && t[0] != '(' {
				return true
			}
		}
	}
	return false
}

// spansRight reports whether the text above col in the k-th header row covers
// the next column as well.
func (l *layout) spansRight(r *region, k, col int) bool {
	cs := l.s.grid.rowCells(r.headers[k])
	if cellIn(cs, col+1) != nil || col+1 > r.col2 {
		return false
	}
	c := l.spannerLeft(r, k, col+1)
	return c != nil && int(c.col) == col
}
