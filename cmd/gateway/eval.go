package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/allrows/allrows/access"
	"github.com/allrows/allrows/agent"
	"github.com/allrows/allrows/eval"
	"github.com/allrows/allrows/eval/bench"
	"github.com/allrows/allrows/examples"
	"github.com/allrows/allrows/ingest"
	"github.com/allrows/allrows/server"
)

// measured is the gateway as package eval drives it.
type measured struct{ g *gateway }

// Load makes a source a workbook.
func (m measured) Load(ctx context.Context, s eval.Source) (string, error) {
	r, err := m.g.loader.Load(ctx, ingest.Request{Path: s.Path, Name: s.Name, Replace: true})
	if err != nil {
		return "", err
	}
	return r.Workbook, nil
}

// Ask answers one question.
func (m measured) Ask(ctx context.Context, q eval.Question) (*agent.Answer, error) {
	if q.Asker == "" {
		q.Asker = access.Local.Name
	}
	return m.g.front.Ask(ctx, server.Question{Text: q.Text, Workbooks: q.Workbooks, Conversation: q.Conversation,
		Principal: q.Asker, Now: q.Now, Best: q.Best})
}

func newEval(a *app) *cobra.Command {
	var junit string
	c := &cobra.Command{
		Use:   "eval FILE",
		Short: "Run a file of questions with what their answers must show",
		Long: "Eval asks each question of a case file and says what is wrong with the answers. With --data it asks over that\n" +
			"data folder; without, over a temporary one into which it loads the sample workbooks that the cases name.\n" +
			"Exit code 1: a case failed.",
		Example: "  gateway eval cases.yaml\n  gateway eval bench FOLDER --sample 300",
		Args:    args(cobra.ExactArgs(1)),
		RunE:    func(c *cobra.Command, files []string) error { return a.eval(c.Context(), files[0], junit) },
	}
	c.Flags().StringVar(&junit, "junit", "", "write a JUnit report to this file")
	c.AddCommand(newBench(a))
	return c
}

func (a *app) eval(ctx context.Context, file, junit string) error {
	cases, err := eval.ReadCases(file)
	if err != nil {
		return &usageError{err.Error()}
	}
	g, done, err := a.openFor(ctx, eval.Workbooks(cases))
	if err != nil {
		return err
	}
	defer done()
	outcomes, err := eval.Run(ctx, measured{g}, cases, nil)
	if err != nil {
		return err
	}
	write := eval.WriteTable
	if a.json {
		write = eval.WriteJSON
	}
	if err := write(a.stdout, outcomes); err != nil {
		return err
	}
	if junit != "" {
		if err := writeJUnit(junit, file, outcomes); err != nil {
			return err
		}
	}
	if s := eval.Summarize(outcomes); s.Passed < s.Cases {
		return &outcomeError{exitFailed}
	}
	return nil
}

func writeJUnit(path, name string, outcomes []eval.Outcome) error {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("writing the JUnit report: %w", err)
	}
	return errors.Join(eval.WriteJUnit(f, filepath.Base(name), outcomes), f.Close())
}

// openFor opens the data folder that was named, or a temporary one that holds the
// sample workbooks of those names.
func (a *app) openFor(ctx context.Context, samples []string) (*gateway, func(), error) {
	dir := ""
	if a.cfg.origins["data.dir"] == "default" {
		var err error
		if dir, err = os.MkdirTemp("", "allrows-eval-*"); err != nil {
			return nil, nil, fmt.Errorf("making a folder for the cases' workbooks: %w", err)
		}
		a.cfg.Data = filepath.Join(dir, "data")
	}
	g, err := a.open(a.quiet())
	done := func() {
		if g != nil {
			g.Close()
		}
		if dir != "" {
			os.RemoveAll(dir)
		}
	}
	if err == nil && dir != "" {
		err = g.loadSample(ctx, dir, samples)
	}
	if err != nil {
		done()
		return nil, nil, err
	}
	return g, done, nil
}

func (g *gateway) loadSample(ctx context.Context, dir string, names []string) error {
	for _, name := range names {
		if err := examples.WriteFile(dir, name); err != nil {
			return &usageError{fmt.Sprintf("the cases name %s, which is no sample workbook: load it and give its --data folder", name)}
		}
		if _, err := (measured{g}).Load(ctx, eval.Source{Path: filepath.Join(dir, name)}); err != nil {
			return err
		}
	}
	return nil
}

type benchFlags struct {
	planner  string
	sample   int
	seed     uint64
	where    []string
	out      string
	parallel int
}

func newBench(a *app) *cobra.Command {
	var f benchFlags
	c := &cobra.Command{
		Use:   "bench FOLDER",
		Short: "Run a set of questions over their own tables and print accuracy and precision by kind",
		Long: "Bench reads cases.jsonl and tables/ of a folder, loads each table once, asks every question and prints accuracy\n" +
			"(the best plan, threshold off), coverage and precision (at the threshold) and times. With --data the loaded\n" +
			"tables are kept there for the next run.",
		Args: args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, dirs []string) error { return a.bench(c.Context(), dirs[0], f) },
	}
	c.Flags().StringVar(&f.planner, "planner", "semparse", "the planner to measure")
	c.Flags().IntVar(&f.sample, "sample", 0, "questions to draw; 0 is all")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "of the draw")
	c.Flags().StringArrayVar(&f.where, "where", nil, "only questions with this label: single_table, kind=lookup, random_split_dev=1")
	c.Flags().StringVar(&f.out, "out", "", "write one JSON line a question to this file")
	c.Flags().IntVar(&f.parallel, "parallel", 0, "questions asked at once; default one a processor")
	return c
}

func (a *app) bench(ctx context.Context, dir string, f benchFlags) (err error) {
	if f.planner != "semparse" {
		return &usageError{fmt.Sprintf("there is no planner %q; there is semparse", f.planner)}
	}
	set, err := bench.ReadSet(dir)
	if err != nil {
		return &usageError{err.Error()}
	}
	var where []bench.Where
	for _, w := range f.where {
		p, err := bench.ParseWhere(w)
		if err != nil {
			return &usageError{err.Error()}
		}
		where = append(where, p)
	}
	g, done, err := a.openFor(ctx, nil)
	if err != nil {
		return err
	}
	defer done()
	cfg := bench.Config{Gateway: measured{g}, Parallel: f.parallel, Progress: a.benchProgress()}
	if f.out != "" {
		out, err := os.Create(f.out)
		if err != nil {
			return fmt.Errorf("writing the results: %w", err)
		}
		var failed error
		cfg.Each = func(r bench.Result) { failed = errors.Join(failed, r.WriteLine(out)) }
		defer func() { err = errors.Join(err, failed, out.Close()) }()
	}
	results, err := bench.Run(ctx, cfg, set, set.Select(where, f.sample, f.seed))
	if err != nil {
		return err
	}
	summary := bench.Summarize(results)
	if a.json {
		return a.printJSON(summary)
	}
	return summary.WriteTable(a.stdout)
}

// benchProgress draws a bar on a terminal and is silent elsewhere.
func (a *app) benchProgress() func(phase string, done, all int) {
	if !isTerminal(a.stderr) {
		return nil
	}
	var bar *progressbar.ProgressBar
	now := ""
	return func(phase string, done, all int) {
		if phase != now {
			now = phase
			bar = progressbar.NewOptions(all, progressbar.OptionSetWriter(a.stderr), progressbar.OptionSetDescription(phase),
				progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionShowCount(), progressbar.OptionClearOnFinish())
		}
		if err := bar.Set(done); err != nil {
			a.log.Debug("drawing progress", "error", err)
		}
	}
}
