package semparse

import (
	"slices"
	"strings"

	"github.com/allrows/allrows/agent/link"
)

// said is one "by" of a question: the columns whose whole name stands right
// behind it, or a grain of dates.
type said struct {
	cols  []int
	grain string
	span  mask // of a grain's word
	by    mask
	rank  bool // "top five by population": what the ranking is by
}

// saidBy returns what a question that computes or ranks says it is by. That is no
// matter of likelihood.
func (a *asked) saidBy() []said {
	computes, ranks := a.hasOp("agg."), a.hasOp("sup.")
	if !computes && !ranks {
		return nil
	}
	var out []said
	for _, k := range a.ops {
		span := spanMask(k.Last, k.Last)
		if k.Op != "op.group" && !a.lex.Is("op.group", a.q.Tokens[k.Last].Norm) ||
			slices.ContainsFunc(a.mentions, func(m mention) bool { return m.score >= 0.75 && m.span.overlaps(span) }) {
			continue // "points per game" may be a column
		}
		s := said{by: spanMask(k.First, k.Last)}
		for _, m := range a.mentions {
			if m.first > k.Last && a.only(k.Last+1, m.first-1) && (m.how == "name" || m.how == "synonym") && m.score >= 0.95 {
				s.cols = append(s.cols, m.col)
			}
		}
		if len(s.cols) == 0 {
			s.grain, s.span = a.grainAfter(k.Last)
		}
		s.rank = !computes && slices.ContainsFunc(s.cols, func(i int) bool { return orderable(a.v.cols[i]) })
		if len(s.cols) > 0 || s.grain != "" {
			out = append(out, s)
		}
	}
	return out
}

func (a *asked) hasOp(prefix string) bool {
	return slices.ContainsFunc(a.ops, func(k link.Link) bool { return strings.HasPrefix(k.Op, prefix) })
}

// grainAfter returns the grain of dates that the word right behind a "by" names.
func (a *asked) grainAfter(last int) (string, mask) {
	for _, grain := range []string{"year", "quarter", "month", "week", "day"} {
		for _, i := range []int{last + 1, last + 2} {
			if i < a.n && a.only(last+1, i-1) && a.lex.Is("time."+grain, a.q.Tokens[i].Norm) {
				return grain, spanMask(i, i)
			}
		}
	}
	return "", mask{}
}

// grainKeys groups by the grain of the dates of the tables in question.
func (p *proposer) grainKeys() []groupKey {
	var out []groupKey
	for _, s := range p.said {
		if s.grain == "" {
			continue
		}
		dates := p.floating(func(c *column) bool { return c.temporal })
		for _, i := range dates[:min(2, len(dates))] {
			out = append(out, groupKey{cols: []mention{{col: i, first: -1, last: -1, span: s.span}}, by: s.by, grain: s.grain})
		}
	}
	return out
}

// asSaid keeps the readings that are by what the question says it is by. Where a
// column's name is said and no reading is by it, the name may mean another thing;
// a grain of dates means nothing else.
func (a *asked) asSaid(cands []*cand) []*cand {
	for _, s := range a.said {
		kept := slices.DeleteFunc(slices.Clone(cands), func(c *cand) bool { return !c.isBy(s) })
		if len(kept) > 0 || s.grain != "" {
			cands = kept
		}
	}
	return cands
}

// isBy reports whether a reading groups or orders as the question says.
func (c *cand) isBy(s said) bool {
	if s.grain != "" {
		return c.grain == s.grain
	}
	if s.rank {
		return c.order != nil && c.order.agg == "" && slices.Contains(s.cols, c.order.col)
	}
	return slices.ContainsFunc(c.group, func(g int) bool { return slices.Contains(s.cols, g) }) ||
		c.order != nil && slices.Contains(s.cols, c.order.col)
}
