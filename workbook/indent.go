package workbook

import "strings"

// parentColumn is the place of the column that names, for a label that is
// indented, the label above it that is less so.
const parentColumn = -4

// indentOf is how far the text of a cell is moved to the right: by its style, or
// by white space before it.
func (s *sheet) indentOf(c *cell) int {
	n := 0
	if int(c.style) < len(s.indents) {
		n = 4 * int(s.indents[c.style])
	}
	for _, r := range s.grid.text(c) {
		switch r {
		case ' ', '\u00a0', '\u2003':
			n++
		case '\t':
			n += 4
		default:
			return n
		}
	}
	return n
}

// parents returns for each row of the table the row whose label stands above its
// own in a hierarchy by indentation; nil where labels are not indented.
func (tb *tableBuild) parents() []int32 {
	if len(tb.r.body) < 4 || len(tb.r.body) > maxSample {
		return nil
	}
	type level struct {
		indent int
		row    int32
	}
	var stack []level
	out := make([]int32, len(tb.r.body))
	nested, section := 0, 0
	for k, i := range tb.r.body {
		out[k] = -1
		cs := tb.s.grid.rowCells(i)
		c := &cs[tb.firstCell(cs)]
		if c.kind != kindText {
			return nil
		}
		for section < len(tb.r.sections) && tb.r.sections[section] < i {
			section++
			stack = stack[:0]
		}
		indent := tb.s.indentOf(c)
		for len(stack) > 0 && stack[len(stack)-1].indent >= indent {
			stack = stack[:len(stack)-1]
		}
		if len(stack) > 0 {
			out[k] = stack[len(stack)-1].row
			nested++
		}
		stack = append(stack, level{indent, int32(i)})
	}
	if nested*5 < len(tb.r.body) {
		return nil
	}
	return out
}

// parentHeader names the column of parents after the column of labels.
func parentHeader(label string) string { return strings.TrimSpace("Parent " + label) }

// nestedNote warns that rows are included in others.
func (b *builder) nestedNote(t *Table) {
	b.ledger.Incidents = append(b.ledger.Incidents, Incident{Where: b.s.name + "!" + t.Range, Code: "nested_rows",
		Text: "labels are indented: rows may be parts of the row that the column " + parentName(t) + " names, so that adding up all rows counts them twice"})
}

func parentName(t *Table) string {
	for _, c := range t.Columns {
		if strings.HasPrefix(c.Header, "Parent") {
			return c.Name
		}
	}
	return ""
}
