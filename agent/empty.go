package agent

import (
	"slices"
	"strings"

	"github.com/allrows/allrows/agent/plan"
	"github.com/allrows/allrows/agent/tools"
	"github.com/allrows/allrows/schema"
	"github.com/allrows/allrows/workbook"
)

// emptiness is the reason of a result that holds nothing, nil where it does. A
// count of zero is an answer; an average of no rows is none.
func (r *run) emptiness(p *tools.Part) *plan.Reason {
	if p.Plan == nil {
		return nil
	}
	if len(p.Result.Rows) == 0 {
		why := r.noRows(p)
		return &why
	}
	if len(p.Result.Rows) > 1 || !p.Plan.Aggregates() || len(p.Plan.GroupBy) > 0 {
		return nil
	}
	for i, v := range p.Result.Rows[0] {
		if v != nil && p.Columns[i].Role != "key" {
			return nil
		}
	}
	for _, m := range p.Matched {
		if m.Ref == p.Plan.From && m.Rows > 0 {
			var cols []string
			for _, c := range p.Plan.Aggregated() {
				if col := r.column(c); col != nil {
					cols = append(cols, plan.ColumnLabel(col))
				}
			}
			return &plan.Reason{Code: "no_rows", Text: r.say("no_value", "n", count(m.Rows, r.lang), "t", r.label(m.Ref), "c", plan.Words(r.lang).List(cols, "and"))}
		}
	}
	why := r.noRows(p)
	return &why
}

// noRows says that nothing matches, which conditions there were, and for those
// that no row can meet what the column does hold.
func (r *run) noRows(p *tools.Part) plan.Reason {
	label := r.label(p.Plan.From)
	conds := p.Plan.Where.Conditions()
	grouped := p.Plan.Having != nil || p.Plan.Combine != nil // then no condition alone says why
	if t := r.env.Schema.Table(p.Plan.From); grouped || len(conds) == 0 && (t == nil || t.Rows > 0) {
		reading := strings.TrimSuffix(p.Plan.Reading(r.env.Schema, r.lang), "; "+plan.Words(r.lang).Say("none"))
		return plan.Reason{Code: "no_rows", Text: r.say("no_rows_reading", "a", reading)}
	}
	if len(conds) == 0 {
		return plan.Reason{Code: "no_rows", Text: r.say("no_rows_all", "t", label)}
	}
	var said []string
	for i := range conds {
		said = append(said, plan.CondReading(&conds[i], r.env.Schema, r.lang))
	}
	text := r.say("no_rows", "t", label, "c", plan.Words(r.lang).List(said, "and"))
	for i := range conds {
		if hint := r.reach(&conds[i]); hint != "" {
			text += " " + hint
		}
	}
	return plan.Reason{Code: "no_rows", Text: text}
}

// reach says what a column does hold where a condition on it lies outside.
func (r *run) reach(c *plan.Cond) string {
	if c.Left == nil || c.Left.Column == nil || len(c.Right) == 0 || c.Right[0].Literal == nil {
		return ""
	}
	ref := *c.Left.Column
	col := r.column(ref)
	if col == nil || r.hidesRows(ref.Ref) || col.Profile.Sampled {
		return ""
	}
	lit := c.Right[0].Literal.Text
	m := plan.SourceColumn(col)
	if (col.Type.Numeric() || col.Type.Temporal()) && outside(lit, col) {
		return r.say("no_rows_range", "l", plan.ColumnLabel(col), "a", plan.Format(col.Profile.Min, m, r.lang), "b", plan.Format(col.Profile.Max, m, r.lang))
	}
	top := col.Profile.Top
	if col.Type.Kind == workbook.Text && c.Op == "=" && len(top) > 0 && int64(len(top)) == col.Profile.Distinct && len(top) <= listed &&
		!slices.ContainsFunc(top, func(v schema.ValueCount) bool { return v.Value == lit }) {
		var vs []string
		for _, v := range top {
			vs = append(vs, v.Value)
		}
		slices.Sort(vs)
		return r.say("no_rows_values", "l", plan.ColumnLabel(col), "v", strings.Join(vs, ", "))
	}
	return ""
}

// outside reports whether the literal lies below the lowest or above the highest.
func outside(lit string, c *schema.Column) bool {
	if c.Profile.Min == "" {
		return false
	}
	if c.Type.Temporal() {
		return lit < c.Profile.Min[:min(len(lit), len(c.Profile.Min))] || lit > c.Profile.Max
	}
	below, ok1 := lessNumber(lit, c.Profile.Min)
	above, ok2 := lessNumber(c.Profile.Max, lit)
	return ok1 && ok2 && (below || above)
}

func (r *run) column(ref schema.ColumnRef) *schema.Column {
	if t := r.env.Schema.Table(ref.Ref); t != nil {
		return t.Column(ref.Column)
	}
	return nil
}

func (r *run) label(ref schema.Ref) string {
	if t := r.env.Schema.Table(ref); t != nil {
		return t.Label()
	}
	return ref.String()
}

// hidesRows reports whether the scope shows only some rows of the table.
func (r *run) hidesRows(ref schema.Ref) bool {
	t := r.req.Scope.Table(ref)
	return t == nil || t.Filter != ""
}
