package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/allrows/allrows/access"
)

func newVerify(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "verify ANSWER-ID",
		Short: "Run an earlier answer again and compare",
		Long:  "Verify runs the answer's query over the versions that it named. Exit code 8: it comes out differently now.",
		Args:  args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, ids []string) error {
			g, err := a.open(a.quiet())
			if err != nil {
				return err
			}
			defer g.Close()
			v, err := g.front.Verify(c.Context(), access.Local.Name, ids[0])
			if err != nil {
				return err
			}
			if a.json {
				err = a.printJSON(v)
			} else {
				st := newStyle(a.stdout, a.environ)
				mark := st.good("same ")
				if !v.Same {
					mark = st.warn("differs ")
				}
				_, err = fmt.Fprintln(a.stdout, mark+clean(v.Text))
			}
			if err == nil && !v.Same {
				err = &outcomeError{exitDrift}
			}
			return err
		},
	}
}
