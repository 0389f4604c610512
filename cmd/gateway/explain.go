package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/allrows/allrows/access"
)

// explain prints what the words of a question were linked to and the readings
// that the planner considered. It runs no query.
func (a *app) explain(ctx context.Context, g *gateway, question string, f askFlags) error {
	tables, err := g.front.Tables(access.Local.Name, f.workbooks...)
	if err != nil {
		return err
	}
	q, err := g.linker.Link(ctx, question, tables, g.index.Values(tables.Tables), a.now())
	if err != nil {
		return err
	}
	text, err := g.planner.Explain(ctx, q)
	if err != nil {
		return err
	}
	w := a.stdout
	if a.json {
		w = a.stderr // stdout holds the answer alone
	}
	_, err = fmt.Fprintln(w, "\n"+strings.TrimRight(clean(text), "\n"))
	return err
}
