package workbook

import (
	"sort"
	"strings"
)

// region is one table found on a sheet. Rows are indexes into grid.rows.
type region struct {
	title      string
	name       string // of the Excel table or defined name
	col1, col2 int
	headers    []int
	body       []int // rows of the table; totals, sections and blanks left out
	totals     []int
	sections   []int // rows that head the rows below them
	notes      []Note
	declared   bool // an Excel table, or what people say: totals are as it says
	override   *TableOverride
	fields     []int // rows of the sheet that hold a field each, when they stand down the side
}

// top is the first row of the region.
func (r *region) top() int {
	switch {
	case len(r.headers) > 0:
		return r.headers[0]
	case len(r.body) > 0:
		return r.body[0]
	}
	return 0
}

// rowRole says what a row of a sheet was taken for.
type rowRole uint8

const (
	roleBlank rowRole = iota
	roleRuler
	roleTitle
	roleHeader
	roleRepeated
	roleNote
	roleTotal
	roleSection
	roleBody
)

var roleNames = [...]string{"blank", "ruler", "title", "header", "repeated header", "note", "total", "section", "row"}

// rowStats is what the cells of one row are, within the columns of a region.
type rowStats struct {
	n, text, nums, years int // years and null marks count as numbers too
	nulls                int
	first, last          int
	bold                 int
}

// layout is what every row of a sheet is, and the tables.
type layout struct {
	s       *sheet
	roles   []rowRole // the strongest of the regions
	nums    map[block]bool
	regions []region
}

// findLayout finds the tables of a sheet.
func findLayout(s *sheet, over *SheetOverride) *layout {
	l := &layout{s: s, roles: make([]rowRole, len(s.grid.rows)), nums: map[block]bool{}}
	if len(s.grid.rows) == 0 {
		return l
	}
	switch {
	case over != nil && over.Skip:
		l.leaveRest()
		return l
	case over != nil && len(over.Tables) > 0:
		l.overruled(over.Tables)
		l.leaveRest()
		return l
	case s.heads > 0:
		l.headed()
		return l
	}
	for _, rest := range l.takeObjects() {
		for _, b := range l.blocks(rest) {
			l.findTable(b)
		}
	}
	sort.SliceStable(l.regions, func(i, j int) bool { return l.regions[i].top() < l.regions[j].top() })
	l.leaveRest()
	if s.title != "" && len(l.regions) == 1 && l.regions[0].title == "" {
		l.regions[0].title = s.title
	}
	return l
}

// leaveRest gives rows that no region claimed the role of prose.
func (l *layout) leaveRest() {
	for i, r := range l.roles {
		if r != roleBlank {
			continue
		}
		l.roles[i] = roleNote
		if len(l.regions) == 0 {
			l.roles[i] = roleTitle
		}
	}
}

// setRole gives a row a role unless a region beside it gave it a stronger one.
func (l *layout) setRole(i int, r rowRole) { l.roles[i] = max(l.roles[i], r) }

// block is a rectangle that may hold a table: rows are indexes, ends excluded.
type block struct {
	row1, row2 int
	col1, col2 int // both belong to it
}

// cells returns the cells of a row that lie in the block.
func (l *layout) cells(b block, i int) []cell {
	cs := l.s.grid.rowCells(i)
	lo := 0
	for lo < len(cs) && int(cs[lo].col) < b.col1 {
		lo++
	}
	hi := len(cs)
	for hi > lo && int(cs[hi-1].col) > b.col2 {
		hi--
	}
	return cs[lo:hi]
}

// class is what one cell looks like on its own.
type class uint8

const (
	clsText class = iota
	clsNumber
	clsYear
	clsNull
)

func (l *layout) classify(c *cell) class {
	switch c.kind {
	case kindNumber:
		if v := c.number(); v == float64(int(v)) && v >= 1500 && v <= 2200 && l.s.formats[c.style].class <= classNumber {
			return clsYear
		}
		return clsNumber
	case kindText:
		return classifyText(trimText(l.s.grid.text(c)))
	}
	return clsNumber
}

// classifyText tells numbers, years, null marks and other text apart.
func classifyText(t string) class {
	if isNullMark(t) {
		return clsNull
	}
	if t == "" || (t[0] > '9' && t[0] < 0x80 && t[0] != '~') {
		return clsText
	}
	if n, ok := parseNumText(t); ok {
		if y := strings.TrimSuffix(n.core, ".0"); len(y) == 4 && n.unit == "" && !n.percent && !n.neg && y >= "1500" && y <= "2200" {
			return clsYear
		}
		if n.unit != "" && n.code == "" && !n.percent {
			return clsText // "85 years" names a column as often as it is a value
		}
		return clsNumber
	}
	if d, ok := parseDateText(t); ok && !d.partial {
		return clsNumber
	}
	return clsText
}

// count sums up a row of a block.
func (l *layout) count(b block, i int) rowStats {
	cs := l.cells(b, i)
	st := rowStats{n: len(cs)}
	if len(cs) == 0 {
		return st
	}
	st.first, st.last = int(cs[0].col), int(cs[len(cs)-1].col)
	for j := range cs {
		switch l.classify(&cs[j]) {
		case clsText:
			st.text++
		case clsYear:
			st.years++
			st.nums++
		case clsNull:
			st.nulls++
			st.nums++
		default:
			st.nums++
		}
		if cs[j].flags&flagBold != 0 {
			st.bold++
		}
	}
	return st
}

// steps counts the numbers that follow the one before them by one, in runs of
// three or more: "1 2 3 4" above the rounds of a season.
func (l *layout) steps(cs []cell) int {
	total, run, last := 0, 0, -1.0
	for j := range cs {
		v, ok := l.number(&cs[j])
		if ok && run > 0 && v == last+1 {
			run++
		} else if run = 0; ok {
			run = 1
		}
		if last = v; run == 3 {
			total += 3
		} else if run > 3 {
			total++
		}
	}
	return total
}

// number is the value of a cell that holds nothing but a number.
func (l *layout) number(c *cell) (float64, bool) {
	if c.kind == kindNumber {
		return c.number(), true
	}
	if c.kind != kindText {
		return 0, false
	}
	n, ok := parseNumText(trimText(l.s.grid.text(c)))
	if !ok {
		return 0, false
	}
	d, ok := n.decimal(false)
	return d.float(), ok
}

// firstText is the first text of a row in a block.
func (l *layout) firstText(b block, i int) string {
	cs := l.cells(b, i)
	for j := range cs {
		if cs[j].kind == kindText {
			return trimText(l.s.grid.text(&cs[j]))
		}
	}
	return ""
}

// rowText joins what the cells of a row show.
func (l *layout) rowText(b block, i int) string {
	var parts []string
	cs := l.cells(b, i)
	for j := range cs {
		if t, ok := cellText(l.s, &cs[j]); ok && t != "" {
			parts = append(parts, strings.Join(strings.Fields(t), " "))
		}
	}
	return strings.Join(parts, " ")
}

// whole is the block of everything.
func (l *layout) whole() block {
	return block{0, len(l.s.grid.rows), 0, max(l.s.grid.cols-1, 0)}
}

// gap reports whether blank rows lie between rows i-1 and i of a block.
func (l *layout) gap(b block, i int) bool {
	if i <= b.row1 {
		return true
	}
	return l.s.grid.rows[i].num > l.s.grid.rows[i-1].num+1 || len(l.cells(b, i-1)) == 0
}

// sameCells reports whether two rows hold the same texts.
func (l *layout) sameCells(b block, x, y int) bool {
	ca, cb := l.cells(b, x), l.cells(b, y)
	if len(ca) != len(cb) || len(ca) < 2 {
		return false
	}
	for j := range ca {
		if ca[j].kind != kindText || cb[j].kind != kindText || ca[j].col != cb[j].col || l.s.grid.text(&ca[j]) != l.s.grid.text(&cb[j]) {
			return false
		}
	}
	return true
}
