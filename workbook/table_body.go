package workbook

import "strings"

// fillBody gives every row between header and notes its role.
func (l *layout) fillBody(r *region, b block, from, to, w int) {
	sections := l.numeric(b) && l.hasSections(b, from, to, w)
	for i := from; i <= min(to, b.row2-1); i++ {
		if len(l.cells(b, i)) == 0 {
			continue
		}
		switch {
		case len(r.headers) > 0 && i > r.headers[len(r.headers)-1] && l.sameCells(b, r.headers[len(r.headers)-1], i):
			l.setRole(i, roleRepeated)
		case l.isRuler(b, i):
			l.setRole(i, roleRuler)
		case sections && l.heads(b, i, w) && l.after(b, i) >= 0 && l.after(b, i) <= to:
			l.setRole(i, roleSection)
			r.sections = append(r.sections, i)
		case l.isTotal(b, i, i == to):
			l.setRole(i, roleTotal)
			r.totals = append(r.totals, i)
		default:
			l.setRole(i, roleBody)
			r.body = append(r.body, i)
		}
	}
}

// heads reports whether a row between the rows is a heading for those below.
func (l *layout) heads(b block, i, w int) bool {
	if n := len(l.cells(b, i)); n == 0 || n > 1 && n*3 >= w {
		return false
	}
	return l.isSection(b, i, w) || l.labelled(b, i, l.count(b, i), w)
}

// hasSections reports whether lone labels are headings: there are several, or
// one stands above all rows; a single one amid the rows is a row with blanks.
func (l *layout) hasSections(b block, from, to, w int) bool {
	n, rows := 0, 0
	for i := from; i <= min(to, b.row2-1); i++ {
		switch {
		case l.heads(b, i, w):
			if n++; rows == 0 || n > 1 {
				return true
			}
		case len(l.cells(b, i)) > 0:
			rows++
		}
	}
	return false
}

// isRuler reports whether a row draws a line: two dashes or more and nothing
// else.
func (l *layout) isRuler(b block, i int) bool {
	cs := l.cells(b, i)
	for j := range cs {
		if cs[j].kind != kindText || strings.Trim(l.s.grid.text(&cs[j]), "-=_ |+") != "" {
			return false
		}
	}
	return len(cs) > 1
}

// isTotal reports whether a row is a total by its label or its formulas.
func (l *layout) isTotal(b block, i int, last bool) bool {
	total, _ := totalLabel(l.firstText(b, i))
	if !total && !last {
		return false
	}
	st := l.count(b, i)
	return st.nums > 0 && (total && st.first <= b.col1+2 || last && l.allSums(b, i))
}

// allSums reports whether every number of a row is a formula that adds up.
func (l *layout) allSums(b block, i int) bool {
	sums, nums := 0, 0
	for _, c := range l.cells(b, i) {
		if c.kind == kindNumber {
			nums++
			if c.flags&flagSum != 0 {
				sums++
			}
		}
	}
	return sums > 0 && sums == nums
}
