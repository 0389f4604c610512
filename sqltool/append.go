package sqltool

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/allrows/allrows/schema"
	"github.com/allrows/allrows/workbook"
)

// Base is the version that a load appends its source to.
type Base struct {
	Path   string          `json:"path"` // of its tables
	Tables []*schema.Table `json:"tables"`
}

// BaseOf describes a version as the base of a load.
func BaseOf(v Version) *Base { return &Base{Path: filepath.Join(v.Dir, tablesFile), Tables: v.Tables} }

// baseAlias is the name that a base has in the loading engine.
const baseAlias = "earlier"

// append joins the tables of the base with those that were read: rows of the base
// first, those of the source numbered on from them. Where the shapes differ, the
// report says how and the tables hold what both have and what one has.
func (w *worker) append(ctx context.Context, db *tablesDB, r *LoadRequest, report *LoadReport) error {
	read := report.Tables
	report.Tables, report.Rows = nil, 0
	used := map[*schema.Table]bool{}
	for _, old := range r.Base.Tables {
		added := partner(old, r.Base.Tables, read)
		if added == nil {
			report.drift("table %s is not in %s", old.Table, r.Names[0])
		}
		used[added] = true
		w.progress(Progress{Phase: "joining", Table: old.Table})
		t, err := db.join(ctx, old, added, report)
		if err != nil {
			return fmt.Errorf("appending to table %s: %w", old.Ref, err)
		}
		report.Tables, report.Rows = append(report.Tables, t), report.Rows+t.Rows
	}
	for _, t := range read {
		if !used[t] {
			report.drift("table %s of %s is new", t.Table, r.Names[0])
			report.Tables, report.Rows = append(report.Tables, t), report.Rows+t.Rows
		}
	}
	return nil
}

func (r *LoadReport) drift(format string, args ...any) {
	r.Drift = append(r.Drift, fmt.Sprintf(format, args...))
}

// partner is the table that was read for an old one: by name, or the only one for
// the only one.
func partner(old *schema.Table, all, read []*schema.Table) *schema.Table {
	for _, t := range read {
		if t.Table == old.Table {
			return t
		}
	}
	if len(all) == 1 && len(read) == 1 {
		return read[0]
	}
	return nil
}

// join makes the table of old and added rows.
func (d *tablesDB) join(ctx context.Context, old, added *schema.Table, report *LoadReport) (*schema.Table, error) {
	source := baseAlias + ".main." + ident(old.Table)
	if added == nil {
		_, err := d.conn.ExecContext(ctx, "CREATE TABLE "+ident(old.Table)+" AS FROM "+source)
		return old, err
	}
	t := &workbook.Table{Name: old.Table, Title: old.Title, Sheet: old.Sheet, Notes: slices.Concat(old.Notes, added.Notes), Questions: joinQuestions(old, added)}
	var left, right []string
	for _, c := range joinColumns(old, added, report) {
		t.Columns = append(t.Columns, c.Column)
		left, right = append(left, castOr(c.old, c.Type)), append(right, castOr(c.added, c.Type))
	}
	parts, err := d.parts(ctx, source, old, added)
	if err != nil {
		return nil, err
	}
	const fresh = "appended rows"
	for _, stmt := range []string{
		fmt.Sprintf("ALTER TABLE %s RENAME TO %s", ident(added.Table), ident(fresh)),
		fmt.Sprintf("CREATE TABLE %s AS SELECT %s, %s FROM %s UNION ALL SELECT %s + %d, %s FROM %s", ident(t.Name), schema.RowColumn, asNames(left, t.Columns), source,
			schema.RowColumn, parts[len(parts)-1].Shift, asNames(right, t.Columns), ident(fresh)),
		"DROP TABLE " + ident(fresh),
	} {
		if _, err := d.conn.ExecContext(ctx, stmt); err != nil {
			return nil, err
		}
	}
	if err := d.comment(ctx, t); err != nil {
		return nil, err
	}
	st, err := d.profile(ctx, t, old.Ref)
	if err != nil {
		return nil, err
	}
	st.Parts, st.File, st.Description, st.Synonyms = parts, parts[0].File, old.Description, old.Synonyms
	return st, nil
}

// parts says which rows of the joined table are whose.
func (d *tablesDB) parts(ctx context.Context, source string, old, added *schema.Table) ([]schema.Part, error) {
	extent := func(from string) (first, last int64, err error) {
		err = d.conn.QueryRowContext(ctx, "SELECT coalesce(min("+schema.RowColumn+"), 1), coalesce(max("+schema.RowColumn+"), 0) FROM "+from).Scan(&first, &last)
		return first, last, err
	}
	first, last, err := extent(source)
	if err != nil {
		return nil, err
	}
	parts := slices.Clone(old.Parts)
	if len(parts) == 0 {
		parts = []schema.Part{{File: old.File, Sheet: old.Sheet, First: first, Last: last}}
	}
	shift := last
	if first, last, err = extent(ident(added.Table)); err != nil {
		return nil, err
	}
	return append(parts, schema.Part{File: added.File, Sheet: added.Sheet, First: first + shift, Last: last + shift, Shift: shift}), nil
}

// joinQuestions keeps what both tables leave open. A printed total covers the rows
// of its own file, so one that differs is said in words and no longer checked.
func joinQuestions(old, added *schema.Table) []string {
	out := slices.Clone(old.Questions)
	for _, t := range []*schema.Table{old, added} {
		for _, c := range t.Checks {
			if !c.Agrees {
				out = append(out, fmt.Sprintf("%s: the printed total of %s is %s, but its rows add up to %s", t.File, c.Column, c.Printed, c.Computed))
			}
		}
	}
	for _, q := range added.Questions {
		if !slices.Contains(out, q) {
			out = append(out, q)
		}
	}
	return out
}

// joined is a column of the joined table and those it comes from, nil where a side
// has none.
type joined struct {
	workbook.Column
	old, added *schema.Column
}

// joinColumns pairs columns by name and reports those that differ.
func joinColumns(old, added *schema.Table, report *LoadReport) []joined {
	var out []joined
	for _, o := range old.Columns {
		j := joined{Column: o.Column, old: o, added: added.Column(o.Name)}
		if j.added == nil {
			report.drift("column %q of table %s is not in %s", o.Header, old.Table, added.File)
		} else {
			j.settle(old, added, report)
		}
		out = append(out, j)
	}
	for _, a := range added.Columns {
		if old.Column(a.Name) == nil {
			report.drift("column %q of %s is new in table %s", a.Header, added.File, old.Table)
			out = append(out, joined{Column: a.Column, added: a})
		}
	}
	return out
}

// settle decides type and unit of a column that both have.
func (j *joined) settle(old, added *schema.Table, report *LoadReport) {
	a, b := j.old, j.added
	j.Rejected += b.Rejected
	j.Decimals = max(a.Decimals, b.Decimals)
	if a.Letter != b.Letter {
		j.Letter = ""
	}
	switch wide, ok := workbook.Wider(a.Type, b.Type); {
	case a.Type.SQL() == b.Type.SQL(), b.Profile.Nulls == added.Rows:
	case a.Profile.Nulls == old.Rows:
		j.Type = b.Type
	case ok:
		j.Type = wide
	default:
		report.drift("column %q of table %s is %s in %s and was %s", a.Header, old.Table, b.Type.SQL(), added.File, a.Type.SQL())
		j.Type = workbook.Type{Kind: workbook.Text}
	}
	switch {
	case sameUnit(a.Unit, b.Unit), b.Profile.Nulls == added.Rows:
	case a.Profile.Nulls == old.Rows:
		j.Unit = b.Unit
	default:
		report.drift("column %q of table %s is in %s in %s and was in %s", a.Header, old.Table, unitName(b.Unit), added.File, unitName(a.Unit))
		j.Unit = workbook.Unit{Mixed: slices.Compact(slices.Sorted(slices.Values([]string{unitName(a.Unit), unitName(b.Unit)})))}
	}
	if !j.Type.Numeric() {
		j.Unit = workbook.Unit{}
	}
}

func sameUnit(a, b workbook.Unit) bool {
	same := a.Code == b.Code && (a.Code != "" || a.Symbol == b.Symbol)
	return same && a.Per == b.Per && max(a.Scale, 1) == max(b.Scale, 1) && slices.Equal(a.Mixed, b.Mixed)
}

// unitName is a unit in a word.
func unitName(u workbook.Unit) string {
	name := u.Code
	switch {
	case len(u.Mixed) > 0:
		name = strings.Join(u.Mixed, " and ")
	case name == "":
		name = u.Symbol
	}
	if name == "" {
		name = "plain numbers"
	}
	if u.Per != "" {
		name += "/" + u.Per
	}
	if u.Scale > 1 {
		name += fmt.Sprintf(" (in units of %d)", u.Scale)
	}
	return name
}

// castOr is a column in the joined type, NULL where the side has none.
func castOr(c *schema.Column, t workbook.Type) string {
	from := "NULL"
	if c != nil {
		from = ident(c.Name)
	}
	return "CAST(" + from + " AS " + t.SQL() + ")"
}

func asNames(exprs []string, columns []workbook.Column) string {
	out := make([]string, len(exprs))
	for i, e := range exprs {
		out[i] = e + " AS " + ident(columns[i].Name)
	}
	return strings.Join(out, ", ")
}
