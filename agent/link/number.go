package link

import (
	"math/big"
	"strconv"
	"strings"
	"unicode"
)

// Figure reads the plain digits of a written number in the language's manner:
// "20,000" and "1.5" in English, "1.790,50" in Spanish, German and Portuguese.
func Figure(text, lang string) (string, bool) {
	s := strings.TrimRightFunc(text, func(r rune) bool { return !unicode.IsDigit(r) })
	if s == "" || strings.ContainsFunc(s, unicode.IsLetter) || strings.Contains(s, ":") {
		return "", false
	}
	group, point := ",", "."
	if lang != "en" {
		group, point = ".", ","
	}
	switch {
	case grouped(s, group, point):
		s = strings.ReplaceAll(s, group, "")
	case strings.Count(s, group) == 1 && !strings.Contains(s, point):
		s = strings.ReplaceAll(s, group, point) // "16.5" in a Spanish question
	case grouped(s, point, group):
		group, point = point, group
		s = strings.ReplaceAll(s, group, "")
	case strings.Contains(s, group):
		return "", false
	}
	s = strings.ReplaceAll(s, point, ".")
	if strings.Count(s, ".") > 1 {
		return "", false
	}
	return plain(s), true
}

// grouped reports whether every run behind a group sign has three digits.
func grouped(s, group, point string) bool {
	whole, _, _ := strings.Cut(s, point)
	parts := strings.Split(whole, group)
	if len(parts) < 2 || parts[0] == "" || len(parts[0]) > 3 {
		return false
	}
	for _, p := range parts[1:] {
		if len(p) != 3 {
			return false
		}
	}
	return true
}

// plain drops zeros that say nothing: "007" is 7, "1.50" is 1.5.
func plain(s string) string {
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	t := strings.TrimLeft(s, "0")
	if t == "" || t[0] == '.' {
		t = "0" + t
	}
	return t
}

// times multiplies plain digits exactly.
func times(digits string, by int64) string {
	r, ok := new(big.Rat).SetString(digits)
	if !ok || by == 1 {
		return digits
	}
	r.Mul(r, new(big.Rat).SetInt64(by))
	return plain(r.FloatString(12))
}

// numbers links every figure and number word.
func (w *work) numbers() {
	for i := 0; i < len(w.tokens); {
		n, last := w.numberAt(i)
		if n == nil {
			i++
			continue
		}
		first := i
		if i > 0 && !n.Ordinal {
			if u := w.unitAt(i - 1); u != "" && u != "%" && n.Unit == "" {
				n.Unit, first = u, i-1
			}
		}
		w.add(Link{First: first, Last: last, Kind: Numeric, Number: n, Score: 1, How: "number"})
		i = last + 1
	}
}

// numberAt reads a number that begins at token i, with its magnitude and unit.
func (w *work) numberAt(i int) (*Number, int) {
	n := &Number{}
	last := i
	t := w.tokens[i]
	if unicode.IsDigit([]rune(t.Norm)[0]) {
		digits, suffix := splitFigure(t.Norm)
		d, ok := Figure(digits, w.q.Language)
		if !ok {
			return nil, i
		}
		n.Digits = d
		if suffix != "" && !w.suffix(n, suffix) {
			return nil, i
		}
	} else if !w.wordNumber(n, &last) {
		return nil, i
	}
	for !n.Ordinal && last+1 < len(w.tokens) {
		m := w.magnitude(w.tokens[last+1].Norm)
		if m == 0 || len(w.tokens[last+1].Norm) == 1 {
			break
		}
		n.Digits = times(n.Digits, m)
		last++
	}
	if !n.Ordinal && last+1 < len(w.tokens) {
		if u := w.unitAt(last + 1); u != "" {
			n.Unit = u
			last++
		}
	}
	return n, last
}

func splitFigure(s string) (string, string) {
	i := strings.IndexFunc(s, func(r rune) bool { return unicode.IsLetter(r) })
	if i < 0 {
		return s, ""
	}
	return s[:i], s[i:]
}

// suffix reads letters directly behind digits: an ordinal's or a magnitude's.
func (w *work) suffix(n *Number, s string) bool {
	switch s {
	case "st", "nd", "rd", "th", "a", "o", "er", "ro", "da", "do", "ra", "ta", "to", "mo", "ma":
		n.Ordinal = true
		return true
	}
	if m := w.magnitude(s); m > 0 {
		n.Digits = times(n.Digits, m)
		return true
	}
	return false
}

func (w *work) magnitude(word string) int64 {
	for _, e := range w.lex.Meanings(word) {
		if d, ok := strings.CutPrefix(e.Class, "mag."); ok {
			m, err := strconv.ParseInt(d, 10, 64)
			if err == nil {
				return m
			}
		}
	}
	return 0
}

func (w *work) unitAt(i int) string {
	if i < 0 || i >= len(w.tokens) {
		return ""
	}
	for _, e := range w.lex.Meanings(w.tokens[i].Norm) {
		if u, ok := strings.CutPrefix(e.Class, "unit."); ok {
			return u
		}
	}
	return ""
}

// wordNumber reads "five", "twenty five", "two hundred", "third".
func (w *work) wordNumber(n *Number, last *int) bool {
	total, i := int64(0), *last
	found := false
	for ; i < len(w.tokens); i++ {
		v, ordinal, ok := w.numeral(w.tokens[i].Norm)
		if !ok || found && (v >= 10 || total%10 != 0) {
			break
		}
		total, found = total+v, true
		if ordinal {
			n.Ordinal = true
			i++
			break
		}
	}
	if !found {
		return false
	}
	n.Digits = strconv.FormatInt(total, 10)
	*last = i - 1
	return true
}

func (w *work) numeral(word string) (value int64, ordinal, ok bool) {
	for _, e := range w.lex.Meanings(word) {
		d, isNum := strings.CutPrefix(e.Class, "num.")
		if !isNum {
			if d, ordinal = strings.CutPrefix(e.Class, "ord."); !ordinal {
				continue
			}
		}
		v, err := strconv.ParseInt(d, 10, 64)
		return v, ordinal, err == nil
	}
	return 0, false, false
}
