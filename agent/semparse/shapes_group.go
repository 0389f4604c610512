package semparse

import (
	"slices"
	"strconv"
	"strings"
)

// groups proposes aggregates for each value of one or two columns, the first
// few of them, and the values whose group meets a bound.
func (p *proposer) groups() {
	keys := p.groupKeys()
	if len(keys) == 0 {
		return
	}
	for _, g := range keys {
		for _, it := range p.groupItems(g) {
			p.group(g, it)
		}
		p.havings(g)
	}
}

type groupKey struct {
	cols  []mention
	by    mask   // the words that say so
	grain string // of dates: "by month"
}

// groupKeys returns what rows may be grouped by: the columns behind "by" or
// "each", else any named one when a question counts or aggregates.
func (p *proposer) groupKeys() []groupKey {
	var out []groupKey
	for i, cl := range p.free {
		by := mask{}
		for _, k := range p.ops {
			if k.Op == "op.group" && k.Last < cl.first && cl.first-k.Last <= 4 {
				by = by.or(spanMask(k.First, k.Last))
			}
		}
		for _, m := range cl.alts[:min(3, len(cl.alts))] {
			c := p.v.cols[m.col]
			if c.c.Profile.Unique && c.numeric && by.empty() {
				continue
			}
			out = append(out, groupKey{cols: []mention{m}, by: by})
			if i+1 < len(p.free) && !by.empty() {
				n := p.free[i+1].alts[0]
				if n.col != m.col {
					out = append(out, groupKey{cols: []mention{m, n}, by: by})
				}
			}
		}
	}
	out = append(p.grainKeys(), append(out, p.entityKeys()...)...)
	out = out[:min(len(out), 12)]
	for _, ms := range p.oneTable() {
		by := mask{}
		for _, k := range p.ops {
			if k.Op == "op.group" && k.Last < ms[len(ms)-1].first {
				by = by.or(spanMask(k.First, k.Last))
			}
		}
		out = append(out, groupKey{cols: ms, by: by})
	}
	return out
}

// entityKeys groups by the name of the rows of a table behind "each".
func (p *proposer) entityKeys() []groupKey {
	var out []groupKey
	for _, t := range p.tables {
		l := p.v.label(t.col)
		if l < 0 || t.score < 0.5 {
			continue
		}
		by := mask{}
		for _, k := range p.ops {
			if k.Op == "op.group" && k.Last < t.first && t.first-k.Last <= 2 {
				by = by.or(spanMask(k.First, k.Last))
			}
		}
		out = append(out, groupKey{cols: []mention{{col: l, first: t.first, last: t.last, span: t.span, score: 0.5 * t.score, how: "table"}}, by: by})
	}
	return out
}

// groupItems returns what may be computed for each group.
func (p *proposer) groupItems(g groupKey) []item {
	var out []item
	out = append(out, item{agg: "count", col: -1})
	inKey := func(i int) bool { return slices.ContainsFunc(g.cols, func(m mention) bool { return m.col == i }) }
	for _, name := range []string{"avg", "sum", "max", "min", "median"} {
		trig := p.aggs["agg."+name]
		if trig.empty() {
			trig = p.opsOf("sup." + name)
		}
		if trig.empty() && name != "sum" {
			continue
		}
		for _, m := range p.targets(func(c *column) bool { return orderable(c) && (c.numeric || name == "max" || name == "min") }, 1) {
			if !inKey(m.col) {
				out = append(out, item{agg: name, col: m.col, m: m})
			}
		}
	}
	if !p.aggs["agg.count"].empty() {
		for _, m := range p.targets(anyColumn, 0) {
			if !inKey(m.col) {
				out = append(out, item{agg: "count_distinct", col: m.col, m: m})
			}
		}
	}
	return out
}

func (p *proposer) trigger(it item) mask {
	m := p.aggs["agg."+strings.TrimSuffix(it.agg, "_distinct")]
	if it.agg == "max" || it.agg == "min" {
		m = m.or(p.opsOf("sup." + it.agg))
	}
	return m
}

func (p *proposer) group(g groupKey, it item) {
	var bases []int
	if it.col >= 0 {
		bases = []int{p.v.cols[it.col].table}
	} else {
		bases = p.countBases(g.cols[0])
	}
	for _, base := range bases {
		if it.col < 0 && p.each(g.cols, base) {
			continue
		}
		c := p.newCand("group", base)
		c.grain = g.grain
		for _, m := range g.cols {
			c.items = append(c.items, item{col: m.col, m: m})
			c.group = append(c.group, m.col)
			c.use(m.span)
		}
		c.items = append(c.items, it)
		c.claim(g.by, p.trigger(it))
		if len(p.groupTrigger(g, it)) > 0 {
			p.add(c)
		}
		p.topGroups(c, it)
	}
}

// groupTrigger tells why a question may want groups: "by", or an aggregate and
// a name beside it.
func (p *proposer) groupTrigger(g groupKey, it item) string {
	switch {
	case !g.by.empty():
		return "by"
	case !p.trigger(it).empty():
		return "agg"
	}
	return ""
}

// topGroups proposes the groups with the most or least.
func (p *proposer) topGroups(c *cand, it item) {
	for _, k := range p.ops {
		desc := k.Op == "sup.max" || k.Op == "op.desc"
		if !desc && k.Op != "sup.min" && k.Op != "op.asc" {
			continue
		}
		d := c.clone()
		d.order = &order{it, desc}
		d.order.m = mention{}
		if strings.HasPrefix(k.Op, "sup.") {
			n, span := p.limitFor(k)
			d.limit = n
			d.shape = "topgroup"
			d.items[len(d.items)-1].context = true
			p.add(d.claim(spanMask(k.First, k.Last), span))
			continue
		}
		d.shape = "group_ordered"
		p.add(d.claim(p.opsOf("op.asc"), p.opsOf("op.desc")))
		e := d.clone()
		e.order = &order{item{col: e.group[0]}, desc}
		p.add(e)
	}
}

// havings proposes the groups whose count or aggregate meets a bound.
func (p *proposer) havings(g groupKey) {
	for _, b := range p.counts {
		if p.cs.value.overlaps(b.value) || !b.cmp {
			continue
		}
		var items []item
		if !b.owned {
			items = append(items, item{agg: "count", col: -1})
		}
		for _, name := range []string{"avg", "sum", "max", "min"} {
			if trig := p.aggs["agg."+name]; !trig.empty() {
				for _, m := range p.targets(numericCol, 0) {
					items = append(items, item{agg: name, col: m.col, m: m})
				}
			}
		}
		for _, it := range items {
			bases := p.countBases(g.cols[0])
			if it.col >= 0 {
				bases = []int{p.v.cols[it.col].table}
			}
			for _, base := range bases {
				c := p.newCand("having", base)
				for _, m := range g.cols {
					c.items = append(c.items, item{col: m.col, m: m})
					c.group = append(c.group, m.col)
				}
				c.having = &bound{it, b.op, b.vals}
				it.context = true
				c.items = append(c.items, it)
				c.use(it.m.span)
				p.add(c.claim(b.span, g.by, p.trigger(it)))
			}
		}
	}
}

// key tells two candidates apart by what they compute.
func (p *proposer) key(c *cand) string {
	var b strings.Builder
	n := func(i int) {
		b.WriteString(strconv.Itoa(i))
		b.WriteByte(' ')
	}
	b.WriteString(c.shape)
	n(c.base)
	for _, it := range c.items {
		b.WriteString(it.agg)
		n(it.col)
	}
	b.WriteByte('|')
	for _, at := range c.atoms() {
		n(at.col)
		b.WriteString(at.op)
		for _, v := range at.vals {
			b.WriteString(v.Text)
			b.WriteByte(0)
		}
	}
	b.WriteByte('|')
	for _, g := range c.group {
		n(g)
	}
	if c.order != nil {
		b.WriteString("o" + c.order.agg + strconv.FormatBool(c.order.desc))
		n(c.order.col)
	}
	if c.having != nil {
		b.WriteString("h" + c.having.agg + c.having.op + c.having.val[0].Text)
	}
	if c.pair != nil {
		b.WriteString("p" + c.pair.op)
		n(c.pair.x)
		n(c.pair.y)
		n(len(c.pair.a))
	}
	if c.set != nil {
		b.WriteString("s" + c.set.op)
	}
	if c.near != nil {
		b.WriteString("n" + strconv.FormatBool(c.near.next))
	}
	b.WriteString(c.fold + strconv.FormatBool(c.distinct))
	for _, x := range append(slices.Clone(c.cross), c.anti...) {
		n(x)
	}
	n(c.limit)
	return b.String()
}
