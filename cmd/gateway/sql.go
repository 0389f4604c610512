package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/allrows/allrows/access"
	"github.com/allrows/allrows/agent"
	"github.com/allrows/allrows/web"
)

func newSQL(a *app) *cobra.Command {
	var workbooks []string
	var limit int
	c := &cobra.Command{
		Use:   "sql STATEMENT",
		Short: "Run a SELECT through the guard",
		Long: "SQL runs one SELECT over the loaded tables, checked by the same guard and in the same locked worker as the\n" +
			"statements that answer questions. A statement of - is read from standard input.",
		Example: "  gateway sql \"select region, avg(discount) from pricing.tiers group by all\"",
		Args:    args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, given []string) error {
			statement := given[0]
			if statement == "-" {
				data, err := io.ReadAll(io.LimitReader(a.stdin, 1<<20))
				if err != nil {
					return fmt.Errorf("reading the statement: %w", err)
				}
				statement = string(data)
			}
			switch {
			case strings.TrimSpace(statement) == "":
				return &usageError{"the statement is empty"}
			case limit < 0:
				return &usageError{"--limit is negative; leave it out for the default"}
			}
			g, err := a.open(a.quiet())
			if err != nil {
				return err
			}
			defer g.Close()
			answer, err := g.front.SQL(c.Context(), access.Local.Name, workbooks, statement, limit)
			if err != nil {
				return err
			}
			if a.json {
				return errors.Join(a.printJSON(answer), outcome(answer))
			}
			return errors.Join(a.printRows(answer), outcome(answer))
		},
	}
	c.Flags().StringSliceVarP(&workbooks, "workbook", "w", nil, "the tables of these workbooks only")
	c.Flags().IntVar(&limit, "limit", 0, "rows at most; 0 is the default of the scope")
	return c
}

// printRows prints what a statement returned and the rows that it stands on.
func (a *app) printRows(x *agent.Answer) error {
	st := newStyle(a.stdout, a.environ)
	if x.Outcome == agent.Failed && x.Reason != nil {
		fmt.Fprintln(a.stdout, st.bad(clean(x.Reason.Text)))
		return nil
	}
	if x.Result == nil || len(x.Result.Columns) == 0 {
		return nil
	}
	if err := resultGrid(x.Result, 1000).write(a.stdout); err != nil {
		return fmt.Errorf("printing the result: %w", err)
	}
	note := web.Plural(int64(len(x.Result.Rows)), "row")
	if x.Result.Truncated {
		note += ", cut: there are more"
	}
	if basis := web.Basis(x.Receipt); len(basis) > 0 {
		note += " · " + strings.Join(basis, " + ")
	}
	_, err := fmt.Fprintln(a.stdout, st.dim("  "+clean(note)))
	return err
}
