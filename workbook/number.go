package workbook

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// numStyle is what the separators of a number in text say about its locale.
type numStyle uint8

const (
	stylePlain       numStyle = iota // no separator
	stylePoint                       // the point can only be the decimal one
	styleComma                       // the comma can only be the decimal one
	styleGroupComma                  // commas group digits: the point would be decimal
	styleGroupPoint                  // points group digits
	styleEitherPoint                 // "1.234"
	styleEitherComma                 // "1,234"
)

// numText is a number found in text.
type numText struct {
	core    string // digits and separators
	style   numStyle
	neg     bool
	percent bool
	unit    string // currency symbol or unit, as written
	code    string // ISO 4217 code where the unit is money
	prefix  bool
	exp     int
	sci     bool
	approx  bool
	mark    string // footnote mark behind the figure: "*", "(r)"
	scale   int64  // "1.2 million"
}

// parseNumText reads s, which has no white space around it, as a number with
// sign, currency, percent and footnote marks.
func parseNumText(s string) (numText, bool) {
	var t numText
	if s == "" || len(s) > 64 || strings.IndexFunc(s, isDigit) < 0 {
		return t, false
	}
	if len(s) > 2 && s[0] == '(' && s[len(s)-1] == ')' {
		inner, ok := parseNumText(strings.TrimSpace(s[1 : len(s)-1]))
		if !ok || inner.neg {
			return t, false
		}
		inner.neg = true
		return inner, true
	}
	rest, ok := t.takeFront(s)
	if !ok {
		return t, false
	}
	n := coreLen(rest)
	if n == 0 {
		return t, false
	}
	t.core = strings.TrimRight(rest[:n], " \u00a0\u202f\u2009'’")
	tail := rest[len(t.core):]
	if !t.takeExponent(&tail) || !t.takeTail(strings.TrimSpace(tail)) {
		return t, false
	}
	t.style, ok = styleOf(t.core)
	return t, ok
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

// takeFront reads signs and a currency before the digits.
func (t *numText) takeFront(s string) (string, bool) {
	i := strings.IndexFunc(s, isDigit)
	if i > 0 && (s[i-1] == '.' || s[i-1] == ',') {
		i--
	}
	front := s[:i]
	if len(front) > 16 {
		return "", false
	}
	for front != "" {
		r, n := utf8.DecodeRuneInString(front)
		switch r {
		case '-', '−', '–':
			if t.neg {
				return "", false
			}
			t.neg = true
			front = front[n:]
		case '+', ' ', '\u00a0', '\u202f':
			front = front[n:]
		case '~', '≈':
			t.approx = true
			front = front[n:]
		case '%':
			if t.percent {
				return "", false
			}
			t.percent = true
			front = front[n:]
		default:
			word := strings.TrimRight(front, " \u00a0\u202f-−")
			c, ok := currencyOf(word)
			if !ok || t.unit != "" {
				return "", false
			}
			t.unit, t.code, t.prefix = word, c.code, true
			front = front[len(word):]
		}
	}
	return s[i:], true
}

// coreLen is the length of the digits and separators that s begins with.
func coreLen(s string) int {
	end := 0
	for i, r := range s {
		switch {
		case isDigit(r):
			end = i + 1
		case r == '.' || r == ',' || r == '\'' || r == '’' || r == ' ' || r == '\u00a0' || r == '\u202f' || r == '\u2009':
		default:
			return end
		}
	}
	return end
}

func (t *numText) takeExponent(tail *string) bool {
	s := *tail
	if len(s) < 2 || s[0]|0x20 != 'e' {
		return true
	}
	i := 1
	if s[i] == '+' || s[i] == '-' {
		i++
	}
	j := i
	for j < len(s) && s[j] >= '0' && s[j] <= '9' {
		j++
	}
	if j == i {
		return true
	}
	n, err := strconv.Atoi(strings.TrimPrefix(s[1:j], "+"))
	if err != nil || n > 300 || n < -300 {
		return false
	}
	t.exp, t.sci, *tail = n, true, s[j:]
	return true
}

// takeTail reads percent signs, units and footnote marks after the digits.
func (t *numText) takeTail(s string) bool {
	for s != "" {
		s = strings.TrimLeft(s, " \u00a0\u202f")
		switch {
		case s == "":
		case s[0] == '%' && !t.percent:
			t.percent = true
			s = s[1:]
		case s == "." && !t.sci: // "1." in a list
			s = ""
		case s == "-" && !t.neg:
			t.neg = true
			s = ""
		case strings.HasPrefix(s, ".-") || strings.HasPrefix(s, ".–"):
			s = strings.TrimLeft(s[len("."):], "-–")
		default:
			if m := markLen(s); m > 0 && t.mark == "" {
				t.mark = s[:m]
				s = s[m:]
				continue
			}
			return t.takeUnit(s)
		}
	}
	return true
}

// takeUnit reads the last word of a number in text.
func (t *numText) takeUnit(s string) bool {
	if m := strings.TrimRight(s, "*†‡"); m != s && t.mark == "" {
		t.mark, s = s[len(m):], strings.TrimSpace(m)
	}
	if word, rest, two := strings.Cut(s, " "); two && t.scale == 0 {
		if n, ok := folded(scaleWords, word); ok && len(word) > 1 {
			t.scale, s = n, strings.TrimSpace(rest)
		}
	}
	if c, ok := currencyOf(s); ok && t.unit == "" {
		t.unit, t.code, t.prefix = s, c.code, false
		return true
	}
	if n, ok := folded(scaleWords, s); ok && (len(s) > 1 || t.unit != "") && t.scale == 0 {
		t.scale = n
		return true
	}
	if known, _ := folded(measureWords, s); known && t.unit == "" {
		t.unit = s
		return true
	}
	return false
}

// markLen is the length of a footnote mark that s begins with.
func markLen(s string) int {
	i := 0
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		if !strings.ContainsRune("*†‡§¹²³⁴⁵⁶⁷⁸⁹⁰", r) {
			break
		}
		i += n
	}
	if i > 0 {
		return i
	}
	if s == "" {
		return 0
	}
	switch end := strings.IndexAny(s, ")]"); {
	case s[0] == '\\':
		for i = 1; i < len(s) && s[i] >= '0' && s[i] <= '9'; i++ {
		}
		return i
	case s[0] == '[' && end > 1 && end <= 4:
		return end + 1
	case s[0] == '(' && end == 2 && (s[1] < '0' || s[1] > '9'):
		return end + 1
	}
	return 0
}

// styleOf reads what the separators of a core say; false means that they make
// no number.
func styleOf(core string) (numStyle, bool) {
	points, commas, others := 0, 0, 0
	for i, r := range core {
		switch r {
		case '.':
			points++
		case ',':
			commas++
		case '\'', '’', ' ', '\u00a0', '\u202f', '\u2009':
			others++
		}
		_ = i
	}
	switch {
	case points == 0 && commas == 0:
		return stylePlain, others == 0 || grouped(core, -1)
	case points > 0 && commas > 0:
		return styleOfBoth(core, points, commas)
	case points+commas == 1:
		return styleOfOne(core, others > 0)
	case points > 1:
		return styleGroupPoint, others == 0 && grouped(core, -1)
	}
	return styleGroupComma, others == 0 && grouped(core, -1)
}

func styleOfBoth(core string, points, commas int) (numStyle, bool) {
	p, c := strings.LastIndexByte(core, '.'), strings.LastIndexByte(core, ',')
	if p > c {
		return stylePoint, points == 1 && grouped(core, p)
	}
	return styleComma, commas == 1 && grouped(core, c)
}

func styleOfOne(core string, groups bool) (numStyle, bool) {
	i := strings.IndexAny(core, ".,")
	sure, either := stylePoint, styleEitherPoint
	if core[i] == ',' {
		sure, either = styleComma, styleEitherComma
	}
	if strings.LastIndexAny(core, "'’ ") > i || (groups && !grouped(core, i)) {
		return sure, false
	}
	if groups || len(core)-i-1 != 3 || i == 0 || i > 3 || core[0] == '0' {
		return sure, len(core) > i+1 || i > 0
	}
	return either, true
}

// grouped reports whether the digits before the decimal separator at end (-1:
// there is none) stand in groups of three, or of two as in India.
func grouped(core string, end int) bool {
	if end < 0 {
		end = len(core)
	}
	run, groups, indian := 0, 0, true
	for i, r := range core[:end] {
		if isDigit(r) {
			run++
			continue
		}
		if i == 0 || (groups == 0 && run > 3) || (groups > 0 && run != 3 && (!indian || run != 2)) || run == 0 {
			return false
		}
		indian = indian && (groups == 0 && run <= 2 || groups > 0 && run == 2) && r == ','
		groups, run = groups+1, 0
	}
	return groups == 0 || run == 3
}

// decimal converts the number; comma says how an "either" style is read.
func (t *numText) decimal(comma bool) (dec, bool) {
	point := byte('.')
	switch t.style {
	case styleComma, styleGroupPoint:
		point = ','
	case styleEitherPoint, styleEitherComma, stylePlain:
		if comma {
			point = ','
		}
	}
	var d dec
	digits := 0
	frac := false
	for i := 0; i < len(t.core); i++ {
		switch c := t.core[i]; {
		case c >= '0' && c <= '9':
			if digits > 0 || c != '0' {
				digits++
			}
			if digits > 18 {
				return t.bigDecimal(point)
			}
			d.mant = d.mant*10 + int64(c-'0')
			if frac {
				d.scale++
			}
		case c == point:
			frac = true
		}
	}
	if t.neg {
		d.mant = -d.mant
	}
	return d.shifted(t.exp), true
}

func (t *numText) bigDecimal(point byte) (dec, bool) {
	var b strings.Builder
	if t.neg {
		b.WriteByte('-')
	}
	d := dec{}
	frac := false
	for i := 0; i < len(t.core); i++ {
		switch c := t.core[i]; {
		case c >= '0' && c <= '9':
			b.WriteByte(c)
			if frac {
				d.scale++
			}
		case c == point:
			frac = true
		}
	}
	d.big = b.String()
	return d, t.exp == 0 && len(d.big) <= 38
}
