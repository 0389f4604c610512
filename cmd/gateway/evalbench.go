package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/allrows/allrows/eval/bench"
)

// benchFlags say which cases run, and where their results go.
type benchFlags struct {
	planner  string
	where    []string
	sample   int
	seed     uint64
	parallel int
	out      string
}

func newBench(a *app) *cobra.Command {
	var f benchFlags
	c := &cobra.Command{
		Use:   "bench DIR",
		Short: "Measure accuracy, coverage and precision on a set of questions with gold answers",
		Long: "Bench takes any folder with cases.jsonl and the tables that its cases name. Accuracy is that of the best\n" +
			"plan with the threshold off; coverage and precision are at the threshold. Tables are loaded once; with\n" +
			"--data they stay loaded for the next run.",
		Example: "  gateway eval bench sets/wtq --where random_split_dev=1 --sample 500 --seed 1\n" +
			"  gateway eval bench sets/spider --where single_table --out results.jsonl",
		Args: args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, dirs []string) error { return a.bench(c.Context(), dirs[0], f) },
	}
	p := c.Flags()
	p.StringVar(&f.planner, "planner", "semparse", "planner that answers")
	p.StringArrayVar(&f.where, "where", nil, "only cases whose label is so: key, key=value (repeatable: all must hold)")
	p.IntVar(&f.sample, "sample", 0, "draw so many cases (default all)")
	p.Uint64Var(&f.seed, "seed", 0, "seed of the draw")
	p.IntVar(&f.parallel, "parallel", 0, "questions asked at once (default one a CPU)")
	p.StringVar(&f.out, "out", "", "write one line of JSON a case to this file")
	return c
}

func (a *app) bench(ctx context.Context, dir string, f benchFlags) error {
	set, err := bench.ReadSet(dir)
	if err != nil {
		return &usageError{err.Error()}
	}
	var conditions []bench.Where
	for _, text := range f.where {
		w, err := bench.ParseWhere(text)
		if err != nil {
			return &usageError{err.Error()}
		}
		conditions = append(conditions, w)
	}
	cases := set.Select(conditions, f.sample, f.seed)
	if len(cases) == 0 {
		return &usageError{fmt.Sprintf("no case of %s is %q", dir, f.where)}
	}
	m, err := a.measured(!a.named())
	if err != nil {
		return err
	}
	defer m.Close()
	if name := m.planner.Name(); f.planner != name {
		return &usageError{fmt.Sprintf("there is no planner %q; known: %s", f.planner, name)}
	}
	meter := &meter{a: a}
	results, err := bench.Run(ctx, bench.Config{Gateway: m, Parallel: f.parallel, Progress: meter.show}, set, cases)
	meter.end()
	if err != nil {
		return err
	}
	if f.out != "" {
		if err := writeLines(f.out, results); err != nil {
			return err
		}
	}
	summary := bench.Summarize(results)
	if a.json {
		return a.printJSON(summary)
	}
	return summary.WriteTable(a.stdout)
}

func writeLines(path string, results []bench.Result) error {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("writing the results: %w", err)
	}
	return errors.Join(lines(f, results), f.Close())
}

func lines(w io.Writer, results []bench.Result) error {
	for _, r := range results {
		if err := r.WriteLine(w); err != nil {
			return err
		}
	}
	return nil
}

// meter shows how far a measurement is: a bar on a terminal, else a line at most
// every few seconds.
type meter struct {
	a     *app
	bar   *progressbar.ProgressBar
	phase string
	said  time.Time
}

func (m *meter) show(phase string, done, all int) {
	if !isTerminal(m.a.stderr) {
		if now := m.a.now(); now.Sub(m.said) >= plainEvery {
			m.said = now
			fmt.Fprintf(m.a.stderr, "%s: %d of %d\n", phase, done, all)
		}
		return
	}
	if phase != m.phase {
		m.end()
		m.phase = phase
		m.bar = progressbar.NewOptions(all, progressbar.OptionSetWriter(m.a.stderr), progressbar.OptionSetDescription(phase),
			progressbar.OptionShowCount(), progressbar.OptionShowIts(), progressbar.OptionClearOnFinish(),
			progressbar.OptionThrottle(65*time.Millisecond))
	}
	if err := m.bar.Set(done); err != nil {
		m.a.log.Debug("drawing progress", "error", err)
	}
}

// end removes the bar.
func (m *meter) end() {
	if m.bar == nil {
		return
	}
	if err := m.bar.Clear(); err != nil {
		m.a.log.Debug("clearing progress", "error", err)
	}
	m.bar = nil
}
