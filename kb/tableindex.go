package kb

import (
	"context"
	"fmt"

	"github.com/allrows/allrows/schema"
	chromem "github.com/philippgille/chromem-go"
)

const chunksMagic = "allrows chunks 2\n"

// tableIndex is the opened chunk index of one table of one version.
type tableIndex struct {
	ref      schema.Ref
	version  string
	columns  []string // SQL names, as postings number them
	titles   []string
	headers  []string
	numbers  []int64 // _row of each kept row
	cells    cellStore
	segments []*segment
}

// cellStore holds the row chunks' values, one after the other.
type cellStore struct {
	width int
	ends  []uint32
	text  string
}

// cell returns the value of a column of a row chunk.
func (c *cellStore) cell(doc, col int) string {
	i := doc*c.width + col
	start := uint32(0)
	if i > 0 {
		start = c.ends[i-1]
	}
	return c.text[start:c.ends[i]]
}

func (x *tableIndex) encode(fingerprint string, dim int) []byte {
	e := newEncoder(chunksMagic)
	e.str(fingerprint)
	e.str(x.ref.Workbook)
	e.str(x.ref.Table)
	e.str(x.version)
	e.num(dim)
	e.strs(x.columns)
	e.strs(x.titles)
	e.strs(x.headers)
	e.i64s(x.numbers)
	e.num(x.cells.width)
	e.u32s(x.cells.ends)
	e.str(x.cells.text)
	e.num(len(x.segments))
	for _, s := range x.segments {
		s.encode(e)
	}
	return e.finish()
}

// readTable reads an index file, of that fingerprint or not at all.
func readTable(file []byte, fingerprint string) (*tableIndex, int, error) {
	d := newDecoder(file, chunksMagic)
	if d.str() != fingerprint && d.err == nil {
		d.err = errCorrupt
	}
	x := &tableIndex{ref: schema.Ref{Workbook: d.str(), Table: d.str()}, version: d.str()}
	dim := d.num()
	x.columns, x.titles, x.headers = d.strs(), d.strs(), d.strs()
	x.numbers = d.i64s()
	x.cells = cellStore{width: d.num(), ends: d.u32s(), text: d.str()}
	n := d.num()
	for i := 0; i < n && d.err == nil; i++ {
		s := decodeSegment(d, dim)
		s.columns = x.columns
		x.segments = append(x.segments, s)
	}
	return x, dim, d.err
}

// decodeTable reads an index file and makes its collections.
func decodeTable(ctx context.Context, file []byte, fingerprint string) (*tableIndex, error) {
	x, _, err := readTable(file, fingerprint)
	if err != nil {
		return nil, err
	}
	db := chromem.NewDB()
	for _, s := range x.segments {
		s.lex.setContext(x.titles, x.headers)
		meta := map[string]string{"workbook": x.ref.Workbook, "table": x.ref.Table, "version": x.version, "kind": string(s.kind)}
		if err := s.fill(ctx, db, x.ref.String(), meta); err != nil {
			return nil, fmt.Errorf("opening the index of %s: %w", x.ref, err)
		}
	}
	return x, nil
}

// bytes estimates the memory that the index holds.
func (x *tableIndex) bytes() int64 {
	n := int64(len(x.cells.text) + 4*len(x.cells.ends) + 4096)
	for _, s := range x.segments {
		n += int64(4*len(s.vecs) + 600*s.lex.docs + 12*len(s.lex.keys) + 8*len(s.lex.posts) + 64*len(s.lex.words))
	}
	return n
}

// chunk renders a found chunk as the caller may see it.
func (x *tableIndex) chunk(s *searchSegment, doc uint32) Chunk {
	t := s.view.table
	c := Chunk{Ref: x.ref, Kind: s.kind, Sheet: t.Sheet, FirstRow: s.first[doc], LastRow: s.last[doc]}
	c.ID = fmt.Sprintf("%s/%s", x.ref, s.kind)
	switch s.kind {
	case Row:
		c.ID = fmt.Sprintf("%s/%s/%d", x.ref, s.kind, c.FirstRow)
		values := x.values(int(doc), s.view)
		c.Embedded, c.Text = embeddedRow(t, values), deliveredRow(t, c.FirstRow, values)
	case Group:
		c.ID = fmt.Sprintf("%s/%s/%d", x.ref, s.kind, c.FirstRow)
		for _, d := range s.members[doc] {
			c.Rows = append(c.Rows, x.numbers[d])
		}
		c.Text = familyText(s.segment, &x.cells, x.numbers, s.members[doc], s.view)
		c.Embedded = c.Text
	case Parent:
		c.ID = fmt.Sprintf("%s/%s/%d", x.ref, s.kind, c.FirstRow)
		c.Text = parentText(s.segment, int(doc), &x.cells, s.view)
		c.Embedded = c.Text
	case Summary:
		c.Text = summaryText(t)
		c.Embedded = c.Text
	case Schema:
		c.Text = schemaText(t)
		c.Embedded = c.Text
	}
	return c
}

// segment returns the chunks of a kind, or nil.
func (x *tableIndex) segment(k Kind) *segment {
	for _, s := range x.segments {
		if s.kind == k {
			return s
		}
	}
	return nil
}
