package kb

import (
	"fmt"
	"strings"

	"github.com/allrows/allrows/schema"
	"github.com/allrows/allrows/workbook"
)

// Strategy says which kinds of chunk a table gets. The zero value is auto:
// chosen from the table's profile.
type Strategy struct {
	Kinds     []Kind // of Row, Group, Parent; Schema and Summary are always made
	GroupBy   string // SQL name of the column that groups share; "" chooses one
	Partition string // SQL name of the column that parents are of; "" chooses one
}

// TablePlan is what a table's index will hold, and why, before it is built.
type TablePlan struct {
	Ref       schema.Ref `json:"ref"`
	Rows      int64      `json:"rows"`
	Kinds     []Kind     `json:"kinds"`
	GroupBy   string     `json:"group_by,omitempty"`
	Partition string     `json:"partition,omitempty"`
	Chunks    int64      `json:"chunks"` // an estimate
	Tokens    int64      `json:"tokens"` // an estimate, stored
	Why       []string   `json:"why"`
}

// Group sizes, and how many rows a table may have for them.
const (
	minGroupRows  = 3
	maxGroupRows  = 10
	maxPartitions = 50
)

// Plan chooses the kinds of chunk of a table from its row count, keys and
// groupings, or takes what a person set for it.
func (s *Store) Plan(t *schema.Table) TablePlan {
	set := s.cfg.Strategies[t.Ref]
	p := TablePlan{Ref: t.Ref, Rows: t.Rows}
	want := func(k Kind) bool {
		for _, w := range set.Kinds {
			if w == k {
				return true
			}
		}
		return len(set.Kinds) == 0
	}
	rowTokens := max(8, int64(len(t.Columns))*5)
	add := func(k Kind, chunks, tokens int64, why string) {
		p.Kinds = append(p.Kinds, k)
		p.Chunks, p.Tokens, p.Why = p.Chunks+chunks, p.Tokens+tokens, append(p.Why, why)
	}
	switch {
	case t.Rows > s.cfg.RowChunks:
		p.Why = append(p.Why, fmt.Sprintf("no row chunks: %d rows are more than %d, so single rows are found by SQL", t.Rows, s.cfg.RowChunks))
	case want(Row):
		add(Row, t.Rows, t.Rows*rowTokens, fmt.Sprintf("row: %d rows are at most %d", t.Rows, s.cfg.RowChunks))
	}
	if c := t.Column(set.GroupBy); want(Group) && t.Rows <= s.cfg.GroupRows {
		if c == nil {
			c = groupColumn(t)
		}
		if c != nil && c.Profile.Distinct > 0 {
			p.GroupBy = c.Name
			add(Group, c.Profile.Distinct, t.Rows*rowTokens, fmt.Sprintf("group by %s: %d groups of about %d rows",
				header(c), c.Profile.Distinct, t.Rows/c.Profile.Distinct))
		}
	}
	if c := t.Column(set.Partition); want(Parent) && t.Rows <= s.cfg.GroupRows {
		if c == nil {
			c = partitionColumn(t)
		}
		if c != nil && c.Profile.Distinct > 0 {
			p.Partition = c.Name
			add(Parent, c.Profile.Distinct, c.Profile.Distinct*rowTokens*2, fmt.Sprintf("parent by %s: %d partitions of about %d rows",
				header(c), c.Profile.Distinct, t.Rows/c.Profile.Distinct))
		}
	}
	add(Schema, 1, rowTokens*3, "schema: always")
	add(Summary, 1, rowTokens*3, "summary: always")
	return p
}

// shares reports whether nearly all rows have a value of the column, and the
// value is a name that people would group by.
func shares(c *schema.Column, rows int64) bool {
	p := c.Profile
	return !p.Unique && p.Distinct >= 2 && p.Nulls*20 <= rows && strings.TrimSpace(header(c)) != "" &&
		(c.Type.Kind == workbook.Text || c.Type.Kind == workbook.Int && c.Unit.Zero())
}

// groupColumn is the column whose values are shared by 3 to 10 rows each: text
// before numbers, even groups before uneven ones, the left one first.
func groupColumn(t *schema.Table) *schema.Column {
	return bestColumn(t, func(c *schema.Column) (float64, bool) {
		d := c.Profile.Distinct
		if !shares(c, t.Rows) || t.Rows < minGroupRows*d || t.Rows > maxGroupRows*d {
			return 0, false
		}
		uneven := 1.0
		if len(c.Profile.Top) > 0 {
			uneven = float64(c.Profile.Top[0].Rows) * float64(d) / float64(t.Rows)
		}
		return uneven, uneven <= 3
	})
}

// partitionColumn is the column that splits a table into few big parts.
func partitionColumn(t *schema.Table) *schema.Column {
	return bestColumn(t, func(c *schema.Column) (float64, bool) {
		d := c.Profile.Distinct
		if !shares(c, t.Rows) || c.Type.Kind != workbook.Text || d > maxPartitions || t.Rows <= maxGroupRows*d {
			return 0, false
		}
		return float64(d), true
	})
}

func bestColumn(t *schema.Table, cost func(*schema.Column) (float64, bool)) *schema.Column {
	var best *schema.Column
	low := 0.0
	for _, c := range t.Columns {
		x, ok := cost(c)
		if c.Type.Kind != workbook.Text {
			x += 100
		}
		if ok && (best == nil || x < low) {
			best, low = c, x
		}
	}
	return best
}
