package sqltool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/allrows/allrows/schema"
	"github.com/allrows/allrows/workbook"
)

// LoadRequest is a source to be read into a staged version: one file, or several
// that make one workbook.
type LoadRequest struct {
	Paths    []string `json:"paths"`    // of the source files
	Dir      string   `json:"dir"`      // the staging folder
	Workbook string   `json:"workbook"` // name of the workbook
	Names    []string `json:"names"`    // of the files as they were given; Load fills them in

	Base *Base `json:"base,omitempty"` // the version whose tables the source is appended to

	ScanBytes int64 `json:"scan_bytes,omitempty"` // text files larger than this are read by DuckDB; see [workbook.Options]
}

// LoadReport is what a loading worker made of a file.
type LoadReport struct {
	Format string           `json:"format"`
	Tables []*schema.Table  `json:"tables"` // profiled; without version and times, which the load's owner knows
	Ledger *workbook.Ledger `json:"ledger"`
	Rows   int64            `json:"rows"`
	Sums   []string         `json:"sums"`            // SHA-256 of each file as it was read
	Drift  []string         `json:"drift,omitempty"` // how what was appended differs in shape
}

// Progress is how far a load is.
type Progress struct {
	Phase string `json:"phase"` // reading, writing, profiling, indexing
	Table string `json:"table,omitempty"`
	Rows  int64  `json:"rows"`  // done in this phase
	Total int64  `json:"total"` // 0 where it is not known
}

// Load reads a source into a staging folder, in a process of its own that may
// read that source and write that one folder.
func (r *Runner) Load(ctx context.Context, req LoadRequest, progress func(Progress)) (*LoadReport, error) {
	ctx, stop := context.WithTimeoutCause(ctx, r.cfg.LoadTimeout, &TimeoutError{After: r.cfg.LoadTimeout})
	defer stop()
	select {
	case r.loads <- struct{}{}:
		defer func() { <-r.loads }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	set := r.settings(r.cfg.LoadMemoryMB)
	set.Wall.WriteDirs = []string{req.Dir}
	given := req.Paths
	req.Paths, req.Names = nil, nil
	for _, p := range given {
		path, err := filepath.Abs(p)
		if err != nil {
			return nil, fmt.Errorf("sqltool: %w", err)
		}
		req.Names = append(req.Names, filepath.Base(path))
		set.Wall.ReadFiles = append(set.Wall.ReadFiles, overrides(path))
		if real, err := filepath.EvalSymlinks(path); err == nil {
			path = real // a dead link stays as it is: workbook.Open says what is wrong with it
		}
		req.Paths = append(req.Paths, path)
		set.Wall.ReadFiles = append(set.Wall.ReadFiles, path)
	}
	if req.Base != nil {
		set.Wall.ReadFiles = append(set.Wall.ReadFiles, req.Base.Path)
	}
	report, err := r.loadIn(ctx, set, req, progress)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(req.Dir, tablesFile+".wal")); err == nil {
		return nil, fmt.Errorf("loading %s: the engine left a log beside %s; load it again", req.Workbook, tablesFile)
	}
	return report, nil
}

// loadIn runs one load in a process of its own.
func (r *Runner) loadIn(ctx context.Context, set settings, req LoadRequest, progress func(Progress)) (*LoadReport, error) {
	p, err := startProcess(set)
	if err != nil {
		return nil, fmt.Errorf("sqltool: %w", err)
	}
	defer p.kill()
	resp, err := p.call(ctx, request{Op: opLoad, Load: &req}, func(m response) error {
		if m.Progress != nil && progress != nil {
			progress(*m.Progress)
		}
		return nil
	})
	if crash, ok := errors.AsType[*crashError](err); ok {
		r.cfg.Logger.Error("a loading worker ended", "workbook", req.Workbook, "error", err)
		return nil, crash.loading(req.Paths[0])
	}
	if err != nil {
		return nil, fmt.Errorf("loading %s: %w", req.Workbook, err)
	}
	if resp.Err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if resp.Err != nil {
		return nil, resp.Err.err()
	}
	return resp.Load, nil
}

// overrides is the file beside a source in which a person overrules its reading.
func overrides(source string) string { return source + ".allrows.yaml" }

// load is the worker's side.
func (w *worker) load(ctx context.Context, r *LoadRequest) (*LoadReport, error) {
	db, err := openTables(ctx, w.settings, r)
	if err != nil {
		return nil, err
	}
	defer db.close()
	report := &LoadReport{}
	for i := range r.Paths {
		if err := w.loadFile(ctx, db, r, i, report); err != nil {
			return nil, err
		}
	}
	if r.Base != nil {
		if err := w.append(ctx, db, r, report); err != nil {
			return nil, err
		}
	}
	return report, db.finish(ctx)
}

// loadFile reads one file of the source into the tables. The tables of a file
// among several are named after it.
func (w *worker) loadFile(ctx context.Context, db *tablesDB, r *LoadRequest, i int, report *LoadReport) error {
	path, file := r.Paths[i], r.Names[i]
	w.progress(Progress{Phase: "reading", Table: file})
	name := r.Workbook
	if len(r.Paths) > 1 {
		name = workbook.FileName(file)
	}
	wb, err := workbook.Open(ctx, path, workbook.Options{Name: name, ScanBytes: r.ScanBytes})
	if err != nil {
		return err
	}
	report.Sums = append(report.Sums, wb.Ledger.SHA256)
	var tables []*schema.Table
	var odd []*workbook.TableLedger
	for _, t := range wb.Tables {
		if len(r.Paths) > 1 && len(wb.Tables) > 1 {
			t.Name = wb.Name + "_" + t.Name
		}
		t.Name = workbook.SafeName(t.Name, report.taken)
		rows, err := db.write(ctx, path, t, w.progress)
		if err != nil {
			return fmt.Errorf("writing table %s of %s: %w", t.Name, file, loadFailed(path, err))
		}
		odd = append(odd, db.odd)
		w.progress(Progress{Phase: "profiling", Table: t.Name, Rows: rows, Total: rows})
		st, err := db.profile(ctx, t, schema.Ref{Workbook: r.Workbook, Table: t.Name})
		if err != nil {
			return fmt.Errorf("profiling table %s of %s: %w", t.Name, file, loadFailed(path, err))
		}
		st.File = file
		tables = append(tables, st)
		report.Tables = append(report.Tables, st)
		report.Rows += rows
	}
	accountScans(wb, tables, odd)
	report.add(wb)
	return nil
}

// taken reports whether a table of the report has the name.
func (r *LoadReport) taken(name string) bool {
	return slices.ContainsFunc(r.Tables, func(t *schema.Table) bool { return t.Table == name })
}

// add joins the ledger of one file to the report's.
func (r *LoadReport) add(wb *workbook.Workbook) {
	if r.Ledger == nil {
		r.Format, r.Ledger = wb.Format, wb.Ledger
		return
	}
	r.Ledger.Details = append(r.Ledger.Details, wb.Ledger.Details...)
	r.Ledger.Sheets = append(r.Ledger.Sheets, wb.Ledger.Sheets...)
	r.Ledger.Incidents = append(r.Ledger.Incidents, wb.Ledger.Incidents...)
	r.Ledger.Bytes += wb.Ledger.Bytes
}

// accountScans fills the ledger of sources that DuckDB read: their rows are known
// only now.
func accountScans(wb *workbook.Workbook, tables []*schema.Table, odd []*workbook.TableLedger) {
	for i, t := range wb.Tables {
		if t.Scan == nil || wb.Ledger == nil || len(wb.Ledger.Sheets) > 0 && i < len(wb.Ledger.Sheets) && wb.Ledger.Sheets[i].Rows > 0 {
			continue
		}
		l := workbook.TableLedger{Table: t.Name}
		if odd[i] != nil {
			l = *odd[i]
		}
		l.Rows = tables[i].Rows
		wb.Ledger.Sheets = append(wb.Ledger.Sheets, workbook.SheetLedger{
			Name: t.Name, Rows: l.Rows, Kept: l.Rows, Tables: []workbook.TableLedger{l},
		})
	}
}

func (w *worker) progress(p Progress) { _ = w.pipe.write(response{Progress: &p}, nil) }

// progressEvery is how often a load says how far it is.
const progressEvery = 200 * time.Millisecond

// loadThreads is how many threads a loading engine uses.
func loadThreads() int { return runtime.NumCPU() }

// readerOptions prints the named arguments of a reader, values as literals.
func readerOptions(options map[string]any) (string, error) {
	out := ""
	for _, k := range sortedKeys(options) {
		v, err := literal(options[k])
		if err != nil {
			return "", fmt.Errorf("option %s: %w", k, err)
		}
		out += ", " + k + " = " + v
	}
	return out, nil
}

func literal(v any) (string, error) {
	switch x := v.(type) {
	case string:
		return quote(x), nil
	case bool, int, int64, float64:
		return fmt.Sprint(x), nil
	case []string:
		out := "["
		for i, s := range x {
			if i > 0 {
				out += ", "
			}
			out += quote(s)
		}
		return out + "]", nil
	case map[string]string:
		out := "{"
		for i, k := range sortedKeys(x) {
			if i > 0 {
				out += ", "
			}
			out += quote(k) + ": " + quote(x[k])
		}
		return out + "}", nil
	}
	text, err := json.Marshal(v)
	return "", fmt.Errorf("a reader takes no value like %s: %w", text, err)
}
