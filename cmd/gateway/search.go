package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/allrows/allrows/access"
)

func newSearch(a *app) *cobra.Command {
	var workbooks []string
	var k int
	c := &cobra.Command{
		Use:   "search TEXT",
		Short: "Find rows and table descriptions, with scores and kinds",
		Long:  "Search shows what retrieval finds. Hits are a selection: nothing may be counted, totalled or averaged from them.",
		Args:  args(cobra.MinimumNArgs(1)),
		RunE: func(c *cobra.Command, words []string) error {
			g, err := a.open(a.quiet())
			if err != nil {
				return err
			}
			defer g.Close()
			found, err := g.front.Search(c.Context(), access.Local.Name, workbooks, strings.Join(words, " "), k)
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(found)
			}
			if len(found.Hits) == 0 {
				fmt.Fprintln(a.stdout, "Nothing found.")
				return &outcomeError{exitNoAnswer}
			}
			out := grid{head: []string{"Score", "Kind", "Table", "Row", "Text"}, right: []bool{true, false, false, true, false}}
			for _, h := range found.Hits {
				row := ""
				if h.FirstRow > 0 {
					row = strconv.FormatInt(h.FirstRow, 10)
				}
				out.rows = append(out.rows, []string{strconv.FormatFloat(h.Score, 'f', 3, 64), string(h.Kind), h.Ref.String(), row, oneLine(h.Text, 90)})
			}
			if err := out.write(a.stdout); err != nil {
				return err
			}
			st := newStyle(a.stdout, a.environ)
			_, err = fmt.Fprintln(a.stdout, st.dim("  "+clean(found.Notice)))
			return err
		},
	}
	c.Flags().StringSliceVarP(&workbooks, "workbook", "w", nil, "search these workbooks only")
	c.Flags().IntVarP(&k, "limit", "k", 10, "hits at most")
	return c
}
