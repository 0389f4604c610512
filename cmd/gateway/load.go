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

	"github.com/allrows/allrows/ingest"
	"github.com/allrows/allrows/schema"
	"github.com/allrows/allrows/web"
	"github.com/allrows/allrows/workbook"
)

// extensions are the files that a folder is searched for. A file that is named
// on the command line is tried whatever its name.
var extensions = []string{".xlsx", ".xlsm", ".xls", ".ods", ".csv", ".tsv", ".parquet", ".json", ".ndjson", ".jsonl",
	".docx", ".html", ".htm", ".md"}

type loadFlags struct {
	name    string
	replace bool
	append  bool
	drift   bool
}

func newLoad(a *app) *cobra.Command {
	var f loadFlags
	c := &cobra.Command{
		Use:   "load FILE|FOLDER…",
		Short: "Load workbooks and say what was kept, skipped and rejected",
		Long: "Load reads xlsx, xls, ods, csv, tsv, parquet, json and ndjson files, and the tables of docx, html and markdown documents.\n" +
			"A folder is one workbook per file, or one in all with --as. Loading an unchanged file again does nothing; a load that fails leaves the old version serving.",
		Example: "  gateway load pricing.xlsx\n  gateway load reports/ --as reports\n  gateway load other/pricing.xlsx --replace\n  gateway load 2024-02.csv --append --as sales",
		Args:    args(cobra.MinimumNArgs(1)),
		RunE:    func(c *cobra.Command, paths []string) error { return a.load(c.Context(), paths, f) },
	}
	c.Flags().StringVar(&f.name, "as", "", "name of the workbook in questions and SQL; a folder becomes one workbook")
	c.Flags().BoolVar(&f.replace, "replace", false, "replace the workbook of that name even if it came from another source")
	c.Flags().BoolVar(&f.append, "append", false, "append the file's rows to the workbook that --as names; those of the earlier files stay")
	c.Flags().BoolVar(&f.drift, "drift", false, "append even if columns are missing, new or of another type")
	return c
}

func (a *app) load(ctx context.Context, paths []string, f loadFlags) error {
	requests, err := loadRequests(paths, f)
	if err != nil {
		return err
	}
	g, err := a.open(a.quiet())
	if err != nil {
		return err
	}
	defer g.Close()
	var failed error
	for i, r := range requests {
		report, err := a.loadOne(ctx, g, r)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil && len(requests) == 1 {
			return err
		}
		if err != nil { // the others are loaded all the same
			failed = fmt.Errorf("%s: %w", filepath.Base(r.Path), err)
			a.complain(failed)
			continue
		}
		if err := a.printReport(report, i > 0); err != nil {
			return err
		}
	}
	if failed != nil {
		return &outcomeError{exitCode(failed)}
	}
	return nil
}

func (a *app) loadOne(ctx context.Context, g *gateway, r ingest.Request) (*ingest.Report, error) {
	p := newProgress(a, filepath.Base(r.Path))
	r.Progress = p.show
	report, err := g.loader.Load(ctx, r)
	p.end()
	return report, err
}

// loadRequests turns paths into loads: a folder is its files, or one workbook
// where a name is given.
func loadRequests(paths []string, f loadFlags) ([]ingest.Request, error) {
	var out []ingest.Request
	if f.append && (f.name == "" || f.replace) {
		return nil, &usageError{"--append needs --as NAME, the workbook that the file joins, and no --replace"}
	}
	for _, p := range paths {
		info, err := os.Stat(p)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, &workbook.FileError{Path: p, Code: workbook.CodeNotFound, Text: "there is no such file or folder; check the path", Err: err}
		}
		if err != nil {
			return nil, fmt.Errorf("looking at %s: %w", p, err)
		}
		if !info.IsDir() || f.name != "" {
			out = append(out, ingest.Request{Path: p, Name: f.name, Replace: f.replace, Append: f.append, Drift: f.drift})
			continue
		}
		files, err := folderFiles(p)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			out = append(out, ingest.Request{Path: file, Replace: f.replace})
		}
	}
	if f.name != "" && len(out) > 1 && !f.append {
		return nil, &usageError{"--as names one workbook, but several paths are given; put the files into one folder"}
	}
	return out, nil
}

func folderFiles(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("reading the folder %s: %w", dir, err)
	}
	var files []string
	for _, e := range entries {
		// "~$" marks the lock file of an open workbook.
		if e.Type().IsRegular() && slices.Contains(extensions, strings.ToLower(filepath.Ext(e.Name()))) && !strings.HasPrefix(e.Name(), "~$") {
			files = append(files, filepath.Join(dir, e.Name()))
		}
	}
	if len(files) == 0 {
		return nil, &usageError{fmt.Sprintf("the folder %s holds no workbook (%s)", dir, strings.Join(extensions, " "))}
	}
	return files, nil
}

// printReport says what a load saw. With --json a report is one JSON document.
func (a *app) printReport(r *ingest.Report, more bool) error {
	if a.json {
		return a.printJSON(r)
	}
	st := newStyle(a.stdout, a.environ)
	if more {
		fmt.Fprintln(a.stdout)
	}
	file := r.Workbook
	if r.Ledger != nil {
		file = r.Ledger.File
	}
	if r.Unchanged {
		_, err := fmt.Fprintf(a.stdout, "%s is loaded already as %s, unchanged (version %s)\n", st.bold(clean(file)), r.Workbook, short(r.Version))
		return err
	}
	fmt.Fprintf(a.stdout, "%s loaded as %s: %s, %s in %.1f s %s\n", st.bold(clean(file)), r.Workbook, web.Plural(int64(len(r.Tables)), "table"),
		web.Plural(r.Rows, "row"), r.Elapsed.Seconds(), st.dim("(version "+short(r.Version)+")"))
	a.printLedger(st, r.Ledger)
	for _, t := range r.Tables {
		for _, line := range append(web.CheckNotes(t), t.Questions...) {
			fmt.Fprintln(a.stdout, "  "+st.warn("! ")+clean(line))
		}
	}
	if samples := web.Samples(&schema.Context{Tables: r.Tables}, 2); len(samples) > 0 {
		fmt.Fprintln(a.stdout, st.dim("  try: gateway ask "+quoted(samples)))
	}
	return nil
}

func quoted(questions []string) string {
	var out []string
	for _, q := range questions {
		out = append(out, shellWord(q))
	}
	return strings.Join(out, " · ")
}

func short(id string) string { return id[:min(len(id), 12)] }
