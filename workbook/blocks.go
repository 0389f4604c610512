package workbook

import (
	"strings"
	"unicode"
)

// blocks cuts a part of a sheet into rectangles that hold one table each: tables
// side by side at blank columns, stacked tables where a new header begins.
func (l *layout) blocks(b block) []block {
	var out []block
	for _, strip := range l.strips(b) {
		out = append(out, l.stack(strip)...)
	}
	return out
}

// maxSample is how many rows of a large sheet decide on its shape.
const maxSample = 20_000

// strips cuts a block at columns that are blank all the way down, when what
// stands on both sides is a table of its own.
func (l *layout) strips(b block) []block {
	used := make([]int, b.col2+2) // cells in each column, lines of prose left out
	for i := b.row1; i < min(b.row2, b.row1+maxSample); i++ {
		if cs := l.cells(b, i); len(cs) > 1 {
			for j := range cs {
				used[cs[j].col]++
			}
		}
	}
	var parts []block
	start := -1
	for c := b.col1; c <= b.col2+1; c++ {
		switch filled := c <= b.col2 && used[c] > 0; {
		case filled && start < 0:
			start = c
		case !filled && start >= 0:
			parts = append(parts, block{b.row1, b.row2, start, c - 1})
			start = -1
		}
	}
	if len(parts) < 2 || !l.standAlone(parts) {
		return []block{b}
	}
	parts[0].col1 = b.col1
	for i := range parts[:len(parts)-1] {
		parts[i].col2 = parts[i+1].col1 - 1
	}
	parts[len(parts)-1].col2 = b.col2
	return parts
}

// standAlone reports whether blocks side by side are tables of their own: each
// has a header, and they repeat it, or end at different rows.
func (l *layout) standAlone(parts []block) bool {
	first, last, labels := -1, -1, map[string]int{}
	differ := false
	for _, p := range parts {
		if p.col2 == p.col1 {
			return false
		}
		a, z := l.extent(p)
		if z <= a {
			return false
		}
		if first >= 0 && (a != first || z != last) {
			differ = true
		}
		first, last = a, z
		labels[l.firstText(p, a)]++
		if l.count(p, a).text == 0 {
			return false
		}
	}
	return differ || len(labels) == 1
}

// extent is the first and last row of a block that holds two cells or more.
func (l *layout) extent(b block) (first, last int) {
	first, last = -1, -1
	for i := b.row1; i < b.row2; i++ {
		if len(l.cells(b, i)) > 1 {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	return first, last
}

// stack cuts a strip where, below blank rows, a new header begins.
func (l *layout) stack(b block) []block {
	if b.row2-b.row1 > maxSample {
		return []block{b}
	}
	var out []block
	start, lastData := b.row1, -1
	for i := b.row1; i < b.row2; i++ {
		if lastData >= 0 && l.gap(b, i) && l.startsTable(block{i, b.row2, b.col1, b.col2}, block{start, i, b.col1, b.col2}) {
			out = append(out, block{start, i, b.col1, b.col2})
			start, lastData = i, -1
		}
		if l.isData(b, i) {
			lastData = i
		}
	}
	return append(out, block{start, b.row2, b.col1, b.col2})
}

// startsTable reports whether the rows from b.row1 on begin another table:
// perhaps a title, then a row of texts above columns of numbers.
func (l *layout) startsTable(b, above block) bool {
	i := b.row1
	for titles := 0; i < b.row2 && len(l.cells(b, i)) < 2; i++ {
		if titles++; titles > 3 {
			return false
		}
	}
	if i >= b.row2 {
		return false
	}
	st := l.count(b, i)
	if st.n < 2 || st.nums > st.years || st.text == 0 && st.years < 2 {
		return false
	}
	over, rows := 0, 0
	for k := i + 1; k < b.row2 && rows < 6; k++ {
		if rows > 0 && l.gap(b, k) {
			break
		}
		next := l.count(b, k)
		if next.n < 2 {
			continue
		}
		rows++
		over += l.textOver(b, i, k)
	}
	return rows > 0 && over*2 >= rows*max(1, (st.n-1)/2) && !l.sectionOf(above, b, i)
}

// textOver counts the columns where row i holds text or a year and row k a
// number that is no year.
func (l *layout) textOver(b block, i, k int) int {
	n := 0
	below := l.s.grid.rowCells(k)
	for _, c := range l.cells(b, i) {
		cl := l.classify(&c)
		if cl != clsText && cl != clsYear {
			continue
		}
		if d := cellIn(below, int(c.col)); d != nil && l.classify(d) == clsNumber {
			n++
		}
	}
	return n
}

// sectionOf reports whether a row of texts is no header but a heading with a
// few marks, as its columns are mostly blank while the table above is wide.
func (l *layout) sectionOf(above, b block, i int) bool {
	w := l.width(above)
	return l.count(b, i).n*3 < w
}

// width is the number of cells that most rows have.
func (l *layout) width(b block) int {
	counts := map[int]int{}
	for i := b.row1; i < min(b.row2, b.row1+maxSample); i++ {
		counts[len(l.cells(b, i))]++
	}
	best, bestScore := 1, 0
	for n, c := range counts {
		if score := c * n; score > bestScore || score == bestScore && n > best {
			best, bestScore = n, score
		}
	}
	return best
}

// isData reports whether a row looks like a row of values.
func (l *layout) isData(b block, i int) bool {
	st := l.count(b, i)
	return st.n >= 2 && st.nums > st.nulls && !l.yearHeader(b, i, st) && !l.unitRow(b, i)
}

// yearHeader reports whether the numbers of a row are years above columns of
// other numbers: "1990 1991 1992".
func (l *layout) yearHeader(b block, i int, st rowStats) bool {
	if st.years+st.nulls < st.nums && st.nums > 2 && st.text > 0 {
		return l.steps(l.cells(b, i))+st.nulls >= st.nums && l.firstWide(b, i)
	}
	if st.years == 0 || st.years+st.nulls < st.nums {
		return false
	}
	if st.years >= 3 && st.text <= 1 && l.yearsRun(b, i) && l.firstWide(b, i) {
		return true
	}
	years, others := 0, 0
	for k := i + 1; k < min(b.row2, i+40); k++ {
		below := l.s.grid.rowCells(k)
		for _, c := range l.cells(b, i) {
			if l.classify(&c) != clsYear {
				continue
			}
			if d := cellIn(below, int(c.col)); d != nil {
				switch l.classify(d) {
				case clsYear:
					years++
				case clsNumber, clsNull:
					others++
				}
			}
		}
	}
	return others > 2*years
}

// yearsRun reports whether the years of a row rise or fall one after the other.
func (l *layout) yearsRun(b block, i int) bool {
	last, up, down := 0.0, true, true
	for _, c := range l.cells(b, i) {
		if l.classify(&c) != clsYear {
			continue
		}
		v, _ := l.number(&c)
		if last != 0 {
			up, down = up && v > last, down && v < last
		}
		last = v
	}
	return up || down
}

// firstWide reports whether no row above i in the block holds two cells.
func (l *layout) firstWide(b block, i int) bool {
	for k := b.row1; k < i; k++ {
		if len(l.cells(b, k)) > 1 {
			return false
		}
	}
	return true
}

// unitRow reports whether a row tells the units of its columns: "(1,000)
// (percent) (dollars)", perhaps behind a label.
func (l *layout) unitRow(b block, i int) bool {
	units, cells := 0, 0
	cs := l.cells(b, i)
	for j := range cs {
		if cs[j].kind != kindText {
			return false
		}
		t := trimText(l.s.grid.text(&cs[j]))
		if j == 0 && int(cs[j].col) == b.col1 && !strings.HasPrefix(t, "(") {
			if unitLabel(t) {
				units++
			}
			continue
		}
		cells++
		if strings.HasPrefix(t, "(") && !isNullMark(t) && (strings.ContainsFunc(t, unicode.IsLetter) || thousands[t]) {
			units++
		}
	}
	return units > 0 && units*5 >= cells*4
}

var thousands = wordSet("(1,000) (1,000,000) (000) (000s) (1000) (100)")

// unitLabel reports whether a label says that its row tells units.
func unitLabel(t string) bool {
	t = strings.ToLower(strings.Trim(t, " :."))
	return t == "unit" || t == "units" || t == "unit indicator" || t == "einheit" || t == "unidad" || t == "unité"
}
