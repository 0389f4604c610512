package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/allrows/allrows/access"
	"github.com/allrows/allrows/kb"
	"github.com/allrows/allrows/web"
)

func newKB(a *app) *cobra.Command {
	c := &cobra.Command{Use: "kb", Short: "See how tables are cut into chunks"}
	c.AddCommand(&cobra.Command{
		Use:   "plan",
		Short: "Show which kinds of chunk each loaded table gets, what they cost, and why",
		Args:  args(cobra.NoArgs),
		RunE:  func(*cobra.Command, []string) error { return a.kbPlan() },
	})
	return c
}

func (a *app) kbPlan() error {
	g, err := a.open(a.quiet())
	if err != nil {
		return err
	}
	defer g.Close()
	ctx, err := g.front.Tables(access.Local.Name)
	if err != nil {
		return err
	}
	plans := make([]kb.TablePlan, 0, len(ctx.Tables))
	out := grid{head: []string{"Table", "Rows", "Kinds", "Chunks", "Tokens", "Why"}, right: []bool{false, true, false, true, true, false}}
	for _, t := range ctx.Tables {
		p := g.index.Plan(t)
		plans = append(plans, p)
		kinds := make([]string, len(p.Kinds))
		for i, k := range p.Kinds {
			kinds[i] = string(k)
		}
		out.rows = append(out.rows, []string{p.Ref.String(), web.Count(p.Rows), strings.Join(kinds, " "), web.Count(p.Chunks), web.Count(p.Tokens), strings.Join(p.Why, "; ")})
	}
	if a.json {
		return a.printJSON(plans)
	}
	if err := g.needWorkbook(); err != nil {
		return err
	}
	return out.write(a.stdout)
}
