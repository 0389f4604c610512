// Package ingest is the pipeline of a load: file -> tables -> profile -> index ->
// publish.
//
// [Loader.Load] builds a new version beside the one that serves and moves one
// pointer at the end. An unchanged file is a no-op; a load that fails leaves the
// old version serving and says what was wrong.
package ingest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/allrows/allrows/kb"
	"github.com/allrows/allrows/schema"
	"github.com/allrows/allrows/sqltool"
	"github.com/allrows/allrows/workbook"
)

// Format is the loader's format number: it is part of a version's id, so that a
// loader that reads differently makes a new version of the same bytes.
const Format = 1

// Config configures a [Loader]. Store, Runner and Index are required.
type Config struct {
	Store  *sqltool.Store
	Runner *sqltool.Runner
	Index  *kb.Store
	Keep   int              // versions kept of a workbook; default 5
	Now    func() time.Time // default time.Now
	Logger *slog.Logger     // default discards
}

// Loader loads workbooks. It is safe for concurrent use, also by several
// processes on one data folder.
type Loader struct{ cfg Config }

// New makes a loader.
func New(cfg Config) (*Loader, error) {
	if cfg.Store == nil || cfg.Runner == nil || cfg.Index == nil {
		return nil, errors.New("ingest: Config needs Store, Runner and Index")
	}
	cfg.Keep = cmp.Or(cfg.Keep, 5)
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	return &Loader{cfg}, nil
}

// Request is one load: a file, or a folder whose files make one workbook.
type Request struct {
	Path     string
	Name     string // of the workbook; default from the file's name
	Replace  bool   // the name may belong to another source
	Append   bool   // the file's rows join those of the workbook, which Name names
	Drift    bool   // … even where its shape differs: what differs is recorded
	Progress func(Progress)
}

// Progress is how far a load is. Done and Total are rows; Total is 0 where it is
// not known.
type Progress struct {
	Phase string // reading, writing, profiling, indexing, publishing
	Table string
	Done  int64
	Total int64
}

// Report is what a load made.
type Report struct {
	Workbook  string           `json:"workbook"`
	Version   string           `json:"version"`
	Unchanged bool             `json:"unchanged"`
	Drift     []string         `json:"drift,omitempty"` // how an appended file differs in shape
	Tables    []*schema.Table  `json:"tables"`
	Ledger    *workbook.Ledger `json:"ledger"`
	Rows      int64            `json:"rows"`
	Chunks    int              `json:"chunks"`
	Elapsed   time.Duration    `json:"elapsed_ns"`
}

// NameError is a load under a name that belongs to another source.
type NameError struct {
	Workbook string
	Source   string // what the name belongs to
}

// Error says what to do.
func (e *NameError) Error() string {
	return fmt.Sprintf("the name %q belongs to another source, %s; load under another name (--as NAME) or replace it (--replace)", e.Workbook, e.Source)
}

// attempts is how often a load begins anew because its source or its workbook
// changed under it.
const attempts = 3

// Load loads one source. Where another process publishes the workbook meanwhile,
// or the source is written to, it begins anew, so that what is read last serves.
func (l *Loader) Load(ctx context.Context, r Request) (*Report, error) {
	begun := l.cfg.Now()
	if r.Progress == nil {
		r.Progress = func(Progress) {}
	}
	for i := 1; ; i++ {
		report, err := l.try(ctx, r)
		if _, overtaken := errors.AsType[*sqltool.ConflictError](err); (overtaken || errors.Is(err, errChanged)) && i < attempts {
			l.cfg.Logger.Info("a load begins anew", "path", r.Path, "because", err)
			continue
		}
		if errors.Is(err, errChanged) {
			return nil, &workbook.FileError{Path: r.Path, Code: workbook.CodeCorrupt, Text: "the file changes while it is read; load it when it is written", Err: err}
		}
		if err != nil {
			return nil, err
		}
		report.Elapsed = l.cfg.Now().Sub(begun)
		return report, nil
	}
}

func (l *Loader) try(ctx context.Context, r Request) (*Report, error) {
	src, err := openSource(ctx, r)
	if err != nil {
		return nil, err
	}
	if r.Append {
		base, err := l.base(src)
		if err != nil {
			return nil, err
		}
		if base != nil {
			defer base.snap.Close()
			return l.extend(ctx, base, src, r)
		}
	}
	report, err := l.loaded(ctx, src, r)
	if report != nil || err != nil {
		return report, err
	}
	return l.build(ctx, src, r, nil)
}

// loaded answers a load whose version is there already, and refuses one whose
// name belongs to another source. It returns nil where there is work to do.
func (l *Loader) loaded(ctx context.Context, src *source, r Request) (*Report, error) {
	s := l.cfg.Store
	v, err := s.Current(src.name)
	if _, none := errors.AsType[*sqltool.NotFoundError](err); none {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if v.ID != src.version {
		if !r.Replace && v.Manifest.Source != src.path {
			return nil, &NameError{src.name, v.Manifest.Source}
		}
		old, err := s.Version(src.name, src.version)
		if _, none := errors.AsType[*sqltool.NotFoundError](err); none {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		if err := s.Rollback(ctx, src.name, old.ID); err != nil {
			return nil, err
		}
		v = old
	}
	ledger, err := s.Ledger(src.name, v.ID)
	if err != nil {
		return nil, err
	}
	return &Report{Workbook: src.name, Version: v.ID, Unchanged: true, Tables: v.Tables, Ledger: ledger, Rows: v.Manifest.Rows}, nil
}

// build makes and publishes a new version.
func (l *Loader) build(ctx context.Context, src *source, r Request, b *base) (_ *Report, err error) {
	stage, err := l.cfg.Store.Stage(src.name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, stage.Discard()) }()
	if b != nil && stage.Base != b.version.ID {
		return nil, &sqltool.ConflictError{Workbook: src.name}
	}
	loaded, err := l.cfg.Runner.Load(ctx, sqltool.LoadRequest{Paths: src.files, Dir: stage.Dir, Workbook: src.name, Base: b.tables()}, func(p sqltool.Progress) {
		r.Progress(Progress{Phase: p.Phase, Table: p.Table, Done: p.Rows, Total: p.Total})
	})
	if err != nil {
		return nil, src.rename(err)
	}
	if err := src.same(loaded); err != nil {
		return nil, err
	}
	if len(loaded.Drift) > 0 && !r.Drift {
		return nil, &DriftError{Workbook: src.name, File: src.file, Drift: loaded.Drift}
	}
	m := l.manifest(src, loaded)
	src.complete(loaded, m)
	if b != nil {
		if err := l.merge(b, src, loaded, &m); err != nil {
			return nil, err
		}
	}
	if err := stage.WriteStaged(loaded.Ledger, loaded.Tables); err != nil {
		return nil, err
	}
	staged := sqltool.Version{Workbook: src.name, ID: src.version, Dir: stage.Dir, Tables: loaded.Tables}
	chunks, err := l.index(ctx, staged, r.Progress)
	if err != nil {
		return nil, err
	}
	if m.Relationships, err = l.relationships(ctx, staged); err != nil {
		return nil, err
	}
	r.Progress(Progress{Phase: "publishing"})
	v, err := stage.Publish(ctx, m)
	if err != nil {
		return nil, err
	}
	if err := l.cfg.Store.Retain(ctx, src.name, l.cfg.Keep); err != nil {
		l.cfg.Logger.Warn("old versions were not removed", "workbook", src.name, "error", err)
	}
	return &Report{Workbook: src.name, Version: v.ID, Tables: v.Tables, Ledger: loaded.Ledger, Rows: m.Rows, Chunks: chunks, Drift: loaded.Drift}, nil
}

func (l *Loader) manifest(src *source, loaded *sqltool.LoadReport) sqltool.Manifest {
	return sqltool.Manifest{
		Workbook: src.name, Version: src.version, File: src.file, Source: src.path, Format: loaded.Format, SHA256: src.sha256,
		Bytes: src.bytes, LoadedAt: l.cfg.Now().UTC(), SourceMTime: src.mtime.UTC(), Loader: Format, Rows: loaded.Rows,
	}
}

// relationships measures how the new tables refer to each other and to those of
// the other workbooks.
func (l *Loader) relationships(ctx context.Context, v sqltool.Version) ([]schema.Relationship, error) {
	snap, err := l.cfg.Store.Snapshot()
	if err != nil {
		return nil, err
	}
	defer snap.Close()
	var placed []sqltool.Placed
	for _, t := range v.Tables {
		placed = append(placed, sqltool.Placed{Table: t, Dir: v.Dir})
	}
	var old []*schema.Table
	for _, o := range snap.Versions {
		if o.Workbook == v.Workbook {
			continue
		}
		for _, t := range o.Tables {
			old = append(old, t)
			placed = append(placed, sqltool.Placed{Table: t, Dir: o.Dir})
		}
	}
	return l.cfg.Runner.Relationships(ctx, placed, schema.JoinCandidates(v.Tables, old))
}
