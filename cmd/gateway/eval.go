package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/allrows/allrows/access"
	"github.com/allrows/allrows/agent"
	"github.com/allrows/allrows/eval"
	"github.com/allrows/allrows/examples"
	"github.com/allrows/allrows/ingest"
	"github.com/allrows/allrows/server"
)

func newEval(a *app) *cobra.Command {
	var junit string
	c := &cobra.Command{
		Use:   "eval FILE",
		Short: "Ask the cases of a file and hold every answer against what it must show",
		Long: "Eval runs a case file over the workbooks of --data. Without it, it loads the sample workbooks that the cases\n" +
			"name into a temporary folder (cases over other workbooks run on the data folder of ALLROWS_DATA). The exit\n" +
			"code is 1 when a case fails.",
		Example: "  gateway eval cases.yaml\n  gateway eval cases.yaml --data ./data --junit report.xml",
		Args:    args(cobra.ExactArgs(1)),
		RunE:    func(c *cobra.Command, files []string) error { return a.eval(c.Context(), files[0], junit) },
	}
	c.Flags().StringVar(&junit, "junit", "", "also write a JUnit report to this file")
	c.AddCommand(newBench(a), newEvalChunking(a))
	return c
}

func (a *app) eval(ctx context.Context, file, junit string) error {
	cases, err := eval.ReadCases(file)
	if errors.Is(err, fs.ErrNotExist) {
		return &usageError{err.Error()}
	}
	if err != nil {
		return err
	}
	names := eval.Workbooks(cases)
	m, err := a.measured(!a.named() && (samplesOnly(names) || a.cfg.origins["data.dir"] == "default"))
	if err != nil {
		return err
	}
	defer m.Close()
	if m.dir != "" {
		if err := m.loadExamples(ctx, names); err != nil {
			return err
		}
	}
	outcomes, err := eval.Run(ctx, m, cases, nil)
	if err != nil {
		return err
	}
	if junit != "" {
		if err := writeJUnit(junit, filepath.Base(file), outcomes); err != nil {
			return err
		}
	}
	write := eval.WriteTable
	if a.json {
		write = eval.WriteJSON
	}
	if err := write(a.stdout, outcomes); err != nil {
		return err
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
	return errors.Join(eval.WriteJUnit(f, name, outcomes), f.Close())
}

// measured is the gateway as package eval drives it, over a data folder that is
// there already or one that ends with the measurement.
type measured struct {
	*gateway
	dir string // of the measurement; "" where the data folder was there
}

// named reports whether the command line names the data folder.
func (a *app) named() bool { return strings.HasPrefix(a.cfg.origins["data.dir"], "flag") }

// samplesOnly reports whether every workbook is a sample.
func samplesOnly(names []string) bool {
	return !slices.ContainsFunc(names, func(n string) bool { return !slices.Contains(examples.Names(), n) })
}

// measured opens the configured data folder, or a temporary one.
func (a *app) measured(temporary bool) (*measured, error) {
	m := &measured{}
	if temporary {
		dir, err := os.MkdirTemp("", "allrows-eval-")
		if err != nil {
			return nil, fmt.Errorf("making a folder for the measurement: %w", err)
		}
		m.dir, a.cfg.Data = dir, filepath.Join(dir, "data")
	}
	g, err := a.open(a.quiet())
	if err != nil {
		return nil, errors.Join(err, m.remove())
	}
	m.gateway = g
	return m, nil
}

// Close ends the workers and removes the temporary folder.
func (m *measured) Close() error { return errors.Join(m.gateway.Close(), m.remove()) }

func (m *measured) remove() error {
	if m.dir == "" {
		return nil
	}
	return os.RemoveAll(m.dir)
}

// loadExamples loads the sample workbooks that the cases name.
func (m *measured) loadExamples(ctx context.Context, names []string) error {
	for _, name := range names {
		if err := examples.WriteFile(m.dir, name); errors.Is(err, fs.ErrNotExist) {
			return &usageError{fmt.Sprintf("the cases name %s, which is no sample: name a folder that holds it with --data", name)}
		} else if err != nil {
			return err
		}
		if _, err := m.Load(ctx, eval.Source{Path: filepath.Join(m.dir, name)}); err != nil {
			return err
		}
	}
	return nil
}

// Load makes a file or a folder a workbook.
func (m *measured) Load(ctx context.Context, s eval.Source) (string, error) {
	report, err := m.loader.Load(ctx, ingest.Request{Path: s.Path, Name: s.Name})
	if err != nil {
		return "", fmt.Errorf("loading %s: %w", filepath.Base(s.Path), err)
	}
	return report.Workbook, nil
}

// Ask answers one question of a principal.
func (m *measured) Ask(ctx context.Context, q eval.Question) (*agent.Answer, error) {
	if q.Asker == "" {
		q.Asker = access.Local.Name
	}
	return m.front.Ask(ctx, server.Question{Text: q.Text, Workbooks: q.Workbooks, Conversation: q.Conversation,
		Principal: q.Asker, Now: q.Now, Best: q.Best})
}
