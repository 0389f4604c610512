package schema

// ValueMatch is one distinct value of one column that a phrase may name.
type ValueMatch struct {
	Column ColumnRef
	Value  string  // as the cell has it
	Rows   int64   // rows that hold it
	Score  float64 // 1 exact; below by how far the phrase is from the value
	How    string  // exact, folded, tokens, part, fuzzy
}
