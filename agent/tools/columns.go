package tools

import (
	"strings"

	"github.com/allrows/allrows/agent/plan"
	"github.com/allrows/allrows/sqltool"
	"github.com/allrows/allrows/workbook"
)

// engineColumns is the meaning of columns of which only the engine's type is
// known: those of a statement that a model or a person wrote.
func engineColumns(r *sqltool.Result) []plan.Column {
	out := make([]plan.Column, len(r.Columns))
	for i, c := range r.Columns {
		out[i] = plan.Column{Name: c.Name, Label: c.Name, Role: "measure", Type: workbook.Type{Kind: kindOf(c.Type), Name: c.Type}, Decimals: -1}
		if out[i].Type.Kind == workbook.Int {
			out[i].Decimals = 0
		}
	}
	return out
}

// kindOf is the family of a DuckDB type.
func kindOf(duck string) workbook.Kind {
	base, _, _ := strings.Cut(strings.ToUpper(duck), "(")
	if strings.HasSuffix(duck, "]") {
		return workbook.Other
	}
	switch base {
	case "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT":
		return workbook.Int
	case "DECIMAL":
		return workbook.Decimal
	case "FLOAT", "DOUBLE":
		return workbook.Float
	case "DATE":
		return workbook.Date
	case "TIME":
		return workbook.Time
	case "TIMESTAMP", "TIMESTAMP WITH TIME ZONE", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS":
		return workbook.Timestamp
	case "BOOLEAN":
		return workbook.Bool
	case "VARCHAR":
		return workbook.Text
	}
	return workbook.Other
}
