package kb_test

import (
	"strings"
	"testing"

	"github.com/allrows/allrows/kb"
)

func FuzzLexemes(f *testing.F) {
	for _, s := range []string{"What's North's 1st tier?", "AB-123/4", "1.234,50 €", "31.01.2026", "Jan 31, 2026", "1ª primera", "İ ﬁ ﾊ", "12'500", "2 de enero de 2026", "1.2.3.4", "25k"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		last := 0
		for _, l := range kb.Lexemes(s) {
			if l.Start < last || l.End <= l.Start || l.End > len(s) {
				t.Fatalf("Lexemes(%q): %+v overlaps or leaves the text", s, l)
			}
			last = l.End
			if l.Key == "" || l.Term == "" {
				t.Errorf("Lexemes(%q): %+v is empty", s, l)
			}
		}
		if folded := kb.Fold(s); kb.Fold(folded) != folded {
			t.Errorf("Fold(%q) = %q, and folded again %q", s, folded, kb.Fold(folded))
		}
		if up := strings.ToUpper(s); strings.ToLower(up) == s && kb.Phrase(up) != kb.Phrase(s) {
			t.Errorf("Phrase(%q) = %q, but %q in upper case", s, kb.Phrase(s), kb.Phrase(up))
		}
	})
}

func TestSameFact(t *testing.T) {
	for _, pair := range [][2]string{
		{"Oficial de 1ª", "OFICIAL DE PRIMERA"}, {"1st", "first"}, {"São Paulo", "sao paulo"},
		{"$25,000", "25000"}, {"1.234,50", "1234.5"}, {"007", "7"}, {"North's", "north"},
	} {
		if a, b := kb.Phrase(pair[0]), kb.Phrase(pair[1]); a != b {
			t.Errorf("Phrase(%q) = %q, Phrase(%q) = %q, want the same", pair[0], a, pair[1], b)
		}
	}
	for _, tt := range []struct{ a, b, shared string }{
		{"2026-01-31", "January 31, 2026", "day:2026-01-31"},
		{"31/01/2026", "31 de enero de 2026", "day:2026-01-31"},
		{"Jan 2026", "2026-01-31", "month:2026-01"},
		{"AB-123", "ab123", "ab123"},
		{"25k", "25,000", "25000"},
	} {
		if !has(tt.a, tt.shared) || !has(tt.b, tt.shared) {
			t.Errorf("%q and %q do not meet in %q: %v, %v", tt.a, tt.b, tt.shared, kb.Lexemes(tt.a), kb.Lexemes(tt.b))
		}
	}
}

func has(text, form string) bool {
	for _, l := range kb.Lexemes(text) {
		for _, a := range append(l.Also, l.Term) {
			if a == form {
				return true
			}
		}
	}
	return false
}
