package sqltool

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/allrows/allrows/guardrails"
	"github.com/allrows/allrows/schema"
	"github.com/allrows/allrows/workbook"
)

// exactRows is the size of a table up to which everything is counted one by one.
// Above it DuckDB's HyperLogLog estimates distinct values first; columns with few of
// them, and those that may be keys, are counted after all.
const (
	exactRows   = 2_000_000
	fewDistinct = 100_000
	keyShare    = 0.8 // of the rows: an estimate that may be a key's
)

// topValues is how many frequent values a profile keeps.
const topValues = 20

// noCaps are for our own small questions.
var noCaps = guardrails.Caps{Rows: 1 << 30, Bytes: 1 << 30, Value: 4096}

// profile measures every column of a table.
func (d *tablesDB) profile(ctx context.Context, t *workbook.Table, ref schema.Ref) (*schema.Table, error) {
	st := &schema.Table{
		Ref: ref, Sheet: t.Sheet, Title: t.Title, Range: t.Range,
		Notes: t.Notes, Checks: t.Checks, Questions: t.Questions,
	}
	for _, c := range t.Columns {
		st.Columns = append(st.Columns, &schema.Column{Column: c})
	}
	if err := d.measure(ctx, st); err != nil {
		return nil, err
	}
	for _, c := range st.Columns {
		if err := d.recount(ctx, st, c); err != nil {
			return nil, err
		}
		if !frequent(st, c) {
			continue
		}
		if err := d.top(ctx, st, c); err != nil {
			return nil, err
		}
	}
	return st, nil
}

// frequent reports whether a column has values worth listing by how often they occur.
func frequent(st *schema.Table, c *schema.Column) bool {
	switch {
	case c.Profile.Distinct == 0 || c.Type.Kind == workbook.Other:
		return false
	case st.Rows > exactRows:
		return float64(c.Profile.Distinct) < keyShare*float64(st.Rows)
	}
	return !c.Profile.Unique || c.Type.Kind == workbook.Text
}

// recount replaces an estimate of distinct values by their number where it is cheap
// or tells a key.
func (d *tablesDB) recount(ctx context.Context, st *schema.Table, c *schema.Column) error {
	p := &c.Profile
	if !p.Sampled || p.Distinct > fewDistinct && (p.Nulls > 0 || float64(p.Distinct) < keyShare*float64(st.Rows)) {
		return nil
	}
	res, err := d.ask(ctx, fmt.Sprintf("SELECT count(DISTINCT %s) FROM %s", ident(c.Name), ident(st.Table)))
	if err != nil {
		return err
	}
	p.Distinct, _ = res.Rows[0][0].(int64)
	p.Unique = p.Nulls == 0 && p.Distinct == st.Rows
	p.Sampled = false
	return nil
}

// measuredAtOnce is how many columns one statement measures: each of them holds
// hash tables of its own in memory until the statement ends.
const measuredAtOnce = 64

// measure fills rows, nulls, distinct, min, max and mean.
func (d *tablesDB) measure(ctx context.Context, st *schema.Table) error {
	count, err := d.ask(ctx, "SELECT count(*) FROM "+ident(st.Table))
	if err != nil {
		return err
	}
	st.Rows, _ = count.Rows[0][0].(int64)
	for cols := range slices.Chunk(st.Columns, measuredAtOnce) {
		if err := d.measureColumns(ctx, st, cols); err != nil {
			return err
		}
	}
	return nil
}

// measureColumns measures some columns of a table in one pass.
func (d *tablesDB) measureColumns(ctx context.Context, st *schema.Table, cols []*schema.Column) error {
	distinct := "count(DISTINCT %s)"
	if st.Rows > exactRows {
		distinct = "approx_count_distinct(%s)"
	}
	var parts []string
	for _, c := range cols {
		q := ident(c.Name)
		parts = append(parts, "count("+q+")", fmt.Sprintf(distinct, q))
		if c.Type.Kind == workbook.Other {
			parts = append(parts, "NULL", "NULL", "NULL")
			continue
		}
		mean := "NULL"
		if c.Type.Numeric() {
			mean = "avg(" + q + ")"
		}
		parts = append(parts, "min("+q+")", "max("+q+")", mean)
	}
	res, err := d.ask(ctx, "SELECT "+strings.Join(parts, ", ")+" FROM "+ident(st.Table))
	if err != nil {
		return err
	}
	for i, c := range cols {
		v := res.Rows[0][i*5 : i*5+5]
		filled, _ := v[0].(int64)
		p := &c.Profile
		p.Nulls = st.Rows - filled
		p.Distinct, _ = v[1].(int64)
		p.Sampled = st.Rows > exactRows
		p.Unique = p.Nulls == 0 && p.Distinct == st.Rows && st.Rows > 0 && !p.Sampled
		p.Min, p.Max = text(v[2]), text(v[3])
		if f, ok := v[4].(float64); ok {
			p.Mean = &f
		}
	}
	return nil
}

// top fills the most frequent values.
func (d *tablesDB) top(ctx context.Context, st *schema.Table, c *schema.Column) error {
	q := ident(c.Name)
	res, err := d.ask(ctx, fmt.Sprintf("SELECT %s, count(*) AS n FROM %s WHERE %s IS NOT NULL GROUP BY 1 ORDER BY n DESC, 1 LIMIT %d",
		q, ident(st.Table), q, topValues))
	if err != nil {
		return err
	}
	for _, r := range res.Rows {
		n, _ := r[1].(int64)
		c.Profile.Top = append(c.Profile.Top, schema.ValueCount{Value: text(r[0]), Rows: n})
	}
	return nil
}

// ask runs one of our own statements.
func (d *tablesDB) ask(ctx context.Context, q string) (*Result, error) {
	var res *Result
	err := d.conn.Raw(func(any) (err error) {
		res, err = d.engine.collect(ctx, q, noCaps)
		return err
	})
	return res, err
}
