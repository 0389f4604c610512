package tools

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/allrows/allrows/agent/plan"
	"github.com/allrows/allrows/schema"
	"github.com/allrows/allrows/sqltool"
)

// RunSQL computes over whole tables: a typed plan, or a statement that a model
// or a person wrote.
func RunSQL() Tool {
	return Tool{
		Name:  "run_sql",
		Title: "Compute over whole tables",
		Description: "Runs one SELECT in DuckDB's dialect over the whole of the named tables and returns exact rows. Use it for every count, " +
			"sum, average, minimum, maximum, share, ranking or comparison: nothing else may be totalled. Tables are written workbook.table.",
		Args: object([]string{"sql"}, map[string]any{"sql": property("string", "one SELECT statement")}),
		Run: func(ctx context.Context, env *Env, call *plan.Call) (*Output, error) {
			part, err := env.part(ctx, call, false)
			if err != nil {
				return nil, err
			}
			out := &Output{Route: plan.Aggregate, Parts: []Part{*part}, Complete: !part.Result.Truncated}
			out.Made = []Made{{Tool: "run_sql", Detail: part.SQL, Rows: int64(len(part.Result.Rows)), Complete: out.Complete}}
			return out, nil
		},
	}
}

// part runs a call's plan or statement. Cells are wanted where each row of the
// result is to be cited by its address.
func (e *Env) part(ctx context.Context, call *plan.Call, cells bool) (*Part, error) {
	p := &Part{Plan: call.Plan, SQL: call.SQL}
	if call.Plan != nil {
		c, err := plan.Compile(call.Plan, e.Schema)
		if err != nil {
			return nil, err
		}
		p.Compiled, p.SQL, p.Columns = c, c.SQL, c.Columns
	}
	if p.SQL == "" {
		p.SQL = text(call, "sql")
	}
	if p.SQL == "" {
		return nil, &ArgError{Tool: call.Tool, What: "neither a plan nor a statement was given"}
	}
	type side struct {
		matched []Matched
		rows    [][]int64
		err     error
	}
	aside := make(chan side, 1)
	go func() { // the receipt's figures are counted while the answer's are
		var s side
		s.matched, s.rows, s.err = e.basis(ctx, p, cells)
		aside <- s
	}()
	res, err := e.Tried[p.SQL], error(nil)
	if res == nil {
		res, err = e.run(ctx, p.SQL)
	}
	s := <-aside
	if err != nil {
		return nil, err
	}
	if s.err != nil {
		return nil, fmt.Errorf("counting what the answer stands on: %w", s.err)
	}
	p.Result, p.Matched, p.RowIDs = res, s.matched, s.rows
	if p.Compiled == nil {
		p.Columns = engineColumns(res)
	}
	if len(p.Columns) != len(res.Columns) {
		return nil, fmt.Errorf("the engine returned %d columns where the plan has %d", len(res.Columns), len(p.Columns))
	}
	return p, nil
}

// run checks a statement and runs it.
func (e *Env) run(ctx context.Context, sql string) (*sqltool.Result, error) {
	q, err := e.Guard.Check(ctx, e.Scope, sql)
	if err != nil {
		return nil, err
	}
	return e.Runner.Run(ctx, q)
}

// basis counts, for each table of the plan, the rows behind the answer, and
// finds the rows of its cells.
func (e *Env) basis(ctx context.Context, p *Part, cells bool) ([]Matched, [][]int64, error) {
	if p.Compiled == nil {
		return nil, nil, nil
	}
	matched, err := e.matched(ctx, p)
	if err != nil || !cells || p.Compiled.Rows == "" {
		return matched, nil, err
	}
	res, err := e.run(ctx, p.Compiled.Rows)
	if err != nil {
		return nil, nil, err
	}
	rows := make([][]int64, len(res.Rows))
	for i, r := range res.Rows {
		for _, v := range r {
			rows[i] = append(rows[i], whole(v))
		}
	}
	return matched, rows, nil
}

// matched counts what the conditions keep. Where there are none, what was
// measured at the load is the count.
func (e *Env) matched(ctx context.Context, p *Part) ([]Matched, error) {
	if m := e.unconditional(p); m != nil {
		return m, nil
	}
	if p.Compiled.Matched == "" {
		return nil, nil
	}
	res, err := e.run(ctx, p.Compiled.Matched)
	if err != nil {
		return nil, err
	}
	var out []Matched
	for _, r := range res.Rows {
		if len(r) != 5 {
			return nil, fmt.Errorf("the count of matched rows has %d columns", len(r))
		}
		name, _ := r[0].(string)
		for _, ref := range p.Compiled.Tables {
			if ref.String() == name {
				out = append(out, Matched{Ref: ref, Rows: whole(r[1]), Nulls: whole(r[2]), FirstRow: whole(r[3]), LastRow: whole(r[4])})
			}
		}
	}
	return out, nil
}

// unconditional is the count of a plan over all rows of one table, nil for others.
func (e *Env) unconditional(p *Part) []Matched {
	q := p.Plan
	if q == nil || q.Combine != nil || q.Where != nil || len(q.Joins) > 0 || q.Limit > 0 || len(p.Compiled.Tables) != 1 || e.filtered(q.From) {
		return nil
	}
	t := e.Schema.Table(q.From)
	if t == nil {
		return nil
	}
	m := Matched{Ref: q.From, Rows: t.Rows}
	for _, r := range q.Aggregated() {
		c := t.Column(r.Column)
		if c == nil || c.Profile.Sampled {
			return nil
		}
		m.Nulls += c.Profile.Nulls
	}
	return []Matched{m}
}

// Narrow replaces, in the schema that planners and texts see, what was measured
// over all rows of a table by what holds of the rows that the scope shows: their
// number, and which columns are unique. Ranges and frequent values are dropped:
// they were measured over rows that may be hidden.
func (e *Env) Narrow(ctx context.Context) error {
	c := *e.Schema
	c.Tables = slices.Clone(c.Tables)
	changed := false
	for i, t := range c.Tables {
		if !e.filtered(t.Ref) {
			continue
		}
		res, err := e.run(ctx, "SELECT COUNT(*) AS row_count FROM "+plan.TableName(t.Ref))
		if err != nil {
			return fmt.Errorf("counting the rows of %s: %w", t.Ref, err)
		}
		if len(res.Rows) != 1 || len(res.Rows[0]) != 1 {
			return fmt.Errorf("counting the rows of %s: the engine returned no figure", t.Ref)
		}
		cut := *t
		cut.Rows, cut.Checks, cut.Description = whole(res.Rows[0][0]), nil, ""
		cut.Columns = make([]*schema.Column, len(t.Columns))
		for j, col := range t.Columns {
			shown := *col
			shown.Profile = schema.Profile{Unique: col.Profile.Unique, Sampled: true}
			shown.Rejected = 0
			cut.Columns[j] = &shown
		}
		c.Tables[i], changed = &cut, true
	}
	if changed {
		e.Schema = &c
	}
	return nil
}

// whole reads a whole number of a result; NULL is 0.
func whole(v any) int64 {
	switch x := v.(type) {
	case int64:
		return x
	case int:
		return int64(x)
	case float64:
		return int64(x)
	case string:
		n, err := strconv.ParseInt(x, 10, 64)
		if err == nil {
			return n
		}
	}
	return 0
}
