package plan

import (
	"slices"

	"github.com/allrows/allrows/schema"
)

// WithCondition returns a copy in which c holds too. A condition on the same
// column with the same kind of operator gives way: "in the North" followed by
// "and in the South?" is about the South.
func (p *Plan) WithCondition(c Cond) *Plan {
	q := p.Clone()
	var kept []Cond
	for _, old := range q.Where.Conditions() {
		if !replaces(&c, &old) {
			kept = append(kept, old)
		}
	}
	q.Where = All(append(kept, *c.Clone())...)
	return q
}

// WithoutConditions returns a copy without the conditions on the column.
func (p *Plan) WithoutConditions(col schema.ColumnRef) *Plan {
	q := p.Clone()
	q.Where = All(slices.DeleteFunc(q.Where.Conditions(), func(c Cond) bool {
		return c.Left != nil && c.Left.Column != nil && *c.Left.Column == col
	})...)
	return q
}

// replaces reports whether a new condition takes the place of an old one: both
// on one column, and both naming values or both bounding it from the same side.
func replaces(c, old *Cond) bool {
	if c.Left == nil || old.Left == nil || !c.Left.Equal(old.Left) {
		return false
	}
	return side(c.Op)&side(old.Op) != 0
}

const (
	below = 1 << iota
	above
)

func side(op string) int {
	switch op {
	case "<", "<=":
		return below
	case ">", ">=":
		return above
	}
	return below | above
}

// GroupedBy returns a copy that is split by the expression: its aggregates per
// group, in groups' order, without a limit. A plan without aggregates is split
// by counting its rows. A condition that fixes the expression to one value goes.
func (p *Plan) GroupedBy(e Expr, label string) *Plan {
	q := p.Clone()
	if e.Column != nil {
		q = q.WithoutConditions(*e.Column)
	}
	if contains(q.GroupBy, e) {
		return q
	}
	if !q.Aggregates() {
		q.Select, q.Distinct = []Item{{Expr: Agg("count"), Role: "measure"}}, false
	}
	if len(q.GroupBy) == 0 {
		q.Order, q.Limit, q.Offset, q.Ties = nil, 0, 0, false
	}
	q.GroupBy = append(q.GroupBy, e)
	at := 0
	for at < len(q.Select) && q.Select[at].Role == "key" {
		at++
	}
	q.Select = slices.Insert(q.Select, at, Item{Expr: e, Label: label, Role: "key"})
	return q
}

// WithConditionsOf returns a copy that carries the conditions of another plan
// over to it where they speak of its own tables and of columns that it does not
// bound itself. It returns the conditions carried.
func (p *Plan) WithConditionsOf(prev *Plan) (*Plan, []Cond) {
	q := p.Clone()
	tables := []schema.Ref{q.From}
	for _, j := range q.Joins {
		tables = append(tables, j.Left.Ref, j.To.Ref)
	}
	own := q.Where.Conditions()
	var carried []Cond
	for _, c := range prev.Where.Conditions() {
		if c.touchesOnly(tables) && !slices.ContainsFunc(own, func(o Cond) bool { return replaces(&o, &c) }) {
			carried = append(carried, *c.Clone())
		}
	}
	q.Where = All(append(own, carried...)...)
	return q, carried
}
