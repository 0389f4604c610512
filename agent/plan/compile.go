package plan

import (
	"fmt"

	"github.com/allrows/allrows/schema"
	"github.com/allrows/allrows/workbook"
)

// Compiled is a plan as SQL, with what its result means.
type Compiled struct {
	SQL     string // in the subset that travels; tables as workbook.table
	Columns []Column

	// Matched selects, one row a table of the plan, what the conditions keep:
	// columns table_name, rows_matched, nulls_ignored, first_row, last_row. It is
	// "" where the plan gives no such figure.
	Matched string

	// Rows selects the sheet rows that each row of the result stands for, in the
	// same order: one column a table of RowTables. It is "" where a row of the
	// result stands for many rows.
	Rows      string
	RowTables []schema.Ref

	Tables []schema.Ref
	Cites  []schema.ColumnRef // the columns that the figures come from
}

// Column is one column of the result of a compiled plan.
type Column struct {
	Name     string // as SQL returns it
	Label    string // as people read it
	Role     string // key, measure, context
	Type     workbook.Type
	Unit     workbook.Unit
	Decimals int    // decimals that the source shows (averages one more); -1 is not known
	Plain    bool   // digits are not grouped: years, ids
	Grain    string // of dates: year, quarter, month; "" is the day
}

// Error is a plan that has no SQL, with the reason in words.
type Error struct{ What string }

// Error returns "plan: what".
func (e *Error) Error() string { return "plan: " + e.What }

func errorf(format string, args ...any) error { return &Error{What: fmt.Sprintf(format, args...)} }

// Compile renders the plan as DuckDB SQL. It returns an [*Error] for a plan that
// names what the context does not hold, that compares what cannot be compared,
// or whose joins would count rows twice with no way to mend it.
func Compile(p *Plan, c *schema.Context) (*Compiled, error) {
	k := &compiler{schema: c, raw: map[*Plan]bool{}}
	out := &Compiled{}
	q, err := k.build(p, true)
	if err != nil {
		return nil, err
	}
	out.SQL, out.Columns = q.sql, q.columns
	if q.query != nil {
		out.Matched, err = k.matched(q.query)
		if err != nil {
			return nil, err
		}
		out.Rows, out.RowTables = q.query.rowsSQL()
	}
	out.Tables = p.Tables()
	out.Cites = p.Cites()
	return out, nil
}

// compiler renders one plan and the plans inside it.
type compiler struct {
	schema *schema.Context
	raw    map[*Plan]bool // rewritten plans whose joins stay as they are
	depth  int
}

// built is a rendered plan.
type built struct {
	sql     string
	columns []Column
	query   *query // nil for a combination
}

// build renders a plan. A top plan gets a deterministic order, an inner one only
// where a limit needs it.
func (k *compiler) build(p *Plan, top bool) (*built, error) {
	if p == nil {
		return nil, errorf("a plan is missing")
	}
	if k.depth++; k.depth > 12 {
		return nil, errorf("plans are nested too deep")
	}
	defer func() { k.depth-- }()
	if p.Limit < 0 || p.Offset < 0 {
		return nil, errorf("limit %d and offset %d must not be negative", p.Limit, p.Offset)
	}
	if p.Combine != nil {
		return k.combine(p, top)
	}
	q, err := k.newQuery(p, top)
	if err != nil {
		return nil, err
	}
	text := q.render()
	if q.err != nil {
		return nil, q.err
	}
	return &built{sql: text, columns: q.columns, query: q}, nil
}

// table returns the context's table, or an error that names it.
func (k *compiler) table(r schema.Ref) (*schema.Table, error) {
	t := k.schema.Table(r)
	if t == nil {
		return nil, errorf("there is no table %s", r)
	}
	return t, nil
}

// column returns the context's column. The row number is a column of every table.
func (k *compiler) column(r schema.ColumnRef) (*schema.Column, error) {
	t, err := k.table(r.Ref)
	if err != nil {
		return nil, err
	}
	if r.Column == schema.RowColumn {
		return rowColumn, nil
	}
	if c := t.Column(r.Column); c != nil {
		return c, nil
	}
	return nil, errorf("table %s has no column %s", r.Ref, r.Column)
}

var rowColumn = &schema.Column{
	Column:  workbook.Column{Name: schema.RowColumn, Header: schema.RowColumn, Type: workbook.Type{Kind: workbook.Int}},
	Profile: schema.Profile{Unique: true},
}
