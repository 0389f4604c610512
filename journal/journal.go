// Package journal keeps what happened: answers with their receipts,
// conversations, feedback, audit events. Nothing in it is ever changed.
//
// A [Journal] is a folder of append-only files, one per process that wrote to
// it, each line one [Record] in JSON. Every record carries the hash of the one
// before it, and the first record of a file carries the head of the file before
// it, so that [Journal.Verify] finds any line that was changed, moved or
// removed, and any file that is missing, as long as something was written after
// it. (What was written last of all has no witness: keep a copy of the newest
// hash elsewhere where that matters.)
//
// Many processes may have the folder open at once: each appends to its own file
// and reads all of them. The index by id and by conversation is rebuilt by
// reading, never stored, and picks up what other processes wrote.
//
// When Append returns, the record is with the operating system: it survives
// the death of the process. It is on disk after [Config].Sync at most (200 ms by
// default, 0 in Append itself) or when Close returns: a power cut may cost what
// was written in that time. A last line that was cut off by such an end is left
// where it is, passed over, and reported by Verify.
package journal

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Config configures a [Journal]. Dir is required; other zero values have defaults.
type Config struct {
	Dir     string
	Sync    time.Duration    // the longest that a record waits for the disk; default 200ms
	Always  bool             // Append returns when its record is on the disk
	MaxSize int64            // bytes after which a new file is begun; default 64 MiB
	Now     func() time.Time // default time.Now
	NewName func() string    // the random part of a file's name; default 8 hex digits
	Logger  *slog.Logger     // default discards
}

// Entry is what is written. Kind and Body are required.
type Entry struct {
	Kind         string // answer, feedback, audit …
	Principal    string // whose it is
	ID           string // what it can be found by
	Conversation string // what it belongs to
	Body         any    // anything that is JSON
}

// Journal is one process's hold on the folder. It is safe for concurrent use.
type Journal struct {
	cfg Config

	mu    sync.Mutex // of the file that this process writes
	file  *os.File
	name  string
	size  int64
	seq   int64
	head  string
	dirty bool
	done  chan struct{}

	closing sync.Once
	wg      sync.WaitGroup

	ix index
}

// Open opens the journal of a folder, which is made if it is not there. No file
// is begun before the first record.
func Open(dir string) (*Journal, error) { return New(Config{Dir: dir}) }

// New opens the journal that the configuration describes.
func New(cfg Config) (*Journal, error) {
	if cfg.Dir == "" {
		return nil, errors.New("journal: Config.Dir is empty")
	}
	if err := os.MkdirAll(cfg.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("journal: making the folder: %w", err)
	}
	if cfg.Sync <= 0 {
		cfg.Sync = 200 * time.Millisecond
	}
	if cfg.MaxSize == 0 {
		cfg.MaxSize = 64 << 20
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.NewName == nil {
		cfg.NewName = randomName
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	j := &Journal{cfg: cfg, done: make(chan struct{})}
	j.ix.files = map[string]*scanned{}
	j.ix.byID = map[string]place{}
	j.ix.byConversation = map[string][]place{}
	j.wg.Add(1)
	go j.syncLoop()
	return j, nil
}

func randomName() string {
	var b [4]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// Append writes one record.
func (j *Journal) Append(kind, principal, id string, body any) error {
	return j.Write(Entry{Kind: kind, Principal: principal, ID: id, Body: body})
}

// Write writes one record with all its fields.
func (j *Journal) Write(e Entry) error {
	if e.Kind == "" {
		return errors.New("journal: an entry has no kind")
	}
	body, err := json.Marshal(e.Body)
	if err != nil {
		return fmt.Errorf("journal: writing %s %s: %w", e.Kind, e.ID, err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file == nil || j.size >= j.cfg.MaxSize {
		if err := j.begin(); err != nil {
			return fmt.Errorf("journal: beginning a file: %w", err)
		}
	}
	r := Record{Kind: e.Kind, Principal: e.Principal, ID: e.ID, Conversation: e.Conversation, Body: body}
	if err := j.put(r); err != nil {
		return fmt.Errorf("journal: writing %s %s: %w", e.Kind, e.ID, err)
	}
	return nil
}

// begin opens a new file whose first record names the head of the file before it.
func (j *Journal) begin() error {
	before, err := j.newest()
	if err != nil {
		return err
	}
	if err := j.closeFile(); err != nil {
		return err
	}
	name := j.cfg.Now().UTC().Format("20060102T150405.000") + "-" + j.cfg.NewName() + ext
	f, err := os.OpenFile(filepath.Join(j.cfg.Dir, name), os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	j.file, j.name, j.size, j.seq, j.head = f, name, 0, 0, ""
	body, err := json.Marshal(begun{Before: before})
	if err != nil {
		return err
	}
	return j.put(Record{Kind: kindBegin, Body: body})
}

// put seals a record to the one before it and writes its line in one call.
func (j *Journal) put(r Record) error {
	r.Seq, r.Time, r.Prev = j.seq+1, j.cfg.Now().UTC(), j.head
	r.Hash = r.seal()
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	line = append(line, '\n')
	n, err := j.file.Write(line)
	j.size += int64(n)
	if err != nil {
		// What is half written stays as a torn line: the next record begins a new file.
		return errors.Join(err, j.closeFile())
	}
	j.seq, j.head, j.dirty = r.Seq, r.Hash, true
	if j.cfg.Always {
		j.dirty = false
		return j.file.Sync()
	}
	return nil
}

// syncLoop brings what was written to the disk.
func (j *Journal) syncLoop() {
	defer j.wg.Done()
	tick := time.NewTicker(j.cfg.Sync)
	defer tick.Stop()
	for {
		select {
		case <-j.done:
			return
		case <-tick.C:
		}
		j.mu.Lock()
		if j.dirty && j.file != nil {
			if err := j.file.Sync(); err != nil {
				j.cfg.Logger.Error("journal file does not reach the disk", "file", j.name, "error", err)
			} else {
				j.dirty = false
			}
		}
		j.mu.Unlock()
	}
}

func (j *Journal) closeFile() error {
	if j.file == nil {
		return nil
	}
	err := errors.Join(j.file.Sync(), j.file.Close())
	j.file, j.dirty = nil, false
	return err
}

// Close brings everything to the disk and closes the file. A second Close does
// nothing.
func (j *Journal) Close() error {
	j.closing.Do(func() { close(j.done) })
	j.wg.Wait()
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.closeFile(); err != nil {
		return fmt.Errorf("journal: closing %s: %w", j.name, err)
	}
	return nil
}
