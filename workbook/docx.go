package workbook

import (
	"context"
	"strings"
)

// docxReader reads the main part of a Word document.
type docxReader struct {
	x     *xmlScan
	d     *document
	stack []*docxTable
	text  strings.Builder // of the paragraph outside of tables
	style string          // of the open paragraph
	skip  int             // depth of what is a copy of other content
}

// docxTable is a table while it is open.
type docxTable struct {
	t       *docTable
	text    strings.Builder
	cell    docCell
	col     int
	heading bool         // every row so far repeats on each page: a header
	headRow bool         //
	down    map[int]*run // by column: the cell that those below may join
	merge   string       // vMerge of the open cell: "", restart, continue
}

// run is a cell that reaches down.
type run struct{ row, at int }

// readDOCX reads the tables of a Word document.
func (o *opening) readDOCX(ctx context.Context, c *container) error {
	rc, err := c.open("word/document.xml")
	if err != nil {
		return err
	}
	defer rc.Close()
	d := &document{maxCells: o.opt.MaxCells}
	r := &docxReader{x: newXMLScan(rc, "word/document.xml"), d: d}
	if err := r.x.each(ctx, r.tag); err != nil {
		return err
	}
	if err := drain(rc); err != nil {
		return err
	}
	led := o.wb.Ledger
	if c.has("word/vbaProject.bin") {
		led.Incidents = append(led.Incidents, Incident{Code: "macros", Text: "the document holds macros; they were not read"})
	}
	if n := c.embedded("word/embeddings/"); n > 0 {
		led.Incidents = append(led.Incidents, Incident{Code: "embedded", Text: plural(n, "embedded file was", "embedded files were") + " not read; save each as a file of its own and load that"})
	}
	return o.readDocument(ctx, "docx", d)
}

// embedded counts the parts in a folder of the container.
func (c *container) embedded(folder string) int {
	n := 0
	for name := range c.parts {
		if strings.HasPrefix(name, folder) {
			n++
		}
	}
	return n
}

func (r *docxReader) table() *docxTable {
	if len(r.stack) == 0 {
		return nil
	}
	return r.stack[len(r.stack)-1]
}

func (r *docxReader) write(b []byte) {
	if t := r.table(); t != nil {
		t.text.Write(b)
	} else {
		r.text.Write(b)
	}
}

func (r *docxReader) tag() error {
	x := r.x
	name := string(x.name)
	if name == "Fallback" && !x.empty { // says again what the choice before it says
		if x.end {
			r.skip--
		} else {
			r.skip++
		}
	}
	if r.skip > 0 {
		return nil
	}
	switch name {
	case "t":
		if !x.end && !x.empty {
			r.write(x.text())
		}
	case "tab", "br", "cr":
		r.write([]byte{' '})
	case "noBreakHyphen":
		r.write([]byte{'-'})
	case "drawing", "pict":
		if !x.end {
			r.d.pictures++
		}
	case "pStyle":
		r.style = strings.ToLower(string(x.attr("w:val")))
	case "p":
		r.paragraph()
	case "tbl":
		return r.tbl()
	}
	if t := r.table(); t != nil {
		return r.inTable(t, name)
	}
	return nil
}

// paragraph begins or ends a paragraph.
func (r *docxReader) paragraph() {
	if !r.x.end {
		r.style = ""
	}
	if !r.x.end || r.table() != nil {
		r.write([]byte{' '})
		return
	}
	text := collapse(r.text.String())
	r.text.Reset()
	switch {
	case strings.HasPrefix(r.style, "heading") || r.style == "title":
		r.d.head(text)
	case r.style == "caption":
		r.d.caption(text)
	default:
		r.d.paragraph(text)
	}
}

func (r *docxReader) tbl() error {
	if r.x.empty {
		return nil
	}
	if !r.x.end {
		if t := r.table(); t != nil {
			t.t.outer = true
		}
		if len(r.stack) >= maxNested {
			return &limitError{"the document nests tables too deeply", maxNested, int64(len(r.stack) + 1), "levels"}
		}
		r.stack = append(r.stack, &docxTable{t: r.d.begin(), heading: true, down: map[int]*run{}})
		return nil
	}
	if t := r.table(); t != nil {
		r.stack = r.stack[:len(r.stack)-1]
		if t.t.heads == len(t.t.rows) {
			t.t.heads = 0
		}
		r.d.end(t.t)
	}
	return nil
}

func (r *docxReader) inTable(t *docxTable, name string) error {
	x := r.x
	switch {
	case name == "tr" && !x.end:
		t.t.rows = append(t.t.rows, nil)
		t.col, t.headRow = 0, false
	case name == "tr":
		if t.heading = t.heading && t.headRow; t.heading {
			t.t.heads = len(t.t.rows)
		}
	case name == "tblHeader":
		v := string(x.attr("w:val"))
		t.headRow = v != "0" && v != "false" && v != "off"
	case name == "gridBefore":
		n := min(max(atoi(x.attr("w:val")), 0), 1000)
		for range n {
			if err := r.d.add(t.t, docCell{}); err != nil {
				return err
			}
		}
		t.col += n
	case name == "tc" && !x.end:
		t.cell, t.merge = docCell{cols: 1, rows: 1}, ""
		t.text.Reset()
	case name == "gridSpan":
		t.cell.cols = min(max(atoi(x.attr("w:val")), 1), 1000)
	case name == "vMerge" && !x.end:
		t.merge = firstOf(string(x.attr("w:val")), "continue")
	case name == "tc":
		return r.endCell(t)
	}
	return nil
}

// endCell adds a cell, or lets the one above reach down over it.
func (r *docxReader) endCell(t *docxTable) error {
	t.cell.text = collapse(t.text.String())
	if len(t.t.rows) == 0 {
		t.t.rows = append(t.t.rows, nil)
	}
	row, col := len(t.t.rows)-1, t.col
	t.col += t.cell.cols
	if above := t.down[col]; t.merge == "continue" && above != nil {
		c := &t.t.rows[above.row][above.at]
		if above.row+c.rows == row && c.cols == t.cell.cols {
			c.rows++ // the layout of the grid leaves its place free
			return nil
		}
	}
	delete(t.down, col)
	if t.merge == "restart" {
		t.down[col] = &run{row, len(t.t.rows[row])}
	}
	return r.d.add(t.t, t.cell)
}
