package main

import (
	"fmt"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagKeys maps flags to the settings that they set.
var flagKeys = map[string]string{
	"data": "data.dir", "listen": "server.listen", "log-level": "log.level", "log-format": "log.format",
	"workers": "sql.workers", "timeout": "sql.timeout",
}

func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "gateway",
		Short: "Ask workbooks in plain language; every number is computed over all the rows",
		Long: "Allrows answers questions about workbooks. A number that speaks for a table is computed over all of the\n" +
			"table's rows, by a database, and carries the proof; otherwise Allrows says what it cannot answer.\n\n" +
			"Start with `gateway demo`, or `gateway load FILE` and `gateway ask \"…\"`.",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noCommand,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
		PersistentPreRunE: func(c *cobra.Command, _ []string) error {
			return a.configure(c)
		},
	}
	root.SuggestionsMinimumDistance = 2
	root.CompletionOptions.HiddenDefaultCmd = false
	p := root.PersistentFlags()
	p.String("data", "", "folder of workbooks, index and journal (ALLROWS_DATA; default "+defaultData()+")")
	p.BoolVar(&a.json, "json", false, "print JSON")
	p.StringVar(&a.configFile, "config", "", "configuration file (ALLROWS_CONFIG)")
	p.String("log-level", "", "debug, info, warn or error")
	p.String("log-format", "", "text or json")
	p.Int("workers", 0, "worker processes that run queries")
	p.Duration("timeout", 0, "time limit of one query")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &usageError{err.Error()} })
	root.AddCommand(newLoad(a), newWatch(a), newAsk(a), newSQL(a), newInspect(a), newSearch(a), newKB(a), newTables(a), newServe(a), newDemo(a),
		newWorkbooks(a), newVerify(a), newEval(a), newTrain(a), newKey(a), newMCP(a), newConfig(a), newDoctor(a), newHealth(a), newVersion(a))
	return root
}

func noCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	what := fmt.Sprintf("%q is no command", args[0])
	if near := c.SuggestionsFor(args[0]); len(near) > 0 {
		what += "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return &usageError{what}
}

// args makes cobra's own argument checks usage errors.
func args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, given []string) error {
		if err := check(c, given); err != nil {
			return &usageError{err.Error() + "; usage: " + c.UseLine()}
		}
		return nil
	}
}

// configure reads the settings and sets up the log, before any command runs.
func (a *app) configure(c *cobra.Command) error {
	a.flags = map[string]string{}
	c.Flags().Visit(func(f *pflag.Flag) {
		if key, ok := flagKeys[f.Name]; ok {
			a.flags[key] = f.Value.String()
		}
	})
	cfg, err := readConfig(a.configFile, a.flags, a.environ)
	if err != nil {
		return err
	}
	a.cfg = cfg
	var level slog.Level
	if err := level.UnmarshalText([]byte(cfg.LogLevel)); err != nil {
		return &configError{"log.level", err.Error()}
	}
	opt := &slog.HandlerOptions{Level: level}
	if cfg.LogFormat == "json" {
		a.log = slog.New(slog.NewJSONHandler(a.stderr, opt))
	} else {
		a.log = slog.New(slog.NewTextHandler(a.stderr, opt))
	}
	return nil
}

// quiet is the log of commands that people run: warnings and worse, unless a
// level was asked for.
func (a *app) quiet() *slog.Logger {
	if a.cfg.origins["log.level"] != "default" {
		return a.log
	}
	return slog.New(slog.NewTextHandler(a.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
}
