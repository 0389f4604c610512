package workbook

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// monthNames are the names and short names of months in en, es, de, fr, pt and it.
const monthNames = `jan january januar janvier enero ene janeiro gennaio gen jänner janv|feb february februar février fevrier febrero
	fév fev fevereiro febbraio févr fevr|mar march märz mars marzo mär mrz março maerz|apr april avril abril abr avr aprile|
	may mai mayo maio maggio mag|jun june juni juin junio junho giugno giu|jul july juli juillet julio julho luglio lug juil|
	aug august août aout agosto ago aoû|sep sept september septembre septiembre setiembre setembro settembre set|
	oct october oktober octobre octubre okt outubro ottobre ott out|nov november novembre noviembre novembro|
	dec december dezember décembre decembre diciembre dic dez déc dezembro dicembre`

var monthByName = func() map[string]int {
	m := map[string]int{}
	for i, names := range strings.Split(monthNames, "|") {
		for w := range strings.FieldsSeq(names) {
			m[w] = i + 1
		}
	}
	return m
}()

// dateText is a date found in text. Where day and month could change places,
// both are at most 12 and order is unknown.
type dateText struct {
	year, a, b int // a and b are the first and second of day and month as written
	order      dateOrder
	partial    bool // no day
	clock      bool
	micros     int64 // of the day
	noDate     bool  // a time alone
}

type dateOrder uint8

const (
	orderSure   dateOrder = iota // a is the month, b the day
	orderEither                  // "01/02/2025": both readings are dates
	orderDMY                     // only day first makes a date
	orderMDY
)

// date returns year, month and day; dayFirst decides an unknown order.
func (d dateText) date(dayFirst bool) (y, m, day int) {
	switch {
	case d.order == orderDMY, d.order == orderEither && dayFirst:
		return d.year, d.b, d.a
	}
	return d.year, d.a, d.b
}

// dateToken is a piece of a date: a number, the name of a month, or a separator.
type dateToken struct {
	num    int
	digits int
	month  int
	sep    byte
}

// parseDateText reads s as a date, a time or both.
func parseDateText(s string) (dateText, bool) {
	if len(s) < 4 || len(s) > 48 || strings.IndexFunc(s, isDigit) < 0 {
		return dateText{}, false
	}
	date, clock := splitClock(s)
	var d dateText
	if clock != "" {
		micros, ok := parseClock(clock)
		if !ok {
			return d, false
		}
		d.clock, d.micros = true, micros
		if date == "" {
			d.noDate = true
			return d, true
		}
	}
	var toks [12]dateToken
	n, ok := dateTokens(date, &toks)
	if !ok || n < 2 {
		return d, false
	}
	return d, d.fill(toks[:n])
}

// splitClock cuts a time off the end of a date.
func splitClock(s string) (date, clock string) {
	colon := strings.IndexByte(s, ':')
	if colon < 1 {
		return s, ""
	}
	i := colon
	for i > 0 && isDigit(rune(s[i-1])) {
		i--
	}
	date = strings.TrimRight(s[:i], " ,T")
	if i > 0 && s[i-1] == 't' {
		date = strings.TrimSuffix(date, "t")
	}
	return date, s[i:]
}

// parseClock reads 9:05, 09:05:30.25, 5:30 PM, with Z or an offset that is
// dropped as the wall clock counts.
func parseClock(s string) (int64, bool) {
	var h, m, sec, frac int64
	pos := 0
	num := func(maxDigits int) (v int64, n int) {
		for pos < len(s) && isDigit(rune(s[pos])) && n < maxDigits {
			v = v*10 + int64(s[pos]-'0')
			pos++
			n++
		}
		return v, n
	}
	h, n1 := num(2)
	if n1 == 0 || pos >= len(s) || s[pos] != ':' {
		return 0, false
	}
	pos++
	m, n2 := num(2)
	if n2 != 2 {
		return 0, false
	}
	if pos < len(s) && s[pos] == ':' {
		pos++
		v, n := num(2)
		if n != 2 {
			return 0, false
		}
		sec = v
		if pos < len(s) && (s[pos] == '.' || s[pos] == ',') {
			pos++
			v, n := num(6)
			for ; n < 6; n++ {
				v *= 10
			}
			frac = v
			num(12)
		}
	}
	tail := strings.ToLower(strings.ReplaceAll(strings.TrimSpace(s[pos:]), ".", ""))
	switch tail {
	case "pm", "p m":
		if h < 12 {
			h += 12
		}
	case "am", "a m":
		if h == 12 {
			h = 0
		}
	case "", "z", "utc", "gmt", "h", "uhr":
	default:
		if (tail[0] != '+' && tail[0] != '-') || len(tail) > 6 || strings.Trim(tail[1:], "0123456789:") != "" {
			return 0, false
		}
	}
	return ((h*60+m)*60+sec)*1e6 + frac, h < 24 && m < 60 && sec < 60
}

// weekdays may stand before a date.
var weekdays = wordSet(`mon monday tue tuesday tues wed wednesday thu thursday thurs thur fri friday sat saturday sun sunday
	lunes martes miércoles jueves viernes sábado domingo montag dienstag mittwoch donnerstag freitag samstag sonntag
	lundi mardi mercredi jeudi vendredi samedi dimanche mo di mi do fr sa so`)

func dateTokens(s string, out *[12]dateToken) (int, bool) {
	n := 0
	for i := 0; i < len(s); {
		if n == len(out) {
			return 0, false
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case isDigit(r):
			t := dateToken{}
			for i < len(s) && isDigit(rune(s[i])) && t.digits < 9 {
				t.num = t.num*10 + int(s[i]-'0')
				t.digits++
				i++
			}
			if t.digits > 4 && t.digits != 8 {
				return 0, false
			}
			out[n] = t
			n++
		case unicode.IsLetter(r):
			j := i
			for j < len(s) {
				r, size := utf8.DecodeRuneInString(s[j:])
				if !unicode.IsLetter(r) {
					break
				}
				j += size
			}
			w := s[i:j]
			i = j
			if day, _ := folded(weekdays, w); day && n == 0 {
				continue
			}
			if filler, _ := folded(dateFiller, w); filler && n > 0 {
				continue
			}
			m, ok := folded(monthByName, w)
			if !ok {
				return 0, false
			}
			out[n] = dateToken{month: m}
			n++
		case r == '-' || r == '/' || r == '.':
			if n > 0 && out[n-1].month == 0 && out[n-1].digits == 0 {
				return 0, false
			}
			out[n] = dateToken{sep: byte(r)}
			n++
			i += size
		case r == ' ' || r == ',' || r == '\u00a0' || r == '\'' || r == 'º' || r == '°':
			i += size
		default:
			return 0, false
		}
	}
	return n, n > 0
}

var dateFiller = wordSet("de del of st nd rd th er den le")

// fill reads the tokens; the separators between numbers must be alike.
func (d *dateText) fill(toks []dateToken) bool {
	var nums []dateToken
	month, monthAt, sep := 0, -1, byte(0)
	for i, t := range toks {
		switch {
		case t.sep != 0:
			if i == len(toks)-1 && t.sep != '.' {
				return false
			}
			if sep != 0 && sep != t.sep && month == 0 {
				return false
			}
			sep = t.sep
		case t.month != 0:
			if month != 0 {
				return false
			}
			month, monthAt = t.month, len(nums)
		default:
			nums = append(nums, t)
		}
	}
	if month != 0 {
		return d.fillNamed(nums, month, monthAt)
	}
	if sep == 0 {
		return len(nums) == 1 && nums[0].digits == 8 && d.compact(nums[0].num)
	}
	return d.fillNumeric(nums, sep)
}

func (d *dateText) compact(n int) bool {
	d.year, d.a, d.b = n/10000, n/100%100, n%100
	return d.year >= 1800 && d.year < 2200 && validDay(d.year, d.a, d.b)
}

// fillNamed reads dates whose month is a word.
func (d *dateText) fillNamed(nums []dateToken, month, at int) bool {
	d.a = month
	switch len(nums) {
	case 1: // "ene-24", "March 2024"
		d.b, d.partial = 1, true
		if nums[0].digits == 2 && at == 1 { // "5 March": no year
			return false
		}
		return d.setYear(nums[0]) && !d.clock
	case 2:
		day, year := nums[0], nums[1]
		if day.digits == 4 {
			day, year = year, day
		}
		d.b = day.num
		return d.setYear(year) && day.digits <= 2 && validDay(d.year, d.a, d.b)
	}
	return false
}

func (d *dateText) setYear(t dateToken) bool {
	d.year = t.num
	switch t.digits {
	case 2:
		if d.year += 2000; d.year >= 2050 {
			d.year -= 100
		}
		return true
	case 4:
		return d.year >= 1000 && d.year < 3000
	}
	return false
}

// fillNumeric reads dates of digits only.
func (d *dateText) fillNumeric(nums []dateToken, sep byte) bool {
	if len(nums) != 3 {
		return false
	}
	if nums[0].digits == 4 {
		d.year, d.a, d.b = nums[0].num, nums[1].num, nums[2].num
		return nums[1].digits <= 2 && nums[2].digits <= 2 && validDay(d.year, d.a, d.b)
	}
	if nums[0].digits > 2 || nums[1].digits > 2 || !d.setYear(nums[2]) {
		return false
	}
	if nums[2].digits == 2 && sep == '.' && nums[0].digits == 1 && nums[1].digits == 1 {
		return false // a version or section number
	}
	d.a, d.b = nums[0].num, nums[1].num
	dmy, mdy := validDay(d.year, d.b, d.a), validDay(d.year, d.a, d.b)
	switch {
	case dmy && (sep == '.' || d.a == d.b):
		d.order = orderDMY
	case dmy && mdy:
		d.order = orderEither
	case dmy:
		d.order = orderDMY
	case mdy:
		d.order = orderMDY
	}
	return dmy || mdy
}

func validDay(y, m, d int) bool {
	return m >= 1 && m <= 12 && d >= 1 && d <= 31 && (d <= 28 || time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC).Day() == d)
}

// dayNumber is the number of days since 1970-01-01.
func dayNumber(y, m, d int) int64 {
	return time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC).Unix() / 86400
}

const (
	microsPerDay = 86400 * 1e6
	epoch1900    = -25569 // 1899-12-30
	epoch1904    = -24107
)

// serialDays reads an Excel serial: whole days since 1970 and microseconds of
// the day. 1900 was no leap year, though Excel counts a 29th of February.
func serialDays(f float64, date1904 bool) (days int64, micros int64, ok bool) {
	if f < 0 || f > 2958466 {
		return 0, 0, false
	}
	whole := int64(f)
	micros = int64((f-float64(whole))*86400*1000+0.5) * 1000
	if micros >= microsPerDay {
		whole, micros = whole+1, 0
	}
	switch {
	case date1904:
		return whole + epoch1904, micros, true
	case whole < 60:
		whole++
	}
	return whole + epoch1900, micros, true
}
