package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/allrows/allrows/access"
	"github.com/allrows/allrows/schema"
	"github.com/allrows/allrows/server"
	"github.com/allrows/allrows/web"
)

func newTables(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "tables [TABLE]",
		Short: "List the loaded tables, or the columns of one",
		Args:  args(cobra.MaximumNArgs(1)),
		RunE: func(c *cobra.Command, names []string) error {
			g, err := a.open(a.quiet())
			if err != nil {
				return err
			}
			defer g.Close()
			ctx, err := g.front.Tables(access.Local.Name)
			if err != nil {
				return err
			}
			if len(names) == 1 {
				return a.oneTable(ctx, names[0])
			}
			if a.json {
				return a.printJSON(ctx)
			}
			if err := g.needWorkbook(); err != nil {
				return err
			}
			out := grid{head: []string{"Table", "Rows", "Columns", "Source"}, right: []bool{false, true, true, false}}
			for _, t := range ctx.Tables {
				source := t.File
				if t.Sheet != "" {
					source += " · " + t.Sheet
				}
				out.rows = append(out.rows, []string{t.Ref.String(), web.Count(t.Rows), web.Count(int64(len(t.Columns))), oneLine(source, maxCell)})
			}
			return out.write(a.stdout)
		},
	}
}

// oneTable describes the table of that name: workbook.table, or table where it
// is unique.
func (a *app) oneTable(ctx *schema.Context, name string) error {
	t, err := server.FindTable(ctx, name)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(t)
	}
	st := newStyle(a.stdout, a.environ)
	fmt.Fprintf(a.stdout, "%s  %s, %s\n", st.bold(t.Ref.String()), clean(t.Label()), web.Plural(t.Rows, "row"))
	if t.Description != "" {
		fmt.Fprintln(a.stdout, clean(t.Description))
	}
	out := grid{head: []string{"Column", "Header", "Type", "Unit", "Distinct", "Nulls", "From", "To"}, right: []bool{false, false, false, false, true, true}}
	for _, c := range t.Columns {
		out.rows = append(out.rows, []string{c.Name, oneLine(c.Header, 40), c.Type.SQL(), oneLine(c.Unit.Symbol, 16),
			web.Count(c.Profile.Distinct), web.Count(c.Profile.Nulls), oneLine(c.Profile.Min, 24), oneLine(c.Profile.Max, 24)})
	}
	return out.write(a.stdout)
}
