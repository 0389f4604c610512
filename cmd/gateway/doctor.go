package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/allrows/allrows/web"
)

// finding is one line of the doctor's: ok, or what is wrong.
type finding struct {
	What string `json:"what"`
	OK   bool   `json:"ok"`
	Says string `json:"says"`
}

func newDoctor(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Check the data folder, the workers and the walls around them",
		Long:  "Doctor prints no question, value or secret. Exit code 1: something does not work.",
		Args:  args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			findings := a.examine(c.Context())
			ill := false
			for _, f := range findings {
				ill = ill || !f.OK
			}
			if a.json {
				if err := a.printJSON(findings); err != nil {
					return err
				}
			} else {
				st := newStyle(a.stdout, a.environ)
				for _, f := range findings {
					mark := st.good("✓")
					if !f.OK {
						mark = st.bad("✗")
					}
					fmt.Fprintf(a.stdout, "%s %-12s %s\n", mark, f.What, clean(f.Says))
				}
			}
			if ill {
				return &outcomeError{exitFailed}
			}
			return nil
		},
	}
}

func (a *app) examine(ctx context.Context) []finding {
	out := []finding{
		{"program", true, fmt.Sprintf("allrows %s, %s, %s/%s", versionLine(), runtime.Version(), runtime.GOOS, runtime.GOARCH)},
		{"settings", true, "file " + orNone(a.cfg.ConfigFile)},
		a.examineFolder(),
	}
	g, err := a.open(a.quiet())
	if err != nil {
		return append(out, finding{"data", false, err.Error()})
	}
	defer g.Close()
	out = append(out, g.examineBooks())
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	return append(out, g.examineWorkers(ctx)...)
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// examineFolder tries the data folder by writing to it.
func (a *app) examineFolder() finding {
	f := finding{What: "data folder", Says: a.cfg.Data}
	if err := os.MkdirAll(a.cfg.Data, 0o755); err != nil {
		f.Says += ": " + reason(err)
		return f
	}
	probe, err := os.CreateTemp(a.cfg.Data, ".doctor-*")
	if err != nil {
		f.Says += ": cannot be written: " + reason(err)
		return f
	}
	probe.Close()
	os.Remove(probe.Name())
	free, total, err := diskSpace(a.cfg.Data)
	if err != nil {
		f.Says += ": " + err.Error()
		return f
	}
	f.OK = float64(free) >= minFree*float64(total)
	f.Says += fmt.Sprintf(", %d GiB free of %d", free>>30, total>>30)
	return f
}

// minFree is the part of the disk that must be free: below it the server is
// not ready.
const minFree = 0.05

func diskSpace(dir string) (free, total uint64, err error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, 0, fmt.Errorf("asking for the space left in %s: %w", filepath.Base(dir), err)
	}
	size := uint64(s.Bsize)
	return s.Bavail * size, s.Blocks * size, nil
}

func (g *gateway) examineBooks() finding {
	books, err := g.store.Workbooks()
	if err != nil {
		return finding{"workbooks", false, err.Error()}
	}
	return finding{"workbooks", true, web.Count(int64(len(books))) + " loaded"}
}

// examineWorkers runs a worker and asks which walls hold.
func (g *gateway) examineWorkers(ctx context.Context) []finding {
	began := time.Now()
	if _, err := g.runner.ParseTree(ctx, "SELECT 1"); err != nil {
		return []finding{{"worker", false, err.Error()}}
	}
	out := []finding{{"worker", true, fmt.Sprintf("starts and parses in %d ms", time.Since(began).Milliseconds())}}
	walls, err := g.runner.Walls(ctx)
	if err != nil {
		return append(out, finding{"walls", false, err.Error()})
	}
	for _, w := range []struct{ name, missing, what string }{
		{"landlock", walls.Landlock, "files outside the data folder are out of reach"},
		{"seccomp", walls.Seccomp, "no network, no other programs"},
		{"limits", walls.Limits, "memory and time are bounded"},
	} {
		says := w.what
		if w.missing != "" {
			says = "weaker wall: " + strings.TrimSpace(w.missing)
		}
		out = append(out, finding{w.name, w.missing == "", says})
	}
	return out
}

// ready is what readiness asks beside the workbooks: room on the disk, a journal
// that can be written, and a worker that parses. Workers that are all busy are no fault.
func (g *gateway) ready(ctx context.Context) error {
	free, total, err := diskSpace(g.store.Dir())
	if err != nil {
		return err
	}
	if float64(free) < minFree*float64(total) {
		return fmt.Errorf("the disk of the data folder has %d of %d MiB left", free>>20, total>>20)
	}
	const mayWrite = 2 // W_OK
	if err := syscall.Access(filepath.Join(g.store.Dir(), "journal"), mayWrite); err != nil {
		return fmt.Errorf("the journal cannot be written: %w", err)
	}
	if _, err := g.runner.ParseTree(ctx, "SELECT 1"); err != nil && ctx.Err() == nil {
		return fmt.Errorf("trying a worker: %w", err)
	}
	return nil
}
