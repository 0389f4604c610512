package plan

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/allrows/allrows/schema"
)

// Col returns the expression of a column.
func Col(r schema.ColumnRef) Expr { return Expr{Column: &r} }

// Agg returns an aggregate; a count without arguments counts rows.
func Agg(name string, args ...Expr) Expr { return Expr{Agg: name, Args: args} }

// Func returns a function of its arguments.
func Func(name string, args ...Expr) Expr { return Expr{Fn: name, Args: args} }

// Text returns a text literal.
func Text(s string) Expr { return Expr{Literal: &Literal{Type: "text", Text: s}} }

// Number returns a number literal of plain digits.
func Number(digits string) Expr { return Expr{Literal: &Literal{Type: "number", Text: digits}} }

// Day returns a date literal in ISO 8601.
func Day(iso string) Expr { return Expr{Literal: &Literal{Type: "date", Text: iso}} }

// Compare returns the condition "left op right…".
func Compare(left Expr, op string, right ...Expr) Cond {
	return Cond{Op: op, Left: &left, Right: right}
}

// Clone returns a copy that shares nothing with p.
func (p *Plan) Clone() *Plan {
	if p == nil {
		return nil
	}
	q := *p
	q.Joins = slices.Clone(p.Joins)
	q.Where, q.Having = p.Where.Clone(), p.Having.Clone()
	q.Select = slices.Clone(p.Select)
	for i := range q.Select {
		q.Select[i].Expr = q.Select[i].Expr.Clone()
	}
	q.GroupBy = cloneExprs(p.GroupBy)
	q.Order = slices.Clone(p.Order)
	for i := range q.Order {
		q.Order[i].Expr = q.Order[i].Expr.Clone()
	}
	if p.Combine != nil {
		q.Combine = &Combine{Op: p.Combine.Op, Left: p.Combine.Left.Clone(), Right: p.Combine.Right.Clone()}
	}
	return &q
}

// Clone returns a copy that shares nothing with e.
func (e Expr) Clone() Expr {
	if e.Column != nil {
		c := *e.Column
		e.Column = &c
	}
	if e.Literal != nil {
		l := *e.Literal
		e.Literal = &l
	}
	e.Args, e.Filter, e.Plan = cloneExprs(e.Args), e.Filter.Clone(), e.Plan.Clone()
	return e
}

func cloneExprs(in []Expr) []Expr {
	out := slices.Clone(in)
	for i := range out {
		out[i] = out[i].Clone()
	}
	return out
}

// Clone returns a copy that shares nothing with c.
func (c *Cond) Clone() *Cond {
	if c == nil {
		return nil
	}
	d := *c
	if c.Left != nil {
		l := c.Left.Clone()
		d.Left = &l
	}
	d.Right = cloneExprs(c.Right)
	d.Args = slices.Clone(c.Args)
	for i := range d.Args {
		d.Args[i] = *d.Args[i].Clone()
	}
	d.Set = c.Set.Clone()
	return &d
}

// Key returns a text that two plans share only if they are the same.
func (p *Plan) Key() string { return key(p) }

// Equal reports whether two expressions are the same.
func (e *Expr) Equal(x *Expr) bool {
	if e.Column != nil || x.Column != nil {
		return e.Column != nil && x.Column != nil && *e.Column == *x.Column
	}
	return e.Agg == x.Agg && e.Fn == x.Fn && key(e) == key(x)
}

// key renders a plan's part canonically. Plans hold nothing that JSON cannot.
func key(v any) string {
	var b strings.Builder
	if err := json.NewEncoder(&b).Encode(v); err != nil {
		panic("plan: a plan that is no JSON: " + err.Error())
	}
	return b.String()
}

func contains(list []Expr, e Expr) bool {
	return slices.ContainsFunc(list, func(x Expr) bool { return x.Equal(&e) })
}
