package semparse

import (
	"slices"
)

// pairs proposes comparisons of two sides: differences, ratios, changes,
// shares, and which of two has more.
func (p *proposer) pairs() {
	p.shares()
	p.columnPairs()
	for i, x := range p.cs.atoms {
		for _, y := range p.cs.atoms[i+1:] {
			if x.col == y.col && x.op == "=" && y.op == "=" {
				p.pairOf(x, y)
			}
		}
	}
}

// pairOf proposes what compares the rows of x with the rows of y.
func (p *proposer) pairOf(x, y *atom) {
	rest := slices.DeleteFunc(slices.Clone(p.cs.atoms), func(a *atom) bool { return a == x || a == y })
	items := []item{}
	for _, m := range p.targets(numericCol, 2) {
		for _, agg := range []string{"avg", "sum", "max", "min"} {
			if agg == "sum" || !p.aggs["agg."+agg].empty() {
				items = append(items, item{agg: agg, col: m.col, m: m})
			}
		}
	}
	items = append(items, item{agg: "count", col: -1})
	for _, op := range []struct{ class, fn string }{{"op.diff", "absdiff"}, {"op.diff", "sub"}, {"op.pctchange", "pct_change"}, {"op.ratio", "div"}} {
		trig := p.opsOf(op.class)
		if trig.empty() {
			continue
		}
		for _, it := range items {
			c := p.newCand("pair_"+op.fn, p.v.cols[x.col].table)
			if it.col >= 0 {
				c.base = p.v.cols[it.col].table
			}
			c.conds, c.items = rest, []item{it}
			c.pair = &pair{op: op.fn, a: []*atom{x}, b: []*atom{y}, x: -1, y: -1}
			if op.fn == "sub" || op.fn == "pct_change" {
				c.pair.a, c.pair.b = c.pair.b, c.pair.a
			}
			p.add(c.claim(trig, p.trigger(it)))
		}
	}
	p.pick(x)
	p.sideBySide(x)
}

// pick proposes "which of the two has more".
func (p *proposer) pick(x *atom) {
	for _, k := range p.ops {
		var desc bool
		switch k.Op {
		case "cmp.gt", "sup.max":
			desc = true
		case "cmp.lt", "sup.min":
		default:
			continue
		}
		orders := p.orders(k)
		for _, o := range orders {
			if o.agg != "" {
				continue
			}
			c := p.newCand("pick", p.v.cols[x.col].table)
			c.items = []item{{col: x.col}, {col: o.col, context: true}}
			c.order, c.limit = ptr(o), 1
			if len(k.Dims) == 0 {
				c.order.desc = desc
			}
			p.add(c.claim(spanMask(k.First, k.Last), p.opsOf("op.or")))
		}
	}
}

// sideBySide proposes the named columns of the two.
func (p *proposer) sideBySide(x *atom) {
	trig := p.opsOf("op.compare")
	if trig.empty() {
		return
	}
	for _, m := range p.targets(anyColumn, 2) {
		c := p.newCand("compare", p.v.cols[x.col].table)
		c.items = []item{{col: x.col}, {col: m.col, m: m}}
		p.add(c.claim(trig))
	}
}

// shares proposes what part of the whole meets one of the conditions.
func (p *proposer) shares() {
	trig := p.opsOf("op.share")
	if trig.empty() || len(p.cs.atoms) == 0 {
		return
	}
	items := []item{{agg: "count", col: -1}}
	for _, m := range p.targets(numericCol, 1) {
		items = append(items, item{agg: "sum", col: m.col, m: m})
	}
	for i := range p.cs.atoms {
		rest := slices.Delete(slices.Clone(p.cs.atoms), i, i+1)
		for _, it := range items {
			c := p.newCand("share", p.v.cols[p.cs.atoms[i].col].table)
			if it.col >= 0 {
				c.base = p.v.cols[it.col].table
			}
			c.conds, c.items = rest, []item{it}
			c.pair = &pair{op: "pct_of", a: []*atom{p.cs.atoms[i]}, x: -1, y: -1}
			p.add(c.claim(trig, p.trigger(it)))
		}
	}
}

// columnPairs proposes comparisons and folds of two or more columns of the
// rows that meet the conditions: the years of a financial table.
func (p *proposer) columnPairs() {
	var cols []mention
	for _, cl := range p.free {
		if m := cl.alts[0]; p.v.cols[m.col].numeric && !slices.ContainsFunc(cols, func(x mention) bool { return x.col == m.col }) {
			cols = append(cols, m)
		}
	}
	if len(cols) >= 2 {
		p.twoColumns(cols[0], cols[1])
	}
	p.folds(cols)
}

func (p *proposer) twoColumns(x, y mention) {
	for _, op := range []struct{ class, fn string }{{"op.diff", "absdiff"}, {"op.diff", "sub"}, {"op.pctchange", "pct_change"}, {"op.ratio", "div"}} {
		trig := p.opsOf(op.class)
		if trig.empty() {
			continue
		}
		c := p.newCand("cols_"+op.fn, p.v.cols[x.col].table)
		c.items = []item{{agg: "sum", col: x.col}}
		c.pair = &pair{op: op.fn, x: x.col, y: y.col}
		if op.fn == "sub" || op.fn == "pct_change" {
			c.pair.x, c.pair.y = p.newest(x.col, y.col)
		}
		p.add(c.use(x.span, y.span).claim(trig))
	}
}

// newest orders two columns by the year in their names, later first; else as
// the question has them, the second being the later.
func (p *proposer) newest(x, y int) (int, int) {
	a, b := yearIn(p.v.cols[x]), yearIn(p.v.cols[y])
	if a != "" && b != "" && a > b {
		return x, y
	}
	return y, x
}

func yearIn(c *column) string {
	for _, w := range c.words {
		if isYear(w) {
			return w
		}
	}
	return ""
}

// yearColumns returns the columns of figures of a table that are named for years.
func (v *view) yearColumns(t int) []int {
	var out []int
	from, to := v.tableCols(t)
	for i := from; i < to; i++ {
		if v.cols[i].numeric && yearIn(v.cols[i]) != "" {
			out = append(out, i)
		}
	}
	return out
}

// folds proposes the sum or average of several columns of a row.
func (p *proposer) folds(named []mention) {
	if len(p.cs.atoms) == 0 {
		return
	}
	t := p.v.cols[p.cs.atoms[0].col].table
	all := p.v.yearColumns(t)
	for _, agg := range []string{"avg", "sum"} {
		trig := p.aggs["agg."+agg]
		if trig.empty() {
			continue
		}
		var some []int
		c := p.newCand("fold_"+agg, t)
		for _, m := range named {
			if p.v.cols[m.col].table == t {
				some = append(some, m.col)
				c.use(m.span)
			}
		}
		if len(some) >= 2 {
			c.cross, c.fold = some, agg
			p.add(c.claim(trig))
		}
		if len(all) >= 2 && len(some) == 0 {
			c.cross, c.fold = all, agg
			p.add(c.claim(trig))
		}
	}
}
