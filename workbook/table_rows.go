package workbook

import "strings"

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
