package guardrails

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"

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
	const around = "SELECT 1 FROM w.t WHERE (\n%s\n)"
	query, _, err := g.parse(ctx, fmt.Sprintf(around, text))
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
	plain, _, err := g.parse(ctx, fmt.Sprintf(around, "1 = 1"))
	if err != nil {
		return "", err
	}
	rest, err := besidesWhere(query)
	if err != nil {
		return "", err
	}
	want, err := besidesWhere(plain)
	if err != nil {
		return "", err
	}
	if query.node("node")["where_clause"] == nil || !bytes.Equal(rest, want) {
		return "", &Violation{Rule: "wrap", What: fmt.Sprintf("the filter of %s is more than one condition", t.Ref), Fix: "write one predicate, such as region = 'North'"}
	}
	return text, nil
}

// besidesWhere is a SELECT without its condition, as text.
func besidesWhere(query node) ([]byte, error) {
	q := maps.Clone(query.node("node"))
	delete(q, "where_clause")
	text, err := json.Marshal(q)
	if err != nil {
		return nil, fmt.Errorf("guardrails: comparing a row filter: %w", err)
	}
	return unplaced(text), nil
}
