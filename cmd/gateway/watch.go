package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/allrows/allrows/ingest"
)

func newWatch(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "watch FOLDER",
		Short: "Load a folder's workbooks and reload what changes",
		Long: "Watch loads every workbook of a folder, then each file that comes or changes, once it has been quiet for a second.\n" +
			"A file that cannot be read is said and the last good version keeps serving; a file that is removed stays loaded.\n" +
			"A running `gateway serve` on the same data folder follows at once. Ctrl-C ends it.",
		Args: args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, folders []string) error {
			g, err := a.open(a.quiet())
			if err != nil {
				return err
			}
			defer g.Close()
			return g.loader.Watch(c.Context(), ingest.Watching{Folder: folders[0], Report: a.watched})
		},
	}
}

// watched prints one load of a watch.
func (a *app) watched(path string, r *ingest.Report, err error) {
	if err == nil {
		err = a.printReport(r, false)
	}
	if err != nil {
		a.complain(fmt.Errorf("%s: %w", filepath.Base(path), err))
	}
}

// watchLoaded reloads the sources of what is loaded while ctx lasts, where the
// settings want it. The function it returns waits for its end.
func (a *app) watchLoaded(ctx context.Context, g *gateway) (wait func()) {
	if !a.cfg.Watch {
		return func() {}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		err := g.loader.Watch(ctx, ingest.Watching{Report: func(path string, r *ingest.Report, err error) {
			if err != nil {
				a.log.Warn("a changed source was not loaded", "file", filepath.Base(path), "error", err)
			} else if !r.Unchanged {
				a.log.Info("a changed source was loaded", "workbook", r.Workbook, "version", r.Version, "rows", r.Rows)
			}
		}})
		if err != nil {
			a.log.Error("sources are not watched", "error", err)
		}
	}()
	return func() { <-done }
}
