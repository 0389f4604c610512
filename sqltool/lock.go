package sqltool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// lockPoll is how often a held lock is tried again.
const lockPoll = 20 * time.Millisecond

// tryLock takes a file lock, shared or alone, and makes the file where it is
// missing. It returns nil where another holds it. A lock file may be removed by who
// holds it alone, so a lock counts only while its path still names the same file.
func tryLock(path string, shared bool) (*flock.Flock, error) {
	for {
		l := flock.New(path)
		try := l.TryLock
		if shared {
			try = l.TryRLock
		}
		ok, err := try()
		if err != nil || !ok {
			return nil, errors.Join(err, l.Close())
		}
		held, err := l.Stat()
		if err != nil {
			return nil, errors.Join(err, l.Close())
		}
		named, err := os.Stat(path)
		if err == nil && os.SameFile(held, named) {
			return l, nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, errors.Join(err, l.Close())
		}
		if err := l.Close(); err != nil {
			return nil, err
		}
	}
}

// unlockAndRemove gives up a lock and its file.
func unlockAndRemove(l *flock.Flock) error { return errors.Join(os.Remove(l.Path()), l.Unlock()) }

// hold is a folder below the staging folder that is swept once its process is
// gone: the lock beside it tells.
type hold struct {
	dir  string
	lock *flock.Flock
}

// hold makes such a folder. The lock is taken first, so that no sweep ever sees the
// folder without it.
func (s *Store) hold(name string) (*hold, error) {
	dir := filepath.Join(s.workbooksDir(), stagingDir, name+"-"+randomName())
	lock, err := tryLock(dir+lockSuffix, false)
	if err != nil || lock == nil {
		return nil, fmt.Errorf("sqltool: locking a folder beside the workbooks: %w", errors.Join(err, fs.ErrExist))
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, fmt.Errorf("sqltool: making a folder beside the workbooks: %w", errors.Join(err, unlockAndRemove(lock)))
	}
	return &hold{dir: dir, lock: lock}, nil
}

// release removes the folder and its lock. It may be called twice.
func (h *hold) release() error {
	if h.lock == nil {
		return nil
	}
	err := errors.Join(os.RemoveAll(h.dir), unlockAndRemove(h.lock))
	h.lock = nil
	if err != nil {
		return fmt.Errorf("sqltool: removing %s: %w", filepath.Base(h.dir), err)
	}
	return nil
}

const lockSuffix = ".lock"

// sweep removes what a process that is gone left unfinished: folders below the
// staging folder whose lock nobody holds, and the versions of workbooks that were
// removed, or never published, once no reader holds them.
func (s *Store) sweep() error {
	parent := filepath.Join(s.workbooksDir(), stagingDir)
	entries, err := os.ReadDir(parent)
	if err != nil {
		return fmt.Errorf("sqltool: sweeping: %w", err)
	}
	var errs []error
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), lockSuffix)
		lock, err := tryLock(filepath.Join(parent, name+lockSuffix), false)
		if err != nil {
			errs = append(errs, fmt.Errorf("sqltool: sweeping %s: %w", name, err))
		}
		if lock != nil {
			h := &hold{dir: filepath.Join(parent, name), lock: lock}
			errs = append(errs, h.release())
		}
	}
	return errors.Join(append(errs, s.sweepWorkbooks())...)
}

// sweepWorkbooks removes the versions of folders without a pointer.
func (s *Store) sweepWorkbooks() error {
	entries, err := os.ReadDir(s.workbooksDir())
	if err != nil {
		return fmt.Errorf("sqltool: sweeping: %w", err)
	}
	var errs []error
	for _, e := range entries {
		if !e.IsDir() || !safeID(e.Name()) {
			continue
		}
		if _, err := s.currentID(e.Name()); err == nil {
			continue
		}
		lock, err := tryLock(s.lockPath(e.Name()), false)
		if err != nil || lock == nil { // a load is publishing its first version
			errs = append(errs, err)
			continue
		}
		if _, err := s.currentID(e.Name()); isNotFound(err) {
			errs = append(errs, s.retain(e.Name(), 0))
		}
		errs = append(errs, lock.Unlock())
	}
	return errors.Join(errs...)
}

func isNotFound(err error) bool {
	_, ok := errors.AsType[*NotFoundError](err)
	return ok
}

func (s *Store) lockPath(name string) string { return filepath.Join(s.workbookDir(name), lockSuffix) }

// lockWorkbook takes the lock under which a workbook's pointer moves.
func (s *Store) lockWorkbook(ctx context.Context, name string) (func(), error) {
	if err := os.MkdirAll(s.workbookDir(name), 0o755); err != nil {
		return nil, fmt.Errorf("sqltool: making workbook folder: %w", err)
	}
	l, err := waitLock(ctx, s.lockPath(name), false)
	if err != nil {
		return nil, fmt.Errorf("sqltool: waiting for the lock of workbook %s: %w", name, err)
	}
	return func() { _ = l.Unlock() }, nil
}

// waitLock tries a lock until the context ends.
func waitLock(ctx context.Context, path string, shared bool) (*flock.Flock, error) {
	for {
		l, err := tryLock(path, shared)
		if l != nil || err != nil {
			return l, err
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(lockPoll):
		}
	}
}

// pinPath is the lock file by which readers hold a version on disk.
func (s *Store) pinPath(name, id string) string {
	return filepath.Join(s.workbookDir(name), "."+id+".pin")
}

// pin holds a version on disk for a reader. A removal may hold it for the time of
// an unlink.
func (s *Store) pin(name, id string) (*flock.Flock, error) {
	for range 500 {
		l, err := tryLock(s.pinPath(name, id), true)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, &NotFoundError{What: "workbook", Name: name}
		}
		if err != nil {
			return nil, fmt.Errorf("sqltool: pinning version %s of %s: %w", id, name, err)
		}
		if l != nil {
			return l, nil
		}
		time.Sleep(lockPoll)
	}
	return nil, fmt.Errorf("sqltool: version %s of %s stayed locked by a removal", id, name)
}
