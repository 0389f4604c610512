package sqltool

import (
	"errors"
	"slices"
	"sync"

	"github.com/allrows/allrows/schema"
	"github.com/gofrs/flock"
)

// Snapshot is a set of versions that stay on disk until it is closed: one
// question sees one state of the data.
type Snapshot struct {
	Versions []Version

	once sync.Once
	pins []*flock.Flock
}

// Snapshot pins the current versions of the named workbooks, of all where none is
// named. A name may be the file's, with or without its extension.
func (s *Store) Snapshot(workbooks ...string) (*Snapshot, error) {
	names, err := s.resolveAll(workbooks)
	if err != nil {
		return nil, err
	}
	snap := &Snapshot{}
	for _, n := range names {
		v, pin, err := s.pinCurrent(n)
		if _, gone := errors.AsType[*NotFoundError](err); gone && len(workbooks) == 0 {
			continue // removed while we looked
		}
		if err != nil {
			snap.Close()
			return nil, err
		}
		snap.Versions = append(snap.Versions, v)
		snap.pins = append(snap.pins, pin)
	}
	return snap, nil
}

func (s *Store) resolveAll(called []string) ([]string, error) {
	if len(called) == 0 {
		return s.Workbooks()
	}
	var names []string
	seen := map[string]bool{}
	for _, c := range called {
		n, err := s.Resolve(c)
		if err != nil {
			return nil, err
		}
		if !seen[n] {
			seen[n] = true
			names = append(names, n)
		}
	}
	return names, nil
}

// pinCurrent pins the version that is current, and looks again where it was
// removed between the look and the pin.
func (s *Store) pinCurrent(name string) (Version, *flock.Flock, error) {
	for range 20 {
		id, err := s.currentID(name)
		if err != nil {
			return Version{}, nil, err
		}
		pin, err := s.pin(name, id)
		if err != nil {
			return Version{}, nil, err
		}
		v, err := s.Version(name, id)
		if err == nil {
			return v, pin, nil
		}
		_ = pin.Unlock()
		if _, gone := errors.AsType[*NotFoundError](err); !gone {
			return Version{}, nil, err
		}
	}
	return Version{}, nil, &NotFoundError{What: "workbook", Name: name}
}

// Context returns the schema context of the snapshot's tables, with the
// relationships whose both ends are in it. One that two versions measured is taken
// from the later.
func (s *Snapshot) Context() *schema.Context {
	c := &schema.Context{}
	for _, v := range s.Versions {
		c.Tables = append(c.Tables, v.Tables...)
	}
	byAge := slices.SortedFunc(slices.Values(s.Versions), func(a, b Version) int { return b.Manifest.LoadedAt.Compare(a.Manifest.LoadedAt) })
	type pair struct{ from, to schema.ColumnRef }
	seen := map[pair]bool{}
	for _, v := range byAge {
		for _, r := range v.Manifest.Relationships {
			k := pair{r.From, r.To}
			if !seen[k] && c.Has(r.From) && c.Has(r.To) {
				seen[k] = true
				c.Relationships = append(c.Relationships, r)
			}
		}
	}
	return c
}

// Close lets go of the versions. It may be called twice.
func (s *Snapshot) Close() {
	s.once.Do(func() {
		for _, p := range s.pins {
			_ = p.Unlock()
		}
	})
}
