package plan

import (
	"github.com/allrows/allrows/schema"
	"github.com/allrows/allrows/workbook"
)

// Compiled is a plan as SQL, with what its result means.
type Compiled struct {
	SQL     string // in the subset that travels; tables as workbook.table
	Columns []Column
	// Matched selects, per table of the plan, the rows that the conditions keep
	// and the NULLs that aggregates pass over: columns rows_matched, nulls_ignored,
	// first_row, last_row. It is "" where the plan gives no such figure.
	Matched string
	Tables  []schema.Ref
	Cites   []schema.ColumnRef // the columns that the figures come from
}

// Column is one column of the result of a compiled plan.
type Column struct {
	Name     string // as SQL returns it
	Label    string // as people read it
	Role     string // key, measure, context
	Type     workbook.Type
	Unit     workbook.Unit
	Decimals int // decimals that the source shows (averages one more)
}
