package tools

import (
	"context"
	"fmt"

	"github.com/allrows/allrows/agent/plan"
	"github.com/allrows/allrows/kb"
	"github.com/allrows/allrows/schema"
	"github.com/allrows/allrows/sqltool"
)

// Fact is what is known of one table, as the scope may say it.
type Fact struct {
	Table    *schema.Table
	Measured bool // profiles cover just the rows that the scope shows
}

// Overview says what tables hold.
func Overview() Tool {
	return Tool{
		Name:        "overview",
		Title:       "What there is",
		Description: "Says what the named tables (or all of them) hold: rows, columns, ranges and frequent values. Use it for questions about what there is to ask.",
		Args: object(nil, map[string]any{"tables": map[string]any{"type": "array", "items": map[string]any{"type": "string"}, "description": "workbook.table; all if left out"},
			"text": property("string", "words that the tables should be about")}),
		Run: func(ctx context.Context, env *Env, call *plan.Call) (*Output, error) {
			tabs, err := env.tables("overview", list(call, "tables"))
			if err != nil {
				return nil, err
			}
			out := &Output{Route: plan.Overview, Complete: true}
			if words := text(call, "text"); words != "" && env.Index != nil && len(list(call, "tables")) == 0 {
				hits, err := env.Index.Search(ctx, kb.Query{Text: words, Tables: tabs, Kinds: []kb.Kind{kb.Summary, kb.Schema}, K: 10})
				if err != nil {
					return nil, fmt.Errorf("searching summaries: %w", err)
				}
				out.Hits = hits
				tabs = byHits(tabs, hits)
			}
			env.facts(out, tabs)
			out.Parts = []Part{tableList(out.Facts)}
			out.Made = []Made{{Tool: "overview", Detail: names(tabs), Rows: int64(len(tabs)), Complete: true}}
			return out, nil
		},
	}
}

// byHits keeps the tables that the hits are of, in their order; all where there
// are no hits.
func byHits(tabs []*schema.Table, hits []kb.Hit) []*schema.Table {
	var out []*schema.Table
	seen := map[schema.Ref]bool{}
	for _, h := range hits {
		for _, t := range tabs {
			if t.Ref == h.Ref && !seen[t.Ref] {
				seen[t.Ref] = true
				out = append(out, t)
			}
		}
	}
	if len(out) == 0 {
		return tabs
	}
	return out
}

// DescribeTable says a table's columns.
func DescribeTable() Tool {
	return Tool{
		Name:        "describe_table",
		Title:       "Columns of a table",
		Description: "Lists the columns of one table with type, unit, empty cells, number of different values, lowest and highest.",
		Args:        object([]string{"table"}, map[string]any{"table": property("string", "workbook.table")}),
		Run: func(_ context.Context, env *Env, call *plan.Call) (*Output, error) {
			want := list(call, "table")
			if len(want) != 1 {
				return nil, &ArgError{Tool: "describe_table", What: "name one table"}
			}
			tabs, err := env.tables("describe_table", want)
			if err != nil {
				return nil, err
			}
			out := &Output{Route: plan.Overview, Complete: true}
			env.facts(out, tabs)
			out.Parts = []Part{columnList(out.Facts[0])}
			out.Made = []Made{{Tool: "describe_table", Detail: names(tabs), Rows: int64(len(tabs[0].Columns)), Complete: true}}
			return out, nil
		},
	}
}

// ListTables names the tables that may be asked of.
func ListTables() Tool {
	return Tool{
		Name:        "list_tables",
		Title:       "Tables",
		Description: "Names the tables that may be asked of, with their titles, rows and columns.",
		Args:        object(nil, map[string]any{}),
		Run: func(_ context.Context, env *Env, _ *plan.Call) (*Output, error) {
			out := &Output{Route: plan.Overview, Complete: true}
			env.facts(out, env.Schema.Tables)
			out.Parts = []Part{tableList(out.Facts)}
			out.Made = []Made{{Tool: "list_tables", Rows: int64(len(out.Facts)), Complete: true}}
			return out, nil
		},
	}
}

func (e *Env) facts(out *Output, tabs []*schema.Table) {
	for _, t := range tabs {
		out.Facts = append(out.Facts, Fact{Table: t, Measured: !e.filtered(t.Ref)})
	}
}

func names(tabs []*schema.Table) string {
	s := ""
	for i, t := range tabs {
		if i > 0 {
			s += ", "
		}
		s += t.Ref.String()
	}
	return s
}

// tableList is the facts as a result.
func tableList(facts []Fact) Part {
	r := &sqltool.Result{Columns: []sqltool.ResultColumn{{Name: "table", Type: "VARCHAR"}, {Name: "title", Type: "VARCHAR"}, {Name: "file", Type: "VARCHAR"},
		{Name: "rows", Type: "BIGINT"}, {Name: "columns", Type: "BIGINT"}}}
	for _, f := range facts {
		r.Rows = append(r.Rows, []any{f.Table.Ref.String(), f.Table.Label(), f.Table.File, f.Table.Rows, int64(len(f.Table.Columns))})
		r.Tables = append(r.Tables, f.Table.Ref)
	}
	p := Part{Result: r, Columns: engineColumns(r)}
	p.Columns[0].Role = "key"
	return p
}

// columnList is one table's columns as a result.
func columnList(f Fact) Part {
	r := &sqltool.Result{Tables: []schema.Ref{f.Table.Ref}, Columns: []sqltool.ResultColumn{{Name: "column", Type: "VARCHAR"}, {Name: "header", Type: "VARCHAR"}, {Name: "type", Type: "VARCHAR"},
		{Name: "unit", Type: "VARCHAR"}, {Name: "empty", Type: "BIGINT"}, {Name: "different", Type: "BIGINT"}, {Name: "lowest", Type: "VARCHAR"}, {Name: "highest", Type: "VARCHAR"}}}
	for _, c := range f.Table.Columns {
		row := []any{c.Name, c.Header, string(c.Type.Kind), nil, nil, nil, nil, nil}
		if s := UnitText(c.Unit); s != "" {
			row[3] = s
		}
		if f.Measured {
			row[4], row[5] = c.Profile.Nulls, c.Profile.Distinct
			if c.Profile.Min != "" {
				row[6], row[7] = c.Profile.Min, c.Profile.Max
			}
		}
		r.Rows = append(r.Rows, row)
	}
	p := Part{Ref: f.Table.Ref, Result: r, Columns: engineColumns(r)}
	for i := range p.Columns[1:] {
		p.Columns[i+1].Role = "context"
	}
	return p
}
