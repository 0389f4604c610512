// Package guardrails decides whether a statement may run and whether a text may
// be said.
//
// A [Guard] checks one statement against a [Scope] and returns a [Query]. Only
// Check fills in a Query and sqltool runs nothing else, so SQL nobody checked
// cannot reach DuckDB. What the policy does not name is refused.
package guardrails

import (
	"context"

	"github.com/allrows/allrows/schema"
)

// TreeParser returns DuckDB's own syntax tree of a text (json_serialize_sql),
// made where nothing can be reached from it: a locked, empty engine in a worker.
type TreeParser interface {
	ParseTree(ctx context.Context, sql string) ([]byte, error)
}

// Query is a statement that passed. Its zero value is not runnable.
type Query struct {
	text   string
	scope  *Scope
	tables []schema.Ref
	wrap   string
	hash   string

	repaired bool
}

// Repaired reports whether the statement came in another flavour of SQL and was
// rendered as DuckDB SQL before it was checked. SQL returns the rendered text.
func (q Query) Repaired() bool { return q.repaired }

// SQL returns the checked text, as written.
func (q Query) SQL() string { return q.text }

// Wrapped returns the text that runs: the checked text inside a capped SELECT,
// verified by tree to hold exactly the checked statement. It is "" in a zero Query.
func (q Query) Wrapped() string { return q.wrap }

// TreeHash returns the hash of the wrapped text's syntax tree ([HashTree]). The
// worker that runs the text parses it again and refuses another tree.
func (q Query) TreeHash() string { return q.hash }

// Scope returns the scope that the query was checked against.
func (q Query) Scope() *Scope { return q.scope }

// Tables returns the tables of the scope that the query reads.
func (q Query) Tables() []schema.Ref { return q.tables }

// Violation is a refusal that names the rule and the way out. A planner gets it
// back and may repair its statement.
type Violation struct {
	Rule string // read-only, one-statement, table, column, function, limit, syntax …
	What string // what was found, in the words of the statement
	Fix  string // what to do instead; names only what the scope reveals

	unread bool // no parser of DuckDB's SQL took the text: it may be of another flavour
}

// Error returns "guardrails: rule: what; fix".
func (v *Violation) Error() string {
	s := "guardrails: " + v.Rule + ": " + v.What
	if v.Fix != "" {
		s += "; " + v.Fix
	}
	return s
}
