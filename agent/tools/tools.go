// Package tools holds what a planner may call: one file a tool, one
// registration that serves the loop of package agent and MCP alike.
//
// A [Tool] takes arguments and an [Env] (the caller's scope and the parts that
// answer under it) and returns an [Output]: exact cells with what they mean and
// where they stand. No tool returns more than the scope shows, none runs SQL
// that the guard has not checked, and rows that were found rather than computed
// say that they are a selection.
package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/allrows/allrows/agent/plan"
	"github.com/allrows/allrows/guardrails"
	"github.com/allrows/allrows/kb"
	"github.com/allrows/allrows/schema"
	"github.com/allrows/allrows/sqltool"
)

// Guard decides whether a statement may run. [guardrails.Guard] is one.
type Guard interface {
	Check(ctx context.Context, s *guardrails.Scope, sql string) (guardrails.Query, error)
}

// Runner runs what the guard has checked. [sqltool.Runner] is one.
type Runner interface {
	Run(ctx context.Context, q guardrails.Query) (*sqltool.Result, error)
	Rows(ctx context.Context, s *guardrails.Scope, ref schema.Ref, rows []int64) (*sqltool.Result, error)
}

// Index finds chunks. [kb.Store] is one.
type Index interface {
	Search(ctx context.Context, q kb.Query) ([]kb.Hit, error)
}

// Env is what a call runs in: one caller's scope and one question's language.
type Env struct {
	Scope    *guardrails.Scope
	Schema   *schema.Context // as the scope shows it
	Guard    Guard
	Runner   Runner
	Index    Index
	Language string
	Question string // the words, for retrieval beside typed conditions
	MaxRows  int64  // rows of a table up to which its rows are chunks

	// Tried holds what candidates gave when the planner tried them, by their SQL:
	// the one that is called is not run again.
	Tried map[string]*sqltool.Result
}

// Tool is one thing that a planner may call.
type Tool struct {
	Name        string
	Title       string
	Description string         // for models: when to call it, and what comes back
	Args        map[string]any // JSON schema
	Run         func(ctx context.Context, env *Env, call *plan.Call) (*Output, error)
}

// Output is what a call came back with.
type Output struct {
	Route    plan.Route
	Parts    []Part   // tables of cells; the first is the answer's result
	Facts    []Fact   // of overviews: what is known of tables
	Hits     []kb.Hit // of retrieval: a selection, never the whole
	Complete bool     // computed over all rows that the question is about
	Made     []Made   // what was done, for the receipt's steps
}

// Made is one thing that a call did.
type Made struct {
	Tool     string
	Detail   string
	Rows     int64
	Complete bool
}

// Part is one table of cells with its meaning.
type Part struct {
	Ref      schema.Ref // the table that it is about, where it is one
	Plan     *plan.Plan // nil where the SQL was written by a model or a person
	Compiled *plan.Compiled
	SQL      string
	Columns  []plan.Column
	Result   *sqltool.Result
	RowIDs   [][]int64 // per row of the result: the sheet row in each table of Compiled.RowTables, 0 for none
	Matched  []Matched // per table: what the conditions kept
}

// Matched is what the conditions keep of one table.
type Matched struct {
	Ref      schema.Ref
	Rows     int64
	Nulls    int64 // cells that the aggregates passed over
	FirstRow int64 // 0 where that is the table's own
	LastRow  int64
}

// Refusal is a call that was not run, for a reason that the planner may repair.
type Refusal struct {
	Err error // a [guardrails.Violation], an [sqltool.EngineError], a [plan.Error] or an [ArgError]
}

// Error returns the reason.
func (r *Refusal) Error() string { return r.Err.Error() }

// Unwrap returns the reason as the error that it is.
func (r *Refusal) Unwrap() error { return r.Err }

// ArgError is a call whose arguments say nothing that can be run.
type ArgError struct{ Tool, What string }

// Error names the tool and the argument.
func (e *ArgError) Error() string { return e.Tool + ": " + e.What }

// refuse wraps the errors that a planner may repair.
func refuse(err error) error {
	if _, ok := errors.AsType[*guardrails.Violation](err); ok {
		return &Refusal{Err: err}
	}
	if _, ok := errors.AsType[*sqltool.EngineError](err); ok {
		return &Refusal{Err: err}
	}
	if _, ok := errors.AsType[*plan.Error](err); ok {
		return &Refusal{Err: err}
	}
	if _, ok := errors.AsType[*ArgError](err); ok {
		return &Refusal{Err: err}
	}
	return err
}

// All returns every tool, in the order in which a model should read of them.
func All() []Tool {
	return []Tool{RunSQL(), Lookup(), SearchRows(), Entity(), Overview(), DescribeTable(), ListTables()}
}

// Find returns the tool of that name, or nil.
func Find(name string) *Tool {
	for _, t := range All() {
		if t.Name == name {
			return &t
		}
	}
	return nil
}

// Call runs a call by its tool's name.
func Call(ctx context.Context, env *Env, call *plan.Call) (*Output, error) {
	t := Find(call.Tool)
	if t == nil {
		return nil, &Refusal{Err: &ArgError{Tool: call.Tool, What: "there is no such tool"}}
	}
	out, err := t.Run(ctx, env, call)
	if err != nil {
		return nil, refuse(fmt.Errorf("calling %s: %w", call.Tool, err))
	}
	return out, nil
}

// Observe returns what the planner is told: at most limit rows.
func (o *Output) Observe(call *plan.Call, limit int) plan.Observation {
	ob := plan.Observation{Call: call}
	if len(o.Parts) == 0 || o.Parts[0].Result == nil {
		return ob
	}
	r := o.Parts[0].Result
	for _, c := range r.Columns {
		ob.Columns = append(ob.Columns, c.Name)
	}
	ob.Rows, ob.RowsIn = r.Rows[:min(limit, len(r.Rows))], int64(len(r.Rows))
	return ob
}

// text returns a text argument.
func text(call *plan.Call, name string) string {
	s, _ := call.Args[name].(string)
	return s
}

// list returns an argument that is one text or a list of them.
func list(call *plan.Call, name string) []string {
	switch v := call.Args[name].(type) {
	case string:
		if v != "" {
			return []string{v}
		}
	case []string:
		return v
	case []any:
		var out []string
		for _, x := range v {
			if s, ok := x.(string); ok {
				out = append(out, s)
			}
		}
		return out
	}
	return nil
}

// number returns a whole-number argument, 0 where there is none.
func number(call *plan.Call, name string) int {
	switch v := call.Args[name].(type) {
	case int:
		return v
	case float64:
		return int(v)
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return int(n)
		}
	}
	return 0
}

// tables resolves names (workbook.table, a bare table name where it is the only
// one, or a title) to tables of the scope; no name is all of them.
func (e *Env) tables(tool string, names []string) ([]*schema.Table, error) {
	if len(names) == 0 {
		return e.Schema.Tables, nil
	}
	var out []*schema.Table
	for _, n := range names {
		t := e.table(n)
		if t == nil {
			return nil, &ArgError{Tool: tool, What: fmt.Sprintf("no table is called %q here", n)}
		}
		out = append(out, t)
	}
	return out, nil
}

func (e *Env) table(name string) *schema.Table {
	var found *schema.Table
	for _, t := range e.Schema.Tables {
		switch name {
		case t.Ref.String():
			return t
		case t.Table, t.Title, t.Sheet:
			if found != nil {
				return nil
			}
			found = t
		}
	}
	return found
}

// filtered reports whether the scope shows only some rows of the table: what was
// measured over all of them must then not be said.
func (e *Env) filtered(r schema.Ref) bool {
	for _, t := range e.Scope.Tables {
		if t.Table.Ref == r {
			return t.Filter != ""
		}
	}
	return false
}

// object is a JSON schema of an object with these properties.
func object(required []string, properties map[string]any) map[string]any {
	return map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
}

func property(kind, description string) map[string]any {
	return map[string]any{"type": kind, "description": description}
}
