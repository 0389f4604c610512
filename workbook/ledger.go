package workbook

// Ledger is what a load saw, kept, skipped and rejected. Per sheet, rows kept +
// rows skipped + rows rejected = rows in the source.
type Ledger struct {
	File      string        `json:"file"`   // base name of the source
	Format    string        `json:"format"` // xlsx, csv, parquet, json …
	SHA256    string        `json:"sha256"`
	Bytes     int64         `json:"bytes"`
	Details   []string      `json:"details,omitempty"` // encoding, delimiter, date system …, in words
	Sheets    []SheetLedger `json:"sheets"`
	Incidents []Incident    `json:"incidents,omitempty"`
}

// SheetLedger accounts for every row of one sheet.
type SheetLedger struct {
	Name      string        `json:"name"`
	Hidden    bool          `json:"hidden,omitempty"`
	Rows      int64         `json:"rows"` // rows of the source, up to the last that holds anything
	Kept      int64         `json:"kept"`
	Skipped   []Skip        `json:"skipped,omitempty"`
	Rejected  int64         `json:"rejected"`
	Tables    []TableLedger `json:"tables,omitempty"`
	Incidents []Incident    `json:"incidents,omitempty"`
}

// Skip is a run of rows that are no rows of a table, with the reason: blank,
// title, header, note, total, subtotal, repeated header.
type Skip struct {
	First  int    `json:"first"`
	Last   int    `json:"last"`
	Reason string `json:"reason"`
	Text   string `json:"text,omitempty"`
}

// TableLedger is what became of one table.
type TableLedger struct {
	Table    string         `json:"table"`
	Range    string         `json:"range,omitempty"`
	Rows     int64          `json:"rows"`
	Rejected []RejectedCell `json:"rejected,omitempty"` // the first 1,000, by address
	// RejectedCells counts all, the listed and the rest.
	RejectedCells int64 `json:"rejected_cells"`
}

// RejectedCell is a cell that is NULL in its typed column and kept here.
type RejectedCell struct {
	Cell   string `json:"cell"` // A1
	Column string `json:"column"`
	Text   string `json:"text"`
	Reason string `json:"reason"`
}

// Incident is something that a reader should know: a formula without a cached
// value, a picture of a table, an external link, a hidden sheet.
type Incident struct {
	Where string `json:"where,omitempty"` // sheet!cell, or line of a text file
	Code  string `json:"code"`
	Text  string `json:"text"`
}

// Balanced reports whether every row of the sheet is accounted for.
func (s *SheetLedger) Balanced() bool {
	n := s.Kept + s.Rejected
	for _, k := range s.Skipped {
		n += int64(k.Last - k.First + 1)
	}
	return n == s.Rows
}
