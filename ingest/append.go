package ingest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/allrows/allrows/sqltool"
	"github.com/allrows/allrows/workbook"
)

// DriftError is a file to be appended whose shape differs from the workbook's.
// Nothing was changed.
type DriftError struct {
	Workbook string
	File     string
	Drift    []string // one difference each, in words
}

// Error names the differences and what to do.
func (e *DriftError) Error() string {
	return fmt.Sprintf("%s has another shape than the workbook %s: %s; correct the file, or append it all the same (--drift), which leaves blank what a file does not have",
		e.File, e.Workbook, strings.Join(e.Drift, "; "))
}

// base is the version that a file is appended to, pinned until its snapshot is
// closed.
type base struct {
	version sqltool.Version
	snap    *sqltool.Snapshot
}

// tables describes the base for the load; a load without one has none.
func (b *base) tables() *sqltool.Base {
	if b == nil {
		return nil
	}
	return sqltool.BaseOf(b.version)
}

// base is the current version of the source's workbook, nil where there is none:
// the first file of a workbook is loaded like any other.
func (l *Loader) base(src *source) (*base, error) {
	snap, err := l.cfg.Store.Snapshot(src.name)
	if _, none := errors.AsType[*sqltool.NotFoundError](err); none {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &base{version: snap.Versions[0], snap: snap}, nil
}

// extend makes a version of the base and the source. A file that is part of the
// workbook already is not appended twice.
func (l *Loader) extend(ctx context.Context, b *base, src *source, r Request) (*Report, error) {
	v, m := b.version, b.version.Manifest
	if m.SHA256 == src.sha256 || slices.ContainsFunc(m.Appended, func(a sqltool.Appended) bool { return a.SHA256 == src.sha256 }) {
		ledger, err := l.cfg.Store.Ledger(src.name, v.ID)
		if err != nil {
			return nil, err
		}
		return &Report{Workbook: src.name, Version: v.ID, Unchanged: true, Tables: v.Tables, Ledger: ledger, Rows: m.Rows}, nil
	}
	if len(src.files) > 1 {
		return nil, &workbook.FileError{Path: r.Path, Code: workbook.CodeUnsupported, Text: "a folder cannot be appended; append its files one by one"}
	}
	sum := sha256.Sum256([]byte("append to " + v.ID + "\n" + src.version))
	src.version = hex.EncodeToString(sum[:])[:24]
	return l.build(ctx, src, r, b)
}

// merge completes ledger, tables and manifest of a version that has the rows of
// several files.
func (l *Loader) merge(b *base, src *source, loaded *sqltool.LoadReport, m *sqltool.Manifest) error {
	old := b.version.Manifest
	earlier, err := l.cfg.Store.Ledger(src.name, b.version.ID)
	if err != nil {
		return err
	}
	m.Appended = slices.Clone(old.Appended)
	if len(m.Appended) == 0 {
		m.Appended = []sqltool.Appended{{File: old.File, SHA256: old.SHA256}}
	}
	m.Appended = append(m.Appended, sqltool.Appended{File: src.file, SHA256: src.sha256})
	h := sha256.Sum256([]byte(old.SHA256 + " " + src.sha256))
	m.SHA256, m.Bytes = hex.EncodeToString(h[:]), old.Bytes+src.bytes
	m.File = fmt.Sprintf("%s and %d more", m.Appended[0].File, len(m.Appended)-1)
	m.Source = old.Source
	if !strings.HasSuffix(m.Source, appendedMark) { // the first file alone is no longer the source
		m.Source += appendedMark
	}
	for _, t := range loaded.Tables {
		if len(t.Parts) > 0 {
			t.SHA256, t.File = m.SHA256, m.File
		}
	}
	loaded.Ledger = joinLedgers(earlier, loaded, src, m)
	return nil
}

// appendedMark ends the source of a workbook that files were appended to, so that
// loading its first file again is not taken for a reload.
const appendedMark = " (and files appended)"

// joinLedgers puts what was seen of the new file behind what was seen of the others.
func joinLedgers(earlier *workbook.Ledger, loaded *sqltool.LoadReport, src *source, m *sqltool.Manifest) *workbook.Ledger {
	out, added := *earlier, loaded.Ledger
	out.File, out.SHA256, out.Bytes = m.File, m.SHA256, m.Bytes
	out.Details = slices.Clone(earlier.Details)
	for _, d := range added.Details {
		out.Details = append(out.Details, src.file+": "+d)
	}
	for _, t := range loaded.Tables {
		if n := len(t.Parts); n > 0 {
			p := t.Parts[n-1]
			out.Details = append(out.Details, fmt.Sprintf("%s: its rows are numbered %d to %d in table %s, %d more than in the file", src.file, p.First, p.Last, t.Table, p.Shift))
		}
	}
	out.Sheets = slices.Clone(earlier.Sheets)
	for _, s := range added.Sheets {
		if s.Name != src.file {
			s.Name = src.file + ": " + s.Name
		}
		out.Sheets = append(out.Sheets, s)
	}
	out.Incidents = slices.Concat(earlier.Incidents, added.Incidents)
	for _, d := range loaded.Drift {
		out.Incidents = append(out.Incidents, workbook.Incident{Where: src.file, Code: "drift", Text: d})
	}
	return &out
}
