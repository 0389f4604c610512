package kb

import "github.com/allrows/allrows/schema"

// Kind is what a chunk is of.
type Kind string

// The kinds of chunk.
const (
	Row     Kind = "row"     // one row with its table's context
	Schema  Kind = "schema"  // a table's columns, types, keys and ranges
	Summary Kind = "summary" // a table's counts, ranges, top values, and the tool to call
	Group   Kind = "group"   // 3 to 10 rows that share a value
	Parent  Kind = "parent"  // a partition's counts and ranges; its rows are its children
	Entity  Kind = "entity"  // one row with what related tables say of it, put together when asked
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
	Rows     []int64    `json:"rows,omitempty"` // of a group: its rows, which need not be neighbours
	Embedded string     `json:"-"`              // what is embedded and indexed
	Text     string     `json:"text"`           // what is delivered
}

// Hit is a chunk that was found, with why. Hits are a selection and never the
// whole: nothing may total, average or count them.
type Hit struct {
	Chunk
	Score    float64 `json:"score"`
	Lexical  float64 `json:"lexical"`
	Cosine   float64 `json:"cosine"`
	Coverage float64 `json:"coverage"` // share of the question's words, by weight, that the chunk or its headers have
	Why      string  `json:"why"`      // the terms that scored, best first
}

// tableView is a table as one caller sees it, over the columns of its index.
type tableView struct {
	table  *schema.Table
	slots  []int     // index column -> column of the caller's table, or -1
	hidden columnSet // index columns that the caller does not see
}

func newTableView(t *schema.Table, indexed []string) *tableView {
	v := &tableView{table: t, slots: make([]int, len(indexed)), hidden: make(columnSet, len(indexed))}
	at := make(map[string]int, len(t.Columns))
	for i, c := range t.Columns {
		at[c.Name] = i
	}
	for i, name := range indexed {
		if j, ok := at[name]; ok {
			v.slots[i] = j
		} else {
			v.slots[i], v.hidden[i] = -1, true
		}
	}
	return v
}
