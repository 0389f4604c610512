package agent

import (
	"slices"
	"strings"

	"github.com/allrows/allrows/agent/plan"
	"github.com/allrows/allrows/schema"
)

// warn collects what the reader must know beside the answer.
func (r *run) warn() {
	add := func(code, text string) {
		w := Warning{Code: code, Text: text}
		if !slices.Contains(r.ans.Warnings, w) {
			r.ans.Warnings = append(r.ans.Warnings, w)
		}
	}
	for i := range r.out.Parts {
		p := &r.out.Parts[i]
		if p.Result != nil && p.Result.Truncated {
			add("truncated", r.say("truncated", "n", count(int64(len(p.Result.Rows)), r.lang)))
		}
		if p.Plan == nil {
			continue
		}
		for _, m := range p.Matched {
			if m.Nulls > 0 {
				add("nulls_ignored", r.say("nulls_ignored", "n", count(m.Nulls, r.lang), "m", count(m.Rows, r.lang), "t", r.label(m.Ref), "l", r.columnsOf(p.Plan.Aggregated(), m.Ref)))
			}
		}
		for _, c := range p.Plan.Columns() {
			r.warnColumn(c, add)
		}
		r.warnLevels(p.Plan, add)
	}
	for _, u := range r.ans.Receipt.Tables {
		for _, t := range r.env.Schema.Tables {
			if t.Ref.String() == u.Name && len(r.out.Facts) == 0 {
				for _, q := range t.Questions {
					add("load_question", r.say("load_question", "f", t.File, "a", q))
				}
			}
		}
	}
	if carried := r.carried(); len(carried) > 0 {
		add("carried", r.say("carried", "c", plan.Words(r.lang).List(carried, "and")))
	}
}

func (r *run) columnsOf(cols []schema.ColumnRef, ref schema.Ref) string {
	var out []string
	for _, c := range cols {
		if col := r.column(c); c.Ref == ref && col != nil {
			out = append(out, plan.ColumnLabel(col))
		}
	}
	return plan.Words(r.lang).List(out, "and")
}

func (r *run) warnColumn(c schema.ColumnRef, add func(code, text string)) {
	col := r.column(c)
	if col == nil || col.Rejected == 0 {
		return
	}
	add("cells_rejected", r.say("cells_rejected", "n", count(col.Rejected, r.lang), "l", plan.ColumnLabel(col), "k", r.say("kind_"+string(col.Type.Kind)), "f", r.env.Schema.Table(c.Ref).File))
}

// levelWords are words of headers whose figures are levels at a time: they add up
// over things, not over time.
var levelWords = []string{"balance", "saldo", "bestand", "stock level", "inventory", "headcount", "kontostand", "existencias", "plantilla", "inventario"}

// warnLevels warns of balances that are added over time.
func (r *run) warnLevels(p *plan.Plan, add func(code, text string)) {
	for _, c := range p.Measured() {
		col := r.column(c)
		if col == nil || !slices.Contains(p.AggregatesOf(c), "sum") {
			continue
		}
		header := strings.ToLower(col.Header)
		if !slices.ContainsFunc(levelWords, func(w string) bool { return strings.Contains(header, w) }) {
			continue
		}
		for _, d := range r.env.Schema.Table(c.Ref).Columns {
			ref := schema.ColumnRef{Ref: c.Ref, Column: d.Name}
			if d.Type.Temporal() && d.Profile.Distinct > 1 && !p.Fixes(ref) {
				add("semi_additive", r.say("semi_additive", "l", plan.ColumnLabel(col), "d", plan.ColumnLabel(d)))
				return
			}
		}
	}
}

// carried are the conditions that a follow-up took over from the question before
// it without naming them.
func (r *run) carried() []string {
	if r.prev == nil || r.prev.Plan == nil || len(r.out.Parts) == 0 || r.out.Parts[0].Plan == nil || r.q == nil {
		return nil
	}
	before := map[string]bool{}
	for _, c := range r.prev.Plan.Where.Conditions() {
		before[plan.CondReading(&c, r.env.Schema, r.lang)] = true
	}
	var out []string
	for _, c := range r.out.Parts[0].Plan.Where.Conditions() {
		said := plan.CondReading(&c, r.env.Schema, r.lang)
		if before[said] && !r.names(&c) {
			out = append(out, said)
		}
	}
	return out
}

// names reports whether the question itself names a condition's values.
func (r *run) names(c *plan.Cond) bool {
	for _, x := range c.Right {
		for _, l := range r.q.Links {
			if x.Literal != nil && (l.Value != "" && strings.EqualFold(l.Value, x.Literal.Text) || l.Number != nil && l.Number.Digits == x.Literal.Text) {
				return true
			}
		}
	}
	return false
}
