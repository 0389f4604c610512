package semparse

import (
	"slices"

	"github.com/allrows/allrows/agent/link"
)

// supers proposes the rows that have the most or least of something, by a
// column or by their number.
func (p *proposer) supers() {
	for _, k := range p.ops {
		if k.Op != "sup.max" && k.Op != "sup.min" {
			continue
		}
		n, nspan := p.limitFor(k)
		for _, o := range p.orders(k) {
			p.superOf(k, o, n, nspan)
		}
		p.argCounts(k, n, nspan)
		p.crossSuper(k)
	}
}

// limitFor returns how many rows a superlative asks for: "top 3", "five smallest".
func (p *proposer) limitFor(k link.Link) (int, mask) {
	for _, l := range p.limits {
		if p.cs.value.overlaps(l.span) {
			continue
		}
		if l.at == k.Last+1 || l.at == k.First-1 || l.at == k.First-2 && p.q.Tokens[k.First-1].Filler {
			return l.n, l.span
		}
	}
	return 1, mask{}
}

// orders returns what a superlative may order by: named columns, those that the
// word itself speaks of, and the sheet's order.
func (p *proposer) orders(k link.Link) []order {
	var out []order
	desc := k.Op == "sup.max"
	add := func(m mention) {
		if slices.ContainsFunc(out, func(o order) bool { return o.col == m.col }) {
			return
		}
		c := p.v.cols[m.col]
		d := desc
		if len(k.Against) > 0 && c.has(k.Against...) && !c.has(k.Dims...) {
			d = !d
		}
		out = append(out, order{item{col: m.col, m: m}, d})
	}
	for _, cl := range p.free {
		for _, m := range cl.alts {
			if c := p.v.cols[m.col]; orderable(c) && (!c.key || m.score >= 0.75) {
				add(m)
			}
		}
	}
	var dims []int
	for _, i := range p.floating(func(c *column) bool { return orderable(c) && !c.key }) {
		if p.v.cols[i].has(k.Dims...) || p.v.cols[i].has(k.Against...) {
			dims = append(dims, i)
		}
	}
	for _, i := range dims[:min(len(dims), 3)] {
		add(mention{col: i, first: -1, last: -1, how: "dim"})
	}
	if len(dims) == 0 {
		rest := p.floating(func(c *column) bool { return orderable(c) && !c.key })
		for _, i := range rest[:min(2, len(rest))] {
			add(mention{col: i, first: -1, last: -1})
		}
	}
	if slices.Contains(k.Dims, "date") {
		out = append(out, order{item{agg: "row", col: -1}, desc})
	}
	return out
}

// superOf proposes the rows first by o, showing each possible target.
func (p *proposer) superOf(k link.Link, o order, n int, nspan mask) {
	make := func(ms []mention) *cand {
		c := p.newCand("super", p.v.cols[ms[0].col].table)
		for _, m := range ms {
			c.items = append(c.items, item{col: m.col, m: m})
		}
		if o.agg == "" && !slices.ContainsFunc(ms, func(m mention) bool { return m.col == o.col }) {
			c.items = append(c.items, item{col: o.col, context: true})
		}
		c.order, c.limit = ptr(o), n
		return c.claim(spanMask(k.First, k.Last), nspan)
	}
	for _, m := range p.targets(func(c *column) bool { return true }, 3) {
		if m.col != o.col || o.agg != "" {
			p.add(make([]mention{m}))
		}
	}
	for _, ms := range p.combos() {
		if !slices.ContainsFunc(ms, func(m mention) bool { return m.col == o.col && m.span == o.m.span }) {
			p.add(make(ms))
		}
	}
}

// argCounts proposes the value that most (or fewest) rows have.
func (p *proposer) argCounts(k link.Link, n int, nspan mask) {
	var keys [][]mention
	for _, m := range p.targets(func(c *column) bool { return !c.numeric || c.year || c.key }, 2) {
		keys = append(keys, []mention{m})
	}
	for _, ms := range append(keys, p.oneTable()...) {
		for _, base := range p.countBases(ms[0]) {
			if p.each(ms, base) {
				continue
			}
			c := p.newCand("argcount", base)
			for _, m := range ms {
				c.items = append(c.items, item{col: m.col, m: m})
				c.group = append(c.group, m.col)
			}
			c.items = append(c.items, item{agg: "count", col: -1, context: true})
			c.order, c.limit = &order{item{agg: "count", col: -1}, k.Op == "sup.max"}, n
			p.add(c.claim(spanMask(k.First, k.Last), nspan, p.aggs["agg.count"]))
		}
	}
}

// each reports whether every row of base has a value of its own: counting rows by
// it says nothing.
func (p *proposer) each(ms []mention, base int) bool {
	return slices.ContainsFunc(ms, func(m mention) bool {
		return p.v.cols[m.col].table == base && p.v.cols[m.col].c.Profile.Unique
	})
}

// oneTable returns the runs of columns that stand in one table: they name its rows.
func (p *proposer) oneTable() [][]mention {
	var out [][]mention
	for _, ms := range p.combos() {
		t := p.v.cols[ms[0].col].table
		if len(ms) <= 3 && !slices.ContainsFunc(ms, func(m mention) bool { return p.v.cols[m.col].table != t }) {
			out = append(out, ms)
		}
	}
	return out[:min(len(out), 4)]
}

// countBases returns the tables whose rows may be counted for each value of a
// column: its own, and named ones that hang on it.
func (p *proposer) countBases(m mention) []int {
	own := p.v.cols[m.col].table
	out := []int{own}
	for _, t := range p.tables {
		if t.col == own || slices.Contains(out, t.col) {
			continue
		}
		if _, ok := p.v.connect(t.col, []int{own}); ok {
			out = append(out, t.col)
		}
	}
	for _, cl := range p.free {
		t := p.v.cols[cl.alts[0].col].table
		if !slices.Contains(out, t) {
			if _, ok := p.v.connect(t, []int{own}); ok {
				out = append(out, t)
			}
		}
	}
	for _, at := range p.cs.atoms {
		t := p.v.cols[at.col].table
		if !slices.Contains(out, t) {
			if _, ok := p.v.connect(t, []int{own}); ok {
				out = append(out, t)
			}
		}
	}
	return out[:min(len(out), 3)]
}
