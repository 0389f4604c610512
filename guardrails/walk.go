package guardrails

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/allrows/allrows/schema"
)

// walker goes through one statement's tree and stops at the first violation.
type walker struct {
	scope  *Scope
	root   node
	found  *Violation
	tables map[schema.Ref]bool // what the statement reads
	uses   []use               // the base tables by the name they go by, for required filters
	names  map[string]bool     // aliases and columns of CTEs that the statement itself makes, folded
	refs   [][]string          // column references
	open   bool                // something in the statement makes columns whose names are not known here
	filter []node              // WHERE and ON conditions
}

// use is one base table in a FROM clause.
type use struct {
	ref   schema.Ref
	alias string
}

// env is the chain of CTE names that are visible at a place.
type env struct {
	name string
	up   *env
}

func (e *env) has(name string) bool {
	for ; e != nil; e = e.up {
		if strings.EqualFold(e.name, name) {
			return true
		}
	}
	return false
}

func (w *walker) refuse(rule, fix, format string, args ...any) {
	if w.found == nil {
		w.found = &Violation{Rule: rule, What: fmt.Sprintf(format, args...), Fix: fix}
	}
}

// statement walks {named_param_map, node}.
func (w *walker) statement(q node) {
	w.root = q
	w.query(q, nil)
}

func (w *walker) query(q node, e *env) {
	if q == nil {
		return
	}
	for k := range q {
		if k != "node" && k != "named_param_map" {
			w.refuse("syntax", "", "a query with an unknown part %q", k)
			return
		}
	}
	if p, ok := q["named_param_map"].([]any); q["named_param_map"] != nil && (!ok || len(p) > 0) {
		w.refuse("parameter", "write the value into the statement", "a parameter")
		return
	}
	w.node(q.node("node"), e)
}

// node walks a query node: first its CTEs, each visible to those after it.
func (w *walker) node(n node, e *env) {
	kind := n.string("type")
	if _, ok := map[string]bool{"SELECT_NODE": true, "SET_OPERATION_NODE": true, "RECURSIVE_CTE_NODE": true}[kind]; !ok {
		w.refuse("read-only", "only one SELECT may run", "a query of kind %s", kind)
		return
	}
	if kind == "RECURSIVE_CTE_NODE" {
		e = &env{n.string("cte_name"), e}
		w.name(n.string("cte_name"))
		w.name(n.strings("aliases")...)
	}
	e = w.ctes(n.node("cte_map"), e)
	w.keys(n, kind, e)
	if c := n.node("where_clause"); c != nil {
		w.filter = append(w.filter, c)
	}
}

func (w *walker) ctes(m node, e *env) *env {
	for _, c := range m.list("map") {
		body := c.node("value")
		for k := range body {
			if k != "aliases" && k != "key_targets" && k != "materialized" && k != "query" {
				w.refuse("syntax", "", "a WITH part of unknown kind %q", k)
				return e
			}
		}
		for _, t := range body.list("key_targets") {
			w.expr(t, e)
		}
		w.query(body.node("query"), e)
		w.name(body.strings("aliases")...)
		w.name(c.string("key"))
		e = &env{c.string("key"), e}
	}
	return e
}

// keys walks every key of a node by its shape and refuses a key without one. Keys
// are taken in order, so that the same statement gets the same violation.
func (w *walker) keys(n node, kind string, e *env) {
	allowed, ok := shapes[kind]
	if !ok {
		w.refuse("syntax", "write it with plain SELECT, JOIN, WHERE and GROUP BY", "%s is not allowed", strings.ToLower(strings.TrimPrefix(kind, "class ")))
		return
	}
	w.name(n.string("alias"))
	for _, k := range slices.Sorted(maps.Keys(n)) {
		if w.found != nil {
			return
		}
		s, ok := allowed[k]
		if !ok && !tags[k] {
			w.refuse("syntax", "", "%s with an unknown part %q", kind, k)
			return
		}
		w.value(n, k, s, e)
	}
}

// value walks one key.
func (w *walker) value(n node, k string, s shape, e *env) {
	switch s {
	case expr:
		w.expr(n.node(k), e)
	case exprs:
		w.exprs(n.list(k), e)
	case exprs2:
		rows, _ := n[k].([]any)
		for _, r := range rows {
			w.exprs(node{"row": r}.list("row"), e)
		}
	case query:
		w.query(n.node(k), e)
	case subtree:
		w.node(n.node(k), e)
	case table:
		w.table(n.node(k), e)
	case null:
		if n[k] != nil {
			w.refuse("syntax", "leave it out", "%s is not allowed", strings.ReplaceAll(strings.TrimSuffix(k, "_clause"), "_", " "))
		}
	case empty:
		if list, isList := n[k].([]any); n.string(k) != "" || isList && len(list) > 0 {
			w.refuse("table", "name tables as workbook.table", "the catalog or schema %q", n[k])
		}
	case builtin:
		if x := n.string(k); x != "" && !strings.EqualFold(x, "main") {
			w.refuse("function", "", "a function of the schema %q", x)
		}
	default:
		w.parts(n, k, s, e)
	}
}

// parts walks the keys that hold expressions inside objects of their own.
func (w *walker) parts(n node, k string, s shape, e *env) {
	switch s {
	case keyed:
		for _, x := range n.list(k) {
			w.name(x.string("key"))
			w.expr(x.node("value"), e)
		}
	case cases:
		for _, x := range n.list(k) {
			w.expr(x.node("when_expr"), e)
			w.expr(x.node("then_expr"), e)
		}
	case orders:
		for _, x := range n.list(k) {
			w.expr(x.node("expression"), e)
		}
	case orderBy:
		if m := n.node(k); m != nil {
			w.keys(m, m.string("type"), e)
		}
	case mods:
		for _, m := range n.list(k) {
			w.keys(m, m.string("type"), e)
		}
	case renames:
		for _, x := range n.list(k) {
			w.name(x.string("value"))
		}
	case pivots:
		w.pivots(n.list(k), e)
	}
}

func (w *walker) exprs(list []node, e *env) {
	for _, x := range list {
		w.expr(x, e)
	}
}

func (w *walker) expr(n node, e *env) {
	if n == nil || w.found != nil {
		return
	}
	switch class := n.string("class"); class {
	case "FUNCTION", "WINDOW":
		w.call(n, e)
	case "COLUMN_REF":
		w.refs = append(w.refs, n.strings("column_names"))
		w.keys(n, "class "+class, e)
	case "PARAMETER":
		w.refuse("parameter", "write the value into the statement", "a parameter")
	case "COLLATE":
		if c := strings.ToLower(n.string("collation")); !allowedCollation(c) {
			w.refuse("function", "use NOCASE, NOACCENT or a language", "the collation %q", c)
		}
		w.keys(n, "class "+class, e)
	case "LAMBDA":
		w.lambda(n.node("lhs"))
		w.keys(n, "class "+class, e)
	default:
		w.keys(n, "class "+class, e)
	}
}

// call checks a function and walks its arguments.
func (w *walker) call(n node, e *env) {
	name := n.string("function_name")
	if n.bool("export_state") {
		w.refuse("function", "", "function %q exporting its state", name)
		return
	}
	if v := callable(name, n.list("children")); v != nil {
		w.found = v
		return
	}
	w.keys(n, "class "+n.string("class"), e)
}

// lambda takes the names that a lambda's parameters make.
func (w *walker) lambda(lhs node) {
	switch lhs.string("class") {
	case "COLUMN_REF":
		w.name(lhs.strings("column_names")...)
	case "FUNCTION":
		for _, c := range lhs.list("children") {
			w.lambda(c)
		}
	}
}

func (w *walker) pivots(list []node, e *env) {
	w.open = true
	for _, p := range list {
		for k := range p {
			if k != "entries" && k != "pivot_enum" && k != "pivot_expressions" && k != "unpivot_names" {
				w.refuse("syntax", "", "a pivot with an unknown part %q", k)
			}
		}
		if p.string("pivot_enum") != "" {
			w.refuse("syntax", "list the values: PIVOT … ON x IN (…)", "a pivot over a named type")
		}
		w.exprs(p.list("pivot_expressions"), e)
		for _, x := range p.list("entries") {
			w.expr(x.node("star_expr"), e)
		}
	}
}

func (w *walker) name(names ...string) {
	for _, n := range names {
		if n != "" {
			w.names[strings.ToLower(n)] = true
		}
	}
}

// allowedCollation takes NOCASE, NOACCENT, NFC, BINARY and their combinations
// with a language code.
func allowedCollation(c string) bool {
	for part := range strings.SplitSeq(c, ".") {
		switch part {
		case "nocase", "noaccent", "nfc", "binary", "c", "posix":
			continue
		}
		if len(part) != 2 {
			return false
		}
	}
	return c != ""
}
