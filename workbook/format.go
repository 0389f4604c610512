package workbook

import (
	"strconv"
	"strings"
)

// formatClass is what a number format makes of a number.
type formatClass uint8

const (
	classGeneral formatClass = iota
	classNumber
	classPercent
	classDate
	classTime
	classDateTime
	classDuration
	classScientific
	classFraction
	classText
)

// numFormat is a number format as far as values depend on it.
type numFormat struct {
	class    formatClass
	decimals int    // digits after the point, -1 where the format does not say
	symbol   string // currency symbol, or a unit in quotes: "kg"
	code     string // ISO 4217 code where the symbol says it
	prefix   bool   // the symbol stands before the figure
	zeros    int    // "00000" shows so many digits: a code, not a number
	thousand int    // how often the format divides by 1000 (trailing commas)
	monthly  bool   // a date format without a day: "mmm-yy"
}

// builtinFormats are the formats that xlsx files name by number only.
var builtinFormats = map[int]string{
	0: "General", 1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 5: `"$"#,##0`, 6: `"$"#,##0`, 7: `"$"#,##0.00`, 8: `"$"#,##0.00`,
	9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?", 13: "# ??/??", 14: "m/d/yyyy", 15: "d-mmm-yy",
	16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm", 21: "h:mm:ss",
	22: "m/d/yyyy h:mm", 27: "yyyy/m/d", 28: "m/d", 29: "m/d", 30: "m/d/yy", 31: "yyyy/m/d", 32: "h:mm", 33: "h:mm:ss",
	34: "h:mm", 35: "h:mm:ss", 36: "yyyy/m/d", 37: "#,##0", 38: "#,##0", 39: "#,##0.00", 40: "#,##0.00",
	41: "#,##0", 42: `"$"#,##0`, 43: "#,##0.00", 44: `"$"#,##0.00`, 45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0", 48: "##0.0E+0", 49: "@",
	50: "yyyy/m/d", 51: "m/d", 52: "yyyy/m/d", 53: "m/d", 54: "m/d", 55: "h:mm", 56: "h:mm:ss", 57: "yyyy/m/d", 58: "m/d",
}

// formatScan is the state of reading one format code.
type formatScan struct {
	f                            numFormat
	digits, point                int
	date, clock, secs            bool
	day, elapsed, sci, slash, at bool
	unit                         strings.Builder
	unitFirst, sawDigit          bool
	zeros, hashes, trailing      int
	decimals                     int
}

// parseFormat reads a number format code.
func parseFormat(code string) numFormat {
	if code == "" || strings.EqualFold(code, "general") {
		return numFormat{decimals: -1}
	}
	s := formatScan{}
	section := firstSection(code)
	for i := 0; i < len(section); {
		i += s.take(section, i)
	}
	return s.result()
}

// firstSection cuts a format code at its first semicolon outside quotes.
func firstSection(code string) string {
	quoted := false
	for i := 0; i < len(code); i++ {
		switch {
		case code[i] == '"':
			quoted = !quoted
		case code[i] == '\\' && !quoted:
			i++
		case code[i] == ';' && !quoted:
			return code[:i]
		}
	}
	return code
}

// take reads the element at i and returns its length.
func (s *formatScan) take(code string, i int) int {
	rest := code[i:]
	switch c := code[i]; c {
	case '"':
		end := strings.IndexByte(rest[1:], '"')
		if end < 0 {
			end = len(rest) - 1
		}
		s.literal(rest[1 : 1+end])
		return min(end+2, len(rest))
	case '\\':
		if len(rest) > 1 {
			n := runeLen(rest[1:])
			s.literal(rest[1 : 1+n])
			return 1 + n
		}
		return 1
	case '_', '*':
		if len(rest) > 1 {
			return 1 + runeLen(rest[1:])
		}
		return 1
	case '[':
		end := strings.IndexByte(rest, ']')
		if end < 0 {
			return len(rest)
		}
		s.bracket(rest[1:end])
		return end + 1
	case '0', '#', '?':
		s.digit(c)
		return 1
	case '.':
		s.point = 1
		return 1
	case ',':
		s.trailing++
		return 1
	case '%':
		s.f.class = classPercent
		return 1
	case '/':
		s.slash = true
		return 1
	case '@':
		s.at = true
		return 1
	case '-', '+', '(', ')', ' ', ':', '!':
		return 1
	}
	return s.letter(rest)
}

func (s *formatScan) digit(c byte) {
	s.digits++
	if s.sawDigit = true; s.point > 0 {
		s.decimals++
	} else if c == '0' {
		s.zeros++
	} else {
		s.hashes++
	}
	s.trailing = 0
}

// letter reads date and time letters, exponents and bare currency symbols.
func (s *formatScan) letter(rest string) int {
	if n := len("am/pm"); len(rest) >= n && strings.EqualFold(rest[:n], "am/pm") {
		s.clock = true
		return n
	}
	n := 1
	for n < len(rest) && rest[n] == rest[0] {
		n++
	}
	switch rest[0] | 0x20 {
	case 'y', 'g', 'b':
		s.date = true
		return n
	case 'd':
		s.date, s.day = true, true
		return n
	case 'm':
		if n >= 3 || (!s.clock && !s.secs && !s.elapsed) {
			s.date = s.date || n >= 3 || !strings.ContainsAny(rest[n:min(n+1, len(rest))], ":")
		}
		s.clock = s.clock || (n < 3 && strings.HasPrefix(rest[n:], ":"))
		return n
	case 'h':
		s.clock = true
		return n
	case 's':
		s.clock, s.secs = true, true
		return n
	case 'e':
		if s.sawDigit && len(rest) > 1 && (rest[1] == '+' || rest[1] == '-') {
			s.sci = true
			return len(rest)
		}
		s.date = true
		return n
	}
	n = runeLen(rest)
	s.literal(rest[:n])
	return n
}

func (s *formatScan) literal(t string) {
	t = strings.TrimSpace(strings.ReplaceAll(t, "\u00a0", " "))
	if t == "" || strings.Trim(t, "-–/.,:()'") == "" {
		return
	}
	if s.unit.Len() == 0 {
		s.unitFirst = !s.sawDigit
	}
	s.unit.WriteString(t)
}

// bracket reads [Red], [>=100], [$€-C0A], [h].
func (s *formatScan) bracket(t string) {
	switch low := strings.ToLower(t); {
	case strings.HasPrefix(t, "$"):
		sym, _, _ := strings.Cut(t[1:], "-")
		s.literal(sym)
	case low == "h" || low == "hh" || low == "m" || low == "mm" || low == "s" || low == "ss":
		s.elapsed, s.clock = true, true
	}
}

func (s *formatScan) result() numFormat {
	f := s.f
	f.decimals = s.decimals
	f.thousand = s.trailing
	switch {
	case f.class == classPercent:
	case s.elapsed:
		f.class = classDuration
	case s.sci:
		f.class = classScientific
	case s.date && s.clock && s.day:
		f.class = classDateTime
	case s.clock && !s.day:
		f.class = classTime
	case s.date:
		f.class = classDate
		f.monthly = !s.day
	case s.at && s.digits == 0:
		f.class = classText
	case s.slash && s.digits > 1:
		f.class = classFraction
		f.decimals = -1
	case s.digits == 0:
		return numFormat{decimals: -1}
	default:
		f.class = classNumber
		if s.zeros > 1 && s.hashes == 0 && s.point == 0 {
			f.zeros = s.zeros
		}
	}
	if f.class == classNumber {
		f.symbol = s.unit.String()
		f.prefix = s.unitFirst
		if cur, ok := currencyOf(f.symbol); ok {
			f.symbol, f.code = cur.symbol, cur.code
		}
	}
	return f
}

// runeLen is the length of the first character of s.
func runeLen(s string) int {
	for i := range s {
		if i > 0 {
			return i
		}
	}
	return len(s)
}

// zeroPadded prints n as a format of so many zeros shows it.
func zeroPadded(n int64, zeros int) string {
	s := strconv.FormatInt(n, 10)
	if n >= 0 && len(s) < zeros {
		s = strings.Repeat("0", zeros-len(s)) + s
	}
	return s
}
