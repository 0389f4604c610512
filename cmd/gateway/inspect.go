package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/allrows/allrows/schema"
	"github.com/allrows/allrows/sqltool"
	"github.com/allrows/allrows/web"
	"github.com/allrows/allrows/workbook"
)

func newInspect(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "inspect FILE",
		Short: "Show how a file would be read, without loading it",
		Long: "Inspect reads the file in the same closed worker as load does and prints its tables, the type and unit of every\n" +
			"column with the evidence for them, and the ledger. Nothing is published.",
		Args: args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, files []string) error { return a.inspect(c.Context(), files[0]) },
	}
}

func (a *app) inspect(ctx context.Context, file string) error {
	g, err := a.open(a.quiet())
	if err != nil {
		return err
	}
	defer g.Close()
	dir, err := os.MkdirTemp("", "allrows-inspect-")
	if err != nil {
		return fmt.Errorf("making a folder to read into: %w", err)
	}
	defer os.RemoveAll(dir)
	base := filepath.Base(file)
	name := workbook.FileName(file)
	report, err := g.runner.Load(ctx, sqltool.LoadRequest{Paths: []string{file}, Dir: dir, Workbook: name}, nil)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(report)
	}
	st := newStyle(a.stdout, a.environ)
	fmt.Fprintf(a.stdout, "%s would load as %s: %s, %s\n", st.bold(clean(base)), name, web.Plural(int64(len(report.Tables)), "table"), web.Plural(report.Rows, "row"))
	a.printLedger(st, report.Ledger)
	for _, t := range report.Tables {
		if err := a.printTableReading(st, t); err != nil {
			return err
		}
	}
	return nil
}

// printTableReading says how each column was read, and why.
func (a *app) printTableReading(st style, t *schema.Table) error {
	where := t.Sheet
	if t.Range != "" {
		where += "!" + t.Range
	}
	fmt.Fprintf(a.stdout, "\n%s  %s  %s\n", st.bold(t.Ref.String()), oneLine(t.Label(), maxCell), st.dim(clean(where)))
	out := grid{head: []string{"Column", "Header", "Type", "Unit", "Nulls", "Why"}, right: []bool{false, false, false, false, true}}
	for _, c := range t.Columns {
		out.rows = append(out.rows, []string{c.Name, oneLine(c.Header, 32), c.Type.SQL(), oneLine(c.Unit.Symbol, 12), web.Count(c.Profile.Nulls), oneLine(c.Evidence, 70)})
	}
	if err := out.write(a.stdout); err != nil {
		return err
	}
	for _, line := range append(web.CheckNotes(t), t.Questions...) {
		fmt.Fprintln(a.stdout, "  "+st.warn("! ")+clean(line))
	}
	return nil
}
