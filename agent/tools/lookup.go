package tools

import (
	"context"
	"fmt"

	"github.com/allrows/allrows/agent/plan"
	"github.com/allrows/allrows/kb"
	"github.com/allrows/allrows/schema"
)

// Lookup delivers cells of the rows that typed conditions name, each with its
// address. Retrieval finds the row, DuckDB delivers it, and the conditions must
// hold on it; above the size up to which rows are chunks, SQL finds it alone.
func Lookup() Tool {
	return Tool{
		Name:  "lookup",
		Title: "Look cells up",
		Description: "Returns cells of the rows that meet exact conditions, with their addresses. Use it when the question names the row " +
			"(a customer, a code, a region and tier) and asks for what stands in it; never to count or total.",
		Args: object([]string{"sql"}, map[string]any{"sql": property("string", "one SELECT of plain columns with a WHERE that names the row")}),
		Run: func(ctx context.Context, env *Env, call *plan.Call) (*Output, error) {
			out := &Output{Route: plan.Lookup}
			hits, err := env.retrieve(ctx, call.Plan)
			if err != nil {
				return nil, err
			}
			if len(hits) > 0 {
				out.Hits = hits
				out.Made = append(out.Made, Made{Tool: "search_rows", Detail: env.Question, Rows: int64(len(hits))})
			}
			part, err := env.part(ctx, call, true)
			if err != nil {
				return nil, err
			}
			out.Parts, out.Complete = []Part{*part}, !part.Result.Truncated
			out.Made = append(out.Made, Made{Tool: "lookup", Detail: part.SQL, Rows: int64(len(part.Result.Rows)), Complete: out.Complete})
			return out, nil
		},
	}
}

// retrieve finds the rows that the question's words point to in the plan's
// table, with the cells that its conditions name ranking first.
func (e *Env) retrieve(ctx context.Context, p *plan.Plan) ([]kb.Hit, error) {
	if p == nil || e.Index == nil || e.Question == "" || p.Combine != nil {
		return nil, nil
	}
	t := e.Schema.Table(p.From)
	if t == nil || t.Rows > e.MaxRows || e.filtered(p.From) {
		return nil, nil
	}
	q := kb.Query{Text: e.Question, Tables: []*schema.Table{t}, Kinds: []kb.Kind{kb.Row}, K: 10}
	for _, c := range p.Where.Conditions() {
		if c.Op == "=" && c.Left != nil && c.Left.Column != nil && c.Left.Column.Ref == p.From && len(c.Right) == 1 && c.Right[0].Literal != nil {
			q.Boosts = append(q.Boosts, kb.Boost{Column: *c.Left.Column, Value: c.Right[0].Literal.Text})
		}
	}
	hits, err := e.Index.Search(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("finding the row: %w", err)
	}
	return hits, nil
}
