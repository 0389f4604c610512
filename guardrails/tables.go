package guardrails

import (
	"slices"
	"strings"

	"github.com/allrows/allrows/schema"
)

// table walks a table reference.
func (w *walker) table(n node, e *env) {
	if n == nil || w.found != nil {
		return
	}
	kind := n.string("type")
	w.name(n.strings("column_name_alias")...)
	switch kind {
	case "BASE_TABLE":
		w.base(n, e)
	case "TABLE_FUNCTION":
		w.tableFunction(n)
	case "EXPRESSION_LIST":
		w.open = true // columns are named col0, col1 …
	case "SHOW_REF":
		w.refuse("read-only", "`gateway tables` shows tables and columns", "%s", strings.ToLower(n.string("show_type")))
		return
	}
	w.keys(n, kind, e)
}

// base resolves a table's name: a CTE in sight, else a table of the scope.
func (w *walker) base(n node, e *env) {
	schemaName, name := n.string("schema_name"), n.string("table_name")
	if schemaName == "" && e.has(name) {
		return
	}
	ref, ok := w.resolve(schemaName, name)
	if !ok {
		full := name
		if schemaName != "" {
			full = schemaName + "." + name
		}
		w.refuse("table", w.tablesFix(name), "table %q is not available to you", full)
		return
	}
	w.tables[ref] = true
	w.name(name)
}

// resolve finds workbook.table, or a bare name that is unique in the scope.
func (w *walker) resolve(workbook, name string) (schema.Ref, bool) {
	for _, t := range w.scope.Tables {
		r := t.Table.Ref
		if !same(r.Table, name) {
			continue
		}
		if workbook == "" && w.scope.Bare(r) || same(r.Workbook, workbook) {
			return r, true
		}
	}
	return schema.Ref{}, false
}

// tablesFix names the tables of the scope that are nearest to a name.
func (w *walker) tablesFix(name string) string {
	var names []string
	for _, t := range w.scope.Tables {
		names = append(names, t.Table.Ref.String())
	}
	if len(names) == 0 {
		return "no table is available to you"
	}
	return "available: " + strings.Join(nearest(name, names, 5), ", ")
}

// tableFunction takes unnest and series; everything else that stands where a
// table stands reads files, settings or catalogs.
func (w *walker) tableFunction(n node) {
	w.open = true
	f := n.node("function")
	switch name := fold(f.string("function_name")); name {
	case "unnest", "range", "generate_series":
	default:
		w.refuse("function", w.tablesFix(name), "table function %q", name)
	}
}

// specials are bare names that the binder turns into functions of the session
// where no column has them.
var specials = []string{"current_user", "session_user", "user", "current_role", "current_catalog", "current_schema", "current_database",
	"current_date", "current_time", "current_timestamp", "localtime", "localtimestamp", "rowid"}

// columns checks every column reference against what the statement reads and
// makes. It refuses early and with help what the binder would refuse later.
func (w *walker) columns() {
	known, nested := map[string]bool{}, false
	var names []string
	for _, t := range w.scope.Tables {
		if !w.tables[t.Table.Ref] {
			continue
		}
		known[schema.RowColumn] = true
		known[fold(t.Table.Table)] = true
		for _, c := range t.Table.Columns {
			known[fold(c.Name)] = true
			names = append(names, c.Name)
			nested = nested || c.Type.Kind == "other"
		}
	}
	for _, ref := range w.refs {
		last := fold(ref[len(ref)-1])
		if known[last] {
			continue
		}
		if len(ref) == 1 && slices.Contains(specials, last) {
			w.refuse("column", "write the value itself", "%q is no column of these tables", ref[0])
			return
		}
		if !w.names[last] && !w.open && !nested {
			w.refuse("column", columnsFix(last, names), "column %q is in none of the tables read", strings.Join(ref, "."))
			return
		}
	}
}

func columnsFix(name string, names []string) string {
	if len(names) == 0 {
		return "name a table in FROM"
	}
	return "nearest: " + strings.Join(nearest(name, names, 5), ", ")
}
