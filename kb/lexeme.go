package kb

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Lexeme is one word, figure or code of a text, in canonical form.
type Lexeme struct {
	Key        string   // folded; ordinals as "1st", figures as plain digits
	Term       string   // what is indexed: Key without its plural
	Also       []string // other canonical forms: of ordinals, codes, dates
	Start, End int      // bytes of the text
}

// Lexemes splits a text into its words, figures and codes. Cells and questions
// go through the same door, so that "1ª", "primera", "first" and "1st" meet, as
// do "$25,000" and 25000, or "Jan 1, 2026" and 2026-01-01.
func Lexemes(s string) []Lexeme {
	var out []Lexeme
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case isDigit(r):
			i, out = scanNumber(s, i, out)
		case wordRune(r):
			i, out = scanWord(s, i, out)
		default:
			i += n
		}
	}
	out = joinCodes(s, out)
	return addDates(s, out)
}

// Phrase is the canonical form of a whole cell or phrase: the keys of its
// lexemes, one space apart.
func Phrase(s string) string {
	return phraseOf(Lexemes(s))
}

func phraseOf(ls []Lexeme) string {
	switch len(ls) {
	case 0:
		return ""
	case 1:
		return ls[0].Key
	}
	var b strings.Builder
	for i := range ls {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(ls[i].Key)
	}
	return b.String()
}

func isDigit(r rune) bool { return '0' <= r && r <= '9' }

func wordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || isDigit(r)
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r)
}

// wordEnd returns where the run of letters and digits from i ends.
func wordEnd(s string, i int) int {
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		if !wordRune(r) {
			break
		}
		i += n
	}
	return i
}

func scanWord(s string, i int, out []Lexeme) (int, []Lexeme) {
	end := wordEnd(s, i)
	key := Fold(s[i:end])
	if key == "" {
		return end, out // a lone combining mark
	}
	next := end
	if n := possessive(s[end:]); n > 0 && wordEnd(s, end+n-1) == end+n {
		next = end + n // "region's" is of the region
	}
	l := Lexeme{Key: key, Term: Stem(key), Start: i, End: end}
	switch n, ordinal := numberWords[key]; {
	case ordinal && n.ordinal:
		l.Key, l.Term, l.Also = n.digits+"st", n.digits+"st", []string{n.digits, Stem(key)}
	case ordinal:
		l.Also = []string{n.digits}
	case hasDigit(key):
		l.Also = splitCode(key)
	}
	return next, append(out, l)
}

// possessive returns the size of the 's that a text begins with, or 0.
func possessive(s string) int {
	for _, p := range []string{"'s", "'S", "’s", "’S"} {
		if strings.HasPrefix(s, p) {
			return len(p)
		}
	}
	return 0
}

func scanNumber(s string, i int, out []Lexeme) (int, []Lexeme) {
	end := i
	for end < len(s) {
		if isDigit(rune(s[end])) {
			end++
			continue
		}
		if _, n := groupMark(s[end:]); n > 0 && end+n < len(s) && isDigit(rune(s[end+n])) {
			end += n
			continue
		}
		break
	}
	run := s[i:end]
	tail := wordEnd(s, end)
	suffix := Fold(s[end:tail])
	if plain := strings.TrimRight(run, "0123456789") == ""; plain && tail > end {
		l := Lexeme{Start: i, End: tail}
		digits := trimZeros(run)
		if isOrdinalSuffix(s[end:tail], suffix) {
			l.Key, l.Term, l.Also = digits+"st", digits+"st", []string{digits}
			return tail, append(out, l)
		}
		l.Key = run + suffix
		l.Term, l.Also = l.Key, append(splitCode(l.Key), scaled(digits, suffix)...)
		return tail, append(out, l)
	}
	readings := readNumber(run)
	if len(readings) == 0 { // 10.0.0.1, 12.05.2025: parts; codes and dates are seen later
		for j := i; j < end; {
			k := j
			for k < end && isDigit(rune(s[k])) {
				k++
			}
			d := trimZeros(s[j:k])
			out = append(out, Lexeme{Key: d, Term: d, Start: j, End: k})
			for j = k; j < end && !isDigit(rune(s[j])); {
				j++
			}
		}
		return end, out
	}
	l := Lexeme{Key: readings[0], Term: readings[0], Also: readings[1:], Start: i, End: end}
	if tail > end { // "12.5kg": the figure, then its unit
		l.Also = append(l.Also[:len(l.Also):len(l.Also)], scaled(readings[0], suffix)...)
	}
	return end, append(out, l)
}

// splitCode returns the runs of letters and of digits of a code: ab123 is ab and 123.
func splitCode(code string) []string {
	var parts []string
	for i := 0; i < len(code); {
		j := i + 1
		for j < len(code) && isDigit(rune(code[j])) == isDigit(rune(code[i])) {
			j++
		}
		part := code[i:j]
		if isDigit(rune(part[0])) {
			part = trimZeros(part)
		}
		parts = append(parts, part)
		i = j
	}
	return parts
}

// joinCodes gives the first lexeme of AB-123/4 the form ab1234, so that people
// may leave out or change the marks between the parts of a code.
func joinCodes(s string, ls []Lexeme) []Lexeme {
	for i := 0; i < len(ls); {
		j, digits := i, hasDigit(ls[i].Key)
		for j+1 < len(ls) && ls[j+1].Start == ls[j].End+1 && strings.IndexByte("-_/.", s[ls[j].End]) >= 0 {
			j++
			digits = digits || hasDigit(ls[j].Key)
		}
		if j > i && digits && j-i < 6 {
			var b strings.Builder
			for _, l := range ls[i : j+1] {
				b.WriteString(Fold(s[l.Start:l.End]))
			}
			ls[i].Also = append(ls[i].Also[:len(ls[i].Also):len(ls[i].Also)], b.String())
		}
		i = j + 1
	}
	return ls
}
