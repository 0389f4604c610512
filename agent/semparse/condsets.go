package semparse

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// condSet is one choice of conditions, none of which share words.
type condSet struct {
	atoms   []*atom
	value   mask
	span    mask
	mention mask
	score   float64
	key     string
}

const (
	condBeam = 14 // condition sets kept
	altsEach = 5  // meanings kept of one run of words
	maxAtoms = 6
)

// condSets returns the best choices of conditions, best first.
func (a *asked) condSets() []*condSet {
	groups := a.atomGroups()
	beam := []*condSet{{}}
	for _, g := range groups {
		var next []*condSet
		best := 0.0
		for _, at := range g {
			best = max(best, at.score)
		}
		for _, s := range beam {
			skip := *s
			skip.score -= 0.9*best - 0.25
			if s.value.overlaps(g[0].value) {
				skip.score = s.score
			}
			next = append(next, &skip)
			if len(s.atoms) >= maxAtoms {
				continue
			}
			for _, at := range g {
				if !s.value.overlaps(at.value) {
					next = append(next, s.with(at))
				}
			}
		}
		slices.SortStableFunc(next, func(x, y *condSet) int { return cmp.Compare(y.score, x.score) })
		beam = distinctSets(next, condBeam*2)
	}
	return beam[:min(len(beam), condBeam)]
}

func (s *condSet) with(at *atom) *condSet {
	t := *s
	t.atoms = append(slices.Clone(s.atoms), at)
	t.value, t.span = s.value.or(at.value), s.span.or(at.span)
	if at.mentioned >= 0.5 && at.near <= 4 {
		t.mention = t.mention.or(at.mention)
	}
	t.score += at.score + 0.06*float64(at.last-at.first) + 0.2*at.mentioned - 0.02*float64(at.near)
	for _, b := range s.atoms {
		switch {
		case b.col == at.col && at.or:
			t.score += 0.3 // "below 2 or above 20" speaks of one column
		case b.col == at.col && (at.kind != "value" || b.op != at.op):
			t.score -= 0.3
		case b.mentioned > 0 && b.mention == at.mention && !at.mention.empty() && b.col != at.col:
			t.score -= 0.3
		}
	}
	return &t
}

func distinctSets(sets []*condSet, n int) []*condSet {
	seen := map[string]bool{}
	var out []*condSet
	for _, s := range sets {
		if len(out) >= n {
			break
		}
		k := s.id()
		if !seen[k] {
			seen[k] = true
			out = append(out, s)
		}
	}
	return out
}

func (s *condSet) id() string {
	if s.key == "" && len(s.atoms) > 0 {
		var b strings.Builder
		for _, at := range s.atoms {
			b.WriteString(strconv.Itoa(at.col))
			b.WriteString(at.op)
			for _, v := range at.vals {
				b.WriteString(v.Text)
				b.WriteByte(0)
			}
		}
		s.key = b.String()
	}
	return s.key
}

// atomGroups groups the conditions by the run of words, in the question's
// order, longer runs first, with the best few of each.
func (a *asked) atomGroups() [][]*atom {
	type key struct{ first, last int }
	by := map[key][]*atom{}
	var keys []key
	for _, at := range a.atoms {
		k := key{at.first, at.last}
		if by[k] == nil {
			keys = append(keys, k)
		}
		at.score = a.prior(at)
		by[k] = append(by[k], at)
	}
	slices.SortFunc(keys, func(x, y key) int {
		return cmp.Or(cmp.Compare(y.last-y.first, x.last-x.first), cmp.Compare(x.first, y.first))
	})
	if len(keys) > 24 {
		keys = keys[:24]
	}
	slices.SortStableFunc(keys, func(x, y key) int { return cmp.Compare(x.first, y.first) })
	var out [][]*atom
	for _, k := range keys {
		g := by[k]
		slices.SortStableFunc(g, func(x, y *atom) int {
			return cmp.Compare(y.score+0.3*y.mentioned-0.02*float64(y.near), x.score+0.3*x.mentioned-0.02*float64(x.near))
		})
		out = append(out, g[:min(len(g), altsEach)])
	}
	return out
}

// prior is how likely the words are meant as this condition, before anything
// of the rest is known.
func (a *asked) prior(at *atom) float64 {
	s := at.score
	if at.kind != "value" {
		return s
	}
	if a.fillers.covers(at.value) {
		s -= 0.7
	} else if a.opMask.covers(at.value) {
		s -= 0.4
	}
	for _, m := range a.mentions {
		if m.first <= at.first && at.last <= m.last && m.score > 0.6 && m.col != at.col {
			s -= 0.25
			break
		}
	}
	if at.how == "part" || at.how == "tokens" {
		s *= 0.8
	}
	return s
}
