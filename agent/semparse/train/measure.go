package train

import (
	"fmt"
	"io"
	"slices"

	"github.com/allrows/allrows/agent/semparse"
)

// Score counts how a set of questions went.
type Score struct {
	Questions, Proposed, Right int // Proposed: some candidate was right
	Sure, SureRight            int // at the threshold
}

// Top returns the best candidate of an example under the weights.
func Top(ex *Example, w []float64) int {
	best, at := 0.0, -1
	for i, c := range ex.Cands {
		s := 0.0
		for _, f := range c.Feats {
			if f.ID < len(w) {
				s += w[f.ID] * f.Value
			}
		}
		if at < 0 || s > best {
			best, at = s, i
		}
	}
	return at
}

// Dense turns named weights into a list by number.
func Dense(weights map[string]float64, index *semparse.Index) []float64 {
	out := make([]float64, index.Len())
	for i := range out {
		out[i] = weights[index.Name(i)]
	}
	return out
}

// Measure scores the examples by kind, with the threshold off.
func Measure(examples []*Example, w []float64) map[string]*Score {
	out := map[string]*Score{"all": {}}
	for _, ex := range examples {
		kind := ex.Case.Meta.Kind
		if out[kind] == nil {
			out[kind] = &Score{}
		}
		at := Top(ex, w)
		for _, s := range []*Score{out["all"], out[kind]} {
			s.Questions++
			if ex.Right > 0 {
				s.Proposed++
			}
			if at >= 0 && ex.Cands[at].Right {
				s.Right++
			}
		}
	}
	return out
}

// Print writes a score table.
func Print(w io.Writer, title string, scores map[string]*Score) {
	kinds := make([]string, 0, len(scores))
	for k := range scores {
		kinds = append(kinds, k)
	}
	slices.Sort(kinds)
	fmt.Fprintf(w, "%s\n", title)
	for _, k := range kinds {
		s := scores[k]
		n := float64(max(1, s.Questions))
		fmt.Fprintf(w, "  %-26s %6d  proposed %5.1f%%  right %5.1f%%\n", k, s.Questions, 100*float64(s.Proposed)/n, 100*float64(s.Right)/n)
	}
}
