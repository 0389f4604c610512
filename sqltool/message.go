package sqltool

import (
	"github.com/allrows/allrows/guardrails"
	"github.com/allrows/allrows/schema"
)

// Operations of a worker.
const (
	opParse  = "parse"  // SQL -> Tree
	opRun    = "run"    // SQL over Files, wrapped and verified -> Result
	opRows   = "rows"   // rows of one table by number -> Result
	opScan   = "scan"   // every row of one table -> batches
	opLoad   = "load"   // a source file -> a staging folder
	opJoins  = "joins"  // measured inclusion of columns -> Relationships
	opPing   = "ping"   // nothing: the worker lives
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
	First    int64           `json:"first,omitempty"`  // scan: rows before the first
	Millis   int64           `json:"millis,omitempty"` // until the deadline; 0 is none
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
	Result   *Result               `json:"result,omitempty"`
	Micros   int64                 `json:"micros,omitempty"` // spent in the engine
	Rows     int64                 `json:"rows,omitempty"`   // scan: rows in the body
	Retire   bool                  `json:"retire,omitempty"` // replace this worker
	Progress *Progress             `json:"progress,omitempty"`
	Load     *LoadReport           `json:"load,omitempty"`
	Joins    []schema.Relationship `json:"joins,omitempty"`
	Walls    *Walls                `json:"walls,omitempty"` // first message of a worker

	body []byte // parse: the tree; scan: rows, as cells of appendCell
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
