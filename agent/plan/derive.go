package plan

import (
	"slices"

	"github.com/allrows/allrows/schema"
)

// derive groups a branch by its join key before the join, so that the rows of
// the other tables keep their number. Aggregates over the branch are computed
// inside and combined outside.
func (q *query) derive(kid *joinNode, branch []schema.Ref) error {
	d := &deriver{q: q, branch: branch, inner: &Plan{From: kid.ref, Joins: kid.joins()}}
	var rest, inside []Cond
	for _, c := range q.plan.Where.Conditions() {
		switch {
		case !c.touches(branch):
			rest = append(rest, c)
		case c.touchesOnly(branch):
			inside = append(inside, c)
		default:
			return errorf("a condition compares %s with another table while its rows are counted", kid.ref)
		}
	}
	d.inner.Where, q.plan.Where = All(inside...), All(rest...)
	for _, j := range kid.on {
		d.column(j.To)
	}
	q.plan.exprs(func(e *Expr, at place) {
		if at != inWhere {
			d.collect(e)
		}
	})
	if d.err != nil {
		return d.err
	}
	in, err := q.k.build(d.inner, false)
	if err != nil {
		return err
	}
	name := kid.ref.Table + "_each"
	d.names, d.table = in.columns, pseudo(name)
	q.plan.exprs(func(e *Expr, at place) {
		if at != inWhere {
			*e = d.outside(*e)
		}
	})
	joins := slices.Clone(kid.on)
	for i := range joins {
		joins[i].To = d.ref(d.find(Col(joins[i].To)))
	}
	q.derived = append(q.derived, derived{name: name, sql: in.sql, joins: joins, query: in.query})
	return nil
}

// deriver moves what a plan takes from one branch into a plan of its own.
type deriver struct {
	q      *query
	branch []schema.Ref
	inner  *Plan
	names  []Column // of the inner plan's result
	table  schema.Ref
	err    error
}

func (d *deriver) column(r schema.ColumnRef) {
	e := Col(r)
	if d.find(e) < 0 {
		d.inner.Select = append(d.inner.Select, Item{Expr: e, Role: "key"})
		d.inner.GroupBy = append(d.inner.GroupBy, e)
	}
}

// find returns where the inner plan selects the expression, or -1.
func (d *deriver) find(e Expr) int {
	return slices.IndexFunc(d.inner.Select, func(it Item) bool { return it.Expr.Equal(&e) })
}

func (d *deriver) ref(i int) schema.ColumnRef {
	return schema.ColumnRef{Ref: d.table, Column: d.names[i].Name}
}

// collect adds to the inner plan what the expression needs of the branch.
func (d *deriver) collect(e *Expr) {
	e.walk(func(x *Expr) bool {
		switch {
		case x.Agg != "" && x.touches(d.branch):
			if !x.touchesOnly(d.branch) {
				d.err = errorf("an aggregate mixes columns of %s with those of another table", d.branch[0])
				return false
			}
			for _, part := range d.parts(x) {
				if d.find(part) < 0 {
					d.inner.Select = append(d.inner.Select, Item{Expr: part, Role: "measure"})
				}
			}
			return false
		case x.Column != nil && slices.Contains(d.branch, x.Column.Ref):
			d.column(*x.Column)
		}
		return true
	})
}

// parts returns the aggregates that can be combined into x.
func (d *deriver) parts(x *Expr) []Expr {
	part := func(agg string) Expr { return Expr{Agg: agg, Args: x.Args, Filter: x.Filter} }
	switch x.Agg {
	case "count", "sum", "min", "max":
		return []Expr{*x}
	case "avg":
		return []Expr{part("sum"), part("count")}
	}
	d.err = errorf("%s of %s cannot be combined after a join that repeats rows", x.Agg, d.branch[0])
	return nil
}

// outside rewrites an expression over the branch into one over the derived table.
func (d *deriver) outside(e Expr) Expr {
	at := func(x Expr) Expr { return Col(d.ref(d.find(x))) }
	switch {
	case e.Column != nil && slices.Contains(d.branch, e.Column.Ref):
		return at(e)
	case e.Agg != "" && e.touches(d.branch):
		parts := d.parts(&e)
		switch e.Agg {
		case "min", "max", "sum":
			return Expr{Agg: e.Agg, Args: []Expr{at(parts[0])}}
		case "count":
			return Func("coalesce", Expr{Agg: "sum", Args: []Expr{at(parts[0])}}, Number("0"))
		}
		return Func("div", Expr{Agg: "sum", Args: []Expr{at(parts[0])}}, Expr{Agg: "sum", Args: []Expr{at(parts[1])}})
	}
	for i := range e.Args {
		e.Args[i] = d.outside(e.Args[i])
	}
	return e
}

func (e *Expr) touchesOnly(tables []schema.Ref) bool {
	return !slices.ContainsFunc(e.columns(nil), func(c schema.ColumnRef) bool { return !slices.Contains(tables, c.Ref) })
}

func (c *Cond) touchesOnly(tables []schema.Ref) bool {
	only := true
	c.exprs(func(e *Expr) { only = only && e.touchesOnly(tables) })
	return only
}
