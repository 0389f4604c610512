package sqltool

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/allrows/allrows/guardrails"
	"github.com/allrows/allrows/schema"
)

// maxFrame bounds one message between gateway and worker.
const maxFrame = 64 << 20

// Operations of a worker.
const (
	opParse  = "parse"  // SQL -> Tree
	opRun    = "run"    // SQL over Files, wrapped and verified -> Result
	opRows   = "rows"   // rows of one table by number -> Result
	opScan   = "scan"   // every row of one table -> batches
	opLoad   = "load"   // a source file -> a staging folder
	opJoins  = "joins"  // measured inclusion of columns -> Relationships
	opCancel = "cancel" // stop what runs
)

// request is one message to a worker.
type request struct {
	Op       string          `json:"op"`
	SQL      string          `json:"sql,omitempty"`
	TreeHash string          `json:"tree_hash,omitempty"` // run: hash that the parse of SQL must have
	Files    []file          `json:"files,omitempty"`
	Tables   []schema.Ref    `json:"tables,omitempty"` // run: what the plan may scan
	Caps     guardrails.Caps `json:"caps"`
	Numbers  []int64         `json:"numbers,omitempty"` // rows: values of _row
	Load     *LoadRequest    `json:"load,omitempty"`
	Joins    []joinQuestion  `json:"joins,omitempty"`
}

// file is one version file with the tables of it that a scope shows.
type file struct {
	Path   string      `json:"path"`
	Tables []fileTable `json:"tables"`
}

// fileTable is one table as the scope shows it.
type fileTable struct {
	Ref     schema.Ref `json:"ref"`
	Columns []string   `json:"columns"`
	Filter  string     `json:"filter,omitempty"`
	Bare    bool       `json:"bare,omitempty"` // its bare name is unique in the scope
}

// response is one message from a worker. The last of a request has Done set.
type response struct {
	Done     bool                  `json:"done,omitempty"`
	Err      *wireError            `json:"err,omitempty"`
	Tree     json.RawMessage       `json:"tree,omitempty"`
	Result   *Result               `json:"result,omitempty"`
	Micros   int64                 `json:"micros,omitempty"` // spent in the engine
	Batch    *batch                `json:"batch,omitempty"`
	Progress *Progress             `json:"progress,omitempty"`
	Load     *LoadReport           `json:"load,omitempty"`
	Joins    []schema.Relationship `json:"joins,omitempty"`
	Walls    *Walls                `json:"walls,omitempty"` // first message of a worker
}

// batch is a part of a scanned table in text form.
type batch struct {
	Rows   []int64    `json:"rows"`
	Values [][]string `json:"values"`
	Nulls  [][]bool   `json:"nulls"`
}

// wireError is an error that crosses a pipe and keeps its type.
type wireError struct {
	Kind  string `json:"kind"` // engine, limit, file, other
	Code  string `json:"code,omitempty"`
	Text  string `json:"text"`
	Raw   string `json:"raw,omitempty"`
	Limit string `json:"limit,omitempty"`
	What  string `json:"what,omitempty"`
	Path  string `json:"path,omitempty"`
}

// framer writes and reads length-prefixed JSON messages.
type framer struct {
	mu sync.Mutex
	w  io.Writer
	r  *bufio.Reader
}

func newFramer(r io.Reader, w io.Writer) *framer {
	return &framer{w: w, r: bufio.NewReaderSize(r, 64<<10)}
}

func (f *framer) write(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encoding a worker message: %w", err)
	}
	if len(b) > maxFrame {
		return &LimitError{What: "a worker message", Limit: "64 MiB"}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	frame := binary.BigEndian.AppendUint32(make([]byte, 0, len(b)+4), uint32(len(b)))
	_, err = f.w.Write(append(frame, b...))
	return err
}

func (f *framer) read(v any) error {
	var n uint32
	if err := binary.Read(f.r, binary.BigEndian, &n); err != nil {
		return err
	}
	if n > maxFrame {
		return fmt.Errorf("a worker message of %d bytes is over the limit of %d", n, maxFrame)
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(f.r, b); err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	return d.Decode(v)
}
