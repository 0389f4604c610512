package ingest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/allrows/allrows/sqltool"
	"github.com/allrows/allrows/workbook"
)

// source is what a load reads: one file, or the files of a folder.
type source struct {
	path    string   // absolute
	file    string   // base name
	files   []string // absolute
	name    string   // of the workbook
	version string
	sha256  string   // of the file; of a folder, of its files' names and hashes
	hashes  []string // one a file
	bytes   int64
	mtime   time.Time
}

// openSource looks at a source and hashes it.
func openSource(ctx context.Context, r Request) (*source, error) {
	path, err := filepath.Abs(r.Path)
	if err != nil {
		return nil, fmt.Errorf("ingest: %w", err)
	}
	base := filepath.Base(path)
	s := &source{path: path, file: base, name: workbook.FileName(path)}
	if r.Name != "" {
		s.name = workbook.SafeName(r.Name, nil)
	}
	if slices.Contains(engineNames, s.name) {
		s.name += "_"
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, unreadable(r.Path, err)
	}
	s.files = []string{path}
	if info.IsDir() {
		if s.files, err = folder(path); err != nil {
			return nil, err
		}
	}
	return s, s.hash(ctx)
}

func unreadable(path string, err error) error {
	text := "it cannot be read; check its permissions"
	if errors.Is(err, fs.ErrNotExist) {
		text = "there is no such file; check the path"
	}
	return &workbook.FileError{Path: path, Code: workbook.CodeNotFound, Text: text, Err: err}
}

// engineNames are schemas and catalogs of DuckDB itself, which a workbook's name
// would hide or be hidden by.
var engineNames = []string{"main", "temp", "memory", "system", "pg_catalog", "information_schema"}

func folder(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, unreadable(dir, err)
	}
	var files []string
	for _, e := range entries {
		// "~$" marks the lock file of an open workbook.
		if e.Type().IsRegular() && workbook.Readable(e.Name()) && !strings.HasPrefix(e.Name(), "~$") {
			files = append(files, filepath.Join(dir, e.Name()))
		}
	}
	if len(files) == 0 {
		return nil, &workbook.FileError{Path: dir, Code: workbook.CodeEmpty, Text: "the folder holds no workbook; name files that Allrows reads, such as xlsx, csv, parquet or json"}
	}
	return files, nil
}

// hash fills the hashes and the version: of the bytes, the settings beside them
// and the loader's format.
func (s *source) hash(ctx context.Context) error {
	version, whole := sha256.New(), sha256.New()
	fmt.Fprintf(version, "format %d\nname %s\n", Format, s.name)
	for _, f := range s.files {
		sum, err := s.add(ctx, f)
		if err != nil {
			return err
		}
		s.hashes = append(s.hashes, sum)
		settings, err := os.ReadFile(f + ".allrows.yaml")
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return unreadable(f+".allrows.yaml", err)
		}
		fmt.Fprintf(whole, "%s %s\n", filepath.Base(f), sum)
		fmt.Fprintf(version, "%s %s %x\n", filepath.Base(f), sum, sha256.Sum256(settings))
	}
	s.version = hex.EncodeToString(version.Sum(nil))[:24]
	s.sha256 = s.hashes[0]
	if len(s.files) > 1 {
		s.sha256 = hex.EncodeToString(whole.Sum(nil))
	}
	return nil
}

// add hashes one file.
func (s *source) add(ctx context.Context, path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", unreadable(path, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", unreadable(path, err)
	}
	if info.ModTime().After(s.mtime) {
		s.mtime = info.ModTime()
	}
	h := sha256.New()
	n, err := io.Copy(h, readerFunc(func(b []byte) (int, error) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		return f.Read(b)
	}))
	if err != nil {
		return "", fmt.Errorf("ingest: reading %s: %w", path, err)
	}
	s.bytes += n
	return hex.EncodeToString(h.Sum(nil)), nil
}

// errChanged is a source that was written to while it was read.
var errChanged = errors.New("the file changed while it was read")

// same reports whether the load read the bytes that the version is named after.
func (s *source) same(loaded *sqltool.LoadReport) error {
	mtime := time.Time{}
	for i, f := range s.files {
		if i >= len(loaded.Sums) || loaded.Sums[i] != s.hashes[i] {
			return errChanged
		}
		info, err := os.Stat(f)
		if err != nil {
			return unreadable(f, err)
		}
		if info.ModTime().After(mtime) {
			mtime = info.ModTime()
		}
	}
	if !mtime.Equal(s.mtime) { // a reader of pieces may have seen others than were hashed
		return errChanged
	}
	return nil
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

// complete writes into the loaded tables and ledger what only the load's owner
// knows.
func (s *source) complete(loaded *sqltool.LoadReport, m sqltool.Manifest) {
	sums := map[string]string{}
	for i, f := range s.files {
		sums[filepath.Base(f)] = s.hashes[i]
	}
	for _, t := range loaded.Tables {
		t.Version, t.SHA256 = m.Version, sums[t.File]
		t.LoadedAt, t.SourceMTime = m.LoadedAt, m.SourceMTime
	}
	loaded.Ledger.File, loaded.Ledger.SHA256, loaded.Ledger.Bytes = s.file, s.sha256, s.bytes
}

// rename gives an error of the reading the path that the caller used.
func (s *source) rename(err error) error {
	if e, ok := errors.AsType[*workbook.FileError](err); ok && len(s.files) == 1 {
		return &workbook.FileError{Path: s.path, Code: e.Code, Text: e.Text, Err: e.Err}
	}
	return err
}
