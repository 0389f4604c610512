package guardrails

import (
	"math/big"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Figure is a number that a text may say: a result cell, a row count, a figure of
// the question. Digits is its exact plain form.
type Figure struct {
	Digits string // "-1234.5"
	Scale  int64  // what one unit of it stands for (1000000 in "EUR millions"); 0 is 1
}

// Said is what a prose may draw on.
type Said struct {
	Figures  []Figure
	Texts    []string // cells, names, dates and printed figures that may stand as they are
	Language string   // en, es, de, pt: how figures are written and spelled
}

// Unsupported returns the figures of a prose that nothing in said supports, in
// order; none is a prose that may be shown. A figure is supported when it equals
// an allowed one after rounding to the decimals that it shows, its sign aside
// where words may carry it, and after the magnitudes "thousand", "million" and
// the like. Spelled numbers count too.
func Unsupported(prose string, said Said) []string {
	rest := blank(prose, said.Texts)
	spelled := spelledNumbers[said.Language]
	var out []string
	words := tokens(rest, said.Language)
	for i, w := range words {
		digits, isNumber := w.digits, w.digits != ""
		if !isNumber {
			digits = spelled[strings.ToLower(w.text)]
		}
		if digits == "" {
			continue
		}
		power := 0
		if i+1 < len(words) && words[i+1].digits == "" {
			power = magnitudes[strings.ToLower(words[i+1].text)]
		}
		if power == 0 {
			power = w.power
		}
		if !slices.ContainsFunc(said.Figures, func(f Figure) bool { return supports(f, digits, power) }) {
			out = append(out, w.text)
		}
	}
	return out
}

// blank takes the texts that may stand as they are out of a prose, longest first,
// where they stand as whole words.
func blank(prose string, texts []string) string {
	texts = slices.Clone(texts)
	slices.SortFunc(texts, func(a, b string) int { return len(b) - len(a) })
	for _, t := range texts {
		if !strings.ContainsFunc(t, unicode.IsDigit) {
			continue
		}
		from := 0
		for {
			i := strings.Index(prose[from:], t)
			if i < 0 {
				break
			}
			i += from
			from = i + len(t)
			if whole(prose, i, from) {
				prose = prose[:i] + strings.Repeat(" ", len(t)) + prose[from:]
			}
		}
	}
	return prose
}

// whole reports whether [from, to) is not a part of a longer word or figure.
func whole(s string, from, to int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:from])
	after, n := utf8.DecodeRuneInString(s[to:])
	next, _ := utf8.DecodeRuneInString(s[min(len(s), to+n):])
	inside := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	if inside(before) || inside(after) {
		return false
	}
	if before == '.' || before == ',' { // 1,[234]
		b2, _ := utf8.DecodeLastRuneInString(s[:from-1])
		if unicode.IsDigit(b2) {
			return false
		}
	}
	return !(after == '.' || after == ',') || !unicode.IsDigit(next)
}

// word is one token of a prose; digits is set where it is a figure.
type word struct {
	text   string
	digits string
	power  int // of ten, of a letter at its end: 5k
}

// tokens splits a prose into words and figures read as the language writes them.
func tokens(s, lang string) []word {
	var out []word
	fields := strings.FieldsFunc(s, func(r rune) bool {
		return !(unicode.IsLetter(r) || unicode.IsDigit(r) || r == '.' || r == ',' || r == '\'' || r == '\u202f' || r == '\u00a0')
	})
	for _, f := range fields {
		f = strings.Trim(f, ".,'\u202f\u00a0")
		first, _ := utf8.DecodeRuneInString(f)
		if f == "" {
			continue
		}
		if !unicode.IsDigit(first) {
			out = append(out, word{text: f})
			continue
		}
		end := strings.IndexFunc(f, unicode.IsLetter)
		w := word{text: f}
		if end > 0 {
			w.power = suffixes[strings.ToLower(f[end:])]
			f = f[:end]
		}
		w.digits = plainDigits(strings.Trim(f, ".,'\u202f\u00a0"), lang)
		out = append(out, w)
	}
	return out
}

// plainDigits reads a figure as the language writes it: 1,234.5 in English,
// 1.234,5 in Spanish, German and Portuguese.
func plainDigits(f, lang string) string {
	group, point := ",", "."
	if lang == "es" || lang == "de" || lang == "pt" {
		group, point = ".", ","
	}
	f = strings.NewReplacer(group, "", "'", "", "\u202f", "", "\u00a0", "").Replace(f)
	f = strings.Replace(f, point, ".", 1)
	if _, ok := new(big.Rat).SetString(f); !ok {
		return "?" // figures of a form that no figure has, such as 1.2.3, are supported by nothing
	}
	return f
}

// supports reports whether an allowed figure, rounded to the decimals of a said
// one, is that one.
func supports(f Figure, digits string, power int) bool {
	have, ok := new(big.Rat).SetString(f.Digits)
	said, ok2 := new(big.Rat).SetString(digits)
	if !ok || !ok2 {
		return false
	}
	decimals := 0
	if i := strings.IndexByte(digits, '.'); i >= 0 {
		decimals = len(digits) - i - 1
	}
	have.Abs(have) // "fell by 3" says -3
	for _, scale := range []int64{1, max(1, f.Scale)} {
		x := new(big.Rat).Mul(have, big.NewRat(scale, 1))
		if power > 0 {
			x.Quo(x, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(power)), nil)))
		}
		for _, r := range rounded(x, decimals) {
			if r.Cmp(said) == 0 {
				return true
			}
		}
	}
	return false
}

// rounded returns a figure rounded to decimals half up and, where a half is
// exact, half to even as well.
func rounded(x *big.Rat, decimals int) []*big.Rat {
	p := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(decimals)), nil)
	scaled := new(big.Rat).Mul(x, new(big.Rat).SetInt(p))
	double := new(big.Int).Add(new(big.Int).Mul(scaled.Num(), big.NewInt(2)), scaled.Denom())
	up := new(big.Int).Div(double, new(big.Int).Mul(scaled.Denom(), big.NewInt(2)))
	out := []*big.Rat{new(big.Rat).SetFrac(up, p)}
	if scaled.Denom().Cmp(big.NewInt(2)) == 0 && up.Bit(0) == 1 {
		out = append(out, new(big.Rat).SetFrac(new(big.Int).Sub(up, big.NewInt(1)), p))
	}
	return out
}
