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
func (w *worker) parse(ctx context.Context, sql string) (json.RawMessage, error) {
	if w.parser == nil {
		e, err := openEngine(ctx, w.settings, nil)
		if err != nil {
			return nil, err
		}
		w.parser = e
	}
	out, err := w.parser.strings(ctx, "SELECT json_serialize_sql(?::VARCHAR)::VARCHAR", driver.NamedValue{Ordinal: 1, Value: sql})
	if err != nil {
		return nil, w.failed(w.parser, err)
	}
	return json.RawMessage(out[0][0]), nil
}

// run verifies and runs a wrapped query.
func (w *worker) run(ctx context.Context, r request) (*Result, int64, error) {
	tree, err := w.parse(ctx, r.SQL)
	if err != nil {
		return nil, 0, err
	}
	if h, err := guardrails.HashTree(tree); err != nil || h != r.TreeHash {
		return nil, 0, &EngineError{Kind: "verify", Text: "the query was not run: its text does not parse to the tree that was checked"}
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
	if e := w.engines.get(string(key)); e != nil {
		return e, nil
	}
	e, err := openEngine(ctx, w.settings, files)
	if err != nil {
		return nil, err
	}
	w.engines.put(string(key), e)
	return e, nil
}

// oracle is the second opinion: the tables that the engine's own plan scans must
// be tables that the guard saw the query read.
func (e *engine) oracle(ctx context.Context, r request) error {
	plan, err := e.strings(ctx, "EXPLAIN (FORMAT JSON) "+r.SQL)
	if err != nil {
		return err
	}
	scanned, err := scans(plan)
	if err != nil {
		return err
	}
	for _, name := range scanned {
		t, ok := e.names[strings.ReplaceAll(name, `"`, "")]
		if !ok || !slices.Contains(r.Tables, t.Ref) {
			return &EngineError{Kind: "oracle", Text: "the query was not run: its plan reads more than the guard saw", Raw: name}
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

// scans returns the tables that a plan reads.
func scans(explained [][]string) ([]string, error) {
	var out []string
	var walk func(planNode)
	walk = func(n planNode) {
		if t, ok := n.Extra["Table"].(string); ok {
			out = append(out, t)
		}
		for _, c := range n.Children {
			walk(c)
		}
	}
	for _, line := range explained {
		var nodes []planNode
		if err := json.Unmarshal([]byte(line[len(line)-1]), &nodes); err != nil {
			return nil, fmt.Errorf("reading the engine's plan: %w", err)
		}
		for _, n := range nodes {
			walk(n)
		}
	}
	return out, nil
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

// scanBatch is how many rows of a scan one message carries.
const scanBatch = 512

// scan sends every row of one table in text form.
func (w *worker) scan(ctx context.Context, r request) error {
	e, err := w.engine(ctx, r.Files)
	if err != nil {
		return err
	}
	t := r.Files[0].Tables[0]
	columns := slices.DeleteFunc(slices.Clone(t.Columns), func(c string) bool { return c == schema.RowColumn })
	rows, done, err := e.query(ctx, fmt.Sprintf("SELECT %s FROM %s ORDER BY %s", identList(append([]string{schema.RowColumn}, columns...)),
		tableName(t.Ref), schema.RowColumn))
	if err != nil {
		return w.failed(e, err)
	}
	defer done()
	typed := rows.(driver.RowsColumnTypeDatabaseTypeName)
	dest := make([]driver.Value, len(columns)+1)
	b := &batch{}
	for {
		err := rows.Next(dest)
		if errors.Is(err, io.EOF) {
			return w.pipe.write(response{Batch: b})
		}
		if err != nil {
			return w.failed(e, err)
		}
		b.add(dest, typed)
		if len(b.Rows) == scanBatch {
			if err := w.pipe.write(response{Batch: b}); err != nil {
				return err
			}
			b = &batch{}
		}
	}
}

// add appends a row whose first value is its number.
func (b *batch) add(dest []driver.Value, typed driver.RowsColumnTypeDatabaseTypeName) {
	number, _ := canonical(dest[0], "").(int64)
	values, nulls := make([]string, len(dest)-1), make([]bool, len(dest)-1)
	for i, v := range dest[1:] {
		switch x := canonical(v, typed.ColumnTypeDatabaseTypeName(i+1)).(type) {
		case nil:
			nulls[i] = true
		case string:
			values[i] = x
		default:
			text, _ := json.Marshal(x) // a canonical value always has a JSON form
			values[i] = string(text)
		}
	}
	b.Rows, b.Values, b.Nulls = append(b.Rows, number), append(b.Values, values), append(b.Nulls, nulls)
}

func tableName(r schema.Ref) string { return ident(r.Workbook) + "." + ident(r.Table) }
