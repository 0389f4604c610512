package guardrails

import (
	"context"
	"fmt"

	"github.com/allrows/allrows/schema"
)

// CheckFilter decides whether a text may be the row filter of a table: one
// predicate over the table's own columns, hidden ones included, without
// sub-queries. It returns the text without comments, which is what a [ScopeTable]
// may hold.
func (g *Guard) CheckFilter(ctx context.Context, t *schema.Table, filter string) (string, error) {
	text, _, v := strip(filter)
	if v != nil {
		return "", v
	}
	table := *t
	table.Ref = schema.Ref{Workbook: "w", Table: "t"}
	s := &Scope{Tables: []ScopeTable{{Table: &table}}}
	const head = "SELECT 1 FROM w.t WHERE (\n"
	query, err := g.parse(ctx, head+text+"\n)")
	if err != nil {
		return "", err
	}
	plain, err := g.parse(ctx, head+"TRUE\n)")
	if err != nil {
		return "", err
	}
	w := newWalker(s)
	w.filter = true
	w.statement(query)
	w.columns()
	if w.found != nil {
		return "", w.found
	}
	where := query.node("node")["where_clause"]
	plain.node("node")["where_clause"] = where
	alike, err := sameTree(query, plain)
	if err != nil {
		return "", err
	}
	if where == nil || !alike {
		return "", &Violation{Rule: "wrap", What: fmt.Sprintf("the filter of %s is more than one condition", t.Ref), Fix: "write one predicate, such as region = 'North'"}
	}
	return text, nil
}
