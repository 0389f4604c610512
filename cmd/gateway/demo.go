package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/allrows/allrows/access"
	"github.com/allrows/allrows/agent"
	"github.com/allrows/allrows/examples"
	"github.com/allrows/allrows/ingest"
	"github.com/allrows/allrows/server"
)

// demoQuestions are of four kinds: a figure over all rows, a group over
// 200,000, a cell looked up, and one that nobody should answer.
var demoQuestions = []struct{ kind, text, workbook string }{
	{"A figure, computed over all the rows", "What is the average volume discount across regions?", "pricing.xlsx"},
	{"A group over 200,000 orders", "total amount by channel", "orders.parquet"},
	{"One cell, looked up", "What is the tier 3 discount for the north region?", "pricing.xlsx"},
	{"A question that the data cannot answer", "What is the average discount for premium customers?", "pricing.xlsx"},
}

func newDemo(a *app) *cobra.Command {
	var once bool
	c := &cobra.Command{
		Use:   "demo",
		Short: "Load the sample workbooks, answer four questions, then serve the page",
		Long: "Demo needs no file, key, network or model. Without --data it works in a folder of its own beside the default\n" +
			"data folder.",
		Args: args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return a.demo(c.Context(), once) },
	}
	c.Flags().BoolVar(&once, "once", false, "end after the answers")
	c.Flags().String("listen", "", "address to listen on (default 127.0.0.1:8080, or a free port)")
	return c
}

func (a *app) demo(ctx context.Context, once bool) error {
	if a.cfg.origins["data.dir"] == "default" {
		a.cfg.Data += "-demo"
	}
	g, err := a.open(a.quiet())
	if err != nil {
		return err
	}
	defer g.Close()
	if err := a.loadSamples(ctx, g); err != nil {
		return err
	}
	st := newStyle(a.stdout, a.environ)
	for _, q := range demoQuestions {
		fmt.Fprintf(a.stdout, "\n%s\n%s %s\n\n", st.dim("── "+q.kind), st.good("?"), q.text)
		answer, err := g.front.Ask(ctx, server.Question{Text: q.text, Workbooks: []string{q.workbook}, Principal: access.Local.Name})
		if err != nil {
			return err
		}
		if err := a.printAnswer(answer); err != nil {
			return err
		}
		if answer.Outcome == agent.Failed {
			return outcome(answer)
		}
	}
	if once {
		return nil
	}
	err = a.serve(ctx, g, a.cfg.Listen)
	if is[*server.BindError](err) && a.cfg.origins["server.listen"] == "default" {
		err = a.serve(ctx, g, "127.0.0.1:0") // the usual port is taken
	}
	return err
}

// loadSamples writes the samples into the data folder and loads them.
func (a *app) loadSamples(ctx context.Context, g *gateway) error {
	dir, err := os.MkdirTemp("", "allrows-samples-")
	if err != nil {
		return fmt.Errorf("making a folder for the samples: %w", err)
	}
	defer os.RemoveAll(dir)
	for _, name := range examples.Names() {
		if err := examples.WriteFile(dir, name); err != nil {
			return fmt.Errorf("writing the sample %s: %w", name, err)
		}
		report, err := a.loadOne(ctx, g, ingest.Request{Path: filepath.Join(dir, name), Replace: true})
		if err != nil {
			return errors.Join(fmt.Errorf("loading the sample %s", name), err)
		}
		if err := a.printReport(report, false); err != nil {
			return err
		}
	}
	return nil
}
