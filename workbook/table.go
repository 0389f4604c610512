package workbook

import (
	"iter"
	"strconv"
)

// Kind is the family of values that a column holds.
type Kind string

// The kinds of a column. Other is a type that only DuckDB-read sources
// (parquet, json) bring: lists, structs, blobs; its name is in [Type].
const (
	Text      Kind = "text"
	Bool      Kind = "bool"
	Int       Kind = "int"
	Decimal   Kind = "decimal"
	Float     Kind = "float"
	Date      Kind = "date"
	Time      Kind = "time"
	Timestamp Kind = "timestamp"
	Other     Kind = "other"
)

// Type is the one type of a column.
type Type struct {
	Kind  Kind   `json:"kind"`
	Width int    `json:"width,omitempty"` // decimal digits in all, at most 38
	Scale int    `json:"scale,omitempty"` // decimal digits after the point
	Name  string `json:"name,omitempty"`  // DuckDB's name, for Other and for integers that are not BIGINT
}

// SQL returns the DuckDB type, such as DECIMAL(9,2).
func (t Type) SQL() string {
	if t.Name != "" {
		return t.Name
	}
	switch t.Kind {
	case Bool:
		return "BOOLEAN"
	case Int:
		return "BIGINT"
	case Decimal:
		return "DECIMAL(" + strconv.Itoa(t.Width) + "," + strconv.Itoa(t.Scale) + ")"
	case Float:
		return "DOUBLE"
	case Date:
		return "DATE"
	case Time:
		return "TIME"
	case Timestamp:
		return "TIMESTAMP"
	}
	return "VARCHAR"
}

// Numeric reports whether values of the type can be added and averaged.
func (t Type) Numeric() bool { return t.Kind == Int || t.Kind == Decimal || t.Kind == Float }

// Temporal reports whether values of the type are dates or timestamps.
func (t Type) Temporal() bool { return t.Kind == Date || t.Kind == Timestamp }

// Unit says what one of a column's numbers means. A percent is stored as the
// number people read (12% is 12, symbol "%").
type Unit struct {
	Symbol string   `json:"symbol,omitempty"` // as people write it: "%", "$", "€", "kg", "USD billion"
	Code   string   `json:"code,omitempty"`   // ISO 4217 for money ("USD"), "percent" for percent
	Per    string   `json:"per,omitempty"`    // "month" in €/month, in the source's own word
	Scale  int64    `json:"scale,omitempty"`  // what one stored unit stands for (1000000 in "EUR millions"); 0 is 1
	Prefix bool     `json:"prefix,omitempty"` // the symbol stands before the figure
	Mixed  []string `json:"mixed,omitempty"`  // the codes found, when more than one: such a column is not summable
}

// Zero reports whether the column has no unit.
func (u Unit) Zero() bool { return u.Symbol == "" && u.Code == "" && u.Scale == 0 && len(u.Mixed) == 0 }

// Column is one column of a table.
type Column struct {
	Name     string   `json:"name"`               // safe SQL name, unique in its table: "min_order_usd"
	Header   string   `json:"header"`             // as written: "Min order USD"
	Path     []string `json:"path,omitempty"`     // header path of several header rows: ["2024", "Q1"]
	Type     Type     `json:"type"`               //
	Unit     Unit     `json:"unit"`               //
	Decimals int      `json:"decimals,omitempty"` // decimals that the source shows
	Letter   string   `json:"letter,omitempty"`   // column of the sheet, for citations: "D"; "" where there is no sheet
	Locale   string   `json:"locale,omitempty"`   // how numbers were read: "1,234.5" or "1.234,5"
	Evidence string   `json:"evidence,omitempty"` // why the type, unit and locale were chosen, in words
	Rejected int64    `json:"rejected,omitempty"` // cells that became NULL and are listed in the ledger
}

// Note is a line of prose that belongs to a table: caption, footnote, source.
type Note struct {
	Row  int    `json:"row"`
	Text string `json:"text"`
}

// Check is a printed total held against the column's own sum.
type Check struct {
	Row      int    `json:"row"`      // row of the sheet that holds the total
	Label    string `json:"label"`    // "Total"
	Column   string `json:"column"`   // SQL name
	Cell     string `json:"cell"`     // A1
	Printed  string `json:"printed"`  // the exact figure that the sheet shows, plain digits
	Computed string `json:"computed"` // the exact sum of the rows it covers, plain digits
	Agrees   bool   `json:"agrees"`
}

// Scan is a source that DuckDB reads itself in the loading worker, because it
// may be bigger than memory: parquet, json and large csv.
type Scan struct {
	Reader  string         `json:"reader"`            // read_parquet, read_json, read_csv
	Options map[string]any `json:"options,omitempty"` // named arguments; every value is a constant
}

// Table is one table found in a workbook. Its rows come from memory (Rows) or,
// where Scan is set, from DuckDB's own reader.
type Table struct {
	Name       string   `json:"name"`            // safe SQL name, unique in its workbook: "tiers"
	Title      string   `json:"title,omitempty"` // as people wrote it: "Regional discount tiers"
	Sheet      string   `json:"sheet,omitempty"` // sheet name; "" where the source has no sheets
	Range      string   `json:"range,omitempty"` // A1 range of header and rows
	HeaderRows []int    `json:"header_rows,omitempty"`
	Columns    []Column `json:"columns"`
	Notes      []Note   `json:"notes,omitempty"`
	Checks     []Check  `json:"checks,omitempty"`
	Questions  []string `json:"questions,omitempty"` // what the sheet left ambiguous and how it was read
	Scan       *Scan    `json:"scan,omitempty"`
	Turned     bool     `json:"turned,omitempty"` // fields stand down the side: rows are columns of the sheet, numbered from 1
	Wide       *Wide    `json:"wide,omitempty"`   // columns that are values of one dimension

	// Rows yields the sheet row number (from 1) and one value a column. The
	// slice is reused between rows.
	Rows iter.Seq2[int, []Value] `json:"-"`

	object string // name of the Excel table that it is
}

// Value is one cell, read in its column's type. Decimal values are the unscaled
// integer in Int with the scale of the column, or plain digits in Str where
// they are wider than 18 digits. Dates are days, timestamps microseconds, times
// microseconds of the day, all since 1970 in Int.
type Value struct {
	Null  bool
	Int   int64 // Int, Bool (0 or 1), Decimal, Date, Time, Timestamp
	Float float64
	Str   string
}

// Workbook is one source as it was read.
type Workbook struct {
	Name   string   // "pricing", safe and stable, from the file's name
	Format string   // xlsx csv parquet json …
	Tables []*Table //
	Ledger *Ledger  //
}
