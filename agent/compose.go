package agent

import (
	"strings"

	"github.com/allrows/allrows/agent/plan"
	"github.com/allrows/allrows/agent/tools"
)

const (
	listed     = 12 // rows that a text lists when they are few
	listedMany = 8  // rows that it lists when they are more
)

// compose makes the answer of what the last call came back with.
func (r *run) compose() {
	if r.out == nil {
		switch {
		case r.err != nil:
			r.fail(r.err)
			return
		case r.objected != nil:
			r.decline(*r.objected)
			return
		}
		r.decline(plan.Reason{Code: "unsupported"})
		return
	}
	r.ans.Outcome, r.ans.Route = Answered, r.out.Route
	if r.step.Route != "" && r.call.Tool != "lookup" {
		r.ans.Route = r.step.Route
	}
	r.receipt()
	switch {
	case len(r.out.Facts) > 0:
		r.composeFacts()
	case r.call.Tool == "search_rows":
		r.composeFound()
	case len(r.out.Parts) == 0:
		r.decline(plan.Reason{Code: "unsupported"})
	case r.call.Tool == "entity":
		r.composeEntity()
	default:
		r.composeCells(&r.out.Parts[0])
	}
	if r.ans.Outcome == Answered {
		r.ans.Text = r.withTotals(r.ans.Text)
		r.gate()
	}
}

// composeCells says one table of cells.
func (r *run) composeCells(p *tools.Part) {
	if reason := r.emptiness(p); reason != nil {
		r.decline(*reason)
		return
	}
	r.ans.Result = result(p, r.lang)
	r.ans.Chart = chart(p)
	reading := r.reading(p)
	if b, ok := yesNo(p); ok {
		r.ans.Text = r.say(b, "a", plan.CondReading(p.Plan.Select[0].Expr.Filter, r.env.Schema, r.lang))
		return
	}
	said := r.sayRows(p)
	switch {
	case p.Plan != nil && len(p.Result.Rows) == 1 && len(p.Columns) > 1 && len(p.Plan.Order) == 0 && p.Plan.Combine == nil:
		r.ans.Text = r.say("best", "a", p.Plan.RowsReading(r.env.Schema, r.lang), "b", r.begin(p, said))
	case reading == "":
		r.ans.Text = stopped(r.statementText(p))
	case p.Plan != nil && p.Plan.Limit > 0 && len(p.Plan.Order) > 0 && len(p.Result.Rows) <= listed:
		r.ans.Text = r.say("best", "a", reading, "b", said)
	default:
		r.ans.Text = r.say("is", "a", reading, "b", said)
	}
}

// begin starts a text: with a capital, unless it starts with a header.
func (r *run) begin(p *tools.Part, text string) string {
	if len(p.Plan.Select) == 0 || p.Plan.Select[0].Expr.Column != nil {
		return text
	}
	return capitalFirst(text)
}

// reading is the plan in words, without the remark that it has no filter: the
// receipt has it whole.
func (r *run) reading(p *tools.Part) string {
	if p.Plan == nil {
		return strings.TrimSuffix(r.step.Reading, ".")
	}
	return strings.TrimSuffix(r.ans.Receipt.Reading, "; "+plan.Words(r.lang).Say("none"))
}

// statementText says the result of a statement that has no reading.
func (r *run) statementText(p *tools.Part) string {
	if n := len(p.Result.Rows); n != 1 {
		return r.say("statement_rows", "n", count(int64(n), r.lang))
	} else if len(p.Columns) > listed {
		return r.say("statement_one")
	}
	return r.sayRows(p)
}

// sayRows lists the rows: all of a few, the first of many.
func (r *run) sayRows(p *tools.Part) string {
	rows := p.Result.Rows
	shown := len(rows)
	if shown > listed {
		shown = listedMany
	}
	labels := r.labels(p)
	if len(p.Columns) == 1 && len(rows) > 1 {
		rows = counted(rows)
		shown = min(len(rows), shown)
		if len(rows) <= listed {
			shown = len(rows)
		}
	}
	var items []string
	for _, row := range rows[:shown] {
		said := r.sayRow(p, labels, row[:len(p.Columns)], len(rows) == 1)
		if len(row) > len(p.Columns) {
			said = r.say("named", "a", said, "b", "×"+count(row[len(p.Columns)].(int64), r.lang))
		}
		items = append(items, said)
	}
	sep := ", "
	for _, s := range items {
		if strings.Contains(s, ", ") || len(p.Columns) > 2 {
			sep = "; "
		}
	}
	if shown < len(rows) {
		more := "rows_more"
		if len(p.Columns) > 1 {
			more = "group_more"
		}
		return strings.TrimSuffix(strings.Join(items, sep)+more2(r.say(more, "n", count(int64(len(rows)-shown), r.lang))), " ")
	}
	if sep == ", " {
		return plan.Words(r.lang).List(items, "and")
	}
	return strings.Join(items, sep)
}

// counted takes each value of a one-column list once, in the order of first
// sight, with how often it stands there where that is more than once.
func counted(rows [][]any) [][]any {
	var out [][]any
	at := map[any]int{}
	for _, row := range rows {
		v := row[0]
		switch v.(type) {
		case nil, string, bool, int64, float64:
		default:
			return rows
		}
		i, seen := at[v]
		if !seen {
			at[v] = len(out)
			out = append(out, []any{v})
			continue
		}
		if len(out[i]) == 1 {
			out[i] = append(out[i], int64(1))
		}
		out[i][1] = out[i][1].(int64) + 1
	}
	return out
}

// more2 sets what follows a list apart from it.
func more2(s string) string {
	if strings.HasPrefix(s, ";") {
		return s
	}
	return " " + s
}

// labels are the columns as the text names them: aggregates by what they compute.
func (r *run) labels(p *tools.Part) []string {
	out := make([]string, len(p.Columns))
	for i, c := range p.Columns {
		out[i] = c.Label
		if p.Plan == nil || p.Plan.Combine != nil || i >= len(p.Plan.Select) {
			continue
		}
		out[i] = plan.ReadingOf(&p.Plan.Select[i].Expr, r.env.Schema, r.lang)
	}
	return out
}

// sayRow says one row: what names it first, then its figures, each with its
// label where there are several or where the row stands alone.
func (r *run) sayRow(p *tools.Part, labels []string, row []any, alone bool) string {
	var keys, figures, context []string
	n, plain, numbered := 0, 0, false
	for _, c := range p.Columns {
		if c.Role != "key" && c.Role != "context" {
			plain++
			if c.Type.Numeric() {
				n++
			}
		}
	}
	for i, v := range row {
		c := p.Columns[i]
		text := plan.Format(v, c, r.lang)
		switch {
		case c.Role == "key":
			if numbered = numbered || c.Type.Numeric() || c.Type.Temporal(); c.Type.Numeric() {
				text = r.say("pair", "a", labels[i], "b", text) // a bare number beside a figure would read as one
			}
			keys = append(keys, text)
		case c.Role == "context":
			context = append(context, r.say("pair", "a", labels[i], "b", text))
		case alone && plain > 1, n > 1 && c.Type.Numeric():
			figures = append(figures, r.say("pair", "a", labels[i], "b", text))
		default:
			figures = append(figures, text)
		}
	}
	text := strings.Join(append(keys, figures...), ", ")
	if len(keys) > 0 && len(figures) > 0 {
		key := "pair"
		if len(keys) > 1 || numbered {
			key = "keyed"
		}
		text = r.say(key, "a", strings.Join(keys, " · "), "b", strings.Join(figures, ", "))
	}
	if len(context) > 0 {
		if text == "" {
			return strings.Join(context, ", ")
		}
		text = r.say("named", "a", text, "b", strings.Join(context, ", "))
	}
	return text
}

// yesNo reports whether the part is one truth value, and the template for it.
func yesNo(p *tools.Part) (string, bool) {
	if p.Plan == nil || len(p.Columns) != 1 || len(p.Result.Rows) != 1 || p.Plan.Combine != nil || len(p.Plan.Select) != 1 || p.Plan.Select[0].Expr.Fn != "cond" {
		return "", false
	}
	switch v := p.Result.Rows[0][0].(type) {
	case bool:
		if v {
			return "yes", true
		}
		return "no", true
	}
	return "unsure", true
}

// composeEntity says everything about one thing, a table after the other.
func (r *run) composeEntity() {
	root := &r.out.Parts[0]
	if len(root.Result.Rows) == 0 {
		r.decline(r.noRows(root))
		return
	}
	var texts []string
	long := &Result{Columns: []Column{{Name: "source", Type: "VARCHAR", Role: "context"}, {Name: "field", Type: "VARCHAR", Role: "key"}, {Name: "value", Type: "VARCHAR", Role: "measure"}}}
	for i := range r.out.Parts {
		p := &r.out.Parts[i]
		label := p.Ref.String()
		if t := r.env.Schema.Table(p.Ref); t != nil {
			label = t.Label()
		}
		if n := len(p.Result.Rows); n > 1 {
			texts = append(texts, r.say("part_many", "t", label, "n", count(int64(n), r.lang), "a", r.sayRows(p)))
		} else {
			texts = append(texts, r.say("part", "t", label, "a", r.sayFields(p)))
		}
		for _, row := range p.Result.Rows {
			for j, v := range row {
				long.Rows = append(long.Rows, []any{label, p.Columns[j].Label, v})
			}
		}
		long.Truncated = long.Truncated || p.Result.Truncated
	}
	r.ans.Result, r.ans.Text = long, strings.Join(texts, " ")
}

// sayFields says every field of one row by its label.
func (r *run) sayFields(p *tools.Part) string {
	var out []string
	for _, row := range p.Result.Rows {
		for i, v := range row {
			if v != nil {
				out = append(out, r.say("pair", "a", p.Columns[i].Label, "b", plan.Format(v, p.Columns[i], r.lang)))
			}
		}
	}
	return strings.Join(out, ", ")
}

// composeFound says rows that retrieval found: a selection, and said to be one.
func (r *run) composeFound() {
	words, _ := r.call.Args["text"].(string)
	r.ans.Receipt.Complete, r.ans.Receipt.Trust = false, "looked_up"
	if len(r.out.Parts) == 0 {
		r.decline(plan.Reason{Code: "no_rows", Text: r.say("not_found", "a", words)})
		return
	}
	p := &r.out.Parts[0]
	r.ans.Result = result(p, r.lang)
	r.ans.Result.Truncated = true
	notice := r.notice()
	r.ans.Warnings = append(r.ans.Warnings, Warning{Code: "selection", Text: notice})
	best := *p
	cut := *p.Result
	cut.Rows = cut.Rows[:min(3, len(cut.Rows))]
	best.Result = &cut
	said := r.sayRowsByField(&best)
	r.ans.Text = r.say("found", "a", words, "b", said) + " " + notice
}

func (r *run) sayRowsByField(p *tools.Part) string {
	var out []string
	for _, row := range p.Result.Rows {
		one := *p
		res := *p.Result
		res.Rows = [][]any{row}
		one.Result = &res
		out = append(out, r.sayFields(&one))
	}
	return strings.Join(out, "; ")
}

// result is a part as the answer carries it.
func result(p *tools.Part, lang string) *Result {
	out := &Result{Rows: p.Result.Rows, Truncated: p.Result.Truncated}
	for i, c := range p.Result.Columns {
		m := p.Columns[i]
		out.Columns = append(out.Columns, Column{Name: c.Name, Type: c.Type, Unit: tools.UnitText(m.Unit), Role: m.Role})
		if p.Plan != nil {
			out.Columns[i].Figures = &Figures{m, lang}
		}
	}
	if out.Rows == nil {
		out.Rows = [][]any{}
	}
	return out
}
