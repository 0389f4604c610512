package workbook

import (
	"math"
	"strconv"
	"strings"
)

// dec is an exact decimal: an unscaled integer, or plain digits when it has
// more than 18.
type dec struct {
	mant  int64
	scale int
	big   string // digits with sign, without point; mant is unused then
}

// shifted multiplies by a power of ten.
func (d dec) shifted(exp int) dec {
	if exp == 0 || d.big != "" {
		return d
	}
	d.scale -= exp
	for d.scale < 0 && d.mant < math.MaxInt64/100 && d.mant > math.MinInt64/100 {
		d.mant *= 10
		d.scale++
	}
	return d
}

// decOf returns the decimal that a spreadsheet shows for f: 15 significant
// digits.
func decOf(f float64) (dec, bool) {
	if f == math.Trunc(f) && math.Abs(f) < 1e15 {
		return dec{mant: int64(f)}, true
	}
	var buf [32]byte
	b := strconv.AppendFloat(buf[:0], f, 'e', 14, 64)
	e := len(b) - 1
	for b[e] != 'e' {
		e--
	}
	exp, err := strconv.Atoi(string(b[e+1:]))
	if err != nil {
		return dec{}, false
	}
	var d dec
	for _, c := range b[:e] {
		if c >= '0' && c <= '9' {
			d.mant = d.mant*10 + int64(c-'0')
		}
	}
	d.scale = 14 - exp
	for d.mant != 0 && d.mant%10 == 0 && d.scale > 0 {
		d.mant /= 10
		d.scale--
	}
	if b[0] == '-' {
		d.mant = -d.mant
	}
	for d.scale < 0 {
		if d.mant > math.MaxInt64/10 || d.mant < math.MinInt64/10 {
			return dec{}, false
		}
		d.mant *= 10
		d.scale++
	}
	return d, d.scale <= 30
}

// rescaled returns the unscaled integer at another scale, rounding half away
// from zero.
func (d dec) rescaled(scale int) (int64, bool) {
	m := d.mant
	for i := d.scale; i < scale; i++ {
		if m > math.MaxInt64/10 || m < math.MinInt64/10 {
			return 0, false
		}
		m *= 10
	}
	for i := d.scale; i > scale; i-- {
		r := m % 10
		m /= 10
		if i == scale+1 && (r >= 5 || r <= -5) {
			if r > 0 {
				m++
			} else {
				m--
			}
		}
	}
	return m, true
}

// float returns the nearest float64.
func (d dec) float() float64 {
	f, err := strconv.ParseFloat(d.plain(), 64)
	if err != nil {
		return math.NaN()
	}
	return f
}

// plain prints the decimal in plain digits.
func (d dec) plain() string {
	s := d.big
	if s == "" {
		s = strconv.FormatInt(d.mant, 10)
	}
	neg := strings.HasPrefix(s, "-")
	s = strings.TrimPrefix(s, "-")
	if d.scale > 0 {
		if len(s) <= d.scale {
			s = strings.Repeat("0", d.scale-len(s)+1) + s
		}
		s = s[:len(s)-d.scale] + "." + s[len(s)-d.scale:]
	}
	if neg {
		s = "-" + s
	}
	return s
}

// intDigits is the number of digits before the point.
func (d dec) intDigits() int {
	n := len(strings.TrimPrefix(d.big, "-"))
	if d.big == "" {
		n = 1
		for m := d.mant; m >= 10 || m <= -10; m /= 10 {
			n++
		}
	}
	return max(n-d.scale, 1)
}
