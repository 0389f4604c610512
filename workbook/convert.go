package workbook

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// outcome is what became of a cell.
type outcome uint8

const (
	gotValue outcome = iota
	gotNull
	gotRejected
)

// decimalOf reads a cell as a number, with the shift of percent formats.
func (r *reading) decimalOf(s *sheet, c *cell) (d dec, f float64, how outcome) {
	switch c.kind {
	case kindNumber:
		class := s.formats[c.style].class
		if class == classDate || class == classDateTime {
			return dec{}, 0, gotRejected
		}
		f = c.number()
		d, ok := decOf(f)
		if class == classPercent {
			f *= 100
			d = d.shifted(2)
		}
		if !ok {
			return dec{scale: math.MaxInt32}, f, gotValue
		}
		return d, f, gotValue
	case kindText:
		t := trimText(s.grid.text(c))
		if isNullMark(t) {
			return dec{}, 0, gotNull
		}
		n, ok := parseNumText(t)
		if !ok {
			return dec{}, 0, gotRejected
		}
		if n.percent && !r.percent && r.unit.Code != "" {
			return dec{}, 0, gotRejected
		}
		d, ok := n.decimal(r.comma)
		if ok && n.scale > 0 {
			d, ok = d.times(n.scale)
		}
		if !ok {
			return dec{}, 0, gotRejected
		}
		return d, 0, gotValue
	}
	return dec{}, 0, gotRejected
}

// times multiplies by a power of ten given as a number.
func (d dec) times(n int64) (dec, bool) {
	exp := 0
	for ; n >= 10; n /= 10 {
		exp++
	}
	d = d.shifted(exp)
	return d, d.scale >= 0
}

// value reads a cell in the column's type.
func (r *reading) value(s *sheet, c *cell) (Value, outcome) {
	if c == nil {
		return Value{Null: true}, gotNull
	}
	switch r.kind {
	case Int, Decimal, Float:
		return r.numberValue(s, c)
	case Date, Timestamp:
		return r.dateValue(s, c)
	case Time:
		return timeValue(s, c)
	case Bool:
		return boolValue(s, c)
	}
	t, ok := cellText(s, c)
	if !ok {
		return Value{Null: true}, gotRejected
	}
	if len(r.facts) > 0 {
		t, _ = cutMarks(r.facts, t)
	}
	return Value{Str: t, Null: t == ""}, gotValue
}

func (r *reading) numberValue(s *sheet, c *cell) (Value, outcome) {
	if r.hours {
		return hoursValue(s, c)
	}
	d, f, how := r.decimalOf(s, c)
	if how != gotValue {
		return Value{Null: true}, how
	}
	if r.kind == Float {
		if c.kind == kindText {
			f = d.float()
		}
		return Value{Float: f}, gotValue
	}
	if d.big == "" {
		if n, ok := d.rescaled(r.scale); ok {
			return Value{Int: n}, gotValue
		}
	}
	return Value{Str: d.plain()}, gotValue
}

func (r *reading) dateValue(s *sheet, c *cell) (Value, outcome) {
	switch c.kind {
	case kindNumber:
		class := s.formats[c.style].class
		if class != classDate && class != classDateTime {
			return Value{Null: true}, gotRejected
		}
		days, micros, ok := serialDays(c.number(), s.date1904)
		if !ok {
			return Value{Null: true}, gotRejected
		}
		if r.kind == Timestamp {
			return Value{Int: days*microsPerDay + micros}, gotValue
		}
		return Value{Int: days}, gotValue
	case kindText:
		t := trimText(s.grid.text(c))
		if isNullMark(t) {
			return Value{Null: true}, gotNull
		}
		d, ok := parseDateText(t)
		if !ok || d.noDate {
			return Value{Null: true}, gotRejected
		}
		y, m, day := d.date(r.dayFirst)
		n := dayNumber(y, m, day)
		if r.kind == Timestamp {
			n = n*microsPerDay + d.micros
		}
		return Value{Int: n}, gotValue
	}
	return Value{Null: true}, gotRejected
}

func timeValue(s *sheet, c *cell) (Value, outcome) {
	switch c.kind {
	case kindNumber:
		if f := c.number(); f >= 0 && f < 1 {
			return Value{Int: int64(f*86400*1000+0.5) * 1000}, gotValue
		}
	case kindText:
		t := trimText(s.grid.text(c))
		if isNullMark(t) {
			return Value{Null: true}, gotNull
		}
		if d, ok := parseDateText(t); ok && d.noDate {
			return Value{Int: d.micros}, gotValue
		}
	}
	return Value{Null: true}, gotRejected
}

func hoursValue(s *sheet, c *cell) (Value, outcome) {
	if c.kind == kindNumber {
		return Value{Float: math.Round(c.number()*24*1e9) / 1e9}, gotValue
	}
	if v, how := timeValue(s, c); how == gotValue {
		return Value{Float: float64(v.Int) / 3600e6}, gotValue
	} else if how == gotNull {
		return v, how
	}
	return Value{Null: true}, gotRejected
}

func boolValue(s *sheet, c *cell) (Value, outcome) {
	switch c.kind {
	case kindBool:
		return Value{Int: int64(c.bits)}, gotValue
	case kindText:
		t := trimText(s.grid.text(c))
		if isNullMark(t) {
			return Value{Null: true}, gotNull
		}
		if b, ok := boolText(t); ok {
			n := int64(0)
			if b {
				n = 1
			}
			return Value{Int: n}, gotValue
		}
	}
	return Value{Null: true}, gotRejected
}

// cellText is what a reader of the sheet sees in a cell; false for errors and
// formulas without a value.
func cellText(s *sheet, c *cell) (string, bool) {
	switch c.kind {
	case kindText:
		return trimText(s.grid.text(c)), true
	case kindBool:
		if c.bits == 1 {
			return "true", true
		}
		return "false", true
	case kindNumber:
		return numberText(s, c), true
	}
	return "", false
}

// numberText prints a number in a plain form of its format.
func numberText(s *sheet, c *cell) string {
	f := &s.formats[c.style]
	v := c.number()
	switch f.class {
	case classDate, classDateTime:
		if days, micros, ok := serialDays(v, s.date1904); ok {
			t := time.Unix(days*86400, 0).UTC().Add(time.Duration(micros) * time.Microsecond)
			if f.class == classDate || micros == 0 {
				return t.Format("2006-01-02")
			}
			return t.Format("2006-01-02 15:04:05")
		}
	case classTime:
		if v >= 0 && v < 1 {
			return time.Unix(int64(v*86400+0.5), 0).UTC().Format("15:04:05")
		}
	case classNumber:
		if f.zeros > 1 && v == math.Trunc(v) {
			return zeroPadded(int64(v), f.zeros)
		}
	}
	d, ok := decOf(v)
	if !ok {
		return strconv.FormatFloat(v, 'g', 15, 64)
	}
	if f.class == classPercent {
		return trimZeros(d.shifted(2).plain()) + "%"
	}
	return d.plain()
}

// trimZeros cuts zeros that end a fraction.
func trimZeros(s string) string {
	if strings.IndexByte(s, '.') < 0 {
		return s
	}
	return strings.TrimRight(strings.TrimRight(s, "0"), ".")
}
