// Package schema is the schema context: what is known of the tables that can be
// asked, measured (profiles, keys, relationships) and said by people (semantic
// model).
//
// A [Context] is what a planner sees and a scope is cut from. The types here
// hold facts and no engine: sqltool measures, schema merges and renders.
package schema

import (
	"time"

	"github.com/allrows/allrows/workbook"
)

// Ref names a table the way SQL does: workbook.table.
type Ref struct {
	Workbook string `json:"workbook"` // safe name: "pricing"
	Table    string `json:"table"`    // safe name: "tiers"
}

// String returns workbook.table.
func (r Ref) String() string { return r.Workbook + "." + r.Table }

// Context is every table that a caller may ask of.
type Context struct {
	Tables        []*Table       `json:"tables"`
	Relationships []Relationship `json:"relationships,omitempty"`
	Metrics       []Metric       `json:"metrics,omitempty"`
}

// Table is one table of a published version.
type Table struct {
	Ref
	Version     string           `json:"version"`
	File        string           `json:"file"`            // "pricing.xlsx"
	Sheet       string           `json:"sheet,omitempty"` // "Tiers"
	Title       string           `json:"title,omitempty"` // "Regional discount tiers"
	Description string           `json:"description,omitempty"`
	Synonyms    []string         `json:"synonyms,omitempty"`
	Range       string           `json:"range,omitempty"` // A1, header and rows
	Rows        int64            `json:"rows"`
	Columns     []*Column        `json:"columns"`
	Notes       []workbook.Note  `json:"notes,omitempty"`
	Checks      []workbook.Check `json:"checks,omitempty"`    // printed totals against sums
	Questions   []string         `json:"questions,omitempty"` // ambiguities of the load
	SHA256      string           `json:"sha256"`              // of the source
	LoadedAt    time.Time        `json:"loaded_at"`
	SourceMTime time.Time        `json:"source_mtime"`
	Parts       []Part           `json:"parts,omitempty"` // of a table that several files were appended to, in their order
}

// Part is the rows of one file in a table that several files make up. Their row
// numbers run on from file to file.
type Part struct {
	File  string `json:"file"`
	Sheet string `json:"sheet,omitempty"`
	First int64  `json:"first"` // _row of its first row
	Last  int64  `json:"last"`  // _row of its last row
	Shift int64  `json:"shift"` // what its own row numbers were raised by
}

// Column is one column with its measured profile.
type Column struct {
	workbook.Column
	Description string   `json:"description,omitempty"`
	Synonyms    []string `json:"synonyms,omitempty"`
	Profile     Profile  `json:"profile"`
}

// Profile is what was measured of a column. Min, Max and the values of Top are
// in the exact text form of results (see sqltool.Result): ISO dates, plain digits.
type Profile struct {
	Nulls    int64        `json:"nulls"`
	Distinct int64        `json:"distinct"`
	Unique   bool         `json:"unique"` // no value twice and none NULL
	Min      string       `json:"min,omitempty"`
	Max      string       `json:"max,omitempty"`
	Mean     *float64     `json:"mean,omitempty"` // numeric columns
	Top      []ValueCount `json:"top,omitempty"`  // most frequent first, at most 20
	Sampled  bool         `json:"sampled,omitempty"`
}

// ValueCount is a value and how many rows hold it.
type ValueCount struct {
	Value string `json:"value"`
	Rows  int64  `json:"rows"`
}

// ColumnRef names a column.
type ColumnRef struct {
	Ref
	Column string `json:"column"` // SQL name
}

// Relationship is a join that the data supports: every value of From (or all
// but Orphans) occurs in To, which is unique.
type Relationship struct {
	From        ColumnRef `json:"from"`        // the many side
	To          ColumnRef `json:"to"`          // the key
	Cardinality string    `json:"cardinality"` // many_to_one, one_to_one
	Orphans     int64     `json:"orphans"`     // rows of From without a partner
	Declared    bool      `json:"declared,omitempty"`
}

// Metric is a named expression over one table, usable in questions.
type Metric struct {
	Name       string   `json:"name"`
	Synonyms   []string `json:"synonyms,omitempty"`
	Table      Ref      `json:"table"`
	Expression string   `json:"expression"`
}

// RowColumn is the column that every table has: the row's number in its sheet
// (or in its file), the address of everything cited from it.
const RowColumn = "_row"

// Table returns the table of that name, or nil.
func (c *Context) Table(r Ref) *Table {
	for _, t := range c.Tables {
		if t.Ref == r {
			return t
		}
	}
	return nil
}

// Has reports whether the context holds the column.
func (c *Context) Has(r ColumnRef) bool {
	t := c.Table(r.Ref)
	return t != nil && t.Column(r.Column) != nil
}

// Column returns the column of that SQL name, or nil.
func (t *Table) Column(name string) *Column {
	for _, c := range t.Columns {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// Label is how people call the table: its title, else its sheet, else its name.
func (t *Table) Label() string {
	switch {
	case t.Title != "":
		return t.Title
	case t.Sheet != "":
		return t.Sheet
	}
	return t.Table
}
