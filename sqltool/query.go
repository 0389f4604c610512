package sqltool

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/allrows/allrows/guardrails"
	"github.com/allrows/allrows/schema"
)

// parse returns DuckDB's syntax tree of a text, made in an empty engine.
func (w *worker) parse(ctx context.Context, sql string) ([]byte, error) {
	if w.parser == nil {
		e, err := openEngine(ctx, w.settings, nil)
		if err != nil {
			return nil, err
		}
		w.parser = e
	}
	tree, err := w.parser.tree(ctx, sql)
	return tree, w.failed(w.parser, err)
}

// tree parses a text by one statement, which is prepared once.
func (e *engine) tree(ctx context.Context, sql string) ([]byte, error) {
	if e.parse == nil {
		st, err := e.conn.Prepare("SELECT json_serialize_sql(?::VARCHAR)::VARCHAR")
		if err != nil {
			return nil, err
		}
		e.parse = st
	}
	rows, err := e.parse.(driver.StmtQueryContext).QueryContext(ctx, []driver.NamedValue{{Ordinal: 1, Value: sql}})
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	dest := make([]driver.Value, 1)
	if err := rows.Next(dest); err != nil {
		return nil, err
	}
	text, _ := dest[0].(string)
	return []byte(text), nil
}

// run verifies and runs a wrapped query.
func (w *worker) run(ctx context.Context, r request) (*Result, int64, error) {
	tree, err := w.parse(ctx, r.SQL)
	if err != nil {
		return nil, 0, err
	}
	if h, err := guardrails.HashTree(tree); err != nil || h != r.TreeHash {
		return nil, 0, &EngineError{Kind: kindVerify, Text: "the query was not run: its text does not parse to the tree that was checked"}
	}
	e, err := w.engine(ctx, r.Files)
	if err != nil {
		return nil, 0, err
	}
	begun := time.Now()
	if err := e.oracle(ctx, r); err != nil {
		return nil, 0, w.failed(e, err)
	}
	res, err := e.collect(ctx, r.SQL, r.Caps)
	return res, time.Since(begun).Microseconds(), w.failed(e, err)
}

// engine returns the open engine over the files, or opens one.
func (w *worker) engine(ctx context.Context, files []file) (*engine, error) {
	key, err := json.Marshal(files)
	if err != nil {
		return nil, err
	}
	e := w.engines.get(string(key))
	if residentMB() > w.settings.MemoryMB/3 {
		w.engines.only(e) // what they cache is the next query's memory
	}
	if e != nil {
		return e, nil
	}
	if e, err = openEngine(ctx, w.settings, files); err != nil {
		return nil, err
	}
	w.engines.put(string(key), e)
	return e, nil
}

// The kinds of an [EngineError] that should never be: two opinions of one query.
const (
	kindVerify = "verify"
	kindOracle = "oracle"
)

// readers are the table functions that the guard lets through; they read nothing.
var readers = []string{"range", "generate_series", "unnest"}

// oracle is the second opinion: the tables that the engine's own plan scans must
// be tables that the guard saw the query read.
func (e *engine) oracle(ctx context.Context, r request) error {
	plan, err := e.strings(ctx, "EXPLAIN (FORMAT JSON) "+r.SQL)
	if err != nil {
		return err
	}
	scanned, functions, err := scans(plan)
	if err != nil {
		return err
	}
	for _, f := range functions {
		if !slices.Contains(readers, strings.ToLower(f)) {
			return &EngineError{Kind: kindOracle, Text: "the query was not run: its plan reads more than the guard saw", Raw: f}
		}
	}
	for _, name := range scanned {
		t, ok := e.names[strings.ReplaceAll(name, `"`, "")]
		if !ok || !slices.Contains(r.Tables, t.Ref) {
			return &EngineError{Kind: kindOracle, Text: "the query was not run: its plan reads more than the guard saw", Raw: name}
		}
	}
	return nil
}

// planNode is one operator of EXPLAIN's JSON.
type planNode struct {
	Name     string         `json:"name"`
	Children []planNode     `json:"children"`
	Extra    map[string]any `json:"extra_info"`
}

// scans returns the tables that a plan reads and the functions that it reads from.
func scans(explained [][]string) (tables, functions []string, err error) {
	var walk func(planNode)
	walk = func(n planNode) {
		if t, ok := n.Extra["Table"].(string); ok {
			tables = append(tables, t)
		}
		if f, ok := n.Extra["Function"].(string); ok {
			functions = append(functions, f)
		}
		for _, c := range n.Children {
			walk(c)
		}
	}
	for _, line := range explained {
		var nodes []planNode
		if err := json.Unmarshal([]byte(line[len(line)-1]), &nodes); err != nil {
			return nil, nil, fmt.Errorf("reading the engine's plan: %w", err)
		}
		for _, n := range nodes {
			walk(n)
		}
	}
	return tables, functions, nil
}

// collect runs one statement and gathers its rows up to the caps.
func (e *engine) collect(ctx context.Context, sql string, caps guardrails.Caps) (*Result, error) {
	rows, done, err := e.query(ctx, sql)
	if err != nil {
		return nil, err
	}
	defer done()
	res := &Result{Limit: caps.Rows, Rows: [][]any{}}
	typed := rows.(driver.RowsColumnTypeDatabaseTypeName)
	for i, name := range rows.Columns() {
		res.Columns = append(res.Columns, ResultColumn{Name: name, Type: typed.ColumnTypeDatabaseTypeName(i)})
	}
	dest := make([]driver.Value, len(res.Columns))
	for bytes := 0; ; {
		err := rows.Next(dest)
		if errors.Is(err, io.EOF) {
			return res, nil
		}
		if err != nil {
			return nil, err
		}
		if len(res.Rows) == caps.Rows {
			res.Truncated, res.Why = true, "rows"
			return res, nil
		}
		line := make([]any, len(dest))
		for i, v := range dest {
			line[i] = res.capped(canonical(v, res.Columns[i].Type), caps.Value)
			bytes += size(line[i])
		}
		if bytes > caps.Bytes {
			res.Truncated, res.Why = true, "bytes"
			return res, nil
		}
		res.Rows = append(res.Rows, line)
	}
}

// capped cuts one value that is too long to hand out and says so in the result.
func (r *Result) capped(v any, limit int) any {
	if size(v) <= limit {
		return v
	}
	r.Truncated, r.Why = true, "value"
	if s, ok := v.(string); ok {
		return strings.ToValidUTF8(s[:limit], "")
	}
	return "[value over the limit]"
}

// rows reads rows of one table by their numbers, under its view.
func (w *worker) rows(ctx context.Context, r request) (*Result, int64, error) {
	e, err := w.engine(ctx, r.Files)
	if err != nil {
		return nil, 0, err
	}
	begun := time.Now()
	t := r.Files[0].Tables[0]
	numbers := make([]string, len(r.Numbers))
	for i, n := range r.Numbers {
		numbers[i] = fmt.Sprint(n)
	}
	q := fmt.Sprintf("SELECT %s FROM %s WHERE %s IN (%s) ORDER BY %s", identList(t.Columns), tableName(t.Ref), schema.RowColumn,
		strings.Join(numbers, ", "), schema.RowColumn)
	res, err := e.collect(ctx, q, r.Caps)
	return res, time.Since(begun).Microseconds(), w.failed(e, err)
}

func tableName(r schema.Ref) string { return ident(r.Workbook) + "." + ident(r.Table) }
