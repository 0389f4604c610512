package journal

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Report is what [Journal.Verify] found.
type Report struct {
	Files    int     `json:"files"`
	Records  int64   `json:"records"`
	Torn     []Fault `json:"torn,omitempty"`   // last lines that were cut off: no fault of the chain
	Faults   []Fault `json:"faults,omitempty"` // the chain does not hold here
	Newest   *Head   `json:"newest,omitempty"` // keep it elsewhere to witness the end
	complete bool
}

// Fault is a place of the journal that is not as it was written.
type Fault struct {
	File string `json:"file"`
	Line int64  `json:"line,omitempty"`
	Text string `json:"text"`
}

// OK reports whether every record is as it was written.
func (r *Report) OK() bool { return r.complete && len(r.Faults) == 0 }

// Verify reads the whole journal and holds every record against its hash, the
// record before it, and the heads that later files witnessed.
func (j *Journal) Verify(ctx context.Context) (*Report, error) {
	names, err := j.names()
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	rep := &Report{Files: len(names)}
	witnessed := map[string][]Head{}
	hashes := map[string]map[int64]string{}
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("journal: verifying: %w", err)
		}
		before, seen, err := rep.file(filepath.Join(j.cfg.Dir, name), name)
		if err != nil {
			return nil, fmt.Errorf("journal: verifying %s: %w", name, err)
		}
		hashes[name] = seen
		if before != nil {
			witnessed[before.File] = append(witnessed[before.File], *before)
		}
	}
	for file, heads := range witnessed {
		for _, h := range heads {
			switch seen, ok := hashes[file]; {
			case !ok:
				rep.Faults = append(rep.Faults, Fault{File: file, Text: "the file is missing: a later file names it"})
			case seen[h.Seq] == "":
				rep.Faults = append(rep.Faults, Fault{File: file, Line: h.Seq, Text: "the record is missing: a later file names it"})
			case seen[h.Seq] != h.Hash:
				rep.Faults = append(rep.Faults, Fault{File: file, Line: h.Seq, Text: "the file was rewritten: a later file names another hash"})
			}
		}
	}
	rep.complete = true
	return rep, nil
}

// file verifies one file. It returns the head that the file witnesses and its
// hashes by sequence.
func (rep *Report) file(path, name string) (*Head, map[int64]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	br := bufio.NewReaderSize(f, 256<<10)
	seen := map[int64]string{}
	var before *Head
	prev := ""
	for n := int64(1); ; n++ {
		line, err := br.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			if len(line) > 0 {
				rep.Torn = append(rep.Torn, Fault{File: name, Line: n, Text: fmt.Sprintf("the last line was cut off after %d bytes", len(line))})
			}
			return before, seen, nil
		}
		if err != nil {
			return nil, nil, err
		}
		var r Record
		if err := json.Unmarshal(line, &r); err != nil {
			rep.Faults = append(rep.Faults, Fault{File: name, Line: n, Text: "the line is no record"})
			continue
		}
		if text := r.fault(line, n, prev); text != "" {
			rep.Faults = append(rep.Faults, Fault{File: name, Line: n, Text: text})
		}
		if n == 1 {
			var b begun
			if r.Kind == kindBegin && r.Decode(&b) == nil {
				before = b.Before
			}
		}
		rep.Records++
		seen[r.Seq], prev = r.Hash, r.Hash
		if rep.Newest == nil || name >= rep.Newest.File {
			rep.Newest = &Head{File: name, Seq: r.Seq, Hash: r.Hash}
		}
	}
}

// fault says what is wrong with the record of line n, "" for nothing.
func (r *Record) fault(line []byte, n int64, prev string) string {
	again, err := json.Marshal(r)
	switch {
	case err != nil || !bytes.Equal(append(again, '\n'), line):
		return "the line is not as it was written"
	case r.Hash != r.seal():
		return "the record does not match its hash"
	case r.Seq != n:
		return fmt.Sprintf("the record has number %d on line %d", r.Seq, n)
	case r.Prev != prev:
		return "the record does not follow the one before it"
	}
	return ""
}
