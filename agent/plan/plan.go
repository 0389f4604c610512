// Package plan is the typed plan of a question and its SQL, shared by both
// planners.
//
// A [Plan] says what is computed over which tables; [Compile] renders it for
// DuckDB and in words. A plan is a value that survives JSON: it is stored with
// its answer, and a follow-up question edits a copy.
package plan

import "github.com/allrows/allrows/schema"

// Plan is one SELECT over joined tables, or two plans combined.
//
// Its rows are the rows of From, each once: a join brings columns and
// conditions, never copies. Count without arguments counts rows of From, so a
// question about how many of something starts From that something's table. A
// join that is used by no column of the result keeps the rows that have a
// partner (meeting all conditions on it). Aggregates over another table's
// columns count each of that table's rows once. Where a plan selects columns of
// two tables without aggregates, its rows are the pairs.
//
// An empty Select is all columns of From. Without Order, rows come in sheet
// order and groups in the order of their keys.
type Plan struct {
	From     schema.Ref `json:"from"`
	Joins    []Join     `json:"joins,omitempty"`
	Where    *Cond      `json:"where,omitempty"`
	Select   []Item     `json:"select,omitempty"`
	GroupBy  []Expr     `json:"group_by,omitempty"`
	Having   *Cond      `json:"having,omitempty"`
	Order    []Order    `json:"order,omitempty"`
	Limit    int        `json:"limit,omitempty"` // 0 is all
	Offset   int        `json:"offset,omitempty"`
	Ties     bool       `json:"ties,omitempty"` // rows equal to the last one within Limit come too
	Distinct bool       `json:"distinct,omitempty"`
	Combine  *Combine   `json:"combine,omitempty"` // then all but Order and Limit is empty
}

// Combine joins two plans: union, intersect or except of their rows.
type Combine struct {
	Op    string `json:"op"`
	Left  *Plan  `json:"left"`
	Right *Plan  `json:"right"`
}

// Join adds To's table by Left = To along a measured relationship.
type Join struct {
	Left  schema.ColumnRef `json:"left"`
	To    schema.ColumnRef `json:"to"`
	Outer bool             `json:"outer,omitempty"` // keep rows without a partner
}

// Item is one column of the result. Role is key, measure or context.
type Item struct {
	Expr  Expr   `json:"expr"`
	Label string `json:"label"`
	Role  string `json:"role"`
}

// Order sorts by an expression; NULLs come last.
type Order struct {
	Expr Expr `json:"expr"`
	Desc bool `json:"desc,omitempty"`
}

// Expr is a column, an aggregate, a function, a literal or a scalar plan:
// exactly one of Column, Agg, Fn, Literal, Plan is set.
//
// The functions: add sub mul div (never an integer division), neg, abs,
// round(x, digits), pct_of(part, whole), pct_change(new, old) in percent of old,
// year quarter month day weekday hour, trunc_year trunc_quarter trunc_month
// trunc_week trunc_day (the first day), days_between(from, to), lower upper trim
// length, coalesce, and cond (whether Filter holds: true, false or NULL).
type Expr struct {
	Column  *schema.ColumnRef `json:"column,omitempty"`
	Agg     string            `json:"agg,omitempty"`    // count count_distinct sum avg min max median; count without Args is of rows
	Fn      string            `json:"fn,omitempty"`     // see [Expr]
	Args    []Expr            `json:"args,omitempty"`   // of Agg and Fn
	Filter  *Cond             `json:"filter,omitempty"` // of Agg: the rows it takes
	Literal *Literal          `json:"literal,omitempty"`
	Plan    *Plan             `json:"plan,omitempty"` // one row, one column
}

// Literal is a constant. Type is text, number, date, timestamp or bool; Text is
// its exact form: plain digits, ISO 8601, true or false.
type Literal struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// Cond is a condition. Op is and, or, not (over Args); = <> < <= > >= between
// in not_in contains starts_with ends_with (Left against Right); is_null,
// is_not_null (Left).
type Cond struct {
	Op    string `json:"op"`
	Args  []Cond `json:"args,omitempty"`
	Left  *Expr  `json:"left,omitempty"`
	Right []Expr `json:"right,omitempty"`
	Set   *Plan  `json:"set,omitempty"` // in, not_in: the values of a one-column plan
}
