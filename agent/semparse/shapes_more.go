package semparse

import (
	"slices"

	"github.com/allrows/allrows/agent/link"
)

// crossSuper proposes which of the columns of a row holds the most: the year in
// which an amount was the largest.
func (p *proposer) crossSuper(k link.Link) {
	if len(p.cs.atoms) == 0 {
		return
	}
	t := p.v.cols[p.cs.atoms[0].col].table
	all := p.v.yearColumns(t)
	if len(all) < 2 {
		return
	}
	c := p.newCand("cross_super", t)
	c.cross = all
	c.order, c.limit = &order{item{col: all[0]}, k.Op == "sup.max"}, 1
	p.add(c.claim(spanMask(k.First, k.Last)))
}

// nears proposes the row next to the one that meets the conditions.
func (p *proposer) nears() {
	if len(p.cs.atoms) == 0 {
		return
	}
	t := p.v.cols[p.cs.atoms[0].col].table
	for _, k := range p.ops {
		if k.Op != "op.next" && k.Op != "op.prev" || p.cs.span.overlaps(spanMask(k.First, k.Last)) {
			continue
		}
		targets := p.targets(anyColumn, 2)
		for _, at := range p.cs.atoms {
			if at.op == "=" && at.kind == "value" {
				targets = append(targets, mention{col: at.col, first: -1, last: -1})
			}
		}
		for _, m := range targets {
			if p.v.cols[m.col].table != t {
				continue
			}
			c := p.newCand("near", t)
			c.items = []item{{col: m.col, m: m}}
			c.near = &near{next: k.Op == "op.next", step: 1}
			p.add(c.claim(spanMask(k.First, k.Last)))
		}
	}
}

// sets proposes rows that meet both of two conditions on different partners,
// and rows that have no partner.
func (p *proposer) sets() {
	p.antis()
	both := p.opsOf("op.both").or(p.opsOf("op.and"))
	if len(p.aggs) > 0 {
		return // "the average of North and South" is over the rows of either
	}
	for i, x := range p.cs.atoms {
		for _, y := range p.cs.atoms[i+1:] {
			if x.col != y.col || x.op == "<>" || both.empty() {
				continue
			}
			rest := slices.DeleteFunc(slices.Clone(p.cs.atoms), func(a *atom) bool { return a == x || a == y })
			for _, m := range p.targets(anyColumn, 1) {
				if m.col == x.col {
					continue
				}
				c := p.newCand("both", p.v.cols[m.col].table)
				c.items, c.conds = []item{{col: m.col, m: m}}, rest
				c.set = &setOp{op: "intersect", left: []*atom{x}, right: []*atom{y}}
				p.add(c.claim(both))
			}
		}
	}
}

// antis proposes rows without a partner in a named table.
func (p *proposer) antis() {
	neg := p.opsOf("op.neg")
	if neg.empty() {
		return
	}
	for _, t := range p.tables {
		for base := range p.v.tables {
			if base == t.col || !slices.ContainsFunc(p.v.edges[base], func(e edge) bool { return e.to == t.col }) {
				continue
			}
			for _, m := range p.targets(func(c *column) bool { return c.table == base }, 2) {
				c := p.newCand("anti", base)
				c.items, c.anti = []item{{col: m.col, m: m}}, []int{t.col}
				p.add(c.claim(neg))
			}
			if trig := p.aggs["agg.count"]; !trig.empty() {
				c := p.newCand("anti_count", base)
				c.items, c.anti = []item{{agg: "count", col: -1}}, []int{t.col}
				p.add(c.claim(neg, trig))
			}
		}
	}
}
