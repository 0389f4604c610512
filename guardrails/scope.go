package guardrails

import (
	"cmp"

	"github.com/allrows/allrows/schema"
)

// Scope is what one principal may see in one question: the tables with their
// permitted columns and row filters, and the caps of a result. It is cut from
// the schema context by package access; a zero Scope permits nothing.
type Scope struct {
	Principal string
	Tables    []ScopeTable
	Caps      Caps

	// Relationships and Metrics over permitted columns only.
	Relationships []schema.Relationship
	Metrics       []schema.Metric
}

// ScopeTable is one permitted table.
type ScopeTable struct {
	Table    *schema.Table // the permitted columns only
	Filter   string        // a guarded predicate over the table's columns, or ""
	Required []string      // columns that every query must filter by
}

// Caps bound what a query may return. Zero values are the defaults.
type Caps struct {
	Rows  int // rows of a result; default 1000
	Bytes int // bytes of a result; default 1 MiB
	Value int // bytes of one value; default 64 KiB
}

// Context returns the schema context as the scope shows it.
func (s *Scope) Context() *schema.Context {
	c := &schema.Context{Relationships: s.Relationships, Metrics: s.Metrics}
	for _, t := range s.Tables {
		c.Tables = append(c.Tables, t.Table)
	}
	return c
}

// Defaults returns the caps with their defaults filled in.
func (c Caps) Defaults() Caps {
	return Caps{Rows: cmp.Or(c.Rows, 1000), Bytes: cmp.Or(c.Bytes, 1<<20), Value: cmp.Or(c.Value, 64<<10)}
}

// Table returns the permitted table of that name, or nil.
func (s *Scope) Table(r schema.Ref) *ScopeTable {
	for i := range s.Tables {
		if s.Tables[i].Table.Ref == r {
			return &s.Tables[i]
		}
	}
	return nil
}

// Bare reports whether the table's bare name is unique in the scope, so that it
// may stand for workbook.table.
func (s *Scope) Bare(r schema.Ref) bool {
	n := 0
	for _, t := range s.Tables {
		if same(t.Table.Table, r.Table) {
			n++
		}
	}
	return n == 1
}

// NewScope permits everything of a context: the scope of a local caller.
func NewScope(principal string, c *schema.Context) *Scope {
	s := &Scope{Principal: principal}
	for _, t := range c.Tables {
		s.Tables = append(s.Tables, ScopeTable{Table: t})
	}
	s.Relationships = c.Relationships
	s.Metrics = c.Metrics
	return s
}
