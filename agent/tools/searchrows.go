package tools

import (
	"context"
	"fmt"

	"github.com/allrows/allrows/agent/plan"
	"github.com/allrows/allrows/kb"
	"github.com/allrows/allrows/schema"
)

// SearchRows finds rows by a description in words.
func SearchRows() Tool {
	return Tool{
		Name:  "search_rows",
		Title: "Find rows by description",
		Description: "Finds the rows whose text is nearest to some words, best first, with scores. What comes back is a selection of the " +
			"table: it must not be counted, totalled or averaged.",
		Args: object([]string{"text"}, map[string]any{"text": property("string", "words to find"),
			"table": property("string", "workbook.table to search in; all tables if left out"), "k": property("integer", "how many rows at most; default 10")}),
		Run: func(ctx context.Context, env *Env, call *plan.Call) (*Output, error) {
			words := text(call, "text")
			if words == "" {
				return nil, &ArgError{Tool: "search_rows", What: "text is empty"}
			}
			tabs, err := env.tables("search_rows", list(call, "table"))
			if err != nil {
				return nil, err
			}
			out := &Output{Route: plan.Lookup}
			if env.Index == nil {
				return out, nil
			}
			hits, err := env.Index.Search(ctx, kb.Query{Text: words, Tables: tabs, Kinds: []kb.Kind{kb.Row}, K: number(call, "k")})
			if err != nil {
				return nil, fmt.Errorf("searching rows: %w", err)
			}
			out.Hits, out.Parts, err = env.Resolve(ctx, hits)
			if err != nil {
				return nil, err
			}
			out.Made = []Made{{Tool: "search_rows", Detail: words, Rows: int64(len(out.Hits))}}
			return out, nil
		},
	}
}

// Resolve reads the rows that hits point to from the engine, under the scope:
// one part a table, in the order of its best hit. Hits whose rows the scope does
// not show are dropped.
func (e *Env) Resolve(ctx context.Context, hits []kb.Hit) ([]kb.Hit, []Part, error) {
	var order []schema.Ref
	wanted := map[schema.Ref][]int64{}
	for _, h := range hits {
		if h.Kind != kb.Row {
			continue
		}
		if wanted[h.Ref] == nil {
			order = append(order, h.Ref)
		}
		wanted[h.Ref] = append(wanted[h.Ref], h.FirstRow)
	}
	var parts []Part
	shown := map[schema.Ref]map[int64]bool{}
	for _, ref := range order {
		p, err := e.rows(ctx, ref, wanted[ref])
		if err != nil {
			return nil, nil, fmt.Errorf("reading the rows found in %s: %w", ref, err)
		}
		shown[ref] = map[int64]bool{}
		for _, ids := range p.RowIDs {
			shown[ref][ids[0]] = true
		}
		if len(p.RowIDs) > 0 {
			parts = append(parts, *p)
		}
	}
	var kept []kb.Hit
	for _, h := range hits {
		if h.Kind != kb.Row || shown[h.Ref][h.FirstRow] {
			kept = append(kept, h)
		}
	}
	return kept, parts, nil
}

// rows reads rows of a table by number, in the order asked for.
func (e *Env) rows(ctx context.Context, ref schema.Ref, ids []int64) (*Part, error) {
	t := e.Schema.Table(ref)
	if t == nil {
		return nil, fmt.Errorf("no table %s in this scope", ref)
	}
	res, err := e.Runner.Rows(ctx, e.Scope, ref, ids)
	if err != nil {
		return nil, err
	}
	p := &Part{Ref: ref}
	cut := *res
	cut.Columns, cut.Rows = nil, nil
	at := -1
	for i, c := range res.Columns {
		if c.Name == schema.RowColumn {
			at = i
			continue
		}
		cut.Columns = append(cut.Columns, c)
		if col := t.Column(c.Name); col != nil {
			p.Columns = append(p.Columns, plan.SourceColumn(col))
		} else {
			return nil, fmt.Errorf("the engine returned a column %s that the scope does not show", c.Name)
		}
	}
	if at < 0 {
		return nil, fmt.Errorf("the engine returned rows without their numbers")
	}
	byID := map[int64][]any{}
	for _, r := range res.Rows {
		row := append(append([]any{}, r[:at]...), r[at+1:]...)
		byID[whole(r[at])] = row
	}
	for _, id := range ids {
		if row, ok := byID[id]; ok {
			cut.Rows = append(cut.Rows, row)
			p.RowIDs = append(p.RowIDs, []int64{id})
			delete(byID, id)
		}
	}
	p.Result = &cut
	return p, nil
}
