package plan

import (
	"slices"
	"strconv"
	"strings"

	"github.com/allrows/allrows/schema"
)

// reader says a plan in one language.
type reader struct {
	k      *compiler
	w      *Language
	begun  bool
	header bool // the reading starts with a header
}

// Reading says in words what the plan computes over which rows: "Average of
// Discount over all 42 rows of Regional discount tiers; no filter".
func (p *Plan) Reading(c *schema.Context, lang string) string {
	r := &reader{k: &compiler{schema: c}, w: Words(lang)}
	text := r.plan(p)
	if r.header { // it starts with a header, which stays as written
		return text
	}
	return capital(text)
}

// ReadingOf says one expression: "average of Discount".
func ReadingOf(e *Expr, c *schema.Context, lang string) string {
	r := &reader{k: &compiler{schema: c}, w: Words(lang)}
	return r.expr(e)
}

// RowsReading says just which rows a plan is about: "cities where state is WA".
func (p *Plan) RowsReading(c *schema.Context, lang string) string {
	for p.Combine != nil {
		p = p.Combine.Left
	}
	r := &reader{k: &compiler{schema: c}, w: Words(lang)}
	return r.rowsOf(p, "t_all", "t_where")
}

// CondReading says one condition: "Region is North".
func CondReading(c *Cond, s *schema.Context, lang string) string {
	r := &reader{k: &compiler{schema: s}, w: Words(lang)}
	return r.cond(c)
}

func (r *reader) plan(p *Plan) string {
	if p.Combine != nil {
		return r.w.Say(p.Combine.Op, "a", r.plan(p.Combine.Left), "b", r.plan(p.Combine.Right)) + r.tail(p)
	}
	agg := p.Aggregates()
	text := r.what(p, agg)
	if p.constant() {
		return text
	}
	if len(p.GroupBy) > 0 && !slices.ContainsFunc(p.Select, func(it Item) bool { return contains(p.GroupBy, it.Expr) && !p.selectsAgg() }) {
		var by []string
		for i := range p.GroupBy {
			by = append(by, r.expr(&p.GroupBy[i]))
		}
		text += " " + r.w.Say("by", "a", r.w.List(by, "and"))
	}
	text += " " + r.rows(p, agg)
	if p.Having != nil {
		text += ", " + r.w.Say("having", "c", r.cond(p.Having))
	}
	text += r.tail(p)
	if p.Where == nil && p.Having == nil && len(p.Joins) == 0 {
		text += "; " + r.w.Say("none")
	}
	return text
}

// what says the selected items, groups aside.
func (r *reader) what(p *Plan, agg bool) string {
	var items []string
	for i := range p.Select {
		e := &p.Select[i].Expr
		if agg && contains(p.GroupBy, *e) && p.selectsAgg() {
			continue
		}
		if !r.begun {
			r.begun, r.header = true, e.Column != nil && !p.Distinct
		}
		if s := r.expr(e); !slices.Contains(items, s) {
			items = append(items, s)
		}
	}
	if len(items) == 0 {
		r.header = r.header || !r.begun
		if t := r.k.schema.Table(p.From); t != nil {
			for _, c := range t.Columns {
				items = append(items, ColumnLabel(c))
			}
		}
	}
	text := r.w.List(items, "and")
	if p.Distinct {
		text = r.w.Say("distinct_rows", "a", text)
	}
	return text
}

// selectsAgg reports whether an aggregate is among the selected items.
func (p *Plan) selectsAgg() bool {
	return slices.ContainsFunc(p.Select, func(it Item) bool { return it.Expr.hasAgg() || it.Expr.Plan != nil })
}

// rows says which rows of which tables, as they follow what is computed.
func (r *reader) rows(p *Plan, agg bool) string {
	if agg && !p.countsRows() {
		return r.rowsOf(p, "over_all", "over_where")
	}
	return r.rowsOf(p, "of_all", "of_where")
}

func (r *reader) rowsOf(p *Plan, all, some string) string {
	label, n := p.From.String(), ""
	if t := r.k.schema.Table(p.From); t != nil {
		label = t.Label()
		n = r.w.group(strconv.FormatInt(t.Rows, 10))
	}
	var others []string
	for _, j := range p.Joins {
		for _, ref := range []schema.Ref{j.Left.Ref, j.To.Ref} {
			if l := r.table(ref); ref != p.From && !slices.Contains(others, l) {
				others = append(others, l)
			}
		}
	}
	if len(others) > 0 {
		label = r.w.Say("with", "t", label, "u", r.w.List(others, "and"))
	}
	if p.Where == nil {
		return r.w.Say(all, "n", n, "t", label)
	}
	return r.w.Say(some, "t", label, "c", r.cond(p.Where))
}

// countsRows reports whether all that the plan computes is a number of rows.
func (p *Plan) countsRows() bool {
	n := 0
	for i := range p.Select {
		e := &p.Select[i].Expr
		switch {
		case e.Agg == "count" && len(e.Args) == 0 && e.Filter == nil:
			n++
		case e.hasAgg() || e.Plan != nil:
			return false
		}
	}
	return n == 1
}

func (r *reader) table(ref schema.Ref) string {
	if t := r.k.schema.Table(ref); t != nil {
		return t.Label()
	}
	return ref.String()
}

// tail says order and limit.
func (r *reader) tail(p *Plan) string {
	var out []string
	if p.Limit > 0 && len(p.Order) == 0 {
		out = append(out, r.w.Say("first", "n", strconv.Itoa(p.Limit)))
	}
	for i := range p.Order {
		o := &p.Order[i]
		if i == 0 && p.Limit > 0 {
			out = append(out, r.w.Say(r.superlative(o, p.Limit), "n", strconv.Itoa(p.Limit), "a", r.expr(&o.Expr)))
			continue
		}
		k := "sorted_up"
		if o.Desc {
			k = "sorted_down"
		}
		out = append(out, r.w.Say(k, "a", r.expr(&o.Expr)))
	}
	if p.Offset > 0 {
		out = append(out, r.w.Say("skip", "n", strconv.Itoa(p.Offset)))
	}
	if p.Ties {
		out = append(out, r.w.Say("ties"))
	}
	if len(out) == 0 {
		return ""
	}
	return "; " + strings.Join(out, ", ")
}

func (r *reader) superlative(o *Order, n int) string {
	k := "bottom"
	temporal := r.k.meaning(&o.Expr).Type.Temporal()
	switch {
	case temporal && o.Desc:
		k = "latest"
	case temporal:
		k = "earliest"
	case o.Desc:
		k = "top"
	}
	if n == 1 {
		k += "_one"
	}
	return k
}

// expr says an expression.
func (r *reader) expr(e *Expr) string {
	switch {
	case e == nil:
		return ""
	case e.Column != nil:
		if e.Column.Column == schema.RowColumn {
			return r.w.Say("row")
		}
		return r.k.meaning(e).Label
	case e.Literal != nil:
		return r.literal(e.Literal, Column{Decimals: -1})
	case e.Plan != nil:
		return r.scalar(e.Plan)
	case e.Agg != "":
		return r.agg(e)
	case e.Fn == "cond":
		return r.w.Say("cond", "a", r.cond(e.Filter))
	}
	if e.Fn == "abs" && e.Args[0].Fn == "sub" && len(e.Args[0].Args) == 2 {
		d := e.Args[0].Args
		return r.w.Say("distance", "a", r.expr(&d[0]), "b", r.expr(&d[1]))
	}
	pairs := []string{}
	for i := range e.Args {
		pairs = append(pairs, string(rune('a'+i%26)), r.expr(&e.Args[i]))
	}
	k := e.Fn
	if r.w.text[k] == "" || strings.HasPrefix(k, "trunc_") {
		if k = strings.TrimPrefix(k, "trunc_"); k == "week" || k == e.Fn {
			k = "same"
		}
	}
	return r.w.Say(k, pairs...)
}

// scalar says a plan inside an expression, shortly where it has no conditions.
func (r *reader) scalar(p *Plan) string {
	if p.Combine == nil && p.Where == nil && p.Having == nil && len(p.Joins)+len(p.GroupBy)+p.Limit == 0 && len(p.Select) == 1 {
		return r.w.Say("overall", "a", r.expr(&p.Select[0].Expr))
	}
	if p.Combine == nil && p.Where != nil && p.Having == nil && len(p.Joins)+len(p.GroupBy)+p.Limit == 0 && len(p.Select) == 1 {
		return r.w.Say("where", "a", r.expr(&p.Select[0].Expr), "c", r.cond(p.Where))
	}
	return "(" + r.plan(p) + ")"
}

func (r *reader) agg(e *Expr) string {
	k, arg := e.Agg, ""
	if len(e.Args) > 0 {
		arg = r.expr(&e.Args[0])
		if k == "count" {
			k = "count_of"
		}
		if (k == "min" || k == "max") && r.k.meaning(&e.Args[0]).Type.Temporal() {
			k += "_date"
		}
	}
	text := r.w.Say(k, "a", arg)
	if e.Filter != nil {
		text = r.w.Say("where", "a", text, "c", r.cond(e.Filter))
	}
	return text
}

func (r *reader) literal(l *Literal, like Column) string {
	switch l.Type {
	case "number":
		if like.Type.Numeric() {
			like.Decimals = len(l.Text) // a figure of the question is said whole
			return Format(l.Text, like, r.w.Code)
		}
		return Format(l.Text, Column{Decimals: len(l.Text), Plain: like.Plain}, r.w.Code)
	case "date", "timestamp":
		if t, ok := r.w.date(l.Text, ""); ok {
			return t
		}
	case "bool":
		return r.w.Say(l.Text)
	}
	return l.Text
}
