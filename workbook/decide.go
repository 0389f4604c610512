package workbook

import (
	"fmt"
	"slices"
	"sort"
	"strings"
)

// reading is how the cells of one column are read.
type reading struct {
	kind     Kind
	comma    bool // "1.234" is one thousand and "1,5" one and a half
	dayFirst bool
	hours    bool // durations, stored as hours
	percent  bool
	scale    int // of Decimal
	width    int
	unit     Unit
	decimals int
	locale   string
	evidence []string
	question string
	facts    []fact // marks that are cut off texts
}

// fits reports whether n cells of a kind make a column in spite of others that
// are not.
func fits(n, others int) bool {
	return n > 0 && (others == 0 || others*3 <= n && others <= 1+(n+others)/10)
}

// decide chooses the one kind of a column. around counts the number styles and
// date orders of the whole sheet: evidence where the column has none.
func (st *columnStats) decide(c *Column, around *columnStats, s *sheet) reading {
	header := c.Header
	r := reading{kind: Text}
	nums := st.numbers + st.numTexts
	temporal := st.dates + st.stamps + st.dateTexts + st.clocks
	hours := st.spans + st.times + st.clockAlone
	all := nums + temporal + hours + st.bools + st.texts + st.codes
	switch {
	case all == 0:
	case st.padded > 0 || st.codes > 0:
		r.note(st.codes+st.padded, "has leading zeros or more digits than a number keeps: codes stay text")
	case fits(nums, all-nums):
		st.decideNumber(&r, c, around, s)
	case fits(temporal, all-temporal):
		st.decideDate(&r, header, around)
	case fits(hours, all-hours):
		st.decideTime(&r)
	case fits(st.bools, all-st.bools):
		r.kind = Bool
	}
	return r
}

func (r *reading) note(n int, text string) {
	if n > 0 {
		r.evidence = append(r.evidence, fmt.Sprintf("%d cells: %s", n, text))
	}
}

func (st *columnStats) decideDate(r *reading, header string, around *columnStats) {
	r.kind = Date
	if st.stamps+st.clocks > 0 {
		r.kind = Timestamp
	}
	r.note(st.dates+st.stamps, "date format")
	r.note(st.dateTexts+st.clocks, "text that is a date")
	either, dmy, mdy := st.orders[orderEither], st.orders[orderDMY], st.orders[orderMDY]
	switch {
	case dmy > 0 && mdy == 0:
		r.dayFirst = true
		r.note(dmy, "only day first makes a date")
	case mdy > 0 && dmy == 0:
		r.note(mdy, "only month first makes a date")
	case either == 0:
	case dmy == 0 && around.orders[orderDMY] > 0 && around.orders[orderMDY] == 0:
		r.dayFirst = true
		r.evidence = append(r.evidence, "day first, as other columns of the sheet")
	case mdy == 0 && dmy == 0 && around.orders[orderMDY] > 0 && around.orders[orderDMY] == 0:
		r.evidence = append(r.evidence, "month first, as other columns of the sheet")
	default:
		r.dayFirst = dmy >= mdy && (dmy > 0 || around.commaStyles() > around.pointStyles())
		how := "month first"
		if r.dayFirst {
			how = "day first"
		}
		r.question = fmt.Sprintf("%q: %d dates such as 01/02/2025 can be read day first or month first; they were read %s", header, either, how)
	}
}

func (st *columnStats) decideTime(r *reading) {
	if st.spans > 0 {
		r.kind, r.hours, r.decimals = Float, true, 2
		r.unit = Unit{Symbol: "h"}
		r.note(st.spans, "durations, read as hours")
		return
	}
	r.kind = Time
	r.note(st.times+st.clockAlone, "time of day")
}

// pointStyles and commaStyles count what can only be read with a decimal point
// or a decimal comma.
func (st *columnStats) pointStyles() int { return st.styles[stylePoint] + st.styles[styleGroupComma] }
func (st *columnStats) commaStyles() int { return st.styles[styleComma] + st.styles[styleGroupPoint] }

func (st *columnStats) decideNumber(r *reading, c *Column, around *columnStats, s *sheet) {
	r.kind = Decimal // Int or Float once the values are known
	st.decideLocale(r, c.Header, around, s)
	r.unit = st.unit(pathUnit(c.Header, c.Path))
	r.percent = r.unit.Code == "percent"
	if len(st.units) > 0 {
		keys := make([]string, 0, len(st.units))
		for k := range st.units {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		r.evidence = append(r.evidence, "unit "+strings.Join(keys, ", ")+" in the cells")
	}
	for w, n := range sortedCounts(st.nullWords) {
		r.note(n, fmt.Sprintf("%q means no value", w))
	}
}

// decideLocale decides how "1.234" and "1,234" are read: by the column, by real
// numbers beside the text, by the rest of the sheet; else it is a question.
func (st *columnStats) decideLocale(r *reading, header string, around *columnStats, s *sheet) {
	point, comma := st.pointStyles(), st.commaStyles()
	eitherPoint, eitherComma := st.styles[styleEitherPoint], st.styles[styleEitherComma]
	r.comma = comma > point
	switch {
	case point > 0 && comma > 0 && eitherPoint+eitherComma > 0:
		r.question = fmt.Sprintf("%q: the column mixes decimal points and decimal commas, so %d cells such as 1.234 can be read in two ways; %s", header, eitherPoint+eitherComma, st.eitherText(r.comma))
	case point > 0 || comma > 0:
		r.note(max(point, comma), "number text that can be read in one way only")
	case eitherPoint+eitherComma == 0:
		r.comma = around.commaStyles() > around.pointStyles()
	case eitherPoint > 0 && eitherComma > 0:
		r.question = fmt.Sprintf("%q: cells such as 1.234 and 1,234 stand in one column; %s", header, st.eitherText(false))
	case st.beside():
		r.comma = eitherPoint > 0
		r.note(st.numbers, "numbers of the same size beside the text")
	case st.groups():
		r.comma = eitherPoint > 0
		r.note(st.smallInts, "integers below 1000 beside groups of three digits")
	case around.pointStyles() > 0 && around.commaStyles() == 0:
		r.evidence = append(r.evidence, "decimal point, as other columns of the sheet")
	case around.commaStyles() > 0 && around.pointStyles() == 0:
		r.comma = true
		r.evidence = append(r.evidence, "decimal comma, as other columns of the sheet")
	default:
		r.comma = s.semicolons
		r.question = fmt.Sprintf("%q: %d cells such as %s can be thousands or decimals; %s", header, eitherPoint+eitherComma, eitherSample(eitherPoint > 0), st.eitherText(r.comma))
	}
	if st.numTexts > 0 && st.numTexts > st.styles[stylePlain] {
		r.locale = "1,234.5"
		if r.comma {
			r.locale = "1.234,5"
		}
	}
}

func eitherSample(point bool) string {
	if point {
		return "1.234"
	}
	return "1,234"
}

func (st *columnStats) eitherText(comma bool) string {
	if (st.styles[styleEitherPoint] > 0) == comma {
		return "they were read as thousands"
	}
	return "they were read as decimals"
}

// beside reports whether real numbers of the column are as large as the
// ambiguous text read as thousands.
func (st *columnStats) beside() bool {
	if st.numbers == 0 || st.eitherMax == 0 {
		return false
	}
	lo, hi := st.minNum/5, st.maxNum*5
	return st.maxNum >= 500 && st.eitherMin >= lo && st.eitherMax <= hi
}

// groups reports whether separators that could be either can only group digits:
// integers below 1000 stand beside them without decimals, larger ones do not.
func (st *columnStats) groups() bool {
	return st.smallInts >= 2 && st.largeInts == 0 && st.numbers == 0
}

// unit joins what cells and header say.
func (st *columnStats) unit(header Unit) Unit {
	var keys []string
	total := 0
	for k, n := range st.units {
		keys = append(keys, k)
		total += n
	}
	sort.Slice(keys, func(i, j int) bool {
		if st.units[keys[i]] != st.units[keys[j]] {
			return st.units[keys[i]] > st.units[keys[j]]
		}
		return keys[i] < keys[j]
	})
	switch {
	case len(keys) == 0:
		return header
	case len(keys) > 1:
		return Unit{Mixed: slices.Sorted(slices.Values(keys))}
	}
	u := st.unitOf[keys[0]]
	if u.Code == "percent" && header.Code != "percent" && total*2 < st.numbers+st.numTexts {
		return Unit{Mixed: []string{"number", "percent"}}
	}
	if header.Code == u.Code && header.Code != "" {
		u.Per, u.Scale = header.Per, header.Scale
		if header.Scale > 1 {
			u.Symbol = header.Symbol
		}
	} else if 2*total < st.numbers+st.numTexts && header.Code != "" {
		return Unit{Mixed: slices.Sorted(slices.Values([]string{header.Code, firstOf(u.Code, u.Symbol)}))}
	} else if header.Code == "" && header.Scale > 1 {
		u.Scale, u.Symbol = header.Scale, strings.TrimSpace(u.Symbol+" "+header.Symbol)
	}
	return u
}

// sortedCounts yields a map in the order of its keys.
func sortedCounts(m map[string]int) func(func(string, int) bool) {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return func(yield func(string, int) bool) {
		for _, k := range keys {
			if !yield(k, m[k]) {
				return
			}
		}
	}
}

// merge adds another column's counts of styles and date orders.
func (st *columnStats) merge(o *columnStats) {
	for i, n := range o.styles {
		st.styles[i] += n
	}
	if o.groups() {
		st.styles[styleGroupComma] += o.styles[styleEitherComma]
		st.styles[styleGroupPoint] += o.styles[styleEitherPoint]
	}
	for i, n := range o.orders {
		st.orders[i] += n
	}
}
