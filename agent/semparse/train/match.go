package train

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/allrows/allrows/agent/link"
)

// Right reports whether rows are the answer of the case.
func Right(c *Case, rows [][]any) bool {
	if matches(c.Answer, rows, c.Meta.Ordered) {
		return true
	}
	for _, alt := range c.Meta.Alternatives {
		if list, ok := alt.([]any); ok && matches(list, rows, c.Meta.Ordered) {
			return true
		}
	}
	return false
}

func matches(gold []any, rows [][]any, ordered bool) bool {
	var want [][]any
	for _, g := range gold {
		if row, ok := g.([]any); ok {
			want = append(want, row)
		} else {
			want = append(want, []any{g})
		}
	}
	if len(rows) == 1 && len(want) > 1 && len(want[0]) == 1 && len(rows[0]) == len(want) {
		want = [][]any{flat(want)} // the columns of one row asked for
	}
	if len(want) != len(rows) || len(rows) == 0 {
		return false
	}
	if ordered {
		for i := range want {
			if !rowMatches(want[i], rows[i]) {
				return false
			}
		}
		return true
	}
	used := make([]bool, len(rows))
	if len(rows) > 2000 {
		return false
	}
	for _, w := range want {
		i := slices.IndexFunc(rows, func(r []any) bool { return rowMatches(w, r) })
		for i >= 0 && used[i] {
			j := slices.IndexFunc(rows[i+1:], func(r []any) bool { return rowMatches(w, r) })
			if j < 0 {
				i = -1
				break
			}
			i += 1 + j
		}
		if i < 0 {
			return false
		}
		used[i] = true
	}
	return true
}

func flat(rows [][]any) []any {
	var out []any
	for _, r := range rows {
		out = append(out, r...)
	}
	return out
}

// rowMatches compares two rows, their columns in any order.
func rowMatches(want, got []any) bool {
	if len(want) != len(got) {
		return false
	}
	if len(want) == 1 {
		return same(want[0], got[0])
	}
	used := make([]bool, len(got))
	for _, w := range want {
		found := false
		for i, g := range got {
			if !used[i] && same(w, g) {
				used[i], found = true, true
				break
			}
		}
		if !found {
			return false
		}
	}
	return true
}

func same(want, got any) bool {
	if want == nil || got == nil {
		return want == nil && got == nil
	}
	ws, gs := text(want), text(got)
	if strings.TrimSpace(link.Fold(ws)) == strings.TrimSpace(link.Fold(gs)) {
		return true
	}
	if x, dec, ok := figure(ws); ok {
		if y, _, ok := figure(gs); ok {
			scale := math.Pow(10, float64(dec))
			return math.Round(x*scale) == math.Round(y*scale) || math.Abs(x-y) <= 1e-6*math.Abs(x)
		}
	}
	if strings.HasSuffix(gs, ":00") && strings.TrimSuffix(gs, ":00") == ws {
		return true
	}
	if a, b := date(ws), date(gs); a != "" && a == b {
		return true
	}
	return link.Phrase(ws) != "" && link.Phrase(ws) == link.Phrase(gs)
}

func figure(s string) (float64, int, bool) {
	s = strings.TrimSpace(s)
	if strings.HasPrefix(s, "(") && strings.HasSuffix(s, ")") {
		s = "-" + s[1:len(s)-1]
	}
	s = strings.NewReplacer(",", "", "$", "", "%", "", "£", "", "€", "", " ", "").Replace(s)
	f, err := strconv.ParseFloat(s, 64)
	_, dec, _ := strings.Cut(s, ".")
	return f, len(dec), err == nil
}

var dateForms = []string{time.DateOnly, "January 2, 2006", "2 January 2006", "Jan 2, 2006", "2 Jan 2006", "01/02/2006", "1/2/2006", "2006-01-02 15:04:05", "2 january 2006", "january 2, 2006"}

func date(s string) string {
	if len(s) < 8 || len(s) > 30 {
		return ""
	}
	for _, f := range dateForms {
		if t, err := time.Parse(f, s); err == nil {
			return t.Format(time.DateOnly)
		}
	}
	return ""
}
