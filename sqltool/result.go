package sqltool

import "github.com/allrows/allrows/schema"

// Result is what a query returned.
//
// A value of Rows is nil (NULL), bool, int64 (within 2^53), float64, string, or
// []any and map[string]any of these. DECIMAL, wider integers, dates, times,
// and the floats NaN and Infinity are strings in exact ISO 8601 or digit form,
// so that a Result is the same in memory and as JSON.
type Result struct {
	Columns   []ResultColumn `json:"columns"`
	Rows      [][]any        `json:"rows"`
	Truncated bool           `json:"truncated"`
	Limit     int            `json:"limit"`         // the row cap that applied
	Why       string         `json:"why,omitempty"` // why it was cut: rows, bytes or value
	Tables    []schema.Ref   `json:"tables"`        // what the query read
	Engine    EngineTime     `json:"-"`             // where the time went
}

// ResultColumn is one column of a result with DuckDB's type name.
type ResultColumn struct {
	Name string `json:"name"`
	Type string `json:"type"` // DECIMAL(9,2), BIGINT, DATE …
}

// EngineTime splits a query's time, in microseconds.
type EngineTime struct {
	Queue, IPC, Engine int64
}
