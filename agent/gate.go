package agent

import (
	"encoding/json"
	"strconv"

	"github.com/allrows/allrows/agent/plan"
	"github.com/allrows/allrows/agent/tools"
	"github.com/allrows/allrows/guardrails"
	"github.com/allrows/allrows/schema"
)

// notice is the remark that goes with every row that was found, not computed.
func (r *run) notice() string { return guardrails.SelectionNotice(r.lang) }

// gate holds the figures of the text against the cells of the result. A text that
// fails gives way to the bare cells: templates never fail it, a model's words may.
func (r *run) gate() {
	figures, known := r.sayable()
	wrong := guardrails.CheckFigures(r.ans.Text, figures, known)
	c := CheckMade{Name: "figures", Result: passed}
	if len(wrong) > 0 {
		c.Result, c.Detail = failed, "not in the result: "+plan.Words("en").List(wrong, "and")
		r.a.cfg.Logger.Error("text says figures that are no cells", "answer", r.ans.ID, "figures", len(wrong))
		r.ans.Text = r.bareCells()
	}
	r.ans.Receipt.Checks = append(r.ans.Receipt.Checks, c)
}

// bareCells says the first part's rows and nothing else.
func (r *run) bareCells() string {
	if len(r.out.Parts) == 0 {
		return ""
	}
	return sentence(r.sayRows(&r.out.Parts[0]))
}

// sayable are the figures that the text may say (cells, counts of the receipt,
// printed totals, measured ranges) and the texts whose digits it may repeat.
func (r *run) sayable() ([]guardrails.Figure, []string) {
	known := []string{r.ans.Question, r.ans.Receipt.Reading}
	var out []guardrails.Figure
	number := func(n int64) { out = append(out, guardrails.Figure{Value: strconv.FormatInt(n, 10)}) }
	for i := range r.out.Parts {
		p := &r.out.Parts[i]
		if p.Plan != nil {
			known = append(known, p.Plan.Reading(r.env.Schema, r.lang))
		}
		out, known = r.cells(p, out, known)
	}
	for _, u := range r.ans.Receipt.Tables {
		known = append(known, u.Workbook, u.Sheet, u.Title, u.Name)
		number(u.Rows)
		number(u.RowsMatched)
		number(u.NullsIgnored)
	}
	for _, c := range r.totals() {
		out = append(out, guardrails.Figure{Value: c.check.Printed}, guardrails.Figure{Value: c.check.Computed})
		known = append(known, c.check.Cell)
	}
	for _, w := range r.ans.Warnings {
		known = append(known, w.Text)
	}
	number(int64(len(r.out.Facts)))
	for _, f := range r.out.Facts {
		known = append(known, f.Table.Label(), f.Table.Description)
		number(f.Table.Rows)
		number(int64(len(f.Table.Columns)))
		for _, c := range f.Table.Columns {
			out, known = measured(c, out, known)
		}
	}
	return out, known
}

// cells adds a part's cells and labels.
func (r *run) cells(p *tools.Part, out []guardrails.Figure, known []string) ([]guardrails.Figure, []string) {
	known = append(known, r.labels(p)...)
	known = append(known, p.Ref.Table)
	if t := r.env.Schema.Table(p.Ref); t != nil {
		known = append(known, t.Label())
	}
	if p.Result == nil {
		return out, known
	}
	n := len(p.Result.Rows)
	for _, k := range []int{n, n - listedMany, len(p.Columns)} {
		out = append(out, guardrails.Figure{Value: strconv.Itoa(max(k, 0))})
	}
	for _, row := range p.Result.Rows {
		for j, v := range row {
			if s, ok := v.(string); ok {
				known = append(known, s)
			}
			if b, err := json.Marshal(v); err == nil && v != nil {
				f := guardrails.Figure{Value: string(b), Scale: p.Columns[j].Unit.Scale}
				if s, ok := v.(string); ok {
					f.Value = s
				}
				out = append(out, f)
			}
		}
	}
	return out, known
}

// measured adds what was measured of a column.
func measured(c *schema.Column, out []guardrails.Figure, known []string) ([]guardrails.Figure, []string) {
	known = append(known, c.Header)
	for _, v := range c.Profile.Top {
		known = append(known, v.Value)
	}
	for _, s := range []string{c.Profile.Min, c.Profile.Max, strconv.FormatInt(c.Profile.Distinct, 10)} {
		out = append(out, guardrails.Figure{Value: s, Scale: c.Unit.Scale})
	}
	return out, known
}
