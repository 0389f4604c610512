package workbook

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
)

// The formats of ods cells, which carry their class with every value.
const (
	odsGeneral = iota
	odsPercent
	odsDate
	odsDateTime
	odsTime
	odsFirstMoney
)

// odsReader reads the content part of an OpenDocument spreadsheet.
type odsReader struct {
	x        *xmlScan
	arena    *arena
	formats  []numFormat
	money    map[string]int // by currency code
	hidden   map[string]bool
	style    string // being declared
	sheets   []*sheet
	s        *sheet
	row, col int
	text     []byte
	cells    int64
	maxCells int64
}

// readODS reads every sheet of an OpenDocument spreadsheet.
func readODS(ctx context.Context, c *container, maxCells int64) ([]*sheet, error) {
	if err := odsEncrypted(c); err != nil {
		return nil, err
	}
	rc, err := c.open("content.xml")
	if err != nil {
		return nil, err
	}
	defer rc.Close()
	r := &odsReader{x: newXMLScan(rc, "content.xml"), arena: &arena{}, maxCells: maxCells, money: map[string]int{}, hidden: map[string]bool{},
		formats: []numFormat{{decimals: -1}, {class: classPercent, decimals: -1}, {class: classDate}, {class: classDateTime}, {class: classTime}}}
	if err := r.x.each(ctx, r.tag); err != nil {
		return nil, err
	}
	for _, s := range r.sheets {
		s.formats = r.formats
	}
	return r.sheets, drain(rc)
}

// odsEncrypted looks into the manifest for encrypted parts.
func odsEncrypted(c *container) error {
	if !c.has("META-INF/manifest.xml") {
		return nil
	}
	return c.each("META-INF/manifest.xml", func(_ *xml.Decoder, _ []string, e xml.StartElement) error {
		if e.Name.Local == "encryption-data" {
			return errEncryptedPart
		}
		return nil
	})
}

func (r *odsReader) tag() error {
	x := r.x
	switch string(x.name) {
	case "style":
		r.style = string(x.attr("style:name"))
	case "table-properties":
		if string(x.attr("table:display")) == "false" {
			r.hidden[r.style] = true
		}
	case "table":
		if !x.end {
			r.s = &sheet{name: string(unescape(nil, x.attr("table:name"))), hidden: r.hidden[string(x.attr("table:style-name"))], grid: &grid{arena: r.arena}}
			r.sheets = append(r.sheets, r.s)
			r.row = 0
		}
	case "table-row":
		if r.s != nil && !x.end {
			return r.tableRow()
		}
	}
	return nil
}

// repeat reads how often a row or cell stands.
func (x *xmlScan) repeat(name string) int {
	return max(1, atoi(x.attr(name)))
}

// tableRow reads one row, which may stand for many.
func (r *odsReader) tableRow() error {
	x := r.x
	times := x.repeat("table:number-rows-repeated")
	vis := string(x.attr("table:visibility"))
	first := r.row + 1
	if first > maxSheetRow {
		return &limitError{"the sheet has too many rows", maxSheetRow, int64(first), "rows"}
	}
	r.s.grid.startRow(first)
	r.col = 0
	for blank := x.empty; !blank; {
		if err := x.next(); err != nil {
			return unexpected(err)
		}
		if name := string(x.name); name == "table-row" && x.end {
			break
		} else if !x.end && (name == "table-cell" || name == "covered-table-cell") {
			if err := r.tableCell(first); err != nil {
				return err
			}
		}
	}
	r.row += times
	if vis == "collapse" || vis == "filter" {
		r.s.hiddenRows = append(r.s.hiddenRows, span{first, r.row})
	}
	return r.copyRow(first, times)
}

func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// copyRow repeats the open row; blank rows are only counted.
func (r *odsReader) copyRow(first, times int) error {
	g := r.s.grid
	g.endRow()
	n := len(g.rows)
	if n == 0 || int(g.rows[n-1].num) != first || times == 1 {
		return nil
	}
	cs := g.rowCells(n - 1)
	for k := 1; k < times; k++ {
		if r.cells += int64(len(cs)); r.cells > r.maxCells || first+k > maxSheetRow {
			return &limitError{"the workbook has too many cells", r.maxCells, r.cells, "cells or more"}
		}
		g.startRow(first + k)
		for _, c := range cs {
			g.put(c)
		}
		g.endRow()
	}
	return nil
}

// tableCell reads one cell, which may stand for many.
func (r *odsReader) tableCell(row int) error {
	x := r.x
	times := x.repeat("table:number-columns-repeated")
	c := cell{}
	if f := x.attr("table:formula"); f != nil {
		c.flags |= flagFormula
		r.s.external = r.s.external || bytes.Contains(f, []byte("'file:"))
	}
	typ := string(x.attr("office:value-type"))
	value := string(firstBytes(x.attr("office:value"), firstBytes(x.attr("office:date-value"), firstBytes(x.attr("office:time-value"), x.attr("office:boolean-value")))))
	code := string(x.attr("office:currency"))
	cols, rows := x.repeat("table:number-columns-spanned"), x.repeat("table:number-rows-spanned")
	if (cols > 1 || rows > 1) && string(x.name) == "table-cell" {
		r.s.merges = append(r.s.merges, Rect{r.col, row, r.col + cols - 1, row + rows - 1})
	}
	shown := unescape(nil, x.attr("office:string-value"))
	if err := r.cellText(); err != nil {
		return err
	}
	if len(r.text) == 0 {
		r.text = append(r.text, shown...)
	}
	start := r.col
	r.col += times
	if !r.setValue(&c, typ, value, code) {
		return nil
	}
	if r.cells += int64(times); r.cells > r.maxCells || r.col > 1<<14 {
		return &limitError{"the workbook has too many cells", r.maxCells, r.cells, "cells or more"}
	}
	for k := range times {
		c.col = uint16(start + k)
		r.s.grid.put(c)
	}
	return nil
}

func firstBytes(a, b []byte) []byte {
	if a != nil {
		return a
	}
	return b
}

// cellText collects the paragraphs of a cell, without its comment.
func (r *odsReader) cellText() error {
	x := r.x
	r.text = r.text[:0]
	if x.empty {
		return nil
	}
	note, paragraphs := false, 0
	for {
		if err := x.next(); err != nil {
			return unexpected(err)
		}
		switch string(x.name) {
		case "table-cell", "covered-table-cell":
			if x.end {
				return nil
			}
		case "annotation":
			note = !x.end && !x.empty
		case "p":
			if !x.end && !note {
				if paragraphs++; paragraphs > 1 {
					r.text = append(r.text, '\n')
				}
			}
		case "s":
			r.text = append(r.text, ' ')
		}
		if !note && !(x.end && string(x.name) == "p") {
			r.text = append(r.text, x.text()...)
		}
	}
}

// setValue sets a cell by its type; false means that it is blank.
func (r *odsReader) setValue(c *cell, typ, value, code string) bool {
	switch typ {
	case "float", "percentage", "currency":
		f, err := strconv.ParseFloat(value, 64)
		if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
			return r.setText(c)
		}
		c.kind, c.bits = kindNumber, math.Float64bits(f)
		if typ == "percentage" {
			c.style = odsPercent
		} else if typ == "currency" && code != "" {
			c.style = r.moneyStyle(code)
		}
		return true
	case "date":
		d, ok := parseDateText(value)
		if !ok || d.noDate {
			return r.setText(c)
		}
		y, m, day := d.date(false)
		return setSerial(c, float64(dayNumber(y, m, day)-epoch1900)+float64(d.micros)/microsPerDay, d.micros > 0, odsDate, odsDateTime)
	case "time":
		f, ok := isoDuration(value)
		if !ok {
			return r.setText(c)
		}
		c.style = odsTime
		c.kind, c.bits = kindNumber, math.Float64bits(f)
		return true
	case "boolean":
		c.kind, c.bits = kindBool, 0
		if value == "true" {
			c.bits = 1
		}
		return true
	}
	return r.setText(c)
}

// setSerial makes a cell a date of Excel's counting.
func setSerial(c *cell, serial float64, clock bool, date, stamp uint16) bool {
	if serial < 61 {
		serial-- // Excel counts a 29th of February 1900
	}
	c.kind, c.bits, c.style = kindNumber, math.Float64bits(serial), date
	if clock {
		c.style = stamp
	}
	return true
}

func (r *odsReader) setText(c *cell) bool {
	if isBlank(string(r.text)) {
		return false
	}
	c.kind = kindText
	if r.text[0] == '#' && c.flags&flagFormula != 0 {
		c.kind = kindError
	}
	c.bits = r.arena.add(r.text)
	return true
}

func (r *odsReader) moneyStyle(code string) uint16 {
	if i, ok := r.money[code]; ok {
		return uint16(i)
	}
	cur, ok := currencyOf(code)
	if !ok {
		cur = currency{code: strings.Clone(code), symbol: strings.Clone(code)}
	}
	if len(r.formats) > math.MaxUint16 {
		return odsGeneral
	}
	r.money[strings.Clone(code)] = len(r.formats)
	r.formats = append(r.formats, numFormat{class: classNumber, decimals: -1, symbol: firstOf(plainSymbol[cur.code], cur.symbol), code: cur.code, prefix: cur.prefix})
	return uint16(len(r.formats) - 1)
}

// isoDuration reads PT12H30M05S as a part of a day.
func isoDuration(s string) (float64, bool) {
	s, ok := strings.CutPrefix(s, "PT")
	if !ok {
		return 0, false
	}
	total, num := 0.0, ""
	for _, c := range s {
		switch {
		case isDigit(c) || c == '.':
			num += string(c)
		case strings.ContainsRune("HMS", c):
			f, err := strconv.ParseFloat(num, 64)
			if err != nil {
				return 0, false
			}
			total += f * map[rune]float64{'H': 3600, 'M': 60, 'S': 1}[c]
			num = ""
		default:
			return 0, false
		}
	}
	return total / 86400, num == ""
}
