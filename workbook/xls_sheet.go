package workbook

import (
	"context"
	"encoding/binary"
	"io"
	"math"
)

// xlsReader fills the grid of one sheet of an xls file.
type xlsReader struct {
	b       *xlsBook
	s       *sheet
	row     int // open in the grid, -1: none
	pending *cell
}

// readSheet reads the records of one sheet, from its BOF to its EOF.
func (b *xlsBook) readSheet(ctx context.Context, xs xlsSheet, s *sheet) error {
	r := &xlsReader{b: b, s: s, row: -1}
	depth := 0
	for pos, n := xs.pos, 0; ; n++ {
		if n&0xffff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		id, d, next, ok := b.record(pos)
		if !ok {
			return io.ErrUnexpectedEOF
		}
		switch {
		case id == recBOF:
			depth++
		case id == recEOF:
			if depth--; depth <= 0 {
				if err := r.flush(); err != nil {
					return err
				}
				s.grid.endRow()
				orderRows(s.grid)
				return nil
			}
		case depth == 1: // charts inside a sheet have records of their own
			if err := r.take(id, d); err != nil {
				return err
			}
		}
		pos = next
	}
}

// take reads one record.
func (r *xlsReader) take(id int, d []byte) error {
	switch id {
	case recString:
		if t, ok := biffString(d, 2); ok && r.pending != nil {
			r.setText(r.pending, kindText, t)
		}
		return r.flush()
	case recRow:
		if len(d) >= 16 && d[12]&0x20 != 0 {
			n := u16(d) + 1
			r.s.hiddenRows = append(r.s.hiddenRows, span{n, n})
		}
	case recColInfo:
		if len(d) >= 10 && d[8]&1 != 0 {
			r.s.hiddenCols = append(r.s.hiddenCols, span{u16(d), u16(d[2:])})
		}
	case recMerged:
		r.merges(d)
	case recMulRK:
		return r.mulRK(d)
	case recLabelSST, recNumber, recLabel, recRString, recBoolErr, recRK, recFormula:
		if err := r.flush(); err != nil || len(d) < 6 {
			return err
		}
		c := r.newCell(u16(d[2:]), u16(d[4:]))
		return r.cell(id, u16(d)+1, c, d[6:])
	}
	return nil
}

func (r *xlsReader) newCell(col, xf int) cell {
	c := cell{col: uint16(col)}
	if xf < len(r.b.formats) {
		c.style = uint16(xf)
		if r.b.bold[xf] {
			c.flags |= flagBold
		}
	}
	return c
}

// cell reads the value of one cell record.
func (r *xlsReader) cell(id, row int, c cell, d []byte) error {
	ok := true
	switch {
	case id == recLabelSST && len(d) >= 4:
		i := binary.LittleEndian.Uint32(d)
		if ok = int64(i) < int64(len(r.b.strings)); ok {
			c.kind, c.bits = kindText, r.b.strings[i]
			ok = !isBlank(r.b.arena.text(c.bits))
		}
	case id == recNumber && len(d) >= 8:
		ok = setFloat(&c, math.Float64frombits(binary.LittleEndian.Uint64(d)))
	case id == recRK && len(d) >= 4:
		ok = setFloat(&c, decodeRK(binary.LittleEndian.Uint32(d)))
	case id == recLabel || id == recRString:
		var t string
		if t, ok = biffString(d, 2); ok {
			ok = r.setText(&c, kindText, t)
		}
	case id == recBoolErr && len(d) >= 2:
		ok = r.setBoolErr(&c, d[0], d[1] != 0)
	case id == recFormula && len(d) >= 8:
		return r.formula(row, c, d)
	default:
		ok = false
	}
	if !ok {
		return nil
	}
	return r.put(row, c)
}

// formula reads the stored value of a formula; that of a text follows in a
// record of its own.
func (r *xlsReader) formula(row int, c cell, d []byte) error {
	c.flags |= flagFormula
	if d[6] != 0xff || d[7] != 0xff {
		if !setFloat(&c, math.Float64frombits(binary.LittleEndian.Uint64(d))) {
			return nil
		}
		return r.put(row, c)
	}
	switch d[0] {
	case 0:
		r.openRow(row)
		r.pending = &c
	case 1, 2:
		if r.setBoolErr(&c, d[2], d[0] == 2) {
			return r.put(row, c)
		}
	}
	return nil
}

func setFloat(c *cell, f float64) bool {
	c.kind, c.bits = kindNumber, math.Float64bits(f)
	return !math.IsNaN(f) && !math.IsInf(f, 0)
}

func (r *xlsReader) setText(c *cell, kind cellKind, t string) bool {
	c.kind, c.bits = kind, r.b.arena.add([]byte(t))
	return !isBlank(t)
}

var biffErrors = map[byte]string{0x00: "#NULL!", 0x07: "#DIV/0!", 0x0f: "#VALUE!", 0x17: "#REF!", 0x1d: "#NAME?", 0x24: "#NUM!", 0x2a: "#N/A"}

func (r *xlsReader) setBoolErr(c *cell, v byte, isErr bool) bool {
	if isErr {
		return r.setText(c, kindError, firstOf(biffErrors[v], "#ERR"))
	}
	c.kind, c.bits = kindBool, uint64(min(v, 1))
	return true
}

// mulRK reads a run of short numbers.
func (r *xlsReader) mulRK(d []byte) error {
	if err := r.flush(); err != nil || len(d) < 6 {
		return err
	}
	row, col := u16(d)+1, u16(d[2:])
	for d = d[4 : len(d)-2]; len(d) >= 6; d = d[6:] {
		c := r.newCell(col, u16(d))
		if setFloat(&c, decodeRK(binary.LittleEndian.Uint32(d[2:]))) {
			if err := r.put(row, c); err != nil {
				return err
			}
		}
		col++
	}
	return nil
}

func (r *xlsReader) merges(d []byte) {
	if len(d) < 2 {
		return
	}
	for d = d[2:]; len(d) >= 8; d = d[8:] {
		r.s.merges = append(r.s.merges, Rect{Row1: u16(d) + 1, Row2: u16(d[2:]) + 1, Col1: u16(d[4:]), Col2: u16(d[6:])})
	}
}

// flush puts a formula's text into the grid once it is known.
func (r *xlsReader) flush() error {
	if r.pending == nil {
		return nil
	}
	c := *r.pending
	r.pending = nil
	if c.kind == 0 || isBlank(r.b.arena.text(c.bits)) {
		return nil
	}
	return r.put(r.row, c)
}

func (r *xlsReader) openRow(row int) {
	if row != r.row {
		r.s.grid.endRow()
		r.s.grid.startRow(row)
		r.row = row
	}
}

func (r *xlsReader) put(row int, c cell) error {
	r.openRow(row)
	if r.b.cells++; r.b.cells > r.b.maxCells {
		return &limitError{"the workbook has too many cells", r.b.maxCells, r.b.cells, "cells or more"}
	}
	r.s.grid.put(c)
	return nil
}
