package guardrails

import "github.com/allrows/allrows/schema"

// Scope is what one principal may see in one question: the tables with their
// permitted columns and row filters, and the caps of a result. It is cut from
// the schema context by package access; a zero Scope permits nothing.
type Scope struct {
	Principal string
	Tables    []ScopeTable
	Caps      Caps
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
	c := &schema.Context{}
	for _, t := range s.Tables {
		c.Tables = append(c.Tables, t.Table)
	}
	return c
}
