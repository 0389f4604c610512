package plan

import (
	"slices"

	"github.com/allrows/allrows/schema"
)

// place is where in a plan an expression stands.
type place int

const (
	inSelect place = iota
	inGroup
	inOrder
	inWhere
	inHaving
)

// exprs calls fn for each outermost expression of the plan itself, not of plans
// inside it.
func (p *Plan) exprs(fn func(*Expr, place)) {
	for i := range p.Select {
		fn(&p.Select[i].Expr, inSelect)
	}
	for i := range p.GroupBy {
		fn(&p.GroupBy[i], inGroup)
	}
	for i := range p.Order {
		fn(&p.Order[i].Expr, inOrder)
	}
	p.Where.exprs(func(e *Expr) { fn(e, inWhere) })
	p.Having.exprs(func(e *Expr) { fn(e, inHaving) })
}

// exprs calls fn for each outermost expression of a condition.
func (c *Cond) exprs(fn func(*Expr)) {
	if c == nil {
		return
	}
	for i := range c.Args {
		c.Args[i].exprs(fn)
	}
	if c.Left != nil {
		fn(c.Left)
	}
	for i := range c.Right {
		fn(&c.Right[i])
	}
}

// walk calls fn for the expression and everything in it, parents first, not for
// plans inside it. A false from fn skips what is below.
func (e *Expr) walk(fn func(*Expr) bool) {
	if e == nil || !fn(e) {
		return
	}
	for i := range e.Args {
		e.Args[i].walk(fn)
	}
	e.Filter.exprs(func(f *Expr) { f.walk(fn) })
}

// hasAgg reports whether the expression aggregates.
func (e *Expr) hasAgg() bool {
	found := false
	e.walk(func(x *Expr) bool {
		found = found || x.Agg != ""
		return !found
	})
	return found
}

// Aggregates reports whether the plan computes over groups or over all its rows.
func (p *Plan) Aggregates() bool {
	if len(p.GroupBy) > 0 || p.Having != nil {
		return true
	}
	found := false
	p.exprs(func(e *Expr, _ place) { found = found || e.hasAgg() })
	return found
}

// constant reports whether the plan is about no rows of its own: everything it
// selects is made of plans inside it.
func (p *Plan) constant() bool {
	if p.Combine != nil || p.Where != nil || p.Having != nil || len(p.Joins)+len(p.GroupBy)+len(p.Order) > 0 || len(p.Select) == 0 {
		return false
	}
	plans, own := 0, false
	p.exprs(func(e *Expr, _ place) {
		e.walk(func(x *Expr) bool {
			if x.Plan != nil {
				plans++
			}
			own = own || x.Column != nil || x.Agg != ""
			return true
		})
	})
	return plans > 0 && !own
}

// subplans calls fn for every plan directly inside this one.
func (p *Plan) subplans(fn func(*Plan)) {
	if p.Combine != nil {
		fn(p.Combine.Left)
		fn(p.Combine.Right)
	}
	p.exprs(func(e *Expr, _ place) { e.subplans(fn) })
	p.Where.sets(fn)
	p.Having.sets(fn)
}

func (e *Expr) subplans(fn func(*Plan)) {
	e.walk(func(x *Expr) bool {
		if x.Plan != nil {
			fn(x.Plan)
		}
		x.Filter.sets(fn)
		return true
	})
}

func (c *Cond) sets(fn func(*Plan)) {
	if c == nil {
		return
	}
	if c.Set != nil {
		fn(c.Set)
	}
	for i := range c.Args {
		c.Args[i].sets(fn)
	}
}

// Tables returns every table that the plan reads, plans inside it included, in
// the order of first use.
func (p *Plan) Tables() []schema.Ref {
	var out []schema.Ref
	add := func(r schema.Ref) {
		if r != (schema.Ref{}) && !slices.Contains(out, r) {
			out = append(out, r)
		}
	}
	var visit func(*Plan)
	visit = func(q *Plan) {
		if q == nil {
			return
		}
		add(q.From)
		for _, j := range q.Joins {
			add(j.Left.Ref)
			add(j.To.Ref)
		}
		q.subplans(visit)
	}
	visit(p)
	return out
}

// Columns returns every column that the plan names, plans inside it included,
// join keys aside, in the order of first use.
func (p *Plan) Columns() []schema.ColumnRef {
	var out []schema.ColumnRef
	var visit func(*Plan)
	visit = func(q *Plan) {
		if q == nil {
			return
		}
		q.exprs(func(e *Expr, _ place) { out = e.columns(out) })
		q.subplans(visit)
	}
	visit(p)
	return out
}

// columns adds the expression's columns, each once.
func (e *Expr) columns(out []schema.ColumnRef) []schema.ColumnRef {
	e.walk(func(x *Expr) bool {
		if x.Column != nil && !slices.Contains(out, *x.Column) {
			out = append(out, *x.Column)
		}
		return true
	})
	return out
}

// Cites returns the columns that the figures of the result come from: those of
// its measures, else of all it selects.
func (p *Plan) Cites() []schema.ColumnRef {
	if p.Combine != nil {
		return append(p.Combine.Left.Cites(), p.Combine.Right.Cites()...)
	}
	var measures, all []schema.ColumnRef
	for i := range p.Select {
		it := &p.Select[i]
		all = it.Expr.columns(all)
		if it.Role == "measure" || it.Expr.hasAgg() {
			measures = it.Expr.columns(measures)
		}
		it.Expr.subplans(func(q *Plan) { measures = append(measures, q.Cites()...) })
	}
	if len(measures) == 0 {
		measures = all
	}
	var out []schema.ColumnRef
	for _, c := range measures {
		if c.Column != schema.RowColumn && !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	return out
}

// Conditions returns the conditions that all must hold: the arguments of a top
// "and", or the one condition.
func (c *Cond) Conditions() []Cond {
	switch {
	case c == nil:
		return nil
	case c.Op == "and":
		var out []Cond
		for i := range c.Args {
			out = append(out, c.Args[i].Conditions()...)
		}
		return out
	}
	return []Cond{*c}
}

// All returns a condition that holds where all of the given ones do, nil for none.
func All(conds ...Cond) *Cond {
	switch len(conds) {
	case 0:
		return nil
	case 1:
		return &conds[0]
	}
	return &Cond{Op: "and", Args: conds}
}

// Aggregated returns the columns that stand in the plan's aggregates.
func (p *Plan) Aggregated() []schema.ColumnRef {
	var out []schema.ColumnRef
	p.exprs(func(e *Expr, _ place) {
		e.walk(func(x *Expr) bool {
			if x.Agg != "" {
				for i := range x.Args {
					out = x.Args[i].columns(out)
				}
			}
			return true
		})
	})
	return out
}

// Measured returns the columns that aggregates take, those of plans inside the
// plan included.
func (p *Plan) Measured() []schema.ColumnRef {
	out := p.Aggregated()
	p.subplans(func(q *Plan) {
		for _, c := range q.Measured() {
			if !slices.Contains(out, c) {
				out = append(out, c)
			}
		}
	})
	return out
}

// AggregatesOf returns the aggregates that the column stands in, in plans inside
// the plan too.
func (p *Plan) AggregatesOf(c schema.ColumnRef) []string {
	var out []string
	p.exprs(func(e *Expr, _ place) {
		e.walk(func(x *Expr) bool {
			if x.Agg != "" && slices.Contains(x.columnsOfArgs(), c) {
				out = append(out, x.Agg)
			}
			return true
		})
	})
	p.subplans(func(q *Plan) { out = append(out, q.AggregatesOf(c)...) })
	return out
}

// Fixes reports whether a condition of the plan bounds the column, or the plan
// groups by it.
func (p *Plan) Fixes(c schema.ColumnRef) bool {
	found := false
	p.exprs(func(e *Expr, at place) {
		if at == inWhere || at == inGroup {
			found = found || slices.Contains(e.columns(nil), c)
		}
	})
	return found
}
