package workbook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"unicode/utf8"
)

// sheetReader fills one sheet's grid.
type sheetReader struct {
	b        *xlsxBook
	s        *sheet
	x        *xmlScan
	row, col int
	value    []byte
	inline   []byte
	inRow    bool
	inSheet  bool
	noCache  int
	firstBad string
}

// readSheet reads the cells of a worksheet and what surrounds them.
func (b *xlsxBook) readSheet(ctx context.Context, xs xlsxSheet, s *sheet) error {
	rc, err := b.open(xs.part)
	if err != nil {
		return err
	}
	defer rc.Close()
	r := &sheetReader{b: b, s: s, x: newXMLScan(rc, xs.part)}
	if err := r.x.each(ctx, r.tag); err != nil {
		return err
	}
	if err := drain(rc); err != nil {
		return err
	}
	s.grid.endRow()
	if r.noCache > 0 {
		s.incidents = append(s.incidents, Incident{Where: s.name + "!" + r.firstBad, Code: "formula_without_value",
			Text: fmt.Sprintf("%d formulas have no stored value; open and save the workbook in a spreadsheet program to store them", r.noCache)})
	}
	orderRows(s.grid)
	return b.readObjects(xs, s)
}

// tag handles one tag of the worksheet part.
func (r *sheetReader) tag() error {
	x := r.x
	switch string(x.name) {
	case "sheetData":
		r.inSheet = !x.end && !x.empty
	case "row":
		if r.inSheet {
			return r.rowTag()
		}
	case "c":
		if r.inRow && !x.end {
			return r.cellTag()
		}
	case "col":
		if !x.end && isTrue(string(x.attr("hidden"))) {
			lo, hi := atoi(x.attr("min")), atoi(x.attr("max"))
			r.s.hiddenCols = append(r.s.hiddenCols, span{lo - 1, hi - 1})
		}
	case "mergeCell":
		if rect, ok := ParseRange(string(x.attr("ref"))); ok && !x.end {
			r.s.merges = append(r.s.merges, rect)
		}
	}
	return nil
}

func (r *sheetReader) rowTag() error {
	if r.x.end {
		r.inRow = false
		return nil
	}
	r.s.grid.endRow()
	if n := atoi(r.x.attr("r")); n > 0 {
		r.row = n
	} else {
		r.row++
	}
	if r.row > maxSheetRow {
		return &limitError{"the sheet has too many rows", maxSheetRow, int64(r.row), "rows"}
	}
	r.col = -1
	r.inRow = !r.x.empty
	if isTrue(string(r.x.attr("hidden"))) {
		h := &r.s.hiddenRows
		if n := len(*h); n > 0 && (*h)[n-1].last == r.row-1 {
			(*h)[n-1].last = r.row
		} else {
			*h = append(*h, span{r.row, r.row})
		}
	}
	r.s.grid.startRow(r.row)
	return nil
}

// cellTag reads one c element with all that is in it.
func (r *sheetReader) cellTag() error {
	x := r.x
	ref, st, typ := cellAttrs(x.raw)
	if col, ok := columnOf(ref); ok {
		r.col = col
	} else {
		r.col++
	}
	if r.col >= 16384 {
		return &limitError{"the sheet has too many columns", 16384, int64(r.col + 1), "columns"}
	}
	if x.empty {
		return nil
	}
	kind, style := cellTypeOf(typ), atoi(st)
	flags := uint8(0)
	r.value, r.inline = r.value[:0], r.inline[:0]
	hasValue, phonetic := false, false
	for {
		if err := x.next(); err != nil {
			if errors.Is(err, io.EOF) {
				return io.ErrUnexpectedEOF
			}
			return err
		}
		switch string(x.name) {
		case "c":
			if !x.end {
				return fmt.Errorf("part %s: a cell inside a cell", x.part)
			}
			return r.add(kind, style, flags, hasValue)
		case "v":
			if !x.end && !x.empty {
				r.value = append(r.value, x.text()...)
				hasValue = true
			}
		case "rPh":
			phonetic = !x.end && !x.empty
		case "t":
			if !x.end && !x.empty && !phonetic {
				r.inline = append(r.inline, x.text()...)
			}
		case "f":
			if !x.end {
				flags |= flagFormula
				if isSum(x.data) {
					flags |= flagSum
				}
			}
		}
	}
}

// cellAttrs reads the attributes r, s and t of a c tag in one pass.
func cellAttrs(b []byte) (ref, style, typ []byte) {
	for i := 1; i+3 < len(b); i++ {
		if b[i] != '=' || (b[i+1] != '"' && b[i+1] != '\'') {
			continue
		}
		end := bytes.IndexByte(b[i+2:], b[i+1])
		if end < 0 {
			return ref, style, typ
		}
		if val := b[i+2 : i+2+end]; i > 1 && (b[i-2] == ' ' || b[i-2] == '\n' || b[i-2] == '\t') {
			switch b[i-1] {
			case 'r':
				ref = val
			case 's':
				style = val
			case 't':
				typ = val
			}
		}
		i += end + 2
	}
	return ref, style, typ
}

// isSum reports whether a formula adds up a range.
func isSum(f []byte) bool {
	return len(f) > 4 && (string(f[:4]) == "SUM(" || string(f[:4]) == "sum(") || len(f) > 9 && string(f[:9]) == "SUBTOTAL("
}

// The types of an xlsx cell.
const (
	typeNumber byte = iota
	typeShared
	typeInline
	typeString
	typeBool
	typeError
	typeDate
)

func cellTypeOf(t []byte) byte {
	switch string(t) {
	case "s":
		return typeShared
	case "inlineStr":
		return typeInline
	case "str":
		return typeString
	case "b":
		return typeBool
	case "e":
		return typeError
	case "d":
		return typeDate
	}
	return typeNumber
}

// add puts the cell that was read into the grid.
func (r *sheetReader) add(typ byte, style int, flags uint8, hasValue bool) error {
	if style < 0 || style >= len(r.b.bold) || style > math.MaxUint16 {
		style = 0
	}
	c := cell{col: uint16(r.col), style: uint16(style), flags: flags}
	if r.b.bold[style] {
		c.flags |= flagBold
	}
	if !r.fill(&c, typ, hasValue) {
		return nil
	}
	if r.b.cells++; r.b.cells > r.b.maxCells {
		return &limitError{"the workbook has too many cells", r.b.maxCells, r.b.cells, "cells or more"}
	}
	r.s.grid.put(c)
	return nil
}

// fill sets the cell's value; false means that it is blank.
func (r *sheetReader) fill(c *cell, typ byte, hasValue bool) bool {
	if !hasValue && len(r.inline) == 0 {
		if c.flags&flagFormula == 0 {
			return false
		}
		if typ == typeString {
			return false // a formula whose value is ""
		}
		if r.noCache++; r.noCache == 1 {
			r.firstBad = CellName(r.col, r.row)
		}
		c.kind = kindFormula
		return true
	}
	switch typ {
	case typeShared:
		i, err := strconv.Atoi(string(r.value))
		if err != nil || i < 0 || i >= len(r.b.strings) {
			return r.setText(c, kindError, []byte("#REF!"))
		}
		c.kind, c.bits = kindText, r.b.strings[i]
		return !isBlank(r.b.arena.text(c.bits))
	case typeInline:
		return r.setText(c, kindText, r.inline)
	case typeBool:
		c.kind, c.bits = kindBool, 0
		if isTrue(string(r.value)) {
			c.bits = 1
		}
		return true
	case typeError:
		return r.setText(c, kindError, r.value)
	case typeDate:
		return r.setDate(c)
	case typeString:
		return r.setText(c, kindText, r.value)
	}
	return r.setNumber(c)
}

func (r *sheetReader) setText(c *cell, kind cellKind, b []byte) bool {
	if !utf8.Valid(b) {
		b = []byte(string([]rune(string(b))))
	}
	if isBlank(string(b)) {
		return false
	}
	c.kind, c.bits = kind, r.b.arena.add(b)
	return true
}

// setDate reads a date written in ISO 8601 and counts it as other cells do.
func (r *sheetReader) setDate(c *cell) bool {
	d, ok := parseDateText(string(r.value))
	if !ok || d.noDate {
		return r.setText(c, kindText, r.value)
	}
	y, m, day := d.date(false)
	epoch := int64(epoch1900)
	if r.b.date1904 {
		epoch = epoch1904
	}
	n := uint16(len(r.b.formats))
	return setSerial(c, float64(dayNumber(y, m, day)-epoch)+float64(d.micros)/microsPerDay, d.micros > 0, n-2, n-1)
}

// setNumber reads a number; what is none, or is longer than a spreadsheet can
// hold exactly, stays text.
func (r *sheetReader) setNumber(c *cell) bool {
	f, err := strconv.ParseFloat(string(r.value), 64)
	if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
		return r.setText(c, kindText, r.value)
	}
	if len(r.value) > 15 && longDigits(r.value) {
		c.flags |= flagLong
		return r.setText(c, kindText, r.value)
	}
	c.kind, c.bits = kindNumber, math.Float64bits(f)
	return true
}

func longDigits(b []byte) bool {
	for _, d := range b {
		if d < '0' || d > '9' {
			return false
		}
	}
	return len(b) > 15
}

func columnOf(ref []byte) (int, bool) {
	n := 0
	for i, c := range ref {
		c |= 0x20
		if c < 'a' || c > 'z' {
			return n - 1, i > 0
		}
		if n = n*26 + int(c-'a') + 1; n > 1<<20 {
			return n, true
		}
	}
	return 0, false
}

func atoi(b []byte) int {
	n := 0
	for _, c := range b {
		if c < '0' || c > '9' || n > 1<<30 {
			return -1
		}
		n = n*10 + int(c-'0')
	}
	if len(b) == 0 {
		return 0
	}
	return n
}
