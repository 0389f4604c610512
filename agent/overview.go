package agent

import (
	"slices"
	"strings"

	"github.com/allrows/allrows/agent/plan"
	"github.com/allrows/allrows/agent/tools"
	"github.com/allrows/allrows/schema"
	"github.com/allrows/allrows/workbook"
)

// composeFacts says what tables hold, or the columns of one.
func (r *run) composeFacts() {
	r.ans.Result = result(&r.out.Parts[0], r.lang)
	if r.call.Tool == "describe_table" {
		r.ans.Text = r.sayColumns(r.out.Facts[0])
		return
	}
	head := r.say("overview_head", "n", count(int64(len(r.out.Facts)), r.lang))
	if len(r.out.Facts) == 1 {
		head = r.say("overview_one")
	}
	lines := []string{head}
	for _, f := range r.out.Facts[:min(len(r.out.Facts), 20)] {
		lines = append(lines, r.sayTable(f))
	}
	r.ans.Text = strings.Join(lines, "\n")
}

// sayTable says one table in a line: what it is, its rows, and what its columns
// hold.
func (r *run) sayTable(f tools.Fact) string {
	var cols []string
	for _, c := range f.Table.Columns[:min(len(f.Table.Columns), 20)] {
		cols = append(cols, r.sayColumn(f, c))
	}
	text := r.say("table_line", "t", f.Table.Label(), "f", source(f.Table), "n", count(f.Table.Rows, r.lang), "c", capitalFirst(strings.Join(cols, ", ")))
	if f.Table.Description != "" && f.Table.Description != f.Table.Title {
		text += " " + sentence(f.Table.Description)
	}
	return text
}

// source is where a table comes from: "pricing.xlsx · Tiers".
func source(t *schema.Table) string {
	if t.Sheet == "" || t.Sheet == t.Label() {
		return t.File
	}
	return t.File + " · " + t.Sheet
}

// sayColumn says what a column holds, as far as it was measured over just the
// rows that the scope shows.
func (r *run) sayColumn(f tools.Fact, c *schema.Column) string {
	label, p := plan.ColumnLabel(c), c.Profile
	switch {
	case !f.Measured || p.Distinct == 0:
		return r.say("column_plain", "l", label)
	case c.Type.Kind == workbook.Bool:
		return r.say("column_flag", "l", label)
	case c.Type.Kind == workbook.Text && p.Distinct == f.Table.Rows && p.Distinct > listed, p.Min == "" && c.Type.Kind != workbook.Text:
		return r.say("column_plain", "l", label)
	case c.Type.Kind == workbook.Text:
		name := plural(label)
		if r.lang != "en" {
			name = label
		}
		if int(p.Distinct) > listedMany || len(p.Top) < int(p.Distinct) {
			return r.say("column_distinct", "n", count(p.Distinct, r.lang), "p", name)
		}
		var vs []string
		for _, v := range p.Top {
			vs = append(vs, v.Value)
		}
		slices.Sort(vs)
		return r.say("column_values", "n", count(p.Distinct, r.lang), "p", name, "v", strings.Join(vs, ", "))
	case c.Type.Numeric() || c.Type.Temporal():
		m := plan.SourceColumn(c)
		return r.say("column_range", "l", label, "a", plan.Format(p.Min, m, r.lang), "b", plan.Format(p.Max, m, r.lang))
	}
	return r.say("column_plain", "l", label)
}

// sayColumns names every column of a table by its header, with its kind.
func (r *run) sayColumns(f tools.Fact) string {
	var cols []string
	for _, c := range f.Table.Columns {
		kind := r.say("kind_" + string(c.Type.Kind))
		if u := tools.UnitText(c.Unit); u != "" {
			kind += ", " + u
		}
		header := strings.Join(strings.Fields(c.Header), " ")
		if header == "" {
			header = c.Name
		}
		cols = append(cols, r.say("column_desc", "l", header, "k", kind))
	}
	return r.say("columns_head", "t", f.Table.Label(), "f", source(f.Table), "n", itoa(len(f.Table.Columns)), "m", count(f.Table.Rows, r.lang), "c", strings.Join(cols, ", "))
}

func capitalFirst(s string) string {
	for i, c := range s {
		return strings.ToUpper(string(c)) + s[i+len(string(c)):]
	}
	return s
}
