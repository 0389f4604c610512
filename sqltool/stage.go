package sqltool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/allrows/allrows/schema"
	"github.com/allrows/allrows/workbook"
)

// Staging is a version that is being made. It is a folder beside the published
// ones, held by a file lock while its process lives.
type Staging struct {
	Dir  string
	Base string // version that was current when the load began; "" where there was none

	store    *Store
	workbook string
	hold     *hold
}

// Stage begins a version of a workbook.
func (s *Store) Stage(name string) (*Staging, error) {
	if !safeID(name) {
		return nil, fmt.Errorf("sqltool: %q is no name for a workbook", name)
	}
	base, err := s.currentID(name)
	if err != nil && !isNotFound(err) {
		return nil, err
	}
	h, err := s.hold(name)
	if err != nil {
		return nil, err
	}
	return &Staging{Dir: h.dir, Base: base, store: s, workbook: name, hold: h}, nil
}

// Discard removes what was staged. It does nothing after Publish.
func (g *Staging) Discard() error { return g.hold.release() }

// Publish writes the manifest, moves the folder to its place and moves the
// workbook's pointer, unless the pointer moved since Stage: then it returns a
// [*ConflictError] and nothing changed.
func (g *Staging) Publish(ctx context.Context, m Manifest) (Version, error) {
	if err := g.store.writeJSON(filepath.Join(g.Dir, manifestFile), m); err != nil {
		return Version{}, err
	}
	if err := g.store.disk.syncTree(g.Dir); err != nil {
		return Version{}, err
	}
	s := g.store
	unlock, err := s.lockWorkbook(ctx, g.workbook)
	if err != nil {
		return Version{}, err
	}
	defer unlock()
	now, err := s.currentID(g.workbook)
	if err != nil && !isNotFound(err) {
		return Version{}, err
	}
	if now != g.Base {
		return Version{}, &ConflictError{Workbook: g.workbook}
	}
	dir := filepath.Join(s.workbookDir(g.workbook), m.Version)
	if _, err := os.Stat(filepath.Join(dir, manifestFile)); err == nil {
		// The same bytes were loaded before: the version is immutable and stays.
		if err := g.Discard(); err != nil {
			return Version{}, err
		}
	} else if err := g.move(dir); err != nil {
		return Version{}, err
	}
	if err := s.point(g.workbook, m.Version); err != nil {
		return Version{}, err
	}
	return s.Version(g.workbook, m.Version)
}

func (g *Staging) move(dir string) error {
	if err := os.RemoveAll(dir); err != nil { // a folder without a manifest is no version
		return fmt.Errorf("sqltool: clearing %s: %w", filepath.Base(dir), err)
	}
	if err := g.store.disk.move(g.Dir, dir); err != nil {
		return fmt.Errorf("sqltool: publishing: %w", err)
	}
	return g.hold.release()
}

// point moves the workbook's pointer: write, fsync, rename, fsync. The caller
// holds the workbook's lock.
func (s *Store) point(name, id string) error {
	path := filepath.Join(s.workbookDir(name), currentFile)
	if err := s.disk.writeFile(path, []byte(id+"\n")); err != nil {
		return fmt.Errorf("sqltool: moving the pointer of %s: %w", name, err)
	}
	return nil
}

// Rollback makes an older version current.
func (s *Store) Rollback(ctx context.Context, name, id string) error {
	if _, err := s.Version(name, id); err != nil {
		return err
	}
	unlock, err := s.lockWorkbook(ctx, name)
	if err != nil {
		return err
	}
	defer unlock()
	if _, err := s.Version(name, id); err != nil { // retention may have been faster
		return err
	}
	return s.point(name, id)
}

// Remove takes a workbook away: first its pointer, then every version that no
// reader holds; the rest goes with the next sweep.
func (s *Store) Remove(ctx context.Context, name string) error {
	if _, err := s.currentID(name); err != nil {
		return err
	}
	unlock, err := s.lockWorkbook(ctx, name)
	if err != nil {
		return err
	}
	defer unlock()
	if err := os.Remove(filepath.Join(s.workbookDir(name), currentFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("sqltool: removing workbook %s: %w", name, err)
	}
	return s.retain(name, 0)
}

// Retain removes the versions of a workbook beyond the newest keep. The current
// one and those that a reader holds stay.
func (s *Store) Retain(ctx context.Context, name string, keep int) error {
	unlock, err := s.lockWorkbook(ctx, name)
	if err != nil {
		return err
	}
	defer unlock()
	return s.retain(name, keep)
}

func (s *Store) retain(name string, keep int) error {
	versions, err := s.Versions(name)
	if err != nil {
		return err
	}
	var errs []error
	for i, v := range versions {
		if i < keep || v.Current {
			continue
		}
		errs = append(errs, s.removeVersion(v))
	}
	return errors.Join(errs...)
}

// removeVersion removes a version unless a reader pins it. Its manifest goes
// first, so that a half-removed folder is no version.
func (s *Store) removeVersion(v Version) error {
	pin, err := tryLock(s.pinPath(v.Workbook, v.ID), false)
	if err != nil || pin == nil {
		return err
	}
	err = errors.Join(os.Remove(filepath.Join(v.Dir, manifestFile)), os.RemoveAll(v.Dir),
		os.RemoveAll(filepath.Join(s.dir, "index", v.Workbook, v.ID)), unlockAndRemove(pin))
	if err != nil {
		return fmt.Errorf("sqltool: removing version %s of %s: %w", v.ID, v.Workbook, err)
	}
	return nil
}

// WriteStaged writes the ledger and the tables' profiles of a staged version.
func (g *Staging) WriteStaged(l *workbook.Ledger, tables []*schema.Table) error {
	return errors.Join(g.store.writeJSON(filepath.Join(g.Dir, ledgerFile), l), g.store.writeJSON(filepath.Join(g.Dir, profileFile), tables))
}

func (s *Store) writeJSON(path string, v any) error {
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return fmt.Errorf("sqltool: writing %s: %w", filepath.Base(path), err)
	}
	return s.disk.writeFile(path, append(b, '\n'))
}
