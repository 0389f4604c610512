package plan

import (
	"slices"
	"strconv"
	"strings"
	"time"

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

// span says two conditions on a date, from a day on and before another, as the
// year, quarter, month or day that they bound; "" where they bound none.
func (r *reader) span(c *Cond, i int) string {
	if c.Op != "and" || i+1 >= len(c.Args) {
		return ""
	}
	a, b := &c.Args[i], &c.Args[i+1]
	if a.Op != ">=" || b.Op != "<" || a.Left == nil || b.Left == nil || !a.Left.Equal(b.Left) || len(a.Right) != 1 || len(b.Right) != 1 {
		return ""
	}
	from, ok1 := dayOf(&a.Right[0])
	to, ok2 := dayOf(&b.Right[0])
	if !ok1 || !ok2 {
		return ""
	}
	grain := ""
	switch {
	case from.Day() != 1 && !to.Equal(from.AddDate(0, 0, 1)):
		return ""
	case from.YearDay() == 1 && to.Equal(from.AddDate(1, 0, 0)):
		grain = "year"
	case from.Day() == 1 && int(from.Month())%3 == 1 && to.Equal(from.AddDate(0, 3, 0)):
		grain = "quarter"
	case from.Day() == 1 && to.Equal(from.AddDate(0, 1, 0)):
		grain = "month"
	case !to.Equal(from.AddDate(0, 0, 1)):
		return ""
	}
	said, ok := r.w.date(from.Format(time.DateOnly), grain)
	if !ok {
		return ""
	}
	key := "span"
	if grain == "" {
		key = "="
	}
	return r.w.Say(key, "a", r.expr(a.Left), "b", said)
}

// dayOf is the day of a date literal.
func dayOf(e *Expr) (time.Time, bool) {
	if e.Literal == nil || e.Literal.Type != "date" && e.Literal.Type != "timestamp" {
		return time.Time{}, false
	}
	day, clock, _ := strings.Cut(strings.Replace(e.Literal.Text, "T", " ", 1), " ")
	t, err := time.Parse(time.DateOnly, day)
	return t, err == nil && strings.Trim(clock, "0:") == ""
}

// cond says a condition.
func (r *reader) cond(c *Cond) string {
	switch c.Op {
	case "and", "or":
		var parts []string
		for i := 0; i < len(c.Args); i++ {
			if s := r.span(c, i); s != "" {
				parts = append(parts, s)
				i++
				continue
			}
			s := r.cond(&c.Args[i])
			if c.Op == "and" && c.Args[i].Op == "or" {
				s = "(" + s + ")"
			}
			parts = append(parts, s)
		}
		return strings.Join(parts, " "+r.w.Say(c.Op)+" ")
	case "not":
		if len(c.Args) == 1 {
			return r.w.Say("not", "a", r.cond(&c.Args[0]))
		}
	}
	like := r.k.meaning(c.Left).Column
	left := r.expr(c.Left)
	if c.Set != nil {
		return r.w.Say(c.Op+"_set", "a", left, "b", r.plan(c.Set))
	}
	var right []string
	for i := range c.Right {
		if l := c.Right[i].Literal; l != nil {
			right = append(right, r.literal(l, like))
		} else {
			right = append(right, r.expr(&c.Right[i]))
		}
	}
	k := c.Op
	switch {
	case c.Op == "in" || c.Op == "not_in":
		return r.w.Say(k, "a", left, "b", r.w.List(right, "or"))
	case c.Op == "between" && len(right) == 2:
		return r.w.Say(k, "a", left, "b", right[0], "c", right[1])
	case like.Type.Temporal() && r.w.text[k+"_date"] != "":
		k += "_date"
	}
	return r.w.Say(k, "a", left, "b", strings.Join(right, ", "))
}
