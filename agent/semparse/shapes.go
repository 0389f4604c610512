package semparse

import (
	"slices"
	"strconv"
	"strings"

	"github.com/allrows/allrows/agent/link"
)

// lists proposes "the columns asked for, of the rows that meet the conditions".
func (p *proposer) lists() {
	for _, m := range p.targets(anyColumn, 6) {
		p.list([]mention{m})
	}
	for _, ms := range p.combos() {
		p.list(ms)
	}
	if len(p.cs.atoms) > 0 || len(p.tables) > 0 {
		for _, t := range p.bases()[:min(1, len(p.bases()))] {
			p.wholeRows(t)
		}
	}
}

// combos returns runs of several columns asked for at once, each run first by
// the likeliest columns, then within one table.
func (p *proposer) combos() [][]mention {
	var out [][]mention
	seen := map[string]bool{}
	add := func(ms []mention) {
		for n := 2; n <= min(len(ms), 4); n++ {
			out = appendRun(out, ms[:n], seen)
		}
		if len(ms) > 2 {
			out = appendRun(out, ms[1:min(len(ms), 4)], seen)
		}
	}
	add(p.run(-1))
	for _, t := range p.bases() {
		add(p.run(t))
	}
	return out
}

func appendRun(out [][]mention, ms []mention, seen map[string]bool) [][]mention {
	key := ""
	for _, m := range ms {
		key += strconv.Itoa(m.col) + " "
	}
	if seen[key] {
		return out
	}
	seen[key] = true
	return append(out, ms)
}

// run returns one column for each name in the question, those of table t where it
// has one (-1: the likeliest of any).
func (p *proposer) run(t int) []mention {
	var out []mention
	for _, cl := range p.free {
		m, found := cl.alts[0], t < 0
		for _, alt := range cl.every {
			if !found && p.v.cols[alt.col].table == t {
				m, found = alt, true
			}
		}
		if !found && m.score < 0.6 || slices.ContainsFunc(out, func(x mention) bool { return x.col == m.col }) {
			continue
		}
		out = append(out, m)
	}
	return out
}

func (p *proposer) list(ms []mention) {
	base := p.v.cols[ms[0].col].table
	c := p.newCand("list", base)
	for _, m := range ms {
		c.items = append(c.items, item{col: m.col, m: m})
	}
	if p.wh == "wh.when" {
		onlyTimes(p.v, c)
	}
	p.add(c)
	if d := p.aggs["agg.distinct"]; !d.empty() {
		e := c.clone()
		e.distinct = true
		p.add(e.claim(d))
	}
	for _, k := range p.ops {
		if (k.Op == "op.asc" || k.Op == "op.desc") && len(ms) >= 1 {
			p.ordered(c, k)
		}
	}
}

// onlyTimes makes what is no time context: "when does the discount take effect?"
// asks for no discount.
func onlyTimes(v *view, c *cand) {
	times := func(it item) bool { return v.cols[it.col].temporal || v.cols[it.col].year }
	if !slices.ContainsFunc(c.items, times) {
		return
	}
	for i := range c.items {
		c.items[i].context = !times(c.items[i])
	}
}

// ordered proposes the list in the order that the words ask for.
func (p *proposer) ordered(c *cand, k link.Link) {
	desc := k.Op == "op.desc"
	for _, o := range p.ops {
		desc = desc || o.Op == "op.desc"
	}
	for _, cl := range p.free {
		for _, m := range cl.alts[:min(2, len(cl.alts))] {
			d := c.clone()
			if len(d.items) > 1 && d.items[len(d.items)-1].col == m.col && cl.first > k.First {
				d.items = d.items[:len(d.items)-1]
			}
			d.shape = "ordered"
			d.order = &order{item{col: m.col, m: m}, desc}
			d.claim(p.opsOf("op.asc"), p.opsOf("op.desc"))
			p.add(d)
		}
	}
	if len(c.items) == 1 {
		d := c.clone()
		d.shape, d.order = "ordered", &order{item{col: c.items[0].col, m: c.items[0].m}, desc}
		p.add(d.claim(p.opsOf("op.asc"), p.opsOf("op.desc")))
	}
}

// opsOf returns the words of every operator of a class.
func (p *proposer) opsOf(class string) mask {
	var m mask
	for _, k := range p.ops {
		if k.Op == class {
			m = m.or(spanMask(k.First, k.Last))
		}
	}
	return m
}

// wholeRows proposes all columns of the rows that meet the conditions.
func (p *proposer) wholeRows(t int) {
	c := p.newCand("rows", t)
	p.add(c)
}

// counts_ proposes counts of rows and of distinct values.
func (p *proposer) counts_() {
	trig := p.aggs["agg.count"]
	if trig.empty() {
		return
	}
	for _, t := range p.bases() {
		c := p.newCand("count", t)
		c.items = []item{{agg: "count", col: -1}}
		p.add(c.claim(trig))
		for _, x := range p.free {
			for _, m := range x.alts {
				if p.v.cols[m.col].table != t {
					continue
				}
				d := c.clone()
				d.shape = "count_col"
				d.use(m.span)
				d.items = []item{{agg: "count", col: m.col, m: m}}
				p.add(d)
			}
		}
	}
	said := !p.aggs["agg.distinct"].empty()
	for _, m := range p.targets(func(c *column) bool {
		return said || c.key || c.year || c.c.Type.Kind != "decimal" && c.c.Type.Kind != "float"
	}, 0) {
		c := p.newCand("count_distinct", p.v.cols[m.col].table)
		c.items = []item{{agg: "count_distinct", col: m.col, m: m}}
		p.add(c.claim(trig, p.aggs["agg.distinct"]))
	}
}

// aggregates proposes sums, averages, extremes and medians of a column.
func (p *proposer) aggregates() {
	type agg struct {
		name string
		span mask
	}
	var found []agg
	for _, name := range []string{"sum", "avg", "median", "max", "min"} {
		if m := p.aggs["agg."+name]; !m.empty() {
			found = append(found, agg{name, m})
		}
	}
	for _, k := range p.ops {
		switch k.Op {
		case "sup.max":
			found = append(found, agg{"max", spanMask(k.First, k.Last)})
		case "sup.min":
			found = append(found, agg{"min", spanMask(k.First, k.Last)})
		case "wh.howmany", "wh.howmuch", "agg.count":
			found = append(found, agg{"sum", spanMask(k.First, k.Last)})
		}
	}
	for _, g := range found {
		for _, m := range p.targets(func(c *column) bool { return orderable(c) && (c.numeric || g.name == "max" || g.name == "min") }, 3) {
			if g.name == "sum" && p.aggs["agg.sum"].empty() && p.v.cols[m.col].c.Unit.Code == "percent" {
				continue // how many of a percentage is a count, never a sum
			}
			c := p.newCand("agg", p.v.cols[m.col].table)
			c.items = []item{{agg: g.name, col: m.col, m: m}}
			p.add(p.across(c.claim(g.span)))
		}
	}
	if r := p.aggs["agg.range"]; !r.empty() {
		p.severalAggs([]string{"min", "max"}, r)
	}
	if len(found) > 1 {
		var names []string
		var span mask
		for _, g := range found {
			if !slices.Contains(names, g.name) && !strings.HasPrefix(p.wh, "wh.how") {
				names = append(names, g.name)
				span = span.or(g.span)
			}
		}
		if len(names) > 1 {
			p.severalAggs(names, span)
		}
	}
}

// across explains "across regions": over all of them, by none.
func (p *proposer) across(c *cand) *cand {
	for _, k := range p.ops {
		for _, cl := range p.free {
			if k.Op == "op.across" && cl.first > k.Last && cl.first <= k.Last+3 {
				c.claim(spanMask(k.First, k.Last), cl.span)
			}
		}
	}
	return c
}

// severalAggs proposes several aggregates of one column, in the given order.
func (p *proposer) severalAggs(names []string, span mask) {
	for _, m := range p.targets(orderable, 1) {
		c := p.newCand("aggs", p.v.cols[m.col].table)
		for _, n := range names {
			c.items = append(c.items, item{agg: n, col: m.col, m: m})
		}
		p.add(c.claim(span))
	}
}
