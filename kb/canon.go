package kb

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

type numberWord struct {
	digits  string
	ordinal bool
}

// numberWords reads small numbers in English, Spanish, German, Portuguese and French.
var numberWords = readNumberWords()

func readNumberWords() map[string]numberWord {
	ordinals := []string{
		"first primero primera primer erste erster erstes ersten primeiro primeira premier premiere",
		"segundo segunda zweite zweiter zweites zweiten deuxieme", // "second" is added below: it is a time, too
		"third tercero tercera tercer dritte dritter drittes dritten terceiro terceira troisieme",
		"fourth cuarto cuarta vierte vierter viertes vierten quarto quarta quatrieme",
		"fifth quinto quinta funfte funfter funftes funften cinquieme",
		"sixth sexto sexta sechste sechster sechstes sechsten sixieme",
		"seventh septimo septima siebte siebter siebtes siebten setimo setima septieme",
		"eighth octavo octava achte achter achtes achten oitavo oitava huitieme",
		"ninth noveno novena neunte neunter neuntes neunten nono nona neuvieme",
		"tenth decimo decima zehnte zehnter zehntes zehnten dixieme",
		"eleventh undecimo undecima elfte elfter elftes elften onzieme",
		"twelfth duodecimo duodecima zwolfte zwolfter zwolftes zwolften douzieme",
	}
	cardinals := []string{"", "two dos zwei dois duas deux", "three tres drei trois", "four cuatro vier quatro quatre",
		"five cinco funf cinq", "six seis sechs", "seven siete sieben sete sept", "eight ocho acht oito huit",
		"nine nueve neun nove neuf", "ten diez zehn dez dix", "eleven once elf onze", "twelve doce zwolf doze douze"}
	words := map[string]numberWord{"second": {"2", true}}
	for i := range ordinals {
		for _, w := range strings.Fields(ordinals[i]) {
			words[w] = numberWord{strconv.Itoa(i + 1), true}
		}
		for _, w := range strings.Fields(cardinals[i]) {
			words[w] = numberWord{strconv.Itoa(i + 1), false}
		}
	}
	return words
}

// isOrdinalSuffix reports whether what follows a figure makes it an ordinal:
// 1st, 2nd, 1ª, 3º, 1er.
func isOrdinalSuffix(raw, folded string) bool {
	switch folded {
	case "st", "nd", "rd", "th", "er", "ere", "eme":
		return true
	}
	return raw == "ª" || raw == "º"
}

// scaled reads 25k, 3m and 2bn as what they stand for.
func scaled(digits, suffix string) []string {
	zeros := 0
	switch suffix {
	case "k":
		zeros = 3
	case "m", "mn", "mio":
		zeros = 6
	case "b", "bn", "mrd":
		zeros = 9
	default:
		return nil
	}
	whole, frac, _ := strings.Cut(digits, ".")
	if len(frac) > zeros {
		return nil
	}
	return []string{trimZeros(whole + frac + strings.Repeat("0", zeros-len(frac)))}
}

// groupMark returns the mark within a figure that s begins with, and its size.
func groupMark(s string) (rune, int) {
	r, n := utf8.DecodeRuneInString(s)
	switch r {
	case '.', ',', '\'', '’', '\u00a0', '\u202f':
		return r, n
	}
	return 0, 0
}

// readNumber returns a figure as plain digits, most likely reading first. What
// is no figure (1.2.3, 12.05.2025) has none; 1.234 has two.
func readNumber(run string) []string {
	var marks []rune
	var groups []string
	rest := run
	for {
		i := strings.IndexFunc(rest, func(r rune) bool { return !isDigit(r) })
		if i < 0 {
			groups = append(groups, rest)
			break
		}
		r, n := groupMark(rest[i:])
		marks, groups, rest = append(marks, r), append(groups, rest[:i]), rest[i+n:]
	}
	last := len(marks) - 1
	if last < 0 {
		return []string{trimZeros(run)}
	}
	same := true
	for i, m := range marks {
		same = same && m == marks[0]
		if i < last && (m != marks[0] || m == marks[last] && marks[0] != marks[last]) {
			return nil
		}
	}
	threes := len(groups[0]) <= 3 && groups[0] != "0"
	for _, g := range groups[1 : len(groups)-1] {
		threes = threes && len(g) == 3
	}
	lastThree := len(groups[len(groups)-1]) == 3
	thousands := trimZeros(strings.Join(groups, ""))
	decimal := trimZeros(strings.Join(groups[:len(groups)-1], "") + "." + groups[len(groups)-1])
	mark := marks[last]
	switch {
	case mark != '.' && mark != ',': // 12'500, 12 500
		if same && threes && lastThree {
			return []string{thousands}
		}
		return nil
	case last == 0 && threes && lastThree && mark == ',':
		return []string{thousands, decimal}
	case last == 0 && threes && lastThree:
		return []string{decimal, thousands}
	case last == 0:
		return []string{decimal}
	case same && threes && lastThree:
		return []string{thousands}
	case !same && threes:
		return []string{decimal}
	}
	return nil
}

// trimZeros drops zeros that say nothing: 007 is 7, 12.50 is 12.5.
func trimZeros(d string) string {
	whole, frac, point := strings.Cut(d, ".")
	whole = strings.TrimLeft(whole, "0")
	if whole == "" {
		whole = "0"
	}
	if !point {
		return whole
	}
	if frac = strings.TrimRight(frac, "0"); frac == "" {
		return whole
	}
	return whole + "." + frac
}

// monthNames maps the first letters of folded month names to months.
var monthNames = readMonths()

func readMonths() map[string]time.Month {
	names := []string{"january jan enero ene januar janeiro janvier janv", "february feb febrero februar fevereiro fev fevrier",
		"march mar marzo marz marco mars", "april apr abril abr avril", "may mayo mai maio", "june jun junio juni junho juin",
		"july jul julio juli julho juillet", "august aug agosto ago aout", "september sept sep septiembre setiembre setembro septembre set",
		"october oct octubre oktober okt outubro out octobre", "november nov noviembre novembro novembre",
		"december dec diciembre dic dezember dez dezembro decembre"}
	months := map[string]time.Month{}
	for i, line := range names {
		for _, n := range strings.Fields(line) {
			months[n] = time.Month(i + 1)
		}
	}
	return months
}

// addDates gives the first lexeme of every date its canonical day and month.
func addDates(s string, ls []Lexeme) []Lexeme {
	for i := range ls {
		if forms := dateAt(s, ls[i:]); len(forms) > 0 {
			ls[i].Also = append(ls[i].Also[:len(ls[i].Also):len(ls[i].Also)], forms...)
		}
	}
	return ls
}

// dateAt reads the date that begins with the first lexeme: 2026-01-31,
// 31.01.2026 (both readings where it has two), Jan 31, 2026, 31 January 2026,
// January 2026.
func dateAt(s string, ls []Lexeme) []string {
	if len(ls) < 2 {
		return nil
	}
	if m, ok := monthNames[ls[0].Key]; ok {
		if y, ok := figure(ls[1].Key, 1000, 2999); ok {
			return []string{fmt.Sprintf("month:%04d-%02d", y, m)}
		}
		if len(ls) > 2 {
			return dayForms(ls[2].Key, m, ls[1].Key)
		}
		return nil
	}
	if len(ls) < 3 || !isDigit(rune(ls[0].Key[0])) {
		return nil
	}
	day, rest := ls[0].Key, ls[1:]
	if rest[0].Key == "of" || rest[0].Key == "de" {
		rest = rest[1:]
	}
	if m, ok := monthNames[rest[0].Key]; ok && len(rest) > 1 {
		if y := rest[1:]; y[0].Key == "de" && len(y) > 1 {
			return dayForms(y[1].Key, m, day)
		}
		return dayForms(rest[1].Key, m, day)
	}
	sep := func(i int) bool {
		return ls[i].End+1 == ls[i+1].Start && strings.IndexByte("-/.", s[ls[i].End]) >= 0
	}
	if !sep(0) || !sep(1) {
		return nil
	}
	second, ok := figure(ls[1].Key, 1, 31)
	if !ok {
		return nil
	}
	if _, ok := figure(ls[0].Key, 1000, 2999); ok {
		return dayForms(ls[0].Key, time.Month(second), ls[2].Key)
	}
	first, ok := figure(ls[0].Key, 1, 31)
	if !ok {
		return nil
	}
	forms := dayForms(ls[2].Key, time.Month(second), ls[0].Key)
	if first != second {
		forms = append(forms, dayForms(ls[2].Key, time.Month(first), ls[1].Key)...)
	}
	return forms
}

func dayForms(year string, m time.Month, day string) []string {
	y, ok := figure(year, 1000, 2999)
	d, ok2 := figure(strings.TrimSuffix(day, "st"), 1, 31)
	if !ok || !ok2 || m < 1 || m > 12 {
		return nil
	}
	if t := time.Date(y, m, d, 0, 0, 0, 0, time.UTC); t.Month() != m {
		return nil
	}
	return []string{fmt.Sprintf("day:%04d-%02d-%02d", y, m, d), fmt.Sprintf("month:%04d-%02d", y, m)}
}

func figure(s string, low, high int) (int, bool) {
	if len(s) > 4 {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	return n, err == nil && low <= n && n <= high
}
