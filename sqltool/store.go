package sqltool

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/allrows/allrows/schema"
	"github.com/allrows/allrows/workbook"
)

// Files of a version folder.
const (
	tablesFile   = "tables.duckdb"
	ledgerFile   = "ledger.json"
	profileFile  = "profile.json"
	manifestFile = "manifest.json"
	currentFile  = "current"
	stagingDir   = ".staging"
)

// Store is a data folder. Many processes may share one: every change is made
// beside the old state and published by one rename.
type Store struct {
	dir      string
	disk     disk
	versions versionCache
}

// Manifest describes one version and is written last: a folder without one is no
// version.
type Manifest struct {
	Workbook      string                `json:"workbook"`
	Version       string                `json:"version"`
	File          string                `json:"file"`   // base name of the source, "pricing.xlsx"
	Source        string                `json:"source"` // absolute path of the source when it was loaded
	Format        string                `json:"format"`
	SHA256        string                `json:"sha256"`
	Bytes         int64                 `json:"bytes"`
	LoadedAt      time.Time             `json:"loaded_at"`
	SourceMTime   time.Time             `json:"source_mtime"`
	Loader        int                   `json:"loader"` // format number of the loader
	Rows          int64                 `json:"rows"`
	Appended      []Appended            `json:"appended,omitempty"`      // the files that make up the workbook, where there are several
	Relationships []schema.Relationship `json:"relationships,omitempty"` // within the workbook, measured at load
}

// Appended is one file of a workbook that files were appended to.
type Appended struct {
	File   string `json:"file"`
	SHA256 string `json:"sha256"`
}

// Version is one immutable load of a workbook.
type Version struct {
	Workbook string
	ID       string
	Dir      string
	Manifest Manifest
	Tables   []*schema.Table
	Current  bool
}

// OpenStore opens the data folder, makes it where it is missing, and sweeps
// loads that were left unfinished and that no process holds.
func OpenStore(dir string) (*Store, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("sqltool: data folder %s: %w", dir, err)
	}
	s := &Store{dir: abs}
	for _, d := range []string{s.workbooksDir(), filepath.Join(s.workbooksDir(), stagingDir)} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return nil, fmt.Errorf("sqltool: making data folder: %w", err)
		}
	}
	return s, s.sweep()
}

// Dir returns the data folder.
func (s *Store) Dir() string { return s.dir }

func (s *Store) workbooksDir() string { return filepath.Join(s.dir, "workbooks") }

func (s *Store) workbookDir(name string) string { return filepath.Join(s.workbooksDir(), name) }

// Workbooks returns the names of the published workbooks, sorted.
func (s *Store) Workbooks() ([]string, error) {
	entries, err := os.ReadDir(s.workbooksDir())
	if err != nil {
		return nil, fmt.Errorf("sqltool: listing workbooks: %w", err)
	}
	var names []string
	for _, e := range entries {
		if !e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if _, err := s.currentID(e.Name()); err == nil {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names, nil
}

// currentID reads the pointer of a workbook.
func (s *Store) currentID(name string) (string, error) {
	b, err := os.ReadFile(filepath.Join(s.workbookDir(name), currentFile))
	if errors.Is(err, fs.ErrNotExist) {
		return "", &NotFoundError{What: "workbook", Name: name}
	}
	if err != nil {
		return "", fmt.Errorf("sqltool: reading the current version of %s: %w", name, err)
	}
	return strings.TrimSpace(string(b)), nil
}

// Resolve returns the workbook's name for what a person calls it: its name, or
// the file's name with or without the extension.
func (s *Store) Resolve(called string) (string, error) {
	names, err := s.Workbooks()
	if err != nil {
		return "", err
	}
	base := filepath.Base(called)
	bare := strings.TrimSuffix(base, filepath.Ext(base))
	for _, want := range []string{called, bare, workbook.SafeName(bare, nil)} {
		for _, n := range names {
			if strings.EqualFold(n, want) {
				return n, nil
			}
		}
	}
	for _, n := range names {
		if v, err := s.Current(n); err == nil && strings.EqualFold(v.Manifest.File, base) {
			return n, nil
		}
	}
	return "", &NotFoundError{What: "workbook", Name: called}
}

// Current returns the version that the workbook's pointer names.
func (s *Store) Current(name string) (Version, error) {
	id, err := s.currentID(name)
	if err != nil {
		return Version{}, err
	}
	return s.Version(name, id)
}

// safeID reports whether a name is one path element of ours.
func safeID(s string) bool {
	return s != "" && !strings.HasPrefix(s, ".") && !strings.ContainsAny(s, `/\`+"\x00")
}

// Versions returns the versions of a workbook, newest first.
func (s *Store) Versions(name string) ([]Version, error) {
	if !safeID(name) {
		return nil, &NotFoundError{What: "workbook", Name: name}
	}
	entries, err := os.ReadDir(s.workbookDir(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &NotFoundError{What: "workbook", Name: name}
	}
	if err != nil {
		return nil, fmt.Errorf("sqltool: listing versions of %s: %w", name, err)
	}
	var out []Version
	for _, e := range entries {
		if !e.IsDir() || !safeID(e.Name()) {
			continue
		}
		v, err := s.Version(name, e.Name())
		if _, missing := errors.AsType[*NotFoundError](err); missing {
			continue // being removed by another process
		}
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	slices.SortStableFunc(out, func(a, b Version) int { return b.Manifest.LoadedAt.Compare(a.Manifest.LoadedAt) })
	return out, nil
}

// Ledger reads what the load of a version saw.
func (s *Store) Ledger(name, id string) (*workbook.Ledger, error) {
	l := &workbook.Ledger{}
	v, err := s.Version(name, id)
	if err != nil {
		return nil, err
	}
	return l, readJSON(filepath.Join(v.Dir, ledgerFile), l)
}

func readJSON(path string, into any) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("sqltool: reading %s: %w", filepath.Base(path), err)
	}
	if err := json.Unmarshal(b, into); err != nil {
		return fmt.Errorf("sqltool: reading %s: %w", path, err)
	}
	return nil
}
