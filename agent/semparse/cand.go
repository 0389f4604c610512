package semparse

import (
	"slices"
	"strings"

	"github.com/allrows/allrows/agent/plan"
	"github.com/allrows/allrows/schema"
)

// cand is a candidate reading of a question before it becomes a plan: columns
// by number, and which words it explains by what.
type cand struct {
	shape    string // list, agg, count, super, group, argcount …: what kind of question it takes it for
	base     int    // table whose rows it is about
	items    []item
	conds    []*atom
	group    []int
	grain    string // dates of the group are taken by year, quarter, month, week or day
	having   *bound
	order    *order
	limit    int
	offset   int
	distinct bool
	anti     []int  // tables in which the row has no partner
	pair     *pair  // two of the same, compared
	set      *setOp // rows of both, or of one and not the other
	cross    []int  // columns read as one list: years side by side
	near     *near  // the row before or after
	fold     string // sum or avg of the cross columns in one row

	used   mask // words explained
	claims mask // operator words it gives a meaning
	plan   *plan.Plan
	feats  []feat
	score  float64
	prob   float64
	tables int
	left   int // content words that it leaves unexplained

	ran    bool // what running it gave
	rows   [][]any
	err    error
	result string // key of the result
}

// item is one column of the result: a column, or an aggregate of one (-1: of rows).
// Agg "row" is the row's place in its sheet. A context item is shown beside the
// answer and is no part of it.
type item struct {
	agg     string
	col     int
	m       mention
	context bool
}

type order struct {
	item
	desc bool
}

// bound is a condition on an aggregate of a group.
type bound struct {
	item
	op  string
	val []plan.Literal
}

// pair compares the item for two values: sub, div, pct_change, pct_of, pick.
type pair struct {
	op   string
	a, b []*atom // conditions of either side beside conds; none is all rows
	x, y int     // or two columns of one row; -1
}

type setOp struct {
	op          string
	left, right []*atom
}

type near struct {
	next bool
	step int
}

func (c *cand) use(ms ...mask) *cand {
	for _, m := range ms {
		c.used = c.used.or(m)
	}
	return c
}

func (c *cand) claim(ms ...mask) *cand {
	for _, m := range ms {
		c.used, c.claims = c.used.or(m), c.claims.or(m)
	}
	return c
}

func (c *cand) clone() *cand {
	d := *c
	d.items, d.conds, d.group = slices.Clone(c.items), slices.Clone(c.conds), slices.Clone(c.group)
	return &d
}

// columns returns the number of every column that the candidate names.
func (c *cand) columns() []int {
	var out []int
	add := func(i int) {
		if i >= 0 && !slices.Contains(out, i) {
			out = append(out, i)
		}
	}
	for _, it := range c.items {
		add(it.col)
	}
	for _, g := range c.group {
		add(g)
	}
	if c.order != nil {
		add(c.order.col)
	}
	if c.having != nil {
		add(c.having.col)
	}
	for _, at := range c.atoms() {
		add(at.col)
	}
	for _, x := range c.cross {
		add(x)
	}
	if c.pair != nil {
		add(c.pair.x)
		add(c.pair.y)
	}
	return out
}

func (c *cand) atoms() []*atom {
	out := c.conds
	if c.pair != nil {
		out = append(append(slices.Clone(out), c.pair.a...), c.pair.b...)
	}
	if c.set != nil {
		out = append(append(slices.Clone(out), c.set.left...), c.set.right...)
	}
	return out
}

// build renders the candidate as a plan, or returns nil where its tables do not
// hang together.
func (v *view) build(c *cand) *plan.Plan {
	switch {
	case c.pair != nil && c.pair.op != "pick":
		return v.buildPair(c)
	case c.set != nil:
		l, r := c.clone(), c.clone()
		l.set, r.set = nil, nil
		l.conds, r.conds = append(l.conds, c.set.left...), append(r.conds, c.set.right...)
		left, right := v.build(l), v.build(r)
		if left == nil || right == nil {
			return nil
		}
		return &plan.Plan{From: left.From, Combine: &plan.Combine{Op: c.set.op, Left: left, Right: right}}
	case c.fold != "":
		return v.buildFold(c)
	case len(c.cross) > 0:
		return v.buildCross(c)
	case c.near != nil:
		return v.buildNear(c)
	}
	return v.buildPlain(c)
}

func (v *view) buildPlain(c *cand) *plan.Plan {
	p := &plan.Plan{From: v.tables[c.base].Ref, Limit: c.limit, Offset: c.offset, Distinct: c.distinct}
	var want []int
	for _, i := range c.columns() {
		want = append(want, v.cols[i].table)
	}
	joins, ok := v.connect(c.base, want)
	if !ok {
		return nil
	}
	c.tables = 1 + len(joins)
	for _, e := range joins {
		p.Joins = append(p.Joins, plan.Join{Left: e.left, To: e.key})
	}
	p.Where = v.where(c.conds, p)
	for _, t := range c.anti {
		cond := v.without(c.base, t)
		if cond == nil {
			return nil
		}
		p.Where = and(p.Where, *cond)
	}
	for _, it := range c.items {
		p.Select = append(p.Select, plan.Item{Expr: v.shown(c, it), Label: v.name(it), Role: role(it, c)})
	}
	for _, g := range c.group {
		p.GroupBy = append(p.GroupBy, v.grouped(c, g))
	}
	if c.having != nil {
		e := v.expr(c.base, c.having.item)
		cond := compare(e, c.having.op, c.having.val)
		p.Having = &cond
	}
	if c.order != nil {
		p.Order = []plan.Order{{Expr: v.shown(c, c.order.item), Desc: c.order.desc}}
		if c.limit > 0 && c.order.agg == "" && c.order.col >= 0 {
			p.Where = and(p.Where, plan.Cond{Op: "is_not_null", Left: ptr(v.colExpr(c.order.col))})
		}
	}
	return p
}

func role(it item, c *cand) string {
	if it.context {
		return "context"
	}
	if it.agg == "" && (len(c.items) > 1 || len(c.group) > 0) && slices.Contains(c.group, it.col) {
		return "key"
	}
	return "measure"
}

func ptr[T any](v T) *T { return &v }

func and(a *plan.Cond, b plan.Cond) *plan.Cond {
	switch {
	case a == nil:
		return &b
	case a.Op == "and":
		return &plan.Cond{Op: "and", Args: append(slices.Clone(a.Args), b)}
	}
	return &plan.Cond{Op: "and", Args: []plan.Cond{*a, b}}
}

func (v *view) colExpr(i int) plan.Expr { return plan.Expr{Column: ptr(v.cols[i].ref)} }

// grouped is what a column of the group is taken by: itself, or the grain of its
// dates.
func (v *view) grouped(c *cand, i int) plan.Expr {
	if c.grain != "" && v.cols[i].temporal && slices.Contains(c.group, i) {
		return plan.Func("trunc_"+c.grain, v.colExpr(i))
	}
	return v.colExpr(i)
}

// shown is one column of the result or the order.
func (v *view) shown(c *cand, it item) plan.Expr {
	if it.agg == "" && it.col >= 0 {
		return v.grouped(c, it.col)
	}
	return v.expr(c.base, it)
}

func (v *view) expr(base int, it item) plan.Expr {
	switch {
	case it.agg == "row":
		return plan.Expr{Column: &schema.ColumnRef{Ref: v.tables[base].Ref, Column: schema.RowColumn}}
	case it.agg == "":
		return v.colExpr(it.col)
	case it.col < 0:
		return plan.Expr{Agg: "count"}
	}
	return plan.Expr{Agg: it.agg, Args: []plan.Expr{v.colExpr(it.col)}}
}

func (v *view) name(it item) string {
	if it.col < 0 {
		return "count"
	}
	c := v.cols[it.col].c
	label := c.Header
	if label == "" {
		label = c.Name
	}
	if it.agg == "" {
		return label
	}
	return strings.ReplaceAll(it.agg, "_", " ") + " of " + label
}

func compare(left plan.Expr, op string, vals []plan.Literal) plan.Cond {
	c := plan.Cond{Op: op, Left: &left}
	for _, l := range vals {
		c.Right = append(c.Right, plan.Expr{Literal: &l})
	}
	return c
}

// where renders the conditions; several values of one column are alternatives,
// and so is what stands behind "or".
func (v *view) where(atoms []*atom, p *plan.Plan) *plan.Cond {
	var parts []plan.Cond
	done := map[*atom]bool{}
	for i, at := range atoms {
		if done[at] {
			continue
		}
		group := []*atom{at}
		for _, b := range atoms[i+1:] {
			if b.col == at.col && b.kind == at.kind && at.kind != "avg" && b.op == at.op && (at.op == "=" || at.op == "<>" || at.op == "contains") {
				group = append(group, b)
				done[b] = true
			}
		}
		c := v.cond(group, p)
		if n := len(parts); at.or && n > 0 {
			if parts[n-1].Op == "or" {
				parts[n-1].Args = append(parts[n-1].Args, c)
			} else {
				parts[n-1] = plan.Cond{Op: "or", Args: []plan.Cond{parts[n-1], c}}
			}
			continue
		}
		parts = append(parts, c)
	}
	var out *plan.Cond
	for _, c := range parts {
		out = and(out, c)
	}
	return out
}

func (v *view) cond(group []*atom, p *plan.Plan) plan.Cond {
	at := group[0]
	left := v.colExpr(at.col)
	if v.cols[at.col].c.Type.Kind == "timestamp" && at.kind == "time" {
		left = plan.Expr{Fn: "trunc_day", Args: []plan.Expr{left}}
	}
	var vals []plan.Literal
	for _, g := range group {
		vals = append(vals, g.vals...)
	}
	negated, isNot := strings.CutPrefix(at.op, "not_")
	switch {
	case at.op == "above_avg" || at.op == "below_avg":
		avg := &plan.Plan{From: v.cols[at.col].ref.Ref, Select: []plan.Item{{Expr: plan.Expr{Agg: "avg", Args: []plan.Expr{v.colExpr(at.col)}}, Role: "measure"}}}
		op := map[string]string{"above_avg": ">", "below_avg": "<"}[at.op]
		return plan.Cond{Op: op, Left: &left, Right: []plan.Expr{{Plan: avg}}}
	case at.op == "=" && len(group) > 1:
		return compare(left, "in", vals)
	case at.op == "<>" && len(group) > 1:
		return compare(left, "not_in", vals)
	case isNot && at.op != "not_in":
		return plan.Cond{Op: "not", Args: []plan.Cond{compare(left, negated, vals)}}
	case at.op == "contains" && len(group) > 1:
		or := plan.Cond{Op: "or"}
		for _, l := range vals {
			or.Args = append(or.Args, compare(left, "contains", []plan.Literal{l}))
		}
		return or
	}
	return compare(left, at.op, vals)
}

// without is the condition that a row of base has no partner in table t.
func (v *view) without(base, t int) *plan.Cond {
	for _, e := range v.edges[base] {
		if e.to == t {
			return &plan.Cond{Op: "not_in", Left: &plan.Expr{Column: ptr(e.left)}, Set: &plan.Plan{
				From: e.key.Ref, Select: []plan.Item{{Expr: plan.Expr{Column: ptr(e.key)}, Role: "key"}},
				Where: &plan.Cond{Op: "is_not_null", Left: &plan.Expr{Column: ptr(e.key)}}}}
		}
	}
	return nil
}
