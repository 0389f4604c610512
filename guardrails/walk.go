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
	names  map[string]bool     // aliases and columns of CTEs that the statement itself makes, folded
	refs   [][]string          // column references
	filter bool                // it is a row filter: no sub-queries
	open   bool                // something in the statement makes columns whose names are not known here
}

func newWalker(s *Scope) *walker {
	return &walker{scope: s, tables: map[schema.Ref]bool{}, names: map[string]bool{}}
}

// env is the chain of CTE names that are visible at a place.
type env struct {
	name string
	up   *env
}

func (e *env) has(name string) bool {
	for ; e != nil; e = e.up {
		if same(e.name, name) {
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
	w.node(w.object(q, "node"), e)
}

// node walks a query node: first its CTEs, each visible to those after it.
func (w *walker) node(n node, e *env) {
	kind := n.string("type")
	if _, ok := map[string]bool{"SELECT_NODE": true, "SET_OPERATION_NODE": true, "RECURSIVE_CTE_NODE": true}[kind]; !ok {
		w.refuse("read-only", "only one SELECT may run", "a query of kind %s", kind)
		return
	}
	e = w.ctes(w.object(n, "cte_map"), e)
	if kind == "RECURSIVE_CTE_NODE" {
		w.name(n.string("cte_name"))
		w.name(n.strings("aliases")...)
		w.node(w.object(n, "left"), e) // here its own name still means what is outside
		e = &env{n.string("cte_name"), e}
	}
	w.keys(n, kind, e)
	if kind == "SELECT_NODE" && w.found == nil {
		w.required(n, e)
	}
}

func (w *walker) ctes(m node, e *env) *env {
	w.only(m, "a WITH", "map")
	for _, c := range w.objects(m, "map") {
		w.only(c, "a WITH", "key", "value")
		body := w.object(c, "value")
		w.only(body, "a WITH", "aliases", "key_targets", "materialized", "query")
		w.exprs(w.objects(body, "key_targets"), e)
		w.query(w.object(body, "query"), e)
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
		w.expr(w.object(n, k), e)
	case exprs:
		w.exprs(w.objects(n, k), e)
	case exprs2:
		rows, ok := n[k].([]any)
		if !ok && n[k] != nil {
			w.refuse("syntax", "", "a part %q of an unknown shape", k)
		}
		for _, r := range rows {
			w.exprs(w.objects(node{"row": r}, "row"), e)
		}
	case query:
		w.query(w.object(n, k), e)
	case subtree:
		w.node(w.object(n, k), e)
	case table:
		w.table(w.object(n, k), e)
	case plain:
		if !bare(n[k]) {
			w.refuse("syntax", "", "a part %q of an unknown shape", k)
		}
	case castType:
		w.typ(w.object(n, k))
	case literal:
		w.constant(w.object(n, k))
	case null:
		if n[k] != nil {
			w.refuse("syntax", "leave it out", "%s is not allowed", strings.ReplaceAll(strings.TrimSuffix(k, "_clause"), "_", " "))
		}
	case empty:
		if list, isList := n[k].([]any); n[k] != nil && n[k] != "" && (!isList || len(list) > 0) {
			w.refuse("table", "name tables as workbook.table", "the catalog or schema %q", n[k])
		}
	case builtin:
		if x := n.string(k); x != "" && !same(x, "main") {
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
		for _, x := range w.objects(n, k) {
			w.only(x, "a replacement", "key", "value")
			w.name(x.string("key"))
			w.expr(w.object(x, "value"), e)
		}
	case cases:
		for _, x := range w.objects(n, k) {
			w.only(x, "a CASE", "when_expr", "then_expr")
			w.expr(w.object(x, "when_expr"), e)
			w.expr(w.object(x, "then_expr"), e)
		}
	case orders:
		for _, x := range w.objects(n, k) {
			w.only(x, "an ORDER BY", "type", "null_order", "expression")
			w.expr(w.object(x, "expression"), e)
		}
	case orderBy:
		if m := w.object(n, k); m != nil {
			w.keys(m, m.string("type"), e)
		}
	case mods:
		for _, m := range w.objects(n, k) {
			w.keys(m, m.string("type"), e)
		}
	case renames:
		for _, x := range w.objects(n, k) {
			w.only(x, "a RENAME", "key", "value")
			w.name(x.string("value"))
		}
	case pivots:
		w.pivots(w.objects(n, k), e)
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
	case "SUBQUERY":
		if w.filter {
			w.refuse("syntax", "compare columns with constants", "a sub-query in a row filter")
			return
		}
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
		w.only(p, "a pivot", "entries", "pivot_enum", "pivot_expressions", "unpivot_names")
		if p.string("pivot_enum") != "" {
			w.refuse("syntax", "list the values: PIVOT … ON x IN (…)", "a pivot over a named type")
		}
		w.exprs(w.objects(p, "pivot_expressions"), e)
		for _, x := range w.objects(p, "entries") {
			w.only(x, "a pivot", "values", "star_expr", "alias")
			for _, v := range w.objects(x, "values") {
				w.constant(v)
			}
			w.expr(w.object(x, "star_expr"), e)
		}
	}
}

func (w *walker) name(names ...string) {
	for _, n := range names {
		if n != "" {
			w.names[fold(n)] = true
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
