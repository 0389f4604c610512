package kb

import (
	"sort"
	"strings"

	"github.com/allrows/allrows/schema"
	"github.com/allrows/allrows/workbook"
)

// What a value index holds at most. What does not fit is left out by whole
// columns, and [Values.Unindexed] names them.
const (
	maxValueBytes     = 200      // a longer value is prose
	maxColumnValues   = 50_000   // distinct values of a column
	maxColumnBytes    = 4 << 20  // their text
	maxTableBytes     = 16 << 20 // of all columns
	valuesMagic       = "allrows values 1\n"
	longestValueWords = 24
)

// columnValues are the distinct values of a text column, ascending, with the
// rows that hold them.
type columnValues struct {
	column string
	values []string
	rows   []int64
}

// valuesBuilder counts the distinct values of a table's text columns.
type valuesBuilder struct {
	table *schema.Table
	cols  []valueCounter
	bytes int
}

type valueCounter struct {
	at    int // column of the table
	seen  map[string]int64
	bytes int
	full  bool // does not fit, or holds prose
}

func newValuesBuilder(t *schema.Table) *valuesBuilder {
	b := &valuesBuilder{table: t}
	for i, c := range t.Columns {
		if c.Type.Kind == workbook.Text && c.Type.Name == "" || c.Type.Name == "VARCHAR" {
			b.cols = append(b.cols, valueCounter{at: i, seen: map[string]int64{}})
		}
	}
	return b
}

func (b *valuesBuilder) row(values []string) {
	for i := range b.cols {
		c := &b.cols[i]
		v := values[c.at]
		if c.full || strings.TrimSpace(v) == "" {
			continue
		}
		n, known := c.seen[v]
		if !known {
			if len(v) > maxValueBytes || len(c.seen) >= maxColumnValues || c.bytes+len(v) > maxColumnBytes || b.bytes+len(v) > maxTableBytes {
				b.bytes -= c.bytes
				c.full, c.seen = true, nil
				continue
			}
			v = strings.Clone(v)
			c.bytes += len(v)
			b.bytes += len(v)
		}
		c.seen[v] = n + 1
	}
}

// done returns the bytes of the values file.
func (b *valuesBuilder) done() []byte {
	e := newEncoder(valuesMagic)
	e.str(b.table.Workbook)
	e.str(b.table.Table)
	var unindexed []string
	var cols []columnValues
	for _, c := range b.cols {
		name := b.table.Columns[c.at].Name
		if c.full {
			unindexed = append(unindexed, name)
			continue
		}
		col := columnValues{column: name}
		for v := range c.seen {
			col.values = append(col.values, v)
		}
		sort.Strings(col.values)
		for _, v := range col.values {
			col.rows = append(col.rows, c.seen[v])
		}
		cols = append(cols, col)
	}
	e.strs(unindexed)
	e.num(len(cols))
	for _, c := range cols {
		e.str(c.column)
		e.strs(c.values)
		e.i64s(c.rows)
	}
	return e.finish()
}
