package guardrails_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/allrows/allrows/guardrails"
)

func TestUnsupported(t *testing.T) {
	figures := []guardrails.Figure{{Digits: "9.404761904761905"}, {Digits: "42"}, {Digits: "25000"}, {Digits: "413", Scale: 1_000_000_000}, {Digits: "-5.857143"}}
	for _, tt := range []struct {
		name, prose, lang string
		want              []string
	}{
		{"rounded", "The average is 9.4% over 42 rows.", "en", nil},
		{"rounded up", "The average is 9.40 over all 42.", "en", nil},
		{"wrong digit", "The average is 9.5%.", "en", []string{"9.5"}},
		{"grouped", "It is $25,000.", "en", nil},
		{"grouped in Spanish", "Son 25.000 € y de media 9,4.", "es", nil},
		{"English figure in Spanish", "Son 25,000 €.", "es", []string{"25,000"}},
		{"thousand", "About 25 thousand, or 25k.", "en", nil},
		{"scale", "Its GDP is 413 billion.", "en", nil},
		{"sign in words", "It fell by 5.86.", "en", nil},
		{"spelled", "Twice as much.", "en", []string{"Twice"}},
		{"dozen", "About a dozen rows.", "en", []string{"dozen"}},
		{"name with a digit", "Tier 3 of A1 in 2026-01-01.", "en", nil},
		{"figure inside a longer one", "It is 12026.", "en", []string{"12026"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := guardrails.Unsupported(tt.prose, guardrails.Said{Figures: figures, Texts: []string{"Tier 3", "A1", "2026-01-01", "2026"}, Language: tt.lang})
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("Unsupported(%q): %s", tt.prose, d)
			}
		})
	}
}

// A changed digit never passes, and an unchanged text is never stopped.
func TestUnsupportedFindsEveryChangedDigit(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 1000 {
		cents := r.Int64N(100_000_000) + 100
		exact := fmt.Sprintf("%d.%02d", cents/100, cents%100)
		said := guardrails.Said{Figures: []guardrails.Figure{{Digits: exact}}, Language: "en"}
		prose := []byte("The total is " + exact + ".")
		if bad := guardrails.Unsupported(string(prose), said); bad != nil {
			t.Fatalf("case %d: %q stopped for %v", i, prose, bad)
		}
		var places []int
		for j, b := range prose {
			if b >= '0' && b <= '9' {
				places = append(places, j)
			}
		}
		at := places[r.IntN(len(places))]
		prose[at] = '0' + (prose[at]-'0'+byte(1+r.IntN(9)))%10
		if bad := guardrails.Unsupported(string(prose), said); bad == nil {
			t.Fatalf("case %d: %q passed for %s", i, prose, exact)
		}
	}
}

func FuzzUnsupported(f *testing.F) {
	f.Add("The average is 9.4% over 42 rows.", "9.4")
	f.Add("1.2.3 and 5k, twice", "2")
	f.Fuzz(func(t *testing.T, prose, digits string) {
		with := guardrails.Unsupported(prose, guardrails.Said{Figures: []guardrails.Figure{{Digits: digits}}, Language: "en"})
		without := guardrails.Unsupported(prose, guardrails.Said{Language: "en"})
		if len(with) > len(without) {
			t.Errorf("allowing %q stops more of %q: %v, then %v", digits, prose, without, with)
		}
		if len(without) > 0 && !strings.Contains(prose, without[0]) {
			t.Errorf("%q is no part of %q", without[0], prose)
		}
	})
}
