package link

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Tokenize splits text into words. Digits keep their separators ("20,000",
// "7:03.91", "2026-01-01"); every other sign stands alone or is dropped.
func Tokenize(text string) []Token {
	var out []Token
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		j := i + n
		switch {
		case unicode.IsDigit(r):
			j = numberEnd(text, j)
		case unicode.IsLetter(r) || unicode.IsMark(r):
			j = wordEnd(text, j)
		case strings.ContainsRune("%$€£#=<>&+@", r):
			if j < len(text) && text[j] == '=' && (r == '<' || r == '>') {
				j++
			}
		default:
			i = j
			continue
		}
		out = append(out, newToken(text, i, j))
		i = j
	}
	return out
}

func newToken(text string, start, end int) Token {
	t := Token{Text: text[start:end], Start: start, End: end}
	t.Norm = Fold(t.Text)
	t.Stem = Stem(t.Norm)
	return t
}

// wordEnd returns where a word ends that began before i. An apostrophe ends it.
func wordEnd(text string, i int) int {
	for i < len(text) {
		r, n := utf8.DecodeRuneInString(text[i:])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
			break
		}
		i += n
	}
	return i
}

// numberEnd returns where a figure ends: digits with separators that stand
// between digits, then letters directly behind ("5k", "1ª", "3rd").
func numberEnd(text string, i int) int {
	for i < len(text) {
		r, n := utf8.DecodeRuneInString(text[i:])
		next, _ := utf8.DecodeRuneInString(text[i+n:])
		switch {
		case unicode.IsDigit(r):
		case strings.ContainsRune(".,:", r) && unicode.IsDigit(next):
		case unicode.IsLetter(r):
			return wordEnd(text, i)
		default:
			return i
		}
		i += n
	}
	return i
}

// Fold lowers a word and drops its accents.
func Fold(s string) string {
	ascii := true
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf || 'A' <= s[i] && s[i] <= 'Z' {
			ascii = false
			break
		}
	}
	if ascii {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		r = unicode.ToLower(r)
		if to, ok := accents[r]; ok {
			b.WriteString(to)
			continue
		}
		if !unicode.IsMark(r) {
			b.WriteRune(r)
		}
	}
	return b.String()
}

var accents = foldTable("áàâäãåā:a éèêëēėę:e íìîïī:i óòôöõøō:o úùûüū:u ñń:n çćč:c ýÿ:y ß:ss æ:ae œ:oe šś:s žźż:z ł:l ğ:g đ:d řŕ:r ťţ:t ªº:a")

func foldTable(spec string) map[rune]string {
	m := map[rune]string{}
	for _, part := range strings.Fields(spec) {
		from, to, _ := strings.Cut(part, ":")
		for _, r := range from {
			m[r] = to
		}
	}
	return m
}

// Phrase joins the folded words of a text: the form in which phrases compare.
func Phrase(text string) string {
	words := Tokenize(text)
	norms := make([]string, len(words))
	for i, w := range words {
		norms[i] = w.Norm
	}
	return strings.Join(norms, " ")
}

// Words splits a header or a name into folded words: at signs, at underscores,
// and where capitals begin a word ("StuID", "MinOrder").
func Words(name string) []string {
	var out []string
	for _, t := range Tokenize(splitCamel(name)) {
		out = append(out, t.Norm)
	}
	return out
}

// splitCamel puts a space where a new word starts inside a run of letters.
func splitCamel(s string) string {
	rs := []rune(s)
	var b strings.Builder
	for i, r := range rs {
		if i > 0 && unicode.IsUpper(r) && (unicode.IsLower(rs[i-1]) ||
			unicode.IsUpper(rs[i-1]) && i+1 < len(rs) && unicode.IsLower(rs[i+1]) && i > 1) {
			b.WriteByte(' ')
		}
		if i > 0 && unicode.IsLetter(r) && unicode.IsDigit(rs[i-1]) && unicode.IsUpper(r) {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Stem cuts the common endings of plurals and verb forms. It is light on
// purpose: two words of one stem should be the same word.
func Stem(w string) string {
	n := len(w)
	switch {
	case n <= 3 || w[0] >= '0' && w[0] <= '9':
		return w
	case strings.HasSuffix(w, "sses"), strings.HasSuffix(w, "xes"), strings.HasSuffix(w, "ches"), strings.HasSuffix(w, "shes"), strings.HasSuffix(w, "zes"):
		w = w[:n-2]
	case strings.HasSuffix(w, "ies") && n > 4:
		w = w[:n-3] + "y"
	case strings.HasSuffix(w, "ss"), strings.HasSuffix(w, "us"), strings.HasSuffix(w, "is"):
	case strings.HasSuffix(w, "ones") && n > 6: // categorizaciones, regiones
		w = w[:n-2]
	case strings.HasSuffix(w, "s"):
		w = w[:n-1]
	}
	switch n = len(w); {
	case strings.HasSuffix(w, "ing") && n > 5:
		w = undouble(w[:n-3])
	case strings.HasSuffix(w, "ed") && n > 4 && !strings.HasSuffix(w, "eed"):
		w = undouble(w[:n-2])
	}
	if n = len(w); n > 4 && w[n-1] == 'e' {
		w = w[:n-1]
	}
	return w
}

func undouble(w string) string {
	n := len(w)
	if n > 3 && w[n-1] == w[n-2] && !strings.ContainsRune("lsz", rune(w[n-1])) {
		return w[:n-1]
	}
	return w
}

// Alike says how surely two folded words are forms of one: 1 the same, 0.9 of
// one stem, less for a shared beginning or a slip of the pen, else 0.
func Alike(a, b string) float64 {
	if a == b {
		return 1
	}
	sa, sb := Stem(a), Stem(b)
	if sa == sb {
		return 0.95
	}
	p := 0
	for p < len(sa) && p < len(sb) && sa[p] == sb[p] {
		p++
	}
	long, short := max(len(sa), len(sb)), min(len(sa), len(sb))
	if p >= 4 && p*10 >= long*6 && short-p <= 3 && long-p <= 5 {
		return 0.5 + 0.35*float64(p)/float64(long)
	}
	if short >= 5 && long-short <= 1 && sa[0] == sb[0] && EditDistance(sa, sb, 1) <= 1 {
		return 0.75
	}
	return 0
}

// EditDistance counts the letters to insert, drop, change or swap between two
// words, giving up above limit (it then returns limit+1).
func EditDistance(a, b string, limit int) int {
	if d := len(a) - len(b); d > limit || -d > limit {
		return limit + 1
	}
	before, prev, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		best := i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(prev[j]+1, row[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
			best = min(best, row[j])
		}
		if best > limit {
			return limit + 1
		}
		before, prev, row = prev, row, before
	}
	return prev[len(b)]
}
