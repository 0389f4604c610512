package kb

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/allrows/allrows/schema"
)

// maxRelated bounds the rows of one related table that an entity shows.
const maxRelated = 20

// Entity puts together what all related tables in scope say of one row: the row
// itself, the rows that point to it, and the rows that it points to, along the
// context's relationships. Rows is filled with the row's own number. It is
// made when asked, so it is as fresh and as narrow as the tables passed; tables
// that have no row chunks are named and left to SQL.
func (s *Store) Entity(ctx context.Context, c *schema.Context, ref schema.Ref, row int64) (Chunk, error) {
	t := c.Table(ref)
	if t == nil {
		return Chunk{}, fmt.Errorf("kb: entity of %s: no such table in scope", ref)
	}
	x, err := s.chunks(ctx, t)
	if err != nil {
		return Chunk{}, err
	}
	doc := slices.Index(x.numbers, row)
	if doc < 0 {
		return Chunk{}, fmt.Errorf("kb: entity of %s: row %d is not in the index", ref, row)
	}
	var b strings.Builder
	b.WriteString(deliveredRow(t, row, x.values(doc, newTableView(t, x.columns))))
	for _, r := range c.Relationships {
		near, far := r.To, r.From
		if far.Ref == ref && near.Ref != ref {
			near, far = r.From, r.To
		}
		if near.Ref != ref || c.Table(far.Ref) == nil {
			continue
		}
		col := slices.Index(x.columns, near.Column)
		if col < 0 || t.Column(near.Column) == nil {
			continue
		}
		text, err := s.related(ctx, c.Table(far.Ref), far.Column, x.cells.cell(doc, col))
		if err != nil {
			return Chunk{}, err
		}
		b.WriteString(text)
	}
	return Chunk{ID: fmt.Sprintf("%s/%s/%d", ref, Entity, row), Ref: ref, Kind: Entity, Sheet: t.Sheet, FirstRow: row, LastRow: row,
		Rows: []int64{row}, Text: b.String()}, nil
}

// values returns a kept row's values in the order of the caller's columns.
func (x *tableIndex) values(doc int, v *tableView) []string {
	out := make([]string, len(v.table.Columns))
	for col, slot := range v.slots {
		if slot >= 0 {
			out[slot] = x.cells.cell(doc, col)
		}
	}
	return out
}

// related renders the rows of a table that have the value in the column.
func (s *Store) related(ctx context.Context, t *schema.Table, column, value string) (string, error) {
	if t.Column(column) == nil || value == "" {
		return "", nil
	}
	x, err := s.chunks(ctx, t)
	if err != nil {
		return "", err
	}
	col := slices.Index(x.columns, column)
	if len(x.numbers) == 0 || col < 0 {
		return fmt.Sprintf("\n%s: call run_sql on %s where %s is %s.", t.Label(), t.Ref, header(t.Column(column)), value), nil
	}
	var b strings.Builder
	view := newTableView(t, x.columns)
	n := 0
	for doc := range x.numbers {
		if x.cells.cell(doc, col) != value {
			continue
		}
		if n++; n > maxRelated {
			continue
		}
		fmt.Fprintf(&b, "\nRow %d", x.numbers[doc])
		for i, v := range x.values(doc, view) {
			if c := t.Columns[i]; v != "" && c.Name != column {
				fmt.Fprintf(&b, "; %s: %s", header(c), withUnit(v, c))
			}
		}
	}
	if n == 0 {
		return "", nil
	}
	head := fmt.Sprintf("\n%s (%s), %s:", t.Label(), place(t), count(int64(n), "row"))
	if n > maxRelated {
		head = fmt.Sprintf("\n%s (%s), the first %d of %s:", t.Label(), place(t), maxRelated, count(int64(n), "row"))
	}
	return head + b.String(), nil
}
