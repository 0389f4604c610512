package semparse

import (
	"cmp"
	"slices"
	"strings"

	"github.com/allrows/allrows/agent/link"
)

// maxCands bounds the readings that are ranked for one question.
const maxCands = 700

// proposer builds candidates for one question.
type proposer struct {
	*asked
	out  []*cand
	seen map[string]bool
	cs   *condSet
	free []cluster // column names that the conditions do not use
	aggs map[string]mask
	ops  []link.Link // those that no cell of the conditions holds
}

// cluster is a run of words with the columns that it may name.
type cluster struct {
	first, last int
	span        mask
	alts        []mention // the likeliest
	every       []mention
}

// propose returns the candidate readings of the question.
func (a *asked) propose() []*cand {
	p := &proposer{asked: a, seen: map[string]bool{}}
	for _, cs := range a.condSets() {
		if len(p.out) > maxCands {
			break
		}
		p.begin(cs)
		p.free = p.clusters(cs.value.or(cs.mention), 3)
		p.lists()
		p.counts_()
		p.aggregates()
		p.supers()
		p.groups()
		p.pairs()
		p.nears()
		p.sets()
	}
	return p.out
}

// begin takes up one choice of conditions: the words of its cells are no
// operators.
func (p *proposer) begin(cs *condSet) {
	p.cs, p.ops, p.aggs = cs, nil, map[string]mask{}
	for _, k := range p.asked.ops {
		m := spanMask(k.First, k.Last)
		if cs.value.covers(m) {
			continue
		}
		p.ops = append(p.ops, k)
		if strings.HasPrefix(k.Op, "agg.") {
			p.aggs[k.Op] = p.aggs[k.Op].or(m)
		}
	}
}

// clusters groups the mentions outside the taken words into runs, in order.
func (p *proposer) clusters(taken mask, keep int) []cluster {
	var ms []mention
	for _, m := range p.mentions {
		if m, ok := p.trim(m, taken); ok {
			ms = append(ms, m)
		}
	}
	slices.SortStableFunc(ms, func(x, y mention) int {
		return cmp.Or(cmp.Compare(x.first, y.first), cmp.Compare(y.last, x.last))
	})
	var out []cluster
	for _, m := range ms {
		if n := len(out); n > 0 && m.first <= out[n-1].last {
			c := &out[n-1]
			c.alts = append(c.alts, m)
			c.last = max(c.last, m.last)
			c.span = c.span.or(m.span)
			continue
		}
		out = append(out, cluster{first: m.first, last: m.last, span: m.span, alts: []mention{m}})
	}
	for i := range out {
		alts := out[i].alts
		slices.SortStableFunc(alts, func(x, y mention) int { return cmp.Compare(p.mentionRank(y), p.mentionRank(x)) })
		seen := map[int]bool{}
		alts = slices.DeleteFunc(alts, func(m mention) bool {
			dup := seen[m.col]
			seen[m.col] = true
			return dup
		})
		best := p.mentionRank(alts[0])
		out[i].every = alts
		alts = slices.DeleteFunc(slices.Clone(alts), func(m mention) bool { return p.mentionRank(m) < best-0.55 })
		out[i].alts = alts[:min(len(alts), keep+1)]
	}
	return out
}

// trim cuts from a name the words that a condition has taken; what is left has
// to be a content word.
func (p *proposer) trim(m mention, taken mask) (mention, bool) {
	if !m.span.overlaps(taken) {
		return m, true
	}
	last := m.first - 1
	content := false
	for last < m.last && !taken.has(last+1) {
		last++
		content = content || !p.fillers.has(last)
	}
	if !content {
		return m, false
	}
	for p.fillers.has(last) {
		last--
	}
	m.last, m.span, m.score, m.how = last, spanMask(m.first, last), 0.7*m.score, "part"
	return m, true
}

// mentionRank prefers names said in full, of tables that the question names.
func (p *proposer) mentionRank(m mention) float64 {
	s := m.score + 0.08*float64(m.last-m.first)
	if m.how == "name" || m.how == "synonym" {
		s += 0.1
	}
	for _, t := range p.tables {
		if t.col == p.v.cols[m.col].table {
			s += 0.12 * t.score
			break
		}
	}
	for _, at := range p.cs.atoms {
		if p.v.cols[at.col].table == p.v.cols[m.col].table {
			s += 0.05
			break
		}
	}
	return s
}

// newCand begins a candidate with the current conditions.
func (p *proposer) newCand(shape string, base int) *cand {
	c := &cand{shape: shape, base: base, conds: p.cs.atoms}
	return c.use(p.cs.span, p.cs.mention)
}

// add finishes a candidate: the words that its tables explain, its plan. Two of
// one plan are kept once, the one that explains more.
func (p *proposer) add(c *cand) {
	if len(p.out) > maxCands {
		return
	}
	for _, it := range c.items {
		c.use(it.m.span)
	}
	if c.order != nil {
		c.use(c.order.m.span)
	}
	tables := map[int]bool{c.base: true}
	for _, i := range c.columns() {
		tables[p.v.cols[i].table] = true
	}
	for _, t := range c.anti {
		tables[t] = true
	}
	for _, t := range p.tables {
		if tables[t.col] || p.refers(tables, t.col) {
			c.use(p.tableWords(t))
		}
	}
	key := p.key(c)
	if p.seen[key] {
		return
	}
	p.seen[key] = true
	p.out = append(p.out, c)
}

// refers reports whether one of the tables has a key of table t: it speaks of t's
// rows without joining it.
func (p *proposer) refers(tables map[int]bool, t int) bool {
	return slices.ContainsFunc(p.v.edges[t], func(e edge) bool { return tables[e.to] })
}

// tableWords returns the words that a table explains: of a title, those that are
// no column of it.
func (p *proposer) tableWords(t mention) mask {
	m := t.span
	if t.how == "name" {
		return m
	}
	for _, c := range p.mentions {
		if c.score >= 0.6 && p.v.cols[c.col].table == t.col {
			m = m.minus(c.span)
		}
	}
	return m
}

// targets returns the columns that may be asked for: named ones, and floating
// ones that fit the question word.
func (p *proposer) targets(fit func(*column) bool, floats int) []mention {
	var out []mention
	seen := map[int]bool{}
	for _, cl := range p.free {
		for _, m := range cl.alts {
			if !seen[m.col] && fit(p.v.cols[m.col]) {
				seen[m.col] = true
				out = append(out, m)
			}
		}
	}
	for _, i := range p.floating(fit) {
		if floats == 0 {
			break
		}
		if !seen[i] {
			seen[i] = true
			out = append(out, mention{col: i, first: -1, last: -1})
			floats--
		}
	}
	return out
}

// floating returns columns that no word names, likeliest first: those of the
// tables in question that fit the question word.
func (p *proposer) floating(fit func(*column) bool) []int {
	type scored struct {
		col int
		s   float64
	}
	var all []scored
	for _, t := range p.bases() {
		from, to := p.v.tableCols(t)
		for i := from; i < to; i++ {
			c := p.v.cols[i]
			if !fit(c) || slices.ContainsFunc(p.cs.atoms, func(at *atom) bool { return at.col == i && at.op == "=" }) {
				continue
			}
			s := p.fitsWord(c)
			if i == p.v.label(t) {
				s += 0.5
			}
			all = append(all, scored{i, s - 0.03*float64(c.at)})
		}
	}
	slices.SortStableFunc(all, func(x, y scored) int { return cmp.Compare(y.s, x.s) })
	out := make([]int, len(all))
	for i, s := range all {
		out[i] = s.col
	}
	return out
}

// fitsWord says how well a column answers the question word.
func (p *proposer) fitsWord(c *column) float64 {
	is := func(class string) float64 {
		if slices.Contains(c.classes, class) {
			return 1
		}
		return 0
	}
	switch p.wh {
	case "wh.who":
		return is("person") + 0.2*boolean(c.text)
	case "wh.when", "wh.year":
		return is("time") + 0.4*boolean(c.temporal || c.year)
	case "wh.where":
		return is("place") + 0.1*boolean(c.text)
	case "wh.howmany", "wh.howmuch":
		return 0.5*is("amount") + 0.5*boolean(c.numeric)
	case "wh.howlong":
		return is("duration")
	case "wh.howold":
		return is("age")
	}
	return 0.1 * boolean(c.text)
}

func boolean(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// bases returns the tables that the question may be about: named ones, those of
// its conditions and columns, or the only one.
func (p *proposer) bases() []int {
	if len(p.v.tables) == 1 {
		return []int{0}
	}
	score := map[int]float64{}
	for _, t := range p.tables {
		score[t.col] = max(score[t.col], t.score+0.1*float64(t.last-t.first))
	}
	for _, at := range p.cs.atoms {
		score[p.v.cols[at.col].table] += 0.5 * at.score
	}
	for _, cl := range p.free {
		for _, m := range cl.alts {
			t := p.v.cols[m.col].table
			score[t] = max(score[t], 0.4*m.score)
		}
	}
	out := make([]int, 0, len(score))
	for t := range score {
		out = append(out, t)
	}
	slices.SortFunc(out, func(x, y int) int { return cmp.Or(cmp.Compare(score[y], score[x]), cmp.Compare(x, y)) })
	return out[:min(len(out), 4)]
}

func anyColumn(*column) bool    { return true }
func numericCol(c *column) bool { return c.numeric && !c.key }
func orderable(c *column) bool  { return c.numeric || c.temporal }
