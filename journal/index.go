package journal

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// index finds records by id and conversation. It grows by reading what the
// files have gained.
type index struct {
	mu             sync.Mutex
	files          map[string]*scanned
	byID           map[string]place // the newest record of an id
	byConversation map[string][]place
	all            []place
}

// scanned is how far a file has been read.
type scanned struct{ offset int64 }

// place is where a record stands, with what is asked for most.
type place struct {
	file      string
	offset    int64
	size      int64
	time      time.Time
	kind      string
	principal string
}

// ErrNotFound says that no record has the id.
var ErrNotFound = errors.New("journal: no such record")

// Find returns the newest record of that id, whoever wrote it.
func (j *Journal) Find(id string) (*Record, error) {
	j.ix.mu.Lock()
	defer j.ix.mu.Unlock()
	at, ok := j.ix.byID[id]
	if !ok {
		if err := j.refresh(); err != nil {
			return nil, err
		}
		if at, ok = j.ix.byID[id]; !ok || id == "" {
			return nil, fmt.Errorf("%w: %q", ErrNotFound, id)
		}
	}
	return j.read(at)
}

// Conversation returns the records of a conversation, oldest first.
func (j *Journal) Conversation(id string) ([]*Record, error) {
	if id == "" {
		return nil, nil
	}
	j.ix.mu.Lock()
	defer j.ix.mu.Unlock()
	if err := j.refresh(); err != nil {
		return nil, err
	}
	return j.readAll(j.ix.byConversation[id], false, 0)
}

// Query selects records for [Journal.List]. Zero fields select all.
type Query struct {
	Kind      string
	Principal string
	Since     time.Time
	Limit     int // default 100
}

// List returns the newest records that the query selects, newest first.
func (j *Journal) List(q Query) ([]*Record, error) {
	if q.Limit <= 0 {
		q.Limit = 100
	}
	j.ix.mu.Lock()
	defer j.ix.mu.Unlock()
	if err := j.refresh(); err != nil {
		return nil, err
	}
	var hits []place
	for _, at := range j.ix.all {
		if (q.Kind == "" || at.kind == q.Kind) && (q.Principal == "" || at.principal == q.Principal) && !at.time.Before(q.Since) {
			hits = append(hits, at)
		}
	}
	return j.readAll(hits, true, q.Limit)
}

// readAll reads records in the order of time.
func (j *Journal) readAll(places []place, newestFirst bool, limit int) ([]*Record, error) {
	sorted := slices.Clone(places)
	slices.SortStableFunc(sorted, func(a, b place) int { return a.time.Compare(b.time) })
	if newestFirst {
		slices.Reverse(sorted)
	}
	if limit > 0 && len(sorted) > limit {
		sorted = sorted[:limit]
	}
	out := make([]*Record, 0, len(sorted))
	for _, at := range sorted {
		r, err := j.read(at)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

func (j *Journal) read(at place) (*Record, error) {
	f, err := os.Open(filepath.Join(j.cfg.Dir, at.file))
	if err != nil {
		return nil, fmt.Errorf("journal: reading a record: %w", err)
	}
	defer f.Close()
	line := make([]byte, at.size)
	if _, err := f.ReadAt(line, at.offset); err != nil {
		return nil, fmt.Errorf("journal: reading a record of %s: %w", at.file, err)
	}
	r := &Record{}
	if err := json.Unmarshal(line, r); err != nil {
		return nil, fmt.Errorf("journal: %s holds no record at byte %d: %w", at.file, at.offset, err)
	}
	return r, nil
}

// refresh reads what the files have gained.
func (j *Journal) refresh() error {
	names, err := j.names()
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	for _, name := range names {
		s := j.ix.files[name]
		if s == nil {
			s = &scanned{}
			j.ix.files[name] = s
		}
		if err := j.scan(name, s); err != nil {
			return fmt.Errorf("journal: reading %s: %w", name, err)
		}
	}
	return nil
}

// scan indexes the whole lines after what was read before.
func (j *Journal) scan(name string, s *scanned) error {
	f, err := os.Open(filepath.Join(j.cfg.Dir, name))
	if err != nil {
		return err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Size() == s.offset {
		return err
	}
	if _, err := f.Seek(s.offset, io.SeekStart); err != nil {
		return err
	}
	br := bufio.NewReaderSize(f, 256<<10)
	for {
		line, err := br.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil // what is left has no end yet: another process is writing it, or died
		}
		if err != nil {
			return err
		}
		at := place{file: name, offset: s.offset, size: int64(len(line))}
		s.offset += at.size
		var r Record
		if err := json.Unmarshal(line, &r); err != nil {
			j.cfg.Logger.Warn("journal line is no record", "file", name, "offset", at.offset)
			continue
		}
		j.ix.add(&r, at)
	}
}

func (ix *index) add(r *Record, at place) {
	at.time, at.kind, at.principal = r.Time, r.Kind, r.Principal
	if r.Kind == kindBegin {
		return
	}
	ix.all = append(ix.all, at)
	if r.ID != "" {
		if old, ok := ix.byID[r.ID]; !ok || !at.time.Before(old.time) {
			ix.byID[r.ID] = at
		}
	}
	if r.Conversation != "" {
		ix.byConversation[r.Conversation] = append(ix.byConversation[r.Conversation], at)
	}
}
