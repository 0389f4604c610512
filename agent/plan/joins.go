package plan

import (
	"slices"

	"github.com/allrows/allrows/schema"
)

// joinNode is one table of a plan's join tree, seen from the table whose rows
// the plan is about.
type joinNode struct {
	ref        schema.Ref
	on         []Join // Left on the parent, To here; none for the root
	kids       []*joinNode
	multiplies bool // a row of the parent may have several partners here
}

// tree hangs the joins under root.
func (k *compiler) tree(root schema.Ref, joins []Join) (*joinNode, error) {
	if _, err := k.table(root); err != nil {
		return nil, err
	}
	top := &joinNode{ref: root}
	nodes := map[schema.Ref]*joinNode{root: top}
	left := slices.Clone(joins)
	for len(left) > 0 {
		n := len(left)
		var err error
		left = slices.DeleteFunc(left, func(j Join) bool {
			done, e := attach(nodes, j)
			if e != nil {
				err = e
			}
			return done
		})
		if err != nil {
			return nil, err
		}
		if len(left) == n {
			return nil, errorf("the join of %s to %s does not touch the other tables", left[0].To.Ref, left[0].Left.Ref)
		}
	}
	return top, k.measure(top)
}

// attach adds one join to the tree, turned so that Left is the parent. It
// reports whether the join has found its place.
func attach(nodes map[schema.Ref]*joinNode, j Join) (bool, error) {
	if nodes[j.Left.Ref] == nil && !j.Outer {
		j.Left, j.To = j.To, j.Left
	}
	parent, child := nodes[j.Left.Ref], nodes[j.To.Ref]
	switch {
	case parent == nil:
		return false, nil
	case child == nil:
		child = &joinNode{ref: j.To.Ref}
		nodes[child.ref] = child
		parent.kids = append(parent.kids, child)
	case !slices.Contains(parent.kids, child):
		if !slices.Contains(child.kids, parent) {
			return true, errorf("tables %s and %s are joined in two ways", parent.ref, child.ref)
		}
		parent, child = child, parent
		j.Left, j.To = j.To, j.Left
	}
	if !slices.Contains(child.on, j) {
		child.on = append(child.on, j)
	}
	return true, nil
}

// measure marks the nodes that multiply their parent's rows.
func (k *compiler) measure(n *joinNode) error {
	n.multiplies = len(n.on) > 0
	for _, j := range n.on {
		for _, r := range []schema.ColumnRef{j.Left, j.To} {
			if _, err := k.column(r); err != nil {
				return err
			}
		}
		if Unique(k.schema, j.To) {
			n.multiplies = false
		}
	}
	for _, kid := range n.kids {
		if err := k.measure(kid); err != nil {
			return err
		}
	}
	return nil
}

// Unique reports whether no value of the column stands in two rows, by what was
// measured of it.
func Unique(c *schema.Context, r schema.ColumnRef) bool {
	t := c.Table(r.Ref)
	if t == nil {
		return false
	}
	if r.Column == schema.RowColumn {
		return true
	}
	col := t.Column(r.Column)
	if col == nil {
		return false
	}
	p := col.Profile
	if p.Unique || !p.Sampled && p.Distinct > 0 && p.Distinct == t.Rows-p.Nulls {
		return true
	}
	return slices.ContainsFunc(c.Relationships, func(x schema.Relationship) bool {
		return x.To == r && (x.Cardinality == "many_to_one" || x.Cardinality == "one_to_one")
	})
}

// refs returns the tables of the subtree, the node first.
func (n *joinNode) refs() []schema.Ref {
	out := []schema.Ref{n.ref}
	for _, kid := range n.kids {
		out = append(out, kid.refs()...)
	}
	return out
}

// joins returns the joins inside the subtree, parents first.
func (n *joinNode) joins() []Join {
	var out []Join
	for _, kid := range n.kids {
		out = append(out, kid.on...)
		out = append(out, kid.joins()...)
	}
	return out
}

// anyMultiplies reports whether a join inside the subtree multiplies rows.
func (n *joinNode) anyMultiplies() bool {
	return slices.ContainsFunc(n.kids, func(kid *joinNode) bool { return kid.multiplies || kid.anyMultiplies() })
}

// outer reports whether the node keeps its parent's rows without a partner.
func (n *joinNode) outer() bool {
	return slices.ContainsFunc(n.on, func(j Join) bool { return j.Outer })
}

// touches reports whether the expression names a column of one of the tables.
func (e *Expr) touches(tables []schema.Ref) bool {
	return slices.ContainsFunc(e.columns(nil), func(c schema.ColumnRef) bool { return slices.Contains(tables, c.Ref) })
}

func (c *Cond) touches(tables []schema.Ref) bool {
	found := false
	c.exprs(func(e *Expr) { found = found || e.touches(tables) })
	return found
}

// shown reports whether a column of the tables stands anywhere but in Where.
func (p *Plan) shown(tables []schema.Ref) bool {
	found := false
	p.exprs(func(e *Expr, at place) { found = found || at != inWhere && e.touches(tables) })
	return found
}

// counted reports whether an aggregate that a second copy of a row would change
// takes columns of the tables; a count of rows takes root's.
func (p *Plan) counted(tables []schema.Ref, root schema.Ref) bool {
	found := false
	p.exprs(func(e *Expr, _ place) {
		e.walk(func(x *Expr) bool {
			switch x.Agg {
			case "", "min", "max", "count_distinct":
			default:
				found = found || len(x.columns(nil)) == 0 && slices.Contains(tables, root) || x.argsTouch(tables)
			}
			return true
		})
	})
	return found
}

func (e *Expr) argsTouch(tables []schema.Ref) bool {
	return slices.ContainsFunc(e.Args, func(a Expr) bool { return a.touches(tables) })
}
