package workbook

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// docCell is one cell of a document's table as its writer set it.
type docCell struct {
	text       string
	cols, rows int // how far it spans; 0 is 1
}

// docTable is a table of a document: the rows as they are written, from 1.
type docTable struct {
	title string
	rows  [][]docCell
	heads int // leading rows that the document itself calls header
	outer bool
}

// document collects the tables of a document in their order, with the words that
// stand before each.
type document struct {
	tables   []*docTable
	heading  string // the nearest above
	named    string // the caption right above
	prose    int    // paragraphs outside of tables
	pictures int
	layout   int // tables that only arrange other tables
	cells    int64
	maxCells int64
}

// captionStart is how a paragraph begins that names the table below it.
var captionStart = regexp.MustCompile(`(?i)^(table|tab\.|tabelle|tabla|tableau|quadro|tabela|cuadro)\s*([0-9]|[ivx]+\b|[a-z][.:])`)

// paragraph notes a line of prose.
func (d *document) paragraph(text string) {
	if text = collapse(text); text != "" {
		d.prose++
		d.named = ""
		if captionStart.MatchString(text) {
			d.named = text
		}
	}
}

// caption notes a paragraph that is set as a caption.
func (d *document) caption(text string) {
	d.paragraph(text)
	d.named = collapse(text)
}

// head notes a heading.
func (d *document) head(text string) {
	if text = collapse(text); text != "" {
		d.heading, d.named = text, ""
	}
}

// begin opens a table under the words above it.
func (d *document) begin() *docTable {
	t := &docTable{title: firstOf(d.named, d.heading)}
	d.named = ""
	return t
}

// add counts a cell against the limit.
func (d *document) add(t *docTable, c docCell) error {
	if d.cells++; d.cells > d.maxCells {
		return &limitError{"the document has too many cells", d.maxCells, d.cells, "cells or more"}
	}
	if len(t.rows) == 0 {
		t.rows = append(t.rows, nil)
	}
	t.rows[len(t.rows)-1] = append(t.rows[len(t.rows)-1], c)
	return nil
}

// end closes a table. One that holds other tables only arranges them.
func (d *document) end(t *docTable) {
	if t.outer {
		d.layout++
		return
	}
	if len(t.rows) > 0 {
		d.tables = append(d.tables, t)
	}
}

// collapse joins the lines of a text. Non-breaking spaces stay: they indent.
func collapse(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" \t\r\n\f", r) }), " ")
}

// maxDocColumns is how wide a table of a document may be.
const maxDocColumns = 1 << 14

// grid lays the cells out, those that span others included.
func (t *docTable) grid(name string) (*sheet, error) {
	s := &sheet{name: name, title: t.title, heads: min(t.heads, len(t.rows)), text: true, formats: []numFormat{{decimals: -1}}, grid: &grid{arena: &arena{}}}
	until := []int(nil) // by column: the last row that a cell from above covers
	for i, cells := range t.rows {
		row, col := i+1, 0
		if row > maxSheetRow {
			return nil, &limitError{"a table of the document has too many rows", maxSheetRow, int64(len(t.rows)), "rows"}
		}
		s.grid.startRow(row)
		for _, c := range cells {
			for col < len(until) && until[col] >= row {
				col++
			}
			cols, last := max(c.cols, 1), row+max(c.rows, 1)-1
			if col+cols > maxDocColumns {
				return nil, &limitError{"a table of the document has too many columns", maxDocColumns, int64(col + cols), "columns"}
			}
			if cols > 1 || last > row {
				s.merges = append(s.merges, Rect{col, row, col + cols - 1, min(last, len(t.rows))})
			}
			if last > row {
				for len(until) < col+cols {
					until = append(until, 0)
				}
				for k := col; k < col+cols; k++ {
					until[k] = last
				}
			}
			if !isBlank(c.text) {
				s.grid.put(cell{bits: s.grid.arena.add([]byte(c.text)), col: uint16(col), kind: kindText})
			}
			col += cols
		}
		s.grid.endRow()
	}
	return s, nil
}

// readDocument makes a sheet of every table of a document.
func (o *opening) readDocument(ctx context.Context, format string, d *document) error {
	led := o.wb.Ledger
	o.wb.Format, led.Format = format, format
	led.Details = append(led.Details, plural(len(d.tables), "table", "tables")+" in the document, rows counted from the top of each")
	if d.prose > 0 {
		led.Details = append(led.Details, plural(d.prose, "paragraph", "paragraphs")+" outside of tables, which are no rows")
	}
	if d.pictures > 0 {
		led.Incidents = append(led.Incidents, Incident{Code: "picture",
			Text: fmt.Sprintf("%s not read; a table shown as a picture has to be typed in", plural(d.pictures, "picture is", "pictures are"))})
	}
	if d.layout > 0 {
		led.Incidents = append(led.Incidents, Incident{Code: "layout_table",
			Text: fmt.Sprintf("%s other tables; those were read, the text around them was not", plural(d.layout, "table holds", "tables hold"))})
	}
	used := map[string]bool{}
	var sheets []*sheet
	for i, t := range d.tables {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		s, err := t.grid(tableLabel(t.title, i+1, used))
		if err != nil {
			return err
		}
		sheets = append(sheets, s)
	}
	if len(sheets) == 0 {
		text := "the document opens, but holds no table"
		if d.pictures > 0 {
			text += "; it shows pictures, and a table shown as a picture has to be typed in"
		}
		return &FileError{Code: CodeNoTable, Text: text}
	}
	return o.buildAll(ctx, sheets)
}

// tableLabel names a table of a document in place of a sheet's name.
func tableLabel(title string, n int, used map[string]bool) string {
	label := title
	if utf8.RuneCountInString(label) > 60 {
		label = strings.TrimSpace(string([]rune(label)[:60])) + "…"
	}
	if label == "" {
		label = fmt.Sprintf("Table %d", n)
	}
	if used[label] {
		label = fmt.Sprintf("%s (table %d)", label, n)
	}
	used[label] = true
	return label
}

// headed makes the only region of a sheet whose header rows are known.
func (l *layout) headed() {
	b := l.whole()
	w := l.width(b)
	r := region{title: l.s.title, col1: b.col1, col2: b.col2}
	from := l.s.grid.find(l.s.heads + 1)
	for i := b.row1; i < from; i++ {
		if st := l.count(b, i); i+1 < from && len(r.headers) == 0 && st.n == 1 && l.spansAll(b, i, b.col2+1) {
			l.setRole(i, roleTitle) // a title set as the first row
			r.title = firstOf(r.title, l.rowText(b, i))
			continue
		}
		r.headers = append(r.headers, i)
		l.setRole(i, roleHeader)
	}
	l.fillBody(&r, b, from, b.row2-1, w)
	l.regions = append(l.regions, r)
}
