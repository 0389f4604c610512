package workbook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"
)

// looksHTML reports whether a text begins as a page does.
func looksHTML(head []byte) bool {
	b := bytes.ToLower(bytes.TrimLeft(bytes.TrimPrefix(head[:min(len(head), 1024)], []byte("\xef\xbb\xbf")), " \t\r\n"))
	for _, p := range []string{"<!doctype html", "<html", "<table", "<head", "<body"} {
		if bytes.HasPrefix(b, []byte(p)) {
			return true
		}
	}
	return false
}

// readHTML reads the tables of a page.
func (o *opening) readHTML(ctx context.Context) error {
	raw, err := o.whole()
	if err != nil {
		return err
	}
	if !utf8.Valid(raw) {
		e, name, _ := charset.DetermineEncoding(raw[:min(len(raw), 1024)], "")
		if raw, err = e.NewDecoder().Bytes(raw); err != nil {
			return fmt.Errorf("decoding %s: %w", name, err)
		}
		o.wb.Ledger.Details = append(o.wb.Ledger.Details, "encoding "+name)
	}
	d := &document{maxCells: o.opt.MaxCells}
	if err := d.readHTML(ctx, raw); err != nil {
		return err
	}
	if want := extensions[o.ext]; want != "" && want != "html" {
		o.wb.Ledger.Incidents = append(o.wb.Ledger.Incidents, Incident{Code: "extension", Text: "the name ends with " + o.ext + ", but the content is a web page; its tables were read"})
	}
	return o.readDocument(ctx, "html", d)
}

// whole reads a document into memory, within the limit for text.
func (o *opening) whole() ([]byte, error) {
	if o.size > o.opt.ScanBytes {
		return nil, &limitError{"the document is too large", o.opt.ScanBytes, o.size, "bytes"}
	}
	raw := make([]byte, o.size)
	if _, err := io.ReadFull(io.NewSectionReader(o.f, 0, o.size), raw); err != nil {
		return nil, fmt.Errorf("reading the document: %w", err)
	}
	return raw, nil
}

// htmlReader reads a page tag by tag: what stands between tables, and the open
// tables, the innermost last.
type htmlReader struct {
	d     *document
	stack []*htmlTable
	text  strings.Builder // outside of tables
	head  bool            // the text is a heading's
}

// htmlTable is a table while it is open.
type htmlTable struct {
	t       *docTable
	text    strings.Builder
	open    bool // a cell is
	caption bool // the text is the caption's
	cell    docCell
	headRow bool // every cell of the row so far is a heading
	heading bool // so are all rows so far
	inHead  bool // inside thead
	sup     int  // where the raised text begins, -1 outside
}

// readHTML adds the tables of a page.
func (d *document) readHTML(ctx context.Context, raw []byte) error {
	z := html.NewTokenizer(bytes.NewReader(raw))
	r := &htmlReader{d: d}
	for n := 0; ; n++ {
		if n&0xffff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		kind := z.Next()
		switch kind {
		case html.ErrorToken:
			if err := z.Err(); !errors.Is(err, io.EOF) {
				return fmt.Errorf("reading the page: %w", err)
			}
			for len(r.stack) > 0 {
				if err := r.endTable(); err != nil {
					return err
				}
			}
			r.endText()
			return nil
		case html.TextToken:
			r.write(string(z.Text()))
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			if err := r.start(z, atom.Lookup(name), more); err != nil {
				return err
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			if err := r.end(atom.Lookup(name)); err != nil {
				return err
			}
		}
	}
}

func (r *htmlReader) table() *htmlTable {
	if len(r.stack) == 0 {
		return nil
	}
	return r.stack[len(r.stack)-1]
}

// write adds text to the cell, the caption or the prose that is open.
func (r *htmlReader) write(s string) {
	switch t := r.table(); {
	case t == nil:
		r.text.WriteString(s)
	case t.open || t.caption:
		t.text.WriteString(s)
	}
}

// endText closes a paragraph or a heading outside of tables.
func (r *htmlReader) endText() {
	if r.head {
		r.d.head(r.text.String())
	} else {
		r.d.paragraph(r.text.String())
	}
	r.head = false
	r.text.Reset()
}

const maxNested = 64 // tables inside tables

func (r *htmlReader) start(z *html.Tokenizer, a atom.Atom, more bool) error {
	t := r.table()
	switch a {
	case atom.Table:
		r.endText()
		if len(r.stack) >= maxNested {
			return &limitError{"the page nests tables too deeply", maxNested, int64(len(r.stack) + 1), "levels"}
		}
		if t != nil {
			t.t.outer = true
		}
		r.stack = append(r.stack, &htmlTable{t: r.d.begin(), heading: true, sup: -1})
	case atom.Img, atom.Svg, atom.Canvas:
		r.d.pictures++
	case atom.Br:
		r.write(" ")
	case atom.Script, atom.Style, atom.Template, atom.Title:
		z.Next() // its text is none of the page's
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		if t == nil {
			r.endText()
			r.head = true
		}
	case atom.P, atom.Div, atom.Li, atom.Figcaption, atom.Section, atom.Article:
		if t == nil {
			r.endText()
		}
		r.write(" ")
	}
	if t != nil {
		return r.startInTable(t, z, a, more)
	}
	return nil
}

func (r *htmlReader) startInTable(t *htmlTable, z *html.Tokenizer, a atom.Atom, more bool) error {
	switch a {
	case atom.Caption:
		t.caption = true
		t.text.Reset()
	case atom.Thead:
		t.inHead = true
	case atom.Tbody, atom.Tfoot:
		if err := r.endRow(t); err != nil {
			return err
		}
		t.inHead = false
	case atom.Tr:
		if err := r.endRow(t); err != nil {
			return err
		}
		t.t.rows = append(t.t.rows, nil)
		t.headRow = true
	case atom.Td, atom.Th:
		if err := r.endCell(t); err != nil {
			return err
		}
		t.open, t.caption, t.cell = true, false, docCell{cols: 1, rows: 1}
		t.headRow = t.headRow && (a == atom.Th || t.inHead)
		for more {
			var k, v []byte
			if k, v, more = z.TagAttr(); string(k) == "colspan" || string(k) == "rowspan" {
				t.span(string(k), string(v))
			}
		}
	case atom.Sup:
		t.sup = t.text.Len()
	}
	return nil
}

// span reads how far a cell reaches, within the limits of the standard.
func (t *htmlTable) span(name, value string) {
	n, err := strconv.Atoi(strings.TrimSpace(value))
	switch {
	case err != nil || n < 0:
	case name == "colspan":
		t.cell.cols = min(max(n, 1), 1000)
	case n == 0: // to the end
		t.cell.rows = maxSheetRow
	default:
		t.cell.rows = min(n, 65534)
	}
}

func (r *htmlReader) end(a atom.Atom) error {
	t := r.table()
	switch a {
	case atom.Table:
		if t != nil {
			return r.endTable()
		}
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.P, atom.Div, atom.Li, atom.Figcaption:
		if t == nil {
			r.endText()
		}
		r.write(" ")
	}
	if t == nil {
		return nil
	}
	switch a {
	case atom.Caption:
		t.title()
	case atom.Thead:
		err := r.endRow(t)
		t.inHead = false
		return err
	case atom.Tr:
		return r.endRow(t)
	case atom.Td, atom.Th:
		return r.endCell(t)
	case atom.Sup:
		t.raise()
	}
	return nil
}

// title takes the caption.
func (t *htmlTable) title() {
	if text := collapse(t.text.String()); t.caption && text != "" {
		t.t.title = text
	}
	t.caption = false
	t.text.Reset()
}

// raise writes a raised digit or letter as the footnote mark or power that it is.
func (t *htmlTable) raise() {
	if t.sup < 0 || t.sup > t.text.Len() {
		return
	}
	all := t.text.String()
	base, up := all[:t.sup], strings.TrimSpace(all[t.sup:])
	t.sup = -1
	t.text.Reset()
	t.text.WriteString(base + raised(strings.TrimSpace(base), up))
}

// raised is how a raised text is written on one line: "m²", "12.4 (a)", "10^6".
func raised(base, up string) string {
	_, number := parseNumText(base)
	switch {
	case strings.HasSuffix(base, "10") && (base == "10" || !isDigit(rune(base[len(base)-3]))) && up != "" && strings.Trim(up, "-0123456789") == "":
		return "^" + up
	case up != "" && len(up) <= 2 && strings.Trim(up, "0123456789") == "":
		return strings.Map(func(c rune) rune { return []rune("⁰¹²³⁴⁵⁶⁷⁸⁹")[c-'0'] }, up)
	case number && len(up) == 1 && up[0] >= 'a' && up[0] <= 'z':
		return " (" + up + ")"
	}
	return up
}

func (r *htmlReader) endCell(t *htmlTable) error {
	if t.caption {
		t.title()
	}
	if !t.open {
		return nil
	}
	t.open = false
	t.sup = -1
	t.cell.text = collapse(t.text.String())
	t.text.Reset()
	return r.d.add(t.t, t.cell)
}

// endRow closes a row and counts it as header while all before it are.
func (r *htmlReader) endRow(t *htmlTable) error {
	if err := r.endCell(t); err != nil {
		return err
	}
	n := len(t.t.rows)
	if n == 0 || n <= t.t.heads || len(t.t.rows[n-1]) == 0 {
		return nil
	}
	if t.heading = t.heading && t.headRow; t.heading {
		t.t.heads = n
	}
	return nil
}

func (r *htmlReader) endTable() error {
	t := r.table()
	if err := r.endRow(t); err != nil {
		return err
	}
	r.stack = r.stack[:len(r.stack)-1]
	if t.t.heads == len(t.t.rows) && t.t.heads > 1 { // all of it is set as header: none of it is
		t.t.heads = 0
	}
	r.d.end(t.t)
	return nil
}
