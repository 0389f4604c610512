package plan

import (
	"slices"

	"github.com/allrows/allrows/schema"
)

// query is one SELECT being rendered: a plan whose joins have been settled so
// that none of them counts a row twice.
type query struct {
	k       *compiler
	orig    *Plan // as it was proposed: what the columns mean
	plan    *Plan // as it is rendered
	top     bool
	from    []schema.Ref // root and plainly joined tables
	joins   []Join
	derived []derived
	rootCut bool // plain joins repeat rows of the root
	quals   map[schema.Ref]string
	names   namer
	columns []Column
	err     error
}

// derived is a joined table that was grouped before the join.
type derived struct {
	name  string // its qualifier, which is also its pseudo table
	sql   string
	joins []Join
	query *query
}

// pseudo is the table that names a derived table's columns.
func pseudo(name string) schema.Ref { return schema.Ref{Table: name} }

func (k *compiler) newQuery(p *Plan, top bool) (*query, error) {
	orig, err := k.complete(p)
	if err != nil {
		return nil, err
	}
	q := &query{k: k, orig: orig, plan: orig.Clone(), top: top, names: namer{}}
	root, err := k.tree(k.subject(orig), orig.Joins)
	if err != nil {
		return nil, err
	}
	q.plan.From, q.plan.Joins = root.ref, nil
	q.from = []schema.Ref{root.ref}
	if err := q.settle(root, root, k.raw[p]); err != nil {
		return nil, err
	}
	if err := q.grain(root); err != nil {
		return nil, err
	}
	refs := slices.Clone(q.from)
	for _, d := range q.derived {
		refs = append(refs, pseudo(d.name))
	}
	q.quals = qualifiers(refs)
	return q, nil
}

// complete returns a copy that names all it means: the columns of an empty
// Select, and the grouping columns that a unique key of their table implies.
func (k *compiler) complete(p *Plan) (*Plan, error) {
	t, err := k.table(p.From)
	if err != nil {
		return nil, err
	}
	p = p.Clone()
	if len(p.Select) == 0 {
		for _, c := range t.Columns {
			p.Select = append(p.Select, Item{Expr: Col(schema.ColumnRef{Ref: p.From, Column: c.Name}), Role: "measure"})
		}
	}
	if !p.Aggregates() {
		return p, nil
	}
	p.Distinct = p.Distinct && len(p.GroupBy) > 0 // one row is distinct
	var free []Expr
	p.exprs(func(e *Expr, at place) {
		if (at == inSelect || at == inOrder) && !e.hasAgg() && e.Column != nil && !contains(p.GroupBy, *e) {
			free = append(free, *e)
		}
	})
	for _, e := range free {
		if !slices.ContainsFunc(p.GroupBy, func(g Expr) bool {
			return g.Column != nil && g.Column.Ref == e.Column.Ref && Unique(k.schema, *g.Column)
		}) {
			return nil, errorf("column %s is neither grouped nor aggregated", e.Column.Column)
		}
		if !contains(p.GroupBy, e) {
			p.GroupBy = append(p.GroupBy, e)
		}
	}
	return p, nil
}

// subject is the table whose rows the plan is about: From, unless everything
// that is counted stands in one other table.
func (k *compiler) subject(p *Plan) schema.Ref {
	if len(p.Joins) == 0 {
		return p.From
	}
	var common []schema.Ref
	first := true
	p.exprs(func(e *Expr, _ place) {
		e.walk(func(x *Expr) bool {
			if x.Agg == "" || x.Agg == "min" || x.Agg == "max" || x.Agg == "count_distinct" {
				return true
			}
			set := []schema.Ref{}
			for _, c := range x.Args {
				for _, r := range c.columns(nil) {
					set = append(set, r.Ref)
				}
			}
			if len(set) == 0 {
				set = append(set, p.From)
			}
			if first {
				common, first = set, false
			}
			common = slices.DeleteFunc(common, func(r schema.Ref) bool { return !slices.Contains(set, r) })
			return true
		})
	})
	if len(common) == 0 || slices.Contains(common, p.From) || slices.ContainsFunc(p.Joins, func(j Join) bool { return j.Outer }) {
		return p.From
	}
	return common[0]
}

// settle decides for every join below n how it is rendered: plainly, as a
// condition that a partner exists, or grouped before the join.
func (q *query) settle(root, n *joinNode, raw bool) error {
	for _, kid := range n.kids {
		branch := kid.refs()
		fans := kid.multiplies || kid.anyMultiplies()
		switch {
		case fans && !raw && !kid.outer() && !q.plan.shown(branch):
			if err := q.semi(root, kid, branch); err != nil {
				return err
			}
			continue
		case kid.multiplies && q.plan.Aggregates() && q.plan.counted(without(root.refs(), branch), root.ref):
			if err := q.derive(kid, branch); err != nil {
				return err
			}
			continue
		}
		q.rootCut = q.rootCut || kid.multiplies
		q.from = append(q.from, kid.ref)
		q.joins = append(q.joins, kid.on...)
		if err := q.settle(root, kid, raw); err != nil {
			return err
		}
	}
	return nil
}

// semi turns a branch that only conditions speak of into "a partner exists".
func (q *query) semi(root, kid *joinNode, branch []schema.Ref) error {
	var inside, rest []Cond
	mixed := len(kid.on) > 1
	for _, c := range q.plan.Where.Conditions() {
		if !c.touches(branch) {
			rest = append(rest, c)
			continue
		}
		inside = append(inside, c)
		mixed = mixed || c.touches(without(root.refs(), branch))
	}
	var cond Cond
	if mixed {
		row := Col(schema.ColumnRef{Ref: root.ref, Column: schema.RowColumn})
		set := &Plan{From: root.ref, Joins: root.joins(), Where: All(inside...), Select: []Item{{Expr: row}}}
		q.k.raw[set] = true
		cond = Cond{Op: "in", Left: &row, Set: set}
	} else {
		left, to := Col(kid.on[0].Left), Col(kid.on[0].To)
		cond = Cond{Op: "in", Left: &left, Set: &Plan{From: kid.ref, Joins: kid.joins(), Where: All(inside...), Select: []Item{{Expr: to}}}}
		q.k.raw[cond.Set] = true
	}
	q.plan.Where = All(append(rest, cond)...)
	return nil
}

func without(all, some []schema.Ref) []schema.Ref {
	return slices.DeleteFunc(slices.Clone(all), func(r schema.Ref) bool { return slices.Contains(some, r) })
}

// grain refuses an aggregate over a table whose rows the join repeats: one that
// is reached from the root over a key that stands in several of the root's rows.
func (q *query) grain(n *joinNode) error {
	for _, kid := range n.kids {
		if !slices.Contains(q.from, kid.ref) {
			continue
		}
		repeated := slices.ContainsFunc(kid.on, func(j Join) bool { return !Unique(q.k.schema, j.Left) })
		if repeated && q.repeats(kid.refs()) {
			return errorf("the join of %s to %s would count rows of %s more than once", kid.ref, n.ref, kid.ref)
		}
		if err := q.grain(kid); err != nil {
			return err
		}
	}
	return nil
}

// repeats reports whether a sensitive aggregate takes columns of these tables alone.
func (q *query) repeats(tables []schema.Ref) bool {
	found := false
	q.plan.exprs(func(e *Expr, _ place) {
		e.walk(func(x *Expr) bool {
			if x.Agg != "" && x.Agg != "min" && x.Agg != "max" && x.Agg != "count_distinct" {
				cols := x.columnsOfArgs()
				found = found || len(cols) > 0 && !slices.ContainsFunc(cols, func(c schema.ColumnRef) bool { return !slices.Contains(tables, c.Ref) })
			}
			return true
		})
	})
	return found
}

func (e *Expr) columnsOfArgs() []schema.ColumnRef {
	var out []schema.ColumnRef
	for i := range e.Args {
		out = e.Args[i].columns(out)
	}
	return out
}
