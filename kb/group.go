package kb

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/allrows/allrows/schema"
	"github.com/allrows/allrows/workbook"
)

// family is the rows that share a value, in the order of the table.
type family struct {
	value string
	docs  []uint32
}

// families sorts the kept rows by their value in a column, values as they come.
func (c *cellStore) families(col int) []family {
	at := map[string]int{}
	var out []family
	for doc := range c.docs() {
		v := c.cell(doc, col)
		if v == "" {
			continue
		}
		n, ok := at[v]
		if !ok {
			n = len(out)
			at[v], out = n, append(out, family{value: v})
		}
		out[n].docs = append(out[n].docs, uint32(doc))
	}
	return out
}

// docs returns the number of rows kept.
func (c *cellStore) docs() int {
	if c.width == 0 {
		return 0
	}
	return len(c.ends) / c.width
}

// addFamilies makes the group and parent segments of the plan.
func (b *builder) addFamilies(ctx context.Context, x *tableIndex) error {
	for _, f := range []struct {
		kind   Kind
		column string
	}{{Group, b.plan.GroupBy}, {Parent, b.plan.Partition}} {
		col := slices.Index(x.columns, f.column)
		if col < 0 {
			continue
		}
		s := &segment{kind: f.kind, by: col, columns: x.columns}
		var lex lexiconBuilder
		for _, fam := range b.cells.families(col) {
			parts := [][]uint32{fam.docs}
			if f.kind == Group { // a big group is cut by whole rows that still share the value
				n := (len(fam.docs) + maxGroupRows - 1) / maxGroupRows
				parts = slices.Collect(slices.Chunk(fam.docs, (len(fam.docs)+n-1)/n))
			}
			for _, docs := range parts {
				if err := b.addFamily(ctx, s, &lex, docs); err != nil {
					return err
				}
			}
		}
		if err := b.flush(ctx, s); err != nil {
			return err
		}
		s.lex = lex.build()
		x.segments = append(x.segments, s)
	}
	return nil
}

func (b *builder) addFamily(ctx context.Context, s *segment, lex *lexiconBuilder, docs []uint32) error {
	s.members = append(s.members, docs)
	s.first, s.last = append(s.first, b.rowNumbers[docs[0]]), append(s.last, b.rowNumbers[docs[len(docs)-1]])
	view := newTableView(b.table, columnNames(b.table))
	lex.startDoc()
	if s.kind == Group {
		for _, d := range docs {
			for c := range b.table.Columns {
				lex.add(c, Lexemes(b.cells.cell(int(d), c)))
			}
		}
		return b.embed(ctx, s, familyText(s, &b.cells, b.rowNumbers, docs, view))
	}
	for c, fact := range partFacts(b.table, &b.cells, docs) {
		lex.add(c, Lexemes(fact))
		s.factEnds = append(s.factEnds, uint32(len(s.facts)+len(fact)))
		s.facts += fact
	}
	return b.embed(ctx, s, parentText(s, len(s.members)-1, &b.cells, view))
}

func columnNames(t *schema.Table) []string {
	out := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		out[i] = c.Name
	}
	return out
}

// familyText renders a group: what its rows share, then a line for each row.
func familyText(s *segment, cells *cellStore, numbers []int64, docs []uint32, v *tableView) string {
	t := v.table
	var b strings.Builder
	by := t.Columns[v.slots[s.by]]
	fmt.Fprintf(&b, "%s (%s): %s with %s %s\n", t.Label(), place(t), count(int64(len(docs)), "row"), header(by), cells.cell(int(docs[0]), s.by))
	for _, d := range docs {
		fmt.Fprintf(&b, "Row %d", numbers[d])
		for col, slot := range v.slots {
			if cell := cells.cell(int(d), col); slot >= 0 && col != s.by && cell != "" {
				fmt.Fprintf(&b, "; %s: %s", header(t.Columns[slot]), withUnit(cell, t.Columns[slot]))
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// parentText renders a partition's summary: its rows, and what each column holds there.
func parentText(s *segment, doc int, cells *cellStore, v *tableView) string {
	t, docs := v.table, s.members[doc]
	var b strings.Builder
	by := t.Columns[v.slots[s.by]]
	fmt.Fprintf(&b, "%s (%s), %s %s: %s", t.Label(), place(t), header(by), cells.cell(int(docs[0]), s.by), count(int64(len(docs)), "row"))
	facts := cellStore{width: len(s.columns), ends: s.factEnds, text: s.facts}
	for col, slot := range v.slots {
		if fact := facts.cell(doc, col); slot >= 0 && col != s.by && fact != "" {
			b.WriteString(", " + fact)
		}
	}
	fmt.Fprintf(&b, ".\nIts figures: call run_sql on %s where %s is %s.", t.Ref, header(by), cells.cell(int(docs[0]), s.by))
	return b.String()
}

// partFacts measures each column over some rows and says it as columnFact does.
func partFacts(t *schema.Table, cells *cellStore, docs []uint32) []string {
	out := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		part := &schema.Column{Column: c.Column}
		counts := map[string]int64{}
		for _, d := range docs {
			if v := cells.cell(int(d), i); v != "" {
				counts[v]++
			}
		}
		for v, n := range counts {
			part.Profile.Top = append(part.Profile.Top, schema.ValueCount{Value: v, Rows: n})
		}
		top := part.Profile.Top
		slices.SortFunc(top, func(a, b schema.ValueCount) int {
			return cmp.Or(cmp.Compare(b.Rows, a.Rows), cmp.Compare(a.Value, b.Value))
		})
		part.Profile.Distinct = int64(len(top))
		for _, v := range top {
			if part.Profile.Min == "" || before(v.Value, part.Profile.Min, c.Type) {
				part.Profile.Min = v.Value
			}
			if part.Profile.Max == "" || before(part.Profile.Max, v.Value, c.Type) {
				part.Profile.Max = v.Value
			}
		}
		if len(top) > 0 {
			out[i] = columnFact(part, int64(len(docs)))
		}
	}
	return out
}

// before orders two values of a column in their exact text form.
func before(a, b string, t workbook.Type) bool {
	if t.Numeric() {
		x, errX := strconv.ParseFloat(a, 64)
		y, errY := strconv.ParseFloat(b, 64)
		if errX == nil && errY == nil {
			return x < y
		}
	}
	return a < b
}
