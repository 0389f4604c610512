package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	ext       = ".jsonl"
	kindBegin = "begin"
)

// Record is one line of a file.
type Record struct {
	Seq          int64           `json:"seq"` // from 1, without gaps
	Time         time.Time       `json:"time"`
	Kind         string          `json:"kind"`
	Principal    string          `json:"principal,omitempty"`
	ID           string          `json:"id,omitempty"`
	Conversation string          `json:"conversation,omitempty"`
	Body         json.RawMessage `json:"body"`
	Prev         string          `json:"prev"` // hash of the record before, "" for the first
	Hash         string          `json:"hash"` // of all the above
}

// begun is the body of a file's first record.
type begun struct {
	Before *Head `json:"before,omitempty"` // the newest other file, as it stood
}

// Head is the last record of a file, as seen at some time.
type Head struct {
	File string `json:"file"`
	Seq  int64  `json:"seq"`
	Hash string `json:"hash"`
}

// seal returns the hash of the record: of its line without the hash.
func (r Record) seal() string {
	r.Hash = ""
	b, err := json.Marshal(r)
	if err != nil { // a body that is no JSON never gets here
		return ""
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Decode reads the record's body into v.
func (r *Record) Decode(v any) error {
	if err := json.Unmarshal(r.Body, v); err != nil {
		return fmt.Errorf("journal: reading record %d (%s): %w", r.Seq, r.Kind, err)
	}
	return nil
}

// names returns the journal's files, oldest first.
func (j *Journal) names() ([]string, error) {
	entries, err := os.ReadDir(j.cfg.Dir)
	if err != nil {
		return nil, fmt.Errorf("listing files: %w", err)
	}
	var out []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ext) && e.Type().IsRegular() {
			out = append(out, e.Name())
		}
	}
	slices.Sort(out)
	return out, nil
}

// newest returns the head of the newest file, nil where there is none.
func (j *Journal) newest() (*Head, error) {
	names, err := j.names()
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Backward(names) {
		r, err := lastRecord(filepath.Join(j.cfg.Dir, name))
		if err != nil { // a damaged file is Verify's to report and stops nobody from writing
			j.cfg.Logger.Warn("journal file cannot be witnessed", "file", name, "error", err)
			continue
		}
		if r != nil {
			return &Head{File: name, Seq: r.Seq, Hash: r.Hash}, nil
		}
	}
	return nil, nil
}

// lastRecord reads the last whole line of a file from its end.
func lastRecord(path string) (*Record, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	for window := int64(64 << 10); ; window *= 8 {
		from := max(0, end-window)
		buf := make([]byte, end-from)
		if _, err := f.ReadAt(buf, from); err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		stop := bytes.LastIndexByte(buf, '\n')
		start := -1
		if stop >= 0 {
			start = bytes.LastIndexByte(buf[:stop], '\n')
		}
		if stop >= 0 && (start >= 0 || from == 0) {
			var r Record
			if err := json.Unmarshal(buf[start+1:stop], &r); err != nil {
				return nil, fmt.Errorf("the last line of %s is no record: %w", filepath.Base(path), err)
			}
			return &r, nil
		}
		if from == 0 {
			return nil, nil
		}
	}
}
