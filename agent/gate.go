package agent

import (
	"encoding/json"
	"strconv"
	"strings"

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
	wrong := guardrails.Unsupported(r.ans.Text, r.said())
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

// sayer collects what a text may draw on.
type sayer struct {
	said guardrails.Said
}

func (s *sayer) digits(d string, scale int64) {
	s.said.Figures = append(s.said.Figures, guardrails.Figure{Digits: d, Scale: scale})
}

func (s *sayer) number(n int64) { s.digits(strconv.FormatInt(n, 10), 0) }

func (s *sayer) texts(t ...string) { s.said.Texts = append(s.said.Texts, t...) }

// value adds a cell: its digits, and the form in which it is written out.
func (s *sayer) value(v any, c plan.Column) {
	switch x := v.(type) {
	case nil, bool:
		return
	case string:
		s.texts(x, plan.Format(v, c, s.said.Language))
		s.digits(x, c.Unit.Scale)
	default:
		if b, err := json.Marshal(v); err == nil {
			s.digits(string(b), c.Unit.Scale)
			s.texts(plan.Format(v, c, s.said.Language))
		}
	}
}

// said is what the text may say: cells, labels, the conditions of the reading,
// counts of the receipt, printed totals, measured ranges.
func (r *run) said() guardrails.Said {
	s := &sayer{guardrails.Said{Language: r.lang}}
	for i := range r.out.Parts {
		r.sayPart(s, &r.out.Parts[i])
	}
	for _, u := range r.ans.Receipt.Tables {
		s.texts(u.Workbook, u.Sheet, u.Title, u.Name)
		s.number(u.Rows)
		s.number(u.RowsMatched)
		s.number(u.NullsIgnored)
	}
	for _, c := range r.totals() {
		m := plan.SourceColumn(c.column)
		s.value(c.check.Printed, m)
		s.value(c.check.Computed, m)
		s.texts(c.check.Cell)
	}
	for _, w := range r.ans.Warnings {
		s.texts(w.Text)
	}
	if words, ok := r.call.Args["text"].(string); ok {
		s.texts(words)
	}
	s.number(int64(len(r.out.Facts)))
	for _, f := range r.out.Facts {
		s.texts(f.Table.Label(), f.Table.File, f.Table.Sheet, f.Table.Description)
		s.number(f.Table.Rows)
		s.number(int64(len(f.Table.Columns)))
		for _, c := range f.Table.Columns {
			s.column(c)
		}
	}
	return s.said
}

// sayPart adds a part's cells, labels and conditions.
func (r *run) sayPart(s *sayer, p *tools.Part) {
	s.texts(r.labels(p)...)
	if t := r.env.Schema.Table(p.Ref); t != nil {
		s.texts(t.Label())
	}
	if p.Plan != nil {
		reading := p.Plan.Reading(r.env.Schema, r.lang)
		s.texts(strings.TrimSuffix(reading, "; "+plan.Words(r.lang).Say("none")), p.Plan.RowsReading(r.env.Schema, r.lang))
		s.number(int64(p.Plan.Limit))
		s.number(1)
	}
	if p.Plan != nil && len(p.Plan.Select) == 1 && p.Plan.Select[0].Expr.Fn == "cond" {
		s.texts(plan.CondReading(p.Plan.Select[0].Expr.Filter, r.env.Schema, r.lang))
	}
	if p.Result == nil {
		return
	}
	n := int64(len(p.Result.Rows))
	if len(p.Columns) == 1 {
		rows := counted(p.Result.Rows)
		s.number(max(int64(len(rows))-listedMany, 0))
		for _, row := range rows {
			if len(row) > 1 {
				if k, ok := row[1].(int64); ok && len(p.Columns) == 1 {
					s.number(k)
				}
			}
		}
	}
	s.number(n)
	s.number(max(n-listedMany, 0))
	for _, row := range p.Result.Rows {
		for j, v := range row {
			s.value(v, p.Columns[j])
		}
	}
}

// column adds what was measured of a column.
func (s *sayer) column(c *schema.Column) {
	s.texts(c.Header, plan.ColumnLabel(c))
	m := plan.SourceColumn(c)
	s.number(c.Profile.Distinct)
	s.value(c.Profile.Min, m)
	s.value(c.Profile.Max, m)
	for _, v := range c.Profile.Top {
		s.texts(v.Value)
	}
}
