package workbook

import (
	"math"
	"sort"
	"unsafe"
)

// maxSheetRow is the last row that a sheet can have; text files may have more.
const maxSheetRow = 1 << 20

// cellKind says what a cell holds.
type cellKind uint8

const (
	kindNumber cellKind = iota + 1
	kindText
	kindBool
	kindError   // #N/A, #DIV/0! …
	kindFormula // a formula without a cached value
)

// The marks of a cell.
const (
	flagFormula uint8 = 1 << iota // the value comes from a formula
	flagSum                       // … that adds up a range
	flagBold
	flagLong // a number of more than 15 digits, kept as written: text
)

// cell is one value of a sheet, 16 bytes. Text and errors are a place in the
// arena of the sheet: offset in the upper 40 bits, length in the lower 24.
type cell struct {
	bits  uint64
	col   uint16
	style uint16 // index into sheet.formats
	kind  cellKind
	flags uint8
}

// gridRow is one row that holds something.
type gridRow struct {
	num   int32 // as the sheet counts, from 1
	first int32 // its cells in grid.cells
	n     int32
}

// grid is the cells of a sheet, row by row, blank cells left out.
type grid struct {
	rows  []gridRow
	cells []cell
	arena *arena
	cols  int // one more than the last column that holds anything
	last  int // number of the last row that holds anything
}

// arena holds the text of many cells in one piece of memory. It only grows, so
// a string taken from it stays good.
type arena struct{ buf []byte }

// maxText is the longest text of one cell that is kept whole.
const maxText = 1<<24 - 1

func (a *arena) add(b []byte) uint64 {
	if len(b) > maxText {
		b = b[:maxText]
	}
	off := len(a.buf)
	a.buf = append(a.buf, b...)
	return uint64(off)<<24 | uint64(len(b))
}

func (a *arena) text(ref uint64) string {
	n := int(ref & maxText)
	if n == 0 {
		return ""
	}
	return unsafe.String(&a.buf[ref>>24], n)
}

// startRow opens a new row; rows must come in order.
func (g *grid) startRow(num int) {
	g.rows = append(g.rows, gridRow{num: int32(num), first: int32(len(g.cells))})
}

// put adds a cell to the open row.
func (g *grid) put(c cell) {
	g.cells = append(g.cells, c)
	r := &g.rows[len(g.rows)-1]
	r.n++
	g.cols = max(g.cols, int(c.col)+1)
	g.last = int(r.num)
}

// endRow drops the open row when nothing was put into it and sorts its cells
// when they came out of order.
func (g *grid) endRow() {
	i := len(g.rows) - 1
	if i < 0 {
		return
	}
	if g.rows[i].n == 0 {
		g.rows = g.rows[:i]
		return
	}
	cs := g.rowCells(i)
	for j := 1; j < len(cs); j++ {
		if cs[j].col <= cs[j-1].col {
			sort.SliceStable(cs, func(a, b int) bool { return cs[a].col < cs[b].col })
			return
		}
	}
}

// rowCells returns the cells of the i-th row that holds anything.
func (g *grid) rowCells(i int) []cell {
	r := g.rows[i]
	return g.cells[r.first : r.first+r.n : r.first+r.n]
}

// find returns the index of the first row numbered num or later.
func (g *grid) find(num int) int {
	if n := num - 1; n >= 0 && n < len(g.rows) && int(g.rows[n].num) == num {
		return n
	}
	return sort.Search(len(g.rows), func(i int) bool { return int(g.rows[i].num) >= num })
}

// at returns the cell at a column (from 0) and row (from 1), or nil.
func (g *grid) at(col, row int) *cell {
	i := g.find(row)
	if i >= len(g.rows) || int(g.rows[i].num) != row {
		return nil
	}
	return cellIn(g.rowCells(i), col)
}

// cellIn finds a column in the cells of a row, or nil.
func cellIn(cs []cell, col int) *cell {
	if uint(col) < uint(len(cs)) && int(cs[col].col) == col {
		return &cs[col]
	}
	lo, hi := 0, len(cs)
	for lo < hi {
		m := (lo + hi) / 2
		if int(cs[m].col) < col {
			lo = m + 1
		} else {
			hi = m
		}
	}
	if lo < len(cs) && int(cs[lo].col) == col {
		return &cs[lo]
	}
	return nil
}

// number returns the value of a number cell.
func (c *cell) number() float64 { return math.Float64frombits(c.bits) }

// text returns the text of a text or error cell, "" for others.
func (g *grid) text(c *cell) string {
	if c == nil || (c.kind != kindText && c.kind != kindError) {
		return ""
	}
	return g.arena.text(c.bits)
}

// sheet is one sheet as it was read: its grid and what surrounds it.
type sheet struct {
	name       string
	title      string // what the document says above the table
	heads      int    // leading rows that the document calls header
	hidden     bool
	external   bool // a formula refers to another workbook; of ods sheets
	grid       *grid
	formats    []numFormat // by cell.style
	indents    []uint8     // by cell.style
	date1904   bool
	merges     []Rect
	hiddenRows []span
	hiddenCols []span
	objects    []object // Excel tables
	names      []namedRect
	incidents  []Incident
	text       bool // from a text file: every cell is text
	semicolons bool // … whose fields are separated by semicolons
}

// span is a run of rows or columns, both ends belong to it.
type span struct{ first, last int }

// namedRect is a name that the workbook gives to a range of the sheet.
type namedRect struct {
	name string
	rect Rect
}

// object is an Excel table (ListObject).
type object struct {
	name    string
	rect    Rect
	headers int
	totals  int
}
