package workbook

import (
	"strings"
	"unicode"
)

// columnStats is what the cells of one column are, counted over every row.
type columnStats struct {
	cells, nulls, numbers, numTexts      int
	percent, dates, times, stamps, spans int
	clocks, dateTexts, bools, texts      int
	errors, codes, sci                   int
	styles                               [7]int
	orders                               [4]int
	partial                              int
	formatDecimals                       int // most decimals that a number format shows, -1 unknown
	units                                map[string]int
	unitOf                               map[string]Unit
	minNum, maxNum                       float64 // of real numbers, for magnitude evidence
	eitherMin, eitherMax                 float64 // of "1.234" texts read as 1234
	nullWords                            map[string]int
	padded                               int // zero-padded formats
	years                                int
	scaled                               int
	smallInts, largeInts                 int // plain integers in text, below 1000 and above
	clockAlone                           int
}

// nullMarks are the ways people write that there is no value.
var nullMarks = wordSet(`- – — -- --- n/a n.a. na (na) s/d n/d n.d. nd .. ... … (x) (z) (d) (s) null nil #n/a k.a. k.A. nr n.r. -.- (–) (-) — ― ‐ ‑ ?`)

// isNullMark reports whether text says that there is no value; it counts only
// in columns of numbers or dates.
func isNullMark(s string) bool {
	if len(s) > 12 {
		return false
	}
	if strings.IndexByte(s, ' ') >= 0 {
		s = strings.ReplaceAll(s, " ", "")
	}
	_, ok := folded(nullMarks, s)
	return ok
}

// isBlank reports whether s is white space only.
func isBlank(s string) bool {
	for _, r := range s {
		if !unicode.IsSpace(r) && r != '\u200b' && r != '\ufeff' && r != '\u00a0' {
			return false
		}
	}
	return true
}

// trimText trims white space of every kind.
func trimText(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return unicode.IsSpace(r) || r == '\u200b' || r == '\ufeff' })
}

// add counts one cell.
func (st *columnStats) add(s *sheet, c *cell) {
	st.cells++
	switch c.kind {
	case kindNumber:
		st.addNumber(s, c)
	case kindText:
		st.addText(trimText(s.grid.text(c)), c.flags&flagLong != 0)
	case kindBool:
		st.bools++
	default:
		st.errors++
	}
}

func (st *columnStats) addNumber(s *sheet, c *cell) {
	f := &s.formats[c.style]
	v := c.number()
	switch f.class {
	case classDate:
		st.dates++
		if f.monthly {
			st.partial++
		}
		return
	case classDateTime:
		st.stamps++
		return
	case classTime:
		if v >= 0 && v < 1 {
			st.times++
		} else {
			st.spans++
		}
		return
	case classDuration:
		st.spans++
		return
	case classPercent:
		st.percent++
		st.addUnit("%", Unit{Symbol: "%", Code: "percent"})
	case classScientific:
		st.sci++
	case classNumber:
		if f.symbol != "" {
			st.addUnit(firstOf(f.code, f.symbol), Unit{Symbol: f.symbol, Code: f.code, Prefix: f.prefix})
		}
		if f.zeros > 1 {
			st.padded++
		}
	}
	if f.decimals >= 0 && f.class != classScientific {
		st.formatDecimals = max(st.formatDecimals, f.decimals)
	}
	if st.numbers == 0 || v < st.minNum {
		st.minNum = v
	}
	if st.numbers == 0 || v > st.maxNum {
		st.maxNum = v
	}
	if v == float64(int(v)) && v >= 1500 && v <= 2200 {
		st.years++
	}
	st.numbers++
}

func (st *columnStats) addUnit(key string, u Unit) {
	if st.units == nil {
		st.units, st.unitOf = map[string]int{}, map[string]Unit{}
	}
	st.units[key]++
	if _, ok := st.unitOf[key]; !ok {
		st.unitOf[key] = u
	}
}

// addText counts a text cell by what it could be read as.
func (st *columnStats) addText(t string, long bool) {
	switch {
	case long:
		st.codes++
		return
	case isNullMark(t):
		st.nulls++
		if st.nullWords == nil {
			st.nullWords = map[string]int{}
		}
		st.nullWords[t]++
		return
	}
	if n, ok := parseNumText(t); ok {
		st.addNumText(t, n)
		return
	}
	if d, ok := parseDateText(t); ok {
		switch {
		case d.noDate:
			st.clockAlone++
		case d.clock:
			st.clocks++
			st.orders[d.order]++
		default:
			st.dateTexts++
			st.orders[d.order]++
			if d.partial {
				st.partial++
			}
		}
		return
	}
	if _, ok := boolText(t); ok {
		st.bools++
		return
	}
	st.texts++
}

func (st *columnStats) addNumText(t string, n numText) {
	if isCode(n) {
		st.codes++
		return
	}
	st.numTexts++
	st.styles[n.style]++
	if n.sci {
		st.sci++
	} else if n.style == stylePlain && len(n.core) <= 3 {
		st.smallInts++
	} else if n.style == stylePlain {
		st.largeInts++
	}
	if n.percent {
		st.percent++
		st.addUnit("%", Unit{Symbol: "%", Code: "percent"})
	} else if n.unit != "" {
		st.addUnit(firstOf(n.code, n.unit), Unit{Symbol: n.unit, Code: n.code, Prefix: n.prefix})
	}
	if n.scale > 0 {
		st.scaled++
	}
	if n.style == styleEitherPoint || n.style == styleEitherComma {
		if d, ok := n.decimal(n.style == styleEitherPoint); ok {
			v := float64(d.mant)
			if st.eitherMax == 0 || v < st.eitherMin {
				st.eitherMin = v
			}
			st.eitherMax = max(st.eitherMax, v)
		}
	}
	if len(t) == 4 && n.style == stylePlain && (t[0] == '1' || t[0] == '2') {
		st.years++
	}
}

// isCode reports whether digits are a code rather than a number: leading
// zeros, or more digits than a spreadsheet can hold.
func isCode(n numText) bool {
	if n.style != stylePlain || n.unit != "" || n.percent || len(n.core) < 2 || strings.IndexFunc(n.core, notDigit) >= 0 {
		return false
	}
	return n.core[0] == '0' || len(n.core) >= 16 && !n.sci
}

func notDigit(r rune) bool { return !isDigit(r) }

var boolWords = map[string]bool{"true": true, "wahr": true, "verdadero": true, "vrai": true, "false": false, "falsch": false, "falso": false, "faux": false}

// boolText reads the words that mean true and false.
func boolText(t string) (val, ok bool) {
	val, ok = folded(boolWords, t)
	return val, ok
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
