package guardrails

import (
	"fmt"
	"slices"

	"github.com/allrows/allrows/schema"
)

// required demands the filters that the tables of one SELECT require, in that
// SELECT: what a sub-query reads, it must restrict itself.
func (w *walker) required(n node, e *env) {
	from := n.node("from_table")
	leaves := sources(from, nil)
	w.restrict(from, conjuncts(n.node("where_clause"), nil), leaves, e)
}

// sources are the parts of a FROM clause that joins put side by side.
func sources(from node, to []node) []node {
	if from.string("type") == "JOIN" {
		return sources(from.node("right"), sources(from.node("left"), to))
	}
	return append(to, from)
}

// conjuncts are the conditions that all must hold.
func conjuncts(c node, to []node) []node {
	if c == nil {
		return to
	}
	if c.string("class") == "CONJUNCTION" && c.string("type") == "CONJUNCTION_AND" {
		for _, k := range c.list("children") {
			to = conjuncts(k, to)
		}
		return to
	}
	return append(to, c)
}

// restrict goes down a FROM clause with the conditions that every row read there
// must meet. The condition of an outer join binds only the side that it drops
// rows of.
func (w *walker) restrict(from node, conds, leaves []node, e *env) {
	switch from.string("type") {
	case "JOIN":
		left, right := conds, conds
		if c := from.node("condition"); c != nil && from.string("ref_type") == "REGULAR" {
			both := conjuncts(c, slices.Clone(conds))
			switch from.string("join_type") {
			case "INNER", "SEMI":
				left, right = both, both
			case "LEFT":
				right = both
			case "RIGHT":
				left = both
			}
		}
		w.restrict(from.node("left"), left, leaves, e)
		w.restrict(from.node("right"), right, leaves, e)
	case "PIVOT":
		w.restrict(from.node("source"), nil, nil, e)
	case "BASE_TABLE":
		w.demand(from, conds, leaves, e)
	}
}

// demand refuses a base table one of whose required columns no condition restricts.
func (w *walker) demand(base node, conds, leaves []node, e *env) {
	ref, ok := w.resolved(base, e)
	if !ok {
		return
	}
	for _, column := range w.scope.Table(ref).Required {
		t := target{alias: aliasOf(base), column: column, bare: w.alone(base, leaves, column, e)}
		if len(base.strings("column_name_alias")) > 0 || !slices.ContainsFunc(conds, t.restrictedBy) {
			w.refuse("unscoped", fmt.Sprintf("add a condition on %s, such as %s = …, to the WHERE of the SELECT that reads %s", column, column, ref),
				"table %q may only be read with a condition on %q", ref, column)
			return
		}
	}
}

func aliasOf(base node) string {
	if a := base.string("alias"); a != "" {
		return a
	}
	return base.string("table_name")
}

// resolved returns the table of the scope that a base table names, if it names one.
func (w *walker) resolved(base node, e *env) (schema.Ref, bool) {
	if base.string("schema_name") == "" && e.has(base.string("table_name")) {
		return schema.Ref{}, false
	}
	return w.resolve(base.string("schema_name"), base.string("table_name"))
}

// alone reports whether a bare column name can only mean the column of this table:
// everything beside it is a table of the scope that lacks such a column.
func (w *walker) alone(base node, leaves []node, column string, e *env) bool {
	if len(leaves) == 0 {
		return false
	}
	seen := false
	for _, l := range leaves {
		if !seen && sameLeaf(l, base) {
			seen = true
			continue
		}
		ref, ok := w.resolved(l, e)
		if l.string("type") != "BASE_TABLE" || !ok || len(l.strings("column_name_alias")) > 0 {
			return false
		}
		if slices.ContainsFunc(w.scope.Table(ref).Table.Columns, func(c *schema.Column) bool { return same(c.Name, column) }) {
			return false
		}
	}
	return seen
}

// sameLeaf reports whether two leaves are one: no two of a FROM share a name.
func sameLeaf(a, b node) bool {
	return a.string("type") == "BASE_TABLE" && same(aliasOf(a), aliasOf(b))
}

// target is a column that a condition must restrict.
type target struct {
	alias, column string
	bare          bool // the column's name alone is enough
}

// restrictedBy reports whether a condition restricts the column against constants.
func (t target) restrictedBy(c node) bool {
	switch c.string("class") {
	case "CONJUNCTION":
		kids := c.list("children")
		if c.string("type") == "CONJUNCTION_AND" {
			return slices.ContainsFunc(kids, t.restrictedBy)
		}
		return len(kids) > 0 && !slices.ContainsFunc(kids, func(k node) bool { return !t.restrictedBy(k) })
	case "COMPARISON":
		switch c.string("type") {
		case "COMPARE_EQUAL", "COMPARE_LESSTHAN", "COMPARE_LESSTHANOREQUALTO", "COMPARE_GREATERTHAN", "COMPARE_GREATERTHANOREQUALTO":
		default:
			return false
		}
		l, r := c.node("left"), c.node("right")
		return t.is(l) && isConstant(r) || t.is(r) && isConstant(l)
	case "BETWEEN":
		return t.is(c.node("input")) && isConstant(c.node("lower")) && isConstant(c.node("upper"))
	case "OPERATOR":
		kids := c.list("children")
		return c.string("type") == "COMPARE_IN" && len(kids) > 1 && t.is(kids[0]) &&
			!slices.ContainsFunc(kids[1:], func(k node) bool { return !isConstant(k) })
	}
	return false
}

func (t target) is(n node) bool {
	names := n.strings("column_names")
	if n.string("class") != "COLUMN_REF" || len(names) == 0 || !same(names[len(names)-1], t.column) {
		return false
	}
	return len(names) == 1 && t.bare || len(names) > 1 && same(names[len(names)-2], t.alias)
}

func isConstant(n node) bool {
	if n.string("class") == "CAST" {
		return isConstant(n.node("child"))
	}
	return n.string("class") == "CONSTANT"
}
