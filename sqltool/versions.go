package sqltool

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/allrows/allrows/schema"
)

// versionCache keeps what was read of version folders, which never change. A folder
// may go and come back under its name, so the manifest's time and size tell.
type versionCache struct {
	mu      sync.Mutex
	entries map[string]versionEntry
}

type versionEntry struct {
	written time.Time
	size    int64
	version Version
}

// maxVersions bounds the cache; it is emptied when it is full.
const maxVersions = 2000

// read returns a version as its folder describes it.
func (c *versionCache) read(dir string) (Version, error) {
	info, err := os.Stat(filepath.Join(dir, manifestFile))
	if err != nil {
		return Version{}, err
	}
	c.mu.Lock()
	e, ok := c.entries[dir]
	c.mu.Unlock()
	if ok && e.written.Equal(info.ModTime()) && e.size == info.Size() {
		return e.version.copied(), nil
	}
	v := Version{Dir: dir}
	if err := errors.Join(readJSON(filepath.Join(dir, manifestFile), &v.Manifest), readJSON(filepath.Join(dir, profileFile), &v.Tables)); err != nil {
		return Version{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries == nil || len(c.entries) >= maxVersions {
		c.entries = map[string]versionEntry{}
	}
	c.entries[dir] = versionEntry{info.ModTime(), info.Size(), v}
	return v.copied(), nil
}

// copied gives a caller tables and columns of its own, so that what it changes of
// them stays its own; the slices below are shared and never written.
func (v Version) copied() Version {
	tables := make([]*schema.Table, len(v.Tables))
	for i, t := range v.Tables {
		table := *t
		table.Columns = make([]*schema.Column, len(t.Columns))
		columns := make([]schema.Column, len(t.Columns))
		for j, c := range t.Columns {
			columns[j] = *c
			table.Columns[j] = &columns[j]
		}
		tables[i] = &table
	}
	v.Tables = tables
	return v
}

// Version reads one version of a workbook.
func (s *Store) Version(name, id string) (Version, error) {
	if !safeID(name) || !safeID(id) {
		return Version{Workbook: name, ID: id}, &NotFoundError{What: "version", Name: name + "@" + id}
	}
	v, err := s.versions.read(filepath.Join(s.workbookDir(name), id))
	v.Workbook, v.ID = name, id
	if errors.Is(err, fs.ErrNotExist) {
		return v, &NotFoundError{What: "version", Name: name + "@" + id}
	}
	if err != nil {
		return v, err
	}
	current, err := s.currentID(name)
	v.Current = err == nil && current == id
	return v, nil
}
