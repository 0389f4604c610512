package kb

import "github.com/allrows/allrows/schema"

// Kind is what a chunk is of.
type Kind string

// The kinds of chunk.
const (
	Row     Kind = "row"     // one row with its table's context
	Schema  Kind = "schema"  // a table's columns, types, keys and ranges
	Summary Kind = "summary" // a table's counts, ranges, top values, and the tool to call
)

// Chunk is a piece of text that can be found. It points to the truth and never
// is it: a hit is resolved by reading its rows from DuckDB under the caller's scope.
type Chunk struct {
	ID       string     `json:"id"` // stable: table, kind and row
	Ref      schema.Ref `json:"ref"`
	Kind     Kind       `json:"kind"`
	Sheet    string     `json:"sheet,omitempty"`
	FirstRow int64      `json:"first_row,omitempty"` // _row, for rows and groups
	LastRow  int64      `json:"last_row,omitempty"`
	Embedded string     `json:"-"`    // what is embedded and indexed
	Text     string     `json:"text"` // what is delivered
}

// Hit is a chunk that was found, with why. Hits are a selection and never the
// whole: nothing may total, average or count them.
type Hit struct {
	Chunk
	Score   float64 `json:"score"`
	Lexical float64 `json:"lexical"`
	Cosine  float64 `json:"cosine"`
	Why     string  `json:"why"` // the terms that scored, best first
}
