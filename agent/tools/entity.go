package tools

import (
	"context"
	"slices"

	"github.com/allrows/allrows/agent/plan"
	"github.com/allrows/allrows/schema"
)

// Entity delivers everything about one thing: its row, and the rows of the
// tables that are joined to it.
func Entity() Tool {
	return Tool{
		Name:        "entity",
		Title:       "Everything about one thing",
		Description: "Returns the row of one named thing (a city, a customer) and the rows of other tables that belong to it.",
		Args: object([]string{"table", "column", "value"}, map[string]any{"table": property("string", "workbook.table that has one row for each such thing"),
			"column": property("string", "the column that names it"), "value": property("string", "its name, as the cell has it")}),
		Run: func(ctx context.Context, env *Env, call *plan.Call) (*Output, error) {
			root, err := env.entityPlan(call)
			if err != nil {
				return nil, err
			}
			out := &Output{Route: plan.Lookup, Complete: true}
			for i, p := range append([]*plan.Plan{root}, env.related(root)...) {
				part, err := env.part(ctx, &plan.Call{Tool: "entity", Plan: p}, true)
				if err != nil {
					return nil, err
				}
				part.Ref = p.From
				out.Complete = out.Complete && !part.Result.Truncated
				out.Made = append(out.Made, Made{Tool: "entity", Detail: part.SQL, Rows: int64(len(part.Result.Rows)), Complete: !part.Result.Truncated})
				if i == 0 || len(part.Result.Rows) > 0 {
					out.Parts = append(out.Parts, *part)
				}
				if i == 0 && len(part.Result.Rows) == 0 {
					break
				}
			}
			return out, nil
		},
	}
}

// entityPlan is the plan of the thing's own row.
func (e *Env) entityPlan(call *plan.Call) (*plan.Plan, error) {
	if call.Plan != nil {
		if call.Plan.Combine != nil || call.Plan.Aggregates() {
			return nil, &ArgError{Tool: "entity", What: "the plan must name rows of one table"}
		}
		p := call.Plan.Clone()
		p.Select = nil
		return p, nil
	}
	tabs, err := e.tables("entity", list(call, "table"))
	if err != nil {
		return nil, err
	}
	col := text(call, "column")
	if len(tabs) != 1 || tabs[0].Column(col) == nil {
		return nil, &ArgError{Tool: "entity", What: "name one table and one of its columns"}
	}
	ref := schema.ColumnRef{Ref: tabs[0].Ref, Column: col}
	where := plan.Compare(plan.Col(ref), "=", plan.Text(text(call, "value")))
	return &plan.Plan{From: tabs[0].Ref, Where: &where}, nil
}

// related are plans for the rows that belong to the root's, one a relationship:
// those that point to it, and those that it points to.
func (e *Env) related(root *plan.Plan) []*plan.Plan {
	var out []*plan.Plan
	seen := []schema.Ref{root.From}
	for _, r := range e.Schema.Relationships {
		here, there := r.To, r.From
		if r.From.Ref == root.From {
			here, there = r.From, r.To
		}
		if here.Ref != root.From || slices.Contains(seen, there.Ref) || e.Schema.Table(there.Ref) == nil {
			continue
		}
		seen = append(seen, there.Ref)
		key := plan.Col(there)
		set := &plan.Plan{From: root.From, Joins: root.Joins, Where: root.Where, Select: []plan.Item{{Expr: plan.Col(here)}}}
		out = append(out, &plan.Plan{From: there.Ref, Where: &plan.Cond{Op: "in", Left: &key, Set: set}, Select: e.besides(there)})
	}
	return out
}

// besides selects the table's columns but its key to the root.
func (e *Env) besides(key schema.ColumnRef) []plan.Item {
	var out []plan.Item
	for _, c := range e.Schema.Table(key.Ref).Columns {
		if c.Name != key.Column {
			out = append(out, plan.Item{Expr: plan.Col(schema.ColumnRef{Ref: key.Ref, Column: c.Name}), Role: "measure"})
		}
	}
	return out
}
