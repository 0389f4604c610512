package semparse

import (
	"strconv"

	"github.com/allrows/allrows/agent/plan"
	"github.com/allrows/allrows/schema"
)

// buildPair renders "a op b" as one scalar.
func (v *view) buildPair(c *cand) *plan.Plan {
	side := func(atoms []*atom, col int) *plan.Expr {
		s := c.clone()
		s.pair, s.shape = nil, "agg"
		s.conds = append(s.conds, atoms...)
		if col >= 0 {
			s.items = []item{{agg: c.items[0].agg, col: col}}
		}
		p := v.buildPlain(s)
		if p == nil {
			return nil
		}
		c.tables = s.tables
		return &plan.Expr{Plan: p}
	}
	x, y := side(c.pair.a, c.pair.x), side(c.pair.b, c.pair.y)
	if x == nil || y == nil {
		return nil
	}
	label := map[string]string{"sub": "difference", "div": "ratio", "pct_change": "change", "pct_of": "share"}[c.pair.op]
	e := plan.Expr{Fn: c.pair.op, Args: []plan.Expr{*x, *y}}
	if c.pair.op == "absdiff" {
		e, label = plan.Expr{Fn: "abs", Args: []plan.Expr{{Fn: "sub", Args: []plan.Expr{*x, *y}}}}, "difference"
	}
	return &plan.Plan{From: v.tables[c.base].Ref, Select: []plan.Item{{Expr: e, Label: label, Role: "measure"}}, Limit: 1}
}

// buildFold renders the sum or the average of several columns of one row.
func (v *view) buildFold(c *cand) *plan.Plan {
	s := c.clone()
	s.cross, s.fold = nil, ""
	s.items = []item{{col: c.cross[0]}}
	p := v.buildPlain(s)
	if p == nil {
		return nil
	}
	e := v.colExpr(c.cross[0])
	for _, x := range c.cross[1:] {
		e = plan.Expr{Fn: "add", Args: []plan.Expr{e, v.colExpr(x)}}
	}
	if c.fold == "avg" {
		n := plan.Expr{Literal: &plan.Literal{Type: "number", Text: strconv.Itoa(len(c.cross))}}
		e = plan.Expr{Fn: "div", Args: []plan.Expr{e, n}}
	}
	label := map[string]string{"avg": "average", "sum": "total"}[c.fold]
	p.Select = []plan.Item{{Expr: e, Label: label, Role: "measure"}}
	return p
}

// buildCross renders columns side by side as one list of label and value.
func (v *view) buildCross(c *cand) *plan.Plan {
	var out *plan.Plan
	for _, x := range c.cross {
		s := c.clone()
		s.cross, s.order, s.limit = nil, nil, 0
		s.items = []item{{col: x}}
		p := v.buildPlain(s)
		if p == nil {
			return nil
		}
		label := plan.Expr{Literal: &plan.Literal{Type: "text", Text: v.name(item{col: x})}}
		p.Select = []plan.Item{{Expr: label, Label: "column", Role: "key"}, {Expr: v.colExpr(x), Label: "value", Role: "measure"}}
		if out == nil {
			out = p
			continue
		}
		out = &plan.Plan{From: p.From, Combine: &plan.Combine{Op: "union", Left: out, Right: p}}
	}
	if c.order != nil && out != nil {
		value := plan.Expr{Column: &schema.ColumnRef{Ref: v.tables[c.base].Ref, Column: v.cols[c.cross[0]].ref.Column}}
		out.Order, out.Limit = []plan.Order{{Expr: value, Desc: c.order.desc}}, c.limit
	}
	return out
}

// buildNear renders "the row after the row that …" by sheet order.
func (v *view) buildNear(c *cand) *plan.Plan {
	ref := v.tables[c.base].Ref
	row := plan.Expr{Column: &schema.ColumnRef{Ref: ref, Column: schema.RowColumn}}
	anchor := c.clone()
	anchor.near = nil
	agg := "max"
	if !c.near.next {
		agg = "min"
	}
	anchor.items = []item{{col: c.items[0].col}}
	in := v.buildPlain(anchor)
	if in == nil {
		return nil
	}
	in.Select = []plan.Item{{Expr: plan.Expr{Agg: agg, Args: []plan.Expr{row}}, Role: "measure"}}
	in.Order, in.Limit = nil, 0
	op := ">"
	if !c.near.next {
		op = "<"
	}
	p := &plan.Plan{From: ref, Limit: 1, Offset: c.near.step - 1}
	p.Where = &plan.Cond{Op: op, Left: &row, Right: []plan.Expr{{Plan: in}}}
	for _, it := range c.items {
		p.Select = append(p.Select, plan.Item{Expr: v.expr(c.base, it), Label: v.name(it), Role: "measure"})
	}
	p.Order = []plan.Order{{Expr: row, Desc: !c.near.next}}
	return p
}
