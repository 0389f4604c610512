package workbook

import (
	"strings"
	"unicode/utf8"
)

// findTable finds header, rows, totals and notes of the table in a block.
func (l *layout) findTable(b block) {
	w := l.width(b)
	first := l.firstData(b, w)
	if first < 0 {
		return
	}
	last := max(l.lastData(b, w), first)
	for last+1 < b.row2 && l.labelOnly(b, last+1, w) {
		last++
	}
	top := l.headerTop(b, first, w)
	r := region{col1: 1 << 14}
	headEnd := first
	for headEnd-1 > top && (l.headsRows(b, headEnd-1, first, w) || headEnd < first && l.isSection(b, headEnd-1, w) && l.nested(b, first, last, w)) {
		headEnd--
	}
	l.titles(&r, b, top)
	for i := top; i < headEnd; i++ {
		if len(l.cells(b, i)) > 0 {
			r.headers = append(r.headers, i)
			l.setRole(i, roleHeader)
		}
	}
	for i := top; i <= min(last, b.row2-1); i++ {
		if st := l.count(b, i); st.n > 0 {
			r.col1, r.col2 = min(r.col1, st.first), max(r.col2, st.last)
		}
	}
	l.fillBody(&r, b, headEnd, last, w)
	for i := last + 1; i < b.row2; i++ {
		if t := l.rowText(b, i); t != "" {
			l.setRole(i, roleNote)
			r.notes = append(r.notes, Note{Row: int(l.s.grid.rows[i].num), Text: t})
		}
	}
	l.regions = append(l.regions, r)
}

// titles takes the rows above the header: the first is the title, the others
// are notes.
func (l *layout) titles(r *region, b block, top int) {
	for i := b.row1; i < top; i++ {
		t := l.rowText(b, i)
		if t == "" {
			continue
		}
		l.setRole(i, roleTitle)
		if r.title == "" {
			r.title = t
		} else {
			r.notes = append(r.notes, Note{Row: int(l.s.grid.rows[i].num), Text: t})
		}
	}
}

// firstData is the first row of values, or of texts below a header where the
// table has no numbers; -1 when the block holds no table.
func (l *layout) firstData(b block, w int) int {
	full := -1 // the first row that is as wide as most
	for i := b.row1; i < b.row2; i++ {
		st := l.count(b, i)
		if st.n == 0 {
			continue
		}
		if l.isRuler(b, i) {
			continue
		}
		years := st.nums > 0 && l.yearHeader(b, i, st) && !(full >= 0 && (st.years < 2 || st.text > 0) && l.complete(b, full, w))
		if l.unitRow(b, i) || years {
			full = max(full, i)
			continue
		}
		if (l.isData(b, i) || st.n > 1 && st.nums > 0 && full >= 0) && (st.n*3 >= w || full >= 0) {
			return i
		}
		if full >= 0 && (l.complete(b, full, w) || st.n*5 >= w*4 && st.text == st.n && l.textBelow(b, i)) && !l.headerGoesOn(b, full, i) && !l.isSection(b, i, w) {
			return i
		}
		if full < 0 && st.n*5 >= w*3 && (st.n > 1 || w == 1) && st.nums <= st.years+st.nulls && st.text > 0 {
			full = i
		}
	}
	if full < 0 {
		return -1
	}
	if next := l.after(b, full); next >= 0 {
		return next
	}
	if st := l.count(b, full); st.text == st.n && (st.n > 1 || l.s.text) {
		return b.row2 // a header without rows
	}
	return -1
}

// labelOnly reports whether a row right below the table is one more row of it
// of which only the label is known.
func (l *layout) labelOnly(b block, i, w int) bool {
	t := l.firstText(b, i)
	return len(l.cells(b, i)) == 1 && !l.gap(b, i) && !l.numeric(b) && !isNoteText(t) && utf8.RuneCountInString(t) <= 40
}

// after is the next row of a block that holds anything, -1 at the end.
func (l *layout) after(b block, i int) int {
	for k := i + 1; k < b.row2; k++ {
		if len(l.cells(b, k)) > 0 {
			return k
		}
	}
	return -1
}

// complete reports whether a header row names every column by itself.
func (l *layout) complete(b block, i, w int) bool {
	st := l.count(b, i)
	if st.n < w || l.mergedAcross(b, i) {
		return false
	}
	return true
}

// mergedAcross reports whether a cell of a row spans columns.
func (l *layout) mergedAcross(b block, i int) bool {
	num := int(l.s.grid.rows[i].num)
	for _, m := range l.s.merges {
		if m.Row1 <= num && num <= m.Row2 && m.Col2 > m.Col1 && m.Col1 >= b.col1 && m.Col2 <= b.col2 {
			return true
		}
	}
	return false
}

// mergedDown reports whether a cell of row i reaches down to row k.
func (l *layout) mergedDown(b block, i, k int) bool {
	from, to := int(l.s.grid.rows[i].num), int(l.s.grid.rows[k].num)
	for _, m := range l.s.merges {
		if m.Row1 <= from && m.Row2 >= to && m.Col1 >= b.col1 && m.Col2 <= b.col2 {
			return true
		}
	}
	return false
}

// headerGoesOn reports whether row i still belongs to a header that begins at
// top: it holds units, or a cell from above reaches down to it.
func (l *layout) headerGoesOn(b block, top, i int) bool {
	if l.mergedDown(b, top, i) {
		return true
	}
	cs := l.cells(b, i)
	units := 0
	for j := range cs {
		if cs[j].kind != kindText {
			return false
		}
		t := trimText(l.s.grid.text(&cs[j]))
		if _, ok := parseUnit(t); ok || len(t) > 2 && t[0] == '(' && t[len(t)-1] == ')' {
			units++
		}
	}
	return units > 0 && units*2 >= len(cs)
}

// textBelow reports whether the rows below are texts as well, so that a row of
// texts is no header.
func (l *layout) textBelow(b block, i int) bool {
	rows, text := 0, 0
	for k := i + 1; k < b.row2 && rows < 5; k++ {
		st := l.count(b, k)
		if st.n < 2 {
			continue
		}
		rows++
		if st.text == st.n {
			text++
		}
	}
	return text == rows
}

// lastData is the last row of the table: what follows is prose.
func (l *layout) lastData(b block, w int) int {
	numeric := l.numeric(b)
	for i := b.row2 - 1; i >= b.row1; i-- {
		st := l.count(b, i)
		switch {
		case st.n == 0:
		case w == 1:
			if t := l.firstText(b, i); !isNoteText(t) && !(l.gap(b, i) && utf8.RuneCountInString(t) > 60) {
				return i
			}
		case st.n >= 2 && (st.nums > 0 || !numeric || st.n*2 >= w) && !(isNoteText(l.firstText(b, i)) && st.nums == 0 && st.n*2 < w):
			return i
		}
	}
	return b.row2 - 1
}

// numeric reports whether most rows of a block hold numbers.
func (l *layout) numeric(b block) bool {
	if known, ok := l.nums[b]; ok {
		return known
	}
	rows, nums := 0, 0
	for i := b.row1; i < min(b.row2, b.row1+maxSample); i++ {
		if len(l.cells(b, i)) < 2 {
			continue
		}
		if rows++; l.count(b, i).nums > 0 {
			nums++
		}
	}
	l.nums[b] = nums*2 > rows
	return nums*2 > rows
}

// headerTop is the first row of the header above the first row of values.
func (l *layout) headerTop(b block, first, w int) int {
	top := first
	for i := first - 1; i >= b.row1; i-- {
		st := l.count(b, i)
		if st.n == 0 {
			continue
		}
		if l.isTitle(b, i, st, w) {
			// Single labels may stand between header rows; prose ends the header.
			if !l.headerAbove(b, i, w) && !l.cornerLabel(b, i, top) {
				break
			}
		}
		top = i
	}
	return top
}

// cornerLabel reports whether the only text of row i names the first column of
// the header row right below it, which leaves that place blank.
func (l *layout) cornerLabel(b block, i, below int) bool {
	st := l.count(b, i)
	cs := l.cells(b, below)
	return !l.gap(b, below) && l.gap(b, i) && st.first == b.col1 && len(cs) > 1 && int(cs[0].col) > st.first &&
		utf8.RuneCountInString(l.firstText(b, i)) < 30
}

// headsRows reports whether row i, right above the first row of values, is a
// heading for rows rather than a part of the header: a lone label, or labels
// that end with a colon.
func (l *layout) headsRows(b block, i, first, w int) bool {
	st := l.count(b, i)
	if st.n == 0 {
		return true
	}
	if l.after(b, i) < first {
		return l.isSection(b, i, w) && !unitLabel(l.firstText(b, i)) && (l.gap(b, i) || l.spansAll(b, i, w)) && l.headsRows(b, l.after(b, i), first, w)
	}
	t := l.firstText(b, i)
	if unitLabel(t) || l.gap(b, first) && !l.gap(b, i) {
		return false
	}
	return l.labelled(b, i, st, w) || l.isSection(b, i, w) && !l.gap(b, first)
}

// nested reports whether headings between the rows stand above other headings.
func (l *layout) nested(b block, from, to, w int) bool {
	last := false
	for i := from; i <= min(to, b.row2-1); i++ {
		if len(l.cells(b, i)) == 0 {
			continue
		}
		head := l.heads(b, i, w)
		if head && last {
			return true
		}
		last = head
	}
	return false
}

// labelled reports whether a row holds nothing but a few labels, the first of
// which ends with a colon: it heads the rows below.
func (l *layout) labelled(b block, i int, st rowStats, w int) bool {
	return st.n > 0 && st.text == st.n && st.n*3 < w && strings.HasSuffix(l.firstText(b, i), ":")
}

// isTitle reports whether a row is a line of prose rather than of headers.
func (l *layout) isTitle(b block, i int, st rowStats, w int) bool {
	return w > 1 && st.n == 1 && (st.first == b.col1 || l.spansAll(b, i, w) || st.first > b.col1 && l.proseAt(b, i))
}

// proseAt reports whether the only text of a row is long.
func (l *layout) proseAt(b block, i int) bool {
	return utf8.RuneCountInString(l.firstText(b, i)) > 60
}

// spansAll reports whether a merged cell of the row spans most columns.
func (l *layout) spansAll(b block, i, w int) bool {
	num := int(l.s.grid.rows[i].num)
	for _, m := range l.s.merges {
		if m.Row1 <= num && num <= m.Row2 && m.Col2-m.Col1+1 >= max(w, 2) && m.Col1 >= b.col1 {
			return true
		}
	}
	return false
}

// headerAbove reports whether a row with several texts stands above row i with
// no more than label rows between.
func (l *layout) headerAbove(b block, i, w int) bool {
	for k := i - 1; k >= b.row1; k-- {
		if st := l.count(b, k); st.n >= 2 && !l.spansAll(b, k, w) {
			return st.n*4 >= w || st.n > 2 || !l.gap(b, k+1)
		}
	}
	return false
}

// isSection reports whether a row has nothing but a label in its first column
// and heads the rows below.
func (l *layout) isSection(b block, i, w int) bool {
	st := l.count(b, i)
	return w > 2 && st.n == 1 && st.first <= b.col1+1 && st.text == 1 && l.leftMost(b, st.first)
}

// leftMost reports whether no row of the block begins further left.
func (l *layout) leftMost(b block, col int) bool {
	for i := b.row1; i < min(b.row2, b.row1+200); i++ {
		if st := l.count(b, i); st.n > 1 && st.first < col {
			return false
		}
	}
	return true
}
