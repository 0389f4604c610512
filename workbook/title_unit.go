package workbook

import "strings"

// unitOfTitle reads a unit that stands above the table for all of its figures:
// "($ in millions)", "[In thousands of dollars]", "Importes en miles de euros".
func (tb *tableBuild) unitOfTitle() Unit {
	lines := []string{tb.r.title}
	for _, n := range tb.r.notes {
		if len(tb.r.headers) > 0 && n.Row < int(tb.s.grid.rows[tb.r.headers[0]].num) {
			lines = append(lines, n.Text)
		}
	}
	if len(tb.r.headers) > 0 { // the corner above the labels
		if c := cellIn(tb.s.grid.rowCells(tb.r.headers[0]), tb.r.col1); c != nil {
			lines = append(lines, headerText(tb.s, c))
		}
	}
	for _, l := range lines {
		for _, part := range append(parenthesised(l), l) {
			if u, ok := parseUnit(strings.TrimRight(part, ".")); ok && u.Scale > 1 {
				return u
			}
		}
	}
	return Unit{}
}

// countWords begin the headers of columns that no unit of a title is about.
var countWords = wordSet("id ids code codes no no. nr nr. nº number rank year years jahr año année month day page item line age percent percentage ratio rate share")

// titleUnit gives a column of numbers the unit of the title when it has none.
func (r *reading) titleUnit(u Unit, st *columnStats, header string) {
	if u.Zero() || r.kind != Decimal || !r.unit.Zero() || st.years*2 > st.numbers+st.numTexts {
		return
	}
	for w := range strings.FieldsSeq(strings.ToLower(header)) {
		if countWords[strings.Trim(w, "(),:")] {
			return
		}
	}
	r.unit = u
	r.evidence = append(r.evidence, "unit of the title")
}
