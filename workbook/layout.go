package workbook

import (
	"strings"
	"unicode/utf8"
)

// region is one table found on a sheet. Rows are indexes into grid.rows.
type region struct {
	title      string
	col1, col2 int
	headers    []int
	body       []int // rows of the table, totals and blanks left out
	totals     []int
	notes      []Note
}

// rowRole says what a row of a sheet was taken for.
type rowRole uint8

const (
	roleBody rowRole = iota
	roleTitle
	roleHeader
	roleRepeated
	roleNote
	roleTotal
	roleSubtotal
	roleSection
	roleBlank
)

var roleNames = [...]string{"", "title", "header", "repeated header", "note", "total", "subtotal", "section", "blank"}

// rowStats is what the cells of one row are.
type rowStats struct {
	n, text, nums, years int
	first, last          int
	bold                 int
}

// layout is what every row of a sheet is, and the tables.
type layout struct {
	s       *sheet
	stats   []rowStats
	roles   []rowRole
	regions []region
}

// findLayout finds the tables of a sheet.
func findLayout(s *sheet) *layout {
	l := &layout{s: s}
	g := s.grid
	l.stats = make([]rowStats, len(g.rows))
	l.roles = make([]rowRole, len(g.rows))
	for i := range g.rows {
		l.stats[i] = l.count(i)
	}
	if len(g.rows) > 0 {
		l.findTable()
	}
	return l
}

func (l *layout) count(i int) rowStats {
	cs := l.s.grid.rowCells(i)
	st := rowStats{n: len(cs), first: int(cs[0].col), last: int(cs[len(cs)-1].col)}
	for j := range cs {
		c := &cs[j]
		switch c.kind {
		case kindText:
			t := trimText(l.s.grid.text(c))
			if n, ok := parseNumText(t); ok && !isCode(n) {
				st.nums++
				if isYearText(t) {
					st.years++
				}
			} else if _, ok := parseDateText(t); ok && !isPartialDate(t) {
				st.nums++
			} else if isNullMark(t) {
				st.nums++
			} else {
				st.text++
			}
		case kindNumber, kindBool, kindError, kindFormula:
			st.nums++
			if v := c.number(); c.kind == kindNumber && v == float64(int(v)) && v >= 1500 && v <= 2200 {
				st.years++
			}
		}
		if c.flags&flagBold != 0 {
			st.bold++
		}
	}
	return st
}

func isYearText(t string) bool {
	return len(t) == 4 && (t[0] == '1' || t[0] == '2') && t >= "1500" && t <= "2200"
}

func isPartialDate(t string) bool {
	d, ok := parseDateText(t)
	return ok && d.partial
}

// width is the number of cells that most rows have.
func (l *layout) width() int {
	counts := map[int]int{}
	limit := min(len(l.stats), 5000)
	for i := range limit {
		counts[l.stats[i].n]++
	}
	best, bestScore := 1, 0
	for n, c := range counts {
		if score := c * n; score > bestScore || score == bestScore && n > best {
			best, bestScore = n, score
		}
	}
	return best
}

// findTable takes the sheet as one table with lines above and below.
func (l *layout) findTable() {
	w := l.width()
	n := len(l.stats)
	start := 0
	for start < n && l.stats[start].n*5 < w*3 {
		start++
	}
	if start == n {
		start = 0
	}
	r := region{col1: 1 << 14}
	for i := range start {
		l.roles[i] = roleTitle
		if t := l.firstText(i); t != "" && r.title == "" {
			r.title = t
		}
	}
	body := start
	if l.isHeader(start) {
		r.headers = []int{start}
		l.roles[start] = roleHeader
		body = start + 1
	}
	end := n
	if w > 1 {
		for end > body && l.isNote(end-1) {
			end--
			l.roles[end] = roleNote
		}
	}
	for i := start; i < end; i++ {
		r.col1, r.col2 = min(r.col1, l.stats[i].first), max(r.col2, l.stats[i].last)
		if i >= body {
			l.addBody(&r, i)
		}
	}
	for i := end; i < n; i++ {
		r.notes = append(r.notes, Note{Row: int(l.s.grid.rows[i].num), Text: l.rowText(i)})
	}
	l.regions = append(l.regions, r)
}

// addBody adds a row to the table, or sets it aside as a total.
func (l *layout) addBody(r *region, i int) {
	if len(r.headers) > 0 && l.sameCells(r.headers[0], i) {
		l.roles[i] = roleRepeated
		return
	}
	if l.isTotal(i) {
		l.roles[i] = roleTotal
		r.totals = append(r.totals, i)
		return
	}
	r.body = append(r.body, i)
}

// isHeader reports whether a row names columns: it has no numbers except
// years, and what follows is not all text like it, or there is no telling.
func (l *layout) isHeader(i int) bool {
	st := l.stats[i]
	return st.nums <= st.years && (st.text > 0 || st.years > 1)
}

// isNote reports whether a row is a line of prose below a table.
func (l *layout) isNote(i int) bool {
	if l.stats[i].n != 1 || l.stats[i].nums > 0 {
		return false
	}
	t := l.firstText(i)
	prev := i > 0 && l.s.grid.rows[i].num > l.s.grid.rows[i-1].num+1
	return prev || utf8.RuneCountInString(t) > 30 || isNoteText(t)
}

// isNoteText reports whether a line begins as notes do.
func isNoteText(t string) bool {
	if t == "" {
		return false
	}
	switch t[0] {
	case '*', '(', '[', '\\':
		return true
	}
	first, _, _ := strings.Cut(strings.ToLower(t), " ")
	return strings.HasPrefix(t, "†") || strings.HasPrefix(t, "¹") || noteWords[strings.Trim(first, ":.")]
}

var noteWords = wordSet("source sources note notes nota notas fuente fuentes quelle quellen anmerkung hinweis remarque symbols legend key footnote footnotes")

// totalWords begin the label of a total row.
var totalWords = wordSet("total totals subtotal sub-total suma sumas gesamt gesamtsumme summe insgesamt zwischensumme totale ensemble totales sum all grand")

// isTotal reports whether a row is a total: its first text says so, and it has
// numbers.
func (l *layout) isTotal(i int) bool {
	if l.stats[i].nums == 0 {
		return false
	}
	return totalLabel(l.firstText(i)) || l.allSums(i)
}

func totalLabel(t string) bool {
	t = strings.ToLower(strings.Trim(t, " :.*"))
	if t == "" || len(t) > 40 {
		return false
	}
	first, rest, _ := strings.Cut(t, " ")
	first = strings.Trim(first, ":,")
	switch {
	case first == "all" || first == "sum":
		return rest == ""
	case first == "grand":
		return strings.HasPrefix(rest, "total")
	case totalWords[first]:
		return true
	}
	return strings.HasSuffix(t, " total") || strings.HasSuffix(t, " subtotal")
}

// allSums reports whether every number of a row is a formula that adds up.
func (l *layout) allSums(i int) bool {
	sums, nums := 0, 0
	for _, c := range l.s.grid.rowCells(i) {
		if c.kind == kindNumber {
			nums++
			if c.flags&flagSum != 0 {
				sums++
			}
		}
	}
	return sums > 0 && sums == nums && i == len(l.stats)-1
}

func (l *layout) firstText(i int) string {
	cs := l.s.grid.rowCells(i)
	for j := range cs {
		if cs[j].kind == kindText {
			return trimText(l.s.grid.text(&cs[j]))
		}
	}
	return ""
}

// rowText joins what the cells of a row show.
func (l *layout) rowText(i int) string {
	var parts []string
	cs := l.s.grid.rowCells(i)
	for j := range cs {
		if t, ok := cellText(l.s, &cs[j]); ok && t != "" {
			parts = append(parts, t)
		}
	}
	return strings.Join(parts, " ")
}

// sameCells reports whether two rows hold the same texts.
func (l *layout) sameCells(a, b int) bool {
	ca, cb := l.s.grid.rowCells(a), l.s.grid.rowCells(b)
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
