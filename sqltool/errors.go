package sqltool

import (
	"fmt"
	"time"
)

// NotFoundError is a workbook or version that the data folder does not hold.
type NotFoundError struct {
	What string // workbook, version, table
	Name string
}

// Error returns "no workbook named x is loaded".
func (e *NotFoundError) Error() string {
	return fmt.Sprintf("no %s named %q is loaded; `gateway workbooks list` shows what is", e.What, e.Name)
}

// TimeoutError is a query that was stopped at its deadline.
type TimeoutError struct{ After time.Duration }

// Error names the limit.
func (e *TimeoutError) Error() string {
	return fmt.Sprintf("the query was stopped after %s, its time limit; ask for less or raise the limit", e.After.Round(time.Millisecond))
}

// EngineError is a query that DuckDB could not bind or run. Text is safe to show:
// the engine's own words may name tables outside the caller's scope and stay in
// Raw, for debug logs only.
type EngineError struct {
	Kind string // binder, conversion, out of range, out of memory, internal …
	Text string
	Raw  string
}

// Error returns the safe text.
func (e *EngineError) Error() string { return e.Text }

// LimitError is a resource that a query or a load would exceed.
type LimitError struct {
	What   string
	Limit  string
	Actual string
}

// Error names the limit and the actual.
func (e *LimitError) Error() string {
	if e.Actual == "" {
		return fmt.Sprintf("%s is over its limit of %s", e.What, e.Limit)
	}
	return fmt.Sprintf("%s is %s, over its limit of %s", e.What, e.Actual, e.Limit)
}

// ConflictError is a load that another process overtook: the workbook moved to
// another version meanwhile.
type ConflictError struct{ Workbook string }

// Error says what happened and what to do.
func (e *ConflictError) Error() string {
	return fmt.Sprintf("workbook %q was published by another process during this load; load it again", e.Workbook)
}
