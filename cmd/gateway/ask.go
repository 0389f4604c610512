package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/allrows/allrows/access"
	"github.com/allrows/allrows/agent"
	"github.com/allrows/allrows/server"
	"github.com/allrows/allrows/web"
)

const (
	shownRows = 25
	maxID     = 80 // characters of an id that a caller chose
)

type askFlags struct {
	workbooks    []string
	conversation string
	explain      bool
}

func newAsk(a *app) *cobra.Command {
	var f askFlags
	c := &cobra.Command{
		Use:   "ask QUESTION",
		Short: "Ask a question in plain language",
		Long: "Ask answers with a sentence, the result, how the question was read, the SQL and the rows that it stands on.\n" +
			"Exit code 7: asked back, declined, or no row matches.",
		Example: "  gateway ask \"average discount by region\"\n  gateway ask --workbook pricing.xlsx \"total rebate for pumps\"",
		Args:    args(cobra.MinimumNArgs(1)),
		RunE: func(c *cobra.Command, words []string) error {
			return a.ask(c.Context(), strings.Join(words, " "), f)
		},
	}
	c.Flags().StringSliceVarP(&f.workbooks, "workbook", "w", nil, "ask these workbooks only; with or without the extension")
	c.Flags().StringVarP(&f.conversation, "conversation", "c", "", "go on with this conversation")
	c.Flags().BoolVar(&f.explain, "explain", false, "show what the words were linked to and the readings that were considered")
	return c
}

func (a *app) ask(ctx context.Context, question string, f askFlags) error {
	g, err := a.open(a.quiet())
	if err != nil {
		return err
	}
	defer g.Close()
	if err := g.needWorkbook(); err != nil {
		return err
	}
	answer, err := g.front.Ask(ctx, server.Question{Text: question, Workbooks: f.workbooks, Conversation: f.conversation, Principal: access.Local.Name})
	if err != nil {
		return err
	}
	if a.json {
		err = a.printJSON(answer)
	} else {
		err = a.printAnswer(answer)
	}
	if err == nil && f.explain {
		err = a.explain(ctx, g, question, f)
	}
	return errors.Join(err, outcome(answer))
}

// needWorkbook says how to begin where nothing is loaded.
func (g *gateway) needWorkbook() error {
	books, err := g.store.Workbooks()
	if err == nil && len(books) == 0 {
		err = &server.Problem{Code: "AR-DAT-404", What: "no workbook is loaded", Next: "`gateway load FILE` loads one; `gateway demo` shows the samples", Status: 404}
	}
	return err
}

// printAnswer prints the answer with its proof below it.
func (a *app) printAnswer(x *agent.Answer) error {
	st := newStyle(a.stdout, a.environ)
	text := x.Text
	if text == "" && x.Reason != nil {
		text = x.Reason.Text
	}
	fmt.Fprintln(a.stdout, st.bold(clean(text)))
	for _, w := range x.Warnings {
		fmt.Fprintln(a.stdout, st.warn("! "+clean(w.Text)))
	}
	if err := a.printResult(x.Result, x.Outcome == agent.Answered); err != nil {
		return err
	}
	if x.Outcome == agent.Clarify && len(x.Choices) > 0 { // suggestions and the choices themselves stand in the text
		fmt.Fprintln(a.stdout, st.dim("  to choose: gateway ask --conversation "+shellWord(x.Conversation)+" 1"))
	}
	fmt.Fprintln(a.stdout)
	a.printProof(st, x)
	return nil
}

// printResult draws a result unless it is the one figure that the text says.
func (a *app) printResult(r *agent.Result, answered bool) error {
	if r == nil || len(r.Rows) == 0 || len(r.Columns) == 0 || answered && len(r.Rows) == 1 && len(r.Columns) == 1 {
		return nil
	}
	fmt.Fprintln(a.stdout)
	if err := resultGrid(r, shownRows).write(a.stdout); err != nil {
		return fmt.Errorf("printing the result: %w", err)
	}
	switch {
	case r.Truncated:
		fmt.Fprintf(a.stdout, "  … cut at %s rows: there are more\n", web.Count(int64(len(r.Rows))))
	case len(r.Rows) > shownRows:
		fmt.Fprintf(a.stdout, "  … the first %d of %s rows; --json has all\n", shownRows, web.Count(int64(len(r.Rows))))
	}
	return nil
}

func (a *app) printProof(st style, x *agent.Answer) {
	line := func(name, text string) {
		if text != "" {
			fmt.Fprintf(a.stdout, "%s%s\n", st.dim(fmt.Sprintf("%-9s", name)), strings.ReplaceAll(clean(text), "\n", "\n         "))
		}
	}
	r := x.Receipt
	line("Reading", r.Reading)
	if x.Outcome == agent.Answered || x.Outcome == agent.Empty {
		line("Basis", strings.Join(web.Basis(r), "\n"))
	}
	line("Source", strings.Join(web.Sources(r), "\n"))
	line("SQL", r.SQL)
	label, _ := web.Trust(r)
	if x.Outcome != agent.Answered || label == "" {
		label = string(x.Outcome)
	}
	foot := []string{strings.ToLower(label)}
	if x.ID != "" {
		foot = append(foot, "answer "+x.ID)
	}
	if x.Conversation != "" {
		foot = append(foot, "conversation "+oneLine(x.Conversation, maxID))
	}
	foot = append(foot, fmt.Sprintf("%.0f ms", r.ElapsedMS))
	fmt.Fprintln(a.stdout, st.dim(strings.Join(foot, " · ")))
}
