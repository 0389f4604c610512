package plan

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/allrows/allrows/schema"
	"github.com/allrows/allrows/workbook"
)

var plainDigits = regexp.MustCompile(`^-?\d{1,60}(\.\d{1,40})?$`)

// fail keeps the first error of a rendering.
func (q *query) fail(err error) string {
	if q.err == nil {
		q.err = err
	}
	return "NULL"
}

// expr renders an expression.
func (q *query) expr(e *Expr) string {
	switch {
	case e == nil:
		return q.fail(errorf("an expression is missing"))
	case e.Column != nil:
		return q.column(*e.Column)
	case e.Agg != "":
		return q.agg(e)
	case e.Fn != "":
		return q.fn(e)
	case e.Literal != nil:
		return q.literal(e.Literal)
	case e.Plan != nil:
		b, err := q.k.build(e.Plan, false)
		if err != nil {
			return q.fail(err)
		}
		if len(b.columns) != 1 {
			return q.fail(errorf("a plan inside an expression must give one column"))
		}
		return "(" + b.sql + ")"
	}
	return q.fail(errorf("an expression is empty"))
}

func (q *query) column(r schema.ColumnRef) string {
	if r.Workbook != "" { // a pseudo table has none
		if _, err := q.k.column(r); err != nil {
			return q.fail(err)
		}
	}
	qual, ok := q.quals[r.Ref]
	switch {
	case !ok:
		return q.fail(errorf("table %s is not joined", r.Ref))
	case qual == "":
		return Quote(r.Column)
	}
	return Quote(qual) + "." + Quote(r.Column)
}

func (q *query) literal(l *Literal) string {
	switch l.Type {
	case "text":
		return QuoteText(l.Text)
	case "number":
		if plainDigits.MatchString(l.Text) {
			return l.Text
		}
	case "bool":
		if l.Text == "true" || l.Text == "false" {
			return strings.ToUpper(l.Text)
		}
	case "date":
		if _, err := time.Parse(time.DateOnly, l.Text); err == nil {
			return "DATE '" + l.Text + "'"
		}
	case "timestamp":
		for _, layout := range []string{"2006-01-02T15:04:05", time.DateTime} {
			if t, err := time.Parse(layout, l.Text); err == nil {
				return "TIMESTAMP '" + t.Format(time.DateTime) + "'"
			}
		}
	}
	return q.fail(errorf("%q is no %s", l.Text, l.Type))
}

func (q *query) agg(e *Expr) string {
	var text string
	switch {
	case e.Agg == "count" && len(e.Args) == 0:
		text = q.countRows()
	case len(e.Args) != 1:
		return q.fail(errorf("%s takes one argument", e.Agg))
	case e.Args[0].hasAgg():
		return q.fail(errorf("an aggregate inside an aggregate"))
	default:
		text = q.aggOf(e.Agg, &e.Args[0])
	}
	if e.Filter != nil {
		text += " FILTER (WHERE " + q.cond(e.Filter) + ")"
	}
	return text
}

func (q *query) aggOf(name string, arg *Expr) string {
	m := q.k.meaning(arg)
	if (name == "sum" || name == "avg" || name == "median") && m.known && !m.Type.Numeric() {
		return q.fail(errorf("%s needs numbers, and %s is %s", name, m.Label, m.Type.Kind))
	}
	x := q.expr(arg)
	switch name {
	case "count", "sum", "avg", "min", "max":
		return strings.ToUpper(name) + "(" + x + ")"
	case "count_distinct":
		return "COUNT(DISTINCT " + x + ")"
	case "median":
		if m.Type.Kind == workbook.Decimal && m.Type.Width > 0 {
			// DuckDB cuts the middle of two decimals to their scale: one digit more is exact.
			wide := workbook.Type{Kind: workbook.Decimal, Width: min(m.Type.Width+1, 38), Scale: min(m.Type.Scale+1, 37)}
			x = "CAST(" + x + " AS " + wide.SQL() + ")"
		}
		return "MEDIAN(" + x + ")"
	}
	return q.fail(errorf("there is no aggregate %q", name))
}

// countRows counts rows of the table that the plan is about.
func (q *query) countRows() string {
	if !q.rootCut {
		return "COUNT(*)"
	}
	return "COUNT(DISTINCT " + q.column(schema.ColumnRef{Ref: q.from[0], Column: schema.RowColumn}) + ")"
}

// arity is how many arguments a function takes; -1 is two or more.
var arity = map[string]int{"add": -1, "sub": 2, "mul": -1, "div": 2, "neg": 1, "abs": 1, "round": 2, "pct_of": 2, "pct_change": 2,
	"year": 1, "quarter": 1, "month": 1, "day": 1, "weekday": 1, "hour": 1,
	"trunc_year": 1, "trunc_quarter": 1, "trunc_month": 1, "trunc_week": 1, "trunc_day": 1, "days_between": 2,
	"lower": 1, "upper": 1, "trim": 1, "length": 1, "coalesce": -1, "cond": 0}

func (q *query) fn(e *Expr) string {
	n, ok := arity[e.Fn]
	switch {
	case !ok:
		return q.fail(errorf("there is no function %q", e.Fn))
	case n >= 0 && len(e.Args) != n, n < 0 && len(e.Args) < 2:
		return q.fail(errorf("%s does not take %d arguments", e.Fn, len(e.Args)))
	case e.Fn == "cond":
		if e.Filter == nil {
			return q.fail(errorf("cond needs a condition"))
		}
		return "(" + q.cond(e.Filter) + ")"
	}
	if err := q.argTypes(e); err != nil {
		return q.fail(err)
	}
	args := make([]string, len(e.Args))
	for i := range e.Args {
		args[i] = q.expr(&e.Args[i])
	}
	if text, ok := arithmetic(e, args); ok {
		return text
	}
	if strings.HasPrefix(e.Fn, "trunc_") || part[e.Fn] != "" || e.Fn == "days_between" {
		return q.temporal(e, args)
	}
	for i := range args {
		args[i] = bare(args[i])
	}
	return strings.ToUpper(e.Fn) + "(" + strings.Join(args, ", ") + ")" // abs round lower upper trim length coalesce
}

// argTypes refuses arguments that the function has no meaning for.
func (q *query) argTypes(e *Expr) error {
	numbers := operator[e.Fn] || e.Fn == "abs" || e.Fn == "round"
	texts := e.Fn == "lower" || e.Fn == "upper" || e.Fn == "trim" || e.Fn == "length"
	for i := range e.Args {
		m := q.k.meaning(&e.Args[i])
		switch {
		case !m.known:
		case numbers && !m.Type.Numeric() && !(e.Fn == "sub" && m.Type.Temporal()),
			texts && m.Type.Kind != workbook.Text:
			return errorf("%s does not take %s, which is %s", e.Fn, m.Label, m.Type.Kind)
		case e.Fn == "sub" && m.Type.Temporal() != q.k.meaning(&e.Args[0]).Type.Temporal():
			return errorf("a date and a number cannot be subtracted")
		}
	}
	return nil
}

// arithmetic renders functions of numbers. A division is of doubles, and by
// zero it is NULL.
func arithmetic(e *Expr, args []string) (string, bool) {
	for i := range args {
		if e.Args[i].Fn != "" && operator[e.Args[i].Fn] || strings.HasPrefix(args[i], "-") {
			args[i] = "(" + args[i] + ")"
		}
	}
	double := func(s string) string { return "CAST(" + bare(s) + " AS DOUBLE)" }
	switch e.Fn {
	case "add":
		return strings.Join(args, " + "), true
	case "sub":
		return args[0] + " - " + args[1], true
	case "mul":
		return strings.Join(args, " * "), true
	case "neg":
		return "-" + args[0], true
	case "div":
		return double(args[0]) + " / NULLIF(" + bare(args[1]) + ", 0)", true
	case "pct_of":
		return "100.0 * " + double(args[0]) + " / NULLIF(" + bare(args[1]) + ", 0)", true
	case "pct_change":
		return "100.0 * " + double(args[0]+" - "+args[1]) + " / NULLIF(" + bare(args[1]) + ", 0)", true
	}
	return "", false
}

var operator = map[string]bool{"add": true, "sub": true, "mul": true, "neg": true, "div": true, "pct_of": true, "pct_change": true}

// bare drops parentheses that hold the whole text.
func bare(s string) string {
	if !strings.HasPrefix(s, "(") || !strings.HasSuffix(s, ")") || strings.HasPrefix(s, "(SELECT") {
		return s
	}
	depth := 0
	for i, r := range s {
		switch r {
		case '\'', '"':
			return s
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 && i < len(s)-1 {
			return s
		}
	}
	return s[1 : len(s)-1]
}

var part = map[string]string{"year": "YEAR", "quarter": "QUARTER", "month": "MONTH", "day": "DAY", "weekday": "ISODOW", "hour": "HOUR"}

// temporal renders functions of dates.
func (q *query) temporal(e *Expr, args []string) string {
	for i := range e.Args {
		if m := q.k.meaning(&e.Args[i]); m.known && !m.Type.Temporal() {
			return q.fail(errorf("%s needs a date, and %s is %s", e.Fn, m.Label, m.Type.Kind))
		}
	}
	switch {
	case e.Fn == "days_between":
		return "DATE_DIFF('day', " + args[0] + ", " + args[1] + ")"
	case part[e.Fn] != "":
		return "EXTRACT(" + part[e.Fn] + " FROM " + args[0] + ")"
	}
	unit, _ := strings.CutPrefix(e.Fn, "trunc_")
	return "CAST(DATE_TRUNC(" + QuoteText(unit) + ", " + args[0] + ") AS DATE)"
}

// limit renders LIMIT and OFFSET.
func limit(n, offset int) string {
	s := ""
	if n > 0 {
		s = " LIMIT " + strconv.Itoa(n)
	}
	if offset > 0 {
		s += " OFFSET " + strconv.Itoa(offset)
	}
	return s
}
