package guardrails_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/allrows/allrows/guardrails"
	"github.com/allrows/allrows/schema"
)

// planNode is one operator of EXPLAIN (FORMAT JSON).
type planNode struct {
	Name     string         `json:"name"`
	Children []planNode     `json:"children"`
	Extra    map[string]any `json:"extra_info"`
}

// scanned returns the tables that a statement's plan scans and the operators that
// it uses. It fails where DuckDB does not bind the statement.
func scanned(ctx context.Context, conn *sql.Conn, q string) (tables, operators []string, err error) {
	var key, plan string
	if err := conn.QueryRowContext(ctx, "EXPLAIN (FORMAT JSON) "+q).Scan(&key, &plan); err != nil {
		return nil, nil, err
	}
	var nodes []planNode
	if err := json.Unmarshal([]byte(plan), &nodes); err != nil {
		return nil, nil, err
	}
	for len(nodes) > 0 {
		n := nodes[0]
		nodes = append(nodes[1:], n.Children...)
		if t, ok := n.Extra["Table"].(string); ok {
			tables = append(tables, t)
		}
		if f, ok := n.Extra["Function"].(string); ok {
			operators = append(operators, "function "+f)
		}
		operators = append(operators, strings.TrimSpace(n.Name))
	}
	return tables, operators, nil
}

// FuzzCheck holds the guard to its promises on any text: what it accepts, it
// accepts again as the same statement; comments that it strips mean nothing; what
// DuckDB plans for it reads tables of the scope that the query names, and no more.
func FuzzCheck(f *testing.F) {
	for _, e := range corpus(f, "attacks.tsv", 3) {
		f.Add(e.sql)
	}
	for _, e := range corpus(f, "legitimate.tsv", 1) {
		f.Add(e.sql)
	}
	for _, e := range corpus(f, "mysql.tsv", 1) {
		f.Add(e.sql)
	}
	g, db := guard(f)
	conn, scope := fixture(f), fixtureScope()
	f.Fuzz(func(t *testing.T, text string) {
		q, err := g.Check(t.Context(), scope, text)
		if err != nil {
			return
		}
		again, err := g.Check(t.Context(), scope, q.SQL())
		if err != nil || again.TreeHash() != q.TreeHash() {
			t.Fatalf("accepted %q as %q, then that as %q: %v", text, q.SQL(), again.SQL(), err)
		}
		if !q.Repaired() && hashOf(t, db, text) != hashOf(t, db, q.SQL()) {
			t.Fatalf("%q and its stripped form %q are two statements", text, q.SQL())
		}
		for _, r := range q.Tables() {
			if scope.Table(r) == nil {
				t.Fatalf("accepted %q, which reads %s", text, r)
			}
		}
		staysInScope(t, conn, text, q)
	})
}

func hashOf(t *testing.T, db *sql.DB, text string) string {
	tree, err := duck{db}.ParseTree(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	h, err := guardrails.HashTree(tree)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// staysInScope holds what the plan scans against the tables of the query.
func staysInScope(t *testing.T, conn *sql.Conn, text string, q guardrails.Query) {
	tables, operators, err := scanned(t.Context(), conn, q.Wrapped())
	if err != nil {
		return // the binder refuses it
	}
	for _, name := range tables {
		bare := name[strings.LastIndexByte(name, '.')+1:]
		if !slices.ContainsFunc(q.Tables(), func(r schema.Ref) bool { return r.Table == bare }) || !strings.HasPrefix(name, "f_files.main.") {
			t.Errorf("accepted %q for %v; its plan scans %s", text, q.Tables(), name)
		}
	}
	for _, op := range operators {
		if !harmless[op] {
			t.Errorf("accepted %q; its plan has the operator %q", text, op)
		}
	}
}

// harmless are the operators of plans that read nothing but what SEQ_SCAN names.
// (INOUT_FUNCTION is unnest or a series over a sub-query; the walk takes no other.)
var harmless = func() map[string]bool {
	out := map[string]bool{}
	for _, op := range strings.Fields(`COLUMN_DATA_SCAN CROSS_PRODUCT CTE CTE_SCAN INOUT_FUNCTION DELIM_SCAN DUMMY_SCAN EMPTY_RESULT EXPRESSION_SCAN FILTER GENERATE_SERIES
		HASH_GROUP_BY HASH_JOIN LEFT_DELIM_JOIN RIGHT_DELIM_JOIN LIMIT LIMIT_PERCENT NESTED_LOOP_JOIN ORDER_BY PERFECT_HASH_GROUP_BY
		PARTITIONED_AGGREGATE PIECEWISE_MERGE_JOIN IE_JOIN ASOF_JOIN BLOCKWISE_NL_JOIN POSITIONAL_JOIN POSITIONAL_SCAN PROJECTION RANGE REC_CTE
		REC_CTE_SCAN REC_REC_CTE_SCAN SEQ_SCAN STREAMING_LIMIT STREAMING_WINDOW TOP_N UNGROUPED_AGGREGATE UNION UNNEST WINDOW PIVOT`) {
		out[op] = true
	}
	for _, f := range []string{"GENERATE_SERIES", "RANGE", "UNNEST"} {
		out["function "+f] = true
	}
	return out
}()
