package kb

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// letters that no Unicode decomposition takes apart.
var plainLetters = map[rune]string{
	'ß': "ss", 'ø': "o", 'ł': "l", 'đ': "d", 'ð': "d", 'þ': "th", 'æ': "ae", 'œ': "oe", 'ı': "i", 'ŀ': "l",
}

// Fold returns s in lower case, without accents, and in compatible letters:
// "Región" and "REGION" fold to the same text. Folding twice changes nothing.
func Fold(s string) string {
	plain := true
	for i := range len(s) {
		if c := s[i]; c >= utf8.RuneSelf || 'A' <= c && c <= 'Z' {
			plain = false
			break
		}
	}
	if plain {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range norm.NFKD.String(s) {
		foldRune(&b, r)
	}
	return b.String()
}

func foldRune(b *strings.Builder, r rune) {
	if unicode.Is(unicode.Mn, r) {
		return
	}
	r = unicode.ToLower(r)
	if p, ok := plainLetters[r]; ok {
		b.WriteString(p)
		return
	}
	if r < utf8.RuneSelf {
		b.WriteByte(byte(r))
		return
	}
	// Lower case may bring marks and forms of its own (İ is i and a dot).
	for _, d := range norm.NFKD.String(string(r)) {
		if d = unicode.ToLower(d); !unicode.Is(unicode.Mn, d) {
			b.WriteRune(d)
		}
	}
}

// Stem strips the plural of a folded word, the same way in every language that
// writes plurals with s: cities and city are "citi", ciudades is "ciudad".
func Stem(w string) string {
	if len(w) < 4 || w[len(w)-1] >= utf8.RuneSelf || hasDigit(w) {
		return w
	}
	if n := len(w); w[n-1] == 's' && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && !strings.HasSuffix(w, "is") {
		w = w[:n-1]
	}
	if n := len(w); n > 3 && w[n-1] == 'e' {
		w = w[:n-1]
	}
	if n := len(w); n > 3 && w[n-1] == 'y' {
		w = w[:n-1] + "i"
	}
	return w
}

func hasDigit(s string) bool {
	for i := range len(s) {
		if '0' <= s[i] && s[i] <= '9' {
			return true
		}
	}
	return false
}
