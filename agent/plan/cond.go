package plan

import (
	"strings"

	"github.com/allrows/allrows/workbook"
)

// cond renders a condition.
func (q *query) cond(c *Cond) string {
	switch c.Op {
	case "and", "or":
		if len(c.Args) == 0 {
			return q.fail(errorf("%s without conditions", c.Op))
		}
		parts := make([]string, len(c.Args))
		for i := range c.Args {
			parts[i] = q.cond(&c.Args[i])
			if op := c.Args[i].Op; (op == "or" || op == "and") && op != c.Op && len(c.Args[i].Args) > 1 {
				parts[i] = "(" + parts[i] + ")"
			}
		}
		return strings.Join(parts, " "+strings.ToUpper(c.Op)+" ")
	case "not":
		if len(c.Args) != 1 {
			return q.fail(errorf("not takes one condition"))
		}
		return "NOT (" + q.cond(&c.Args[0]) + ")"
	}
	if c.Left == nil {
		return q.fail(errorf("condition %q has no left side", c.Op))
	}
	left := q.operand(c.Left)
	switch c.Op {
	case "is_null":
		return left + " IS NULL"
	case "is_not_null":
		return left + " IS NOT NULL"
	case "in", "not_in":
		return q.membership(c, left)
	case "between":
		if len(c.Right) != 2 {
			return q.fail(errorf("between takes two values"))
		}
		left = q.asDay(c, left)
		return left + " BETWEEN " + q.right(c, 0) + " AND " + q.right(c, 1)
	}
	if len(c.Right) != 1 {
		return q.fail(errorf("condition %q takes one value", c.Op))
	}
	switch c.Op {
	case "=", "<>", "<", "<=", ">", ">=":
		return q.asDay(c, left) + " " + c.Op + " " + q.right(c, 0)
	case "contains", "starts_with", "ends_with":
		return q.like(c, left)
	}
	return q.fail(errorf("there is no condition %q", c.Op))
}

// operand renders an expression in parentheses where an operator needs them.
func (q *query) operand(e *Expr) string {
	s := q.expr(e)
	if operator[e.Fn] {
		return "(" + s + ")"
	}
	return s
}

func (q *query) membership(c *Cond, left string) string {
	op := " IN ("
	if c.Op == "not_in" {
		op = " NOT IN ("
	}
	if c.Set == nil {
		if len(c.Right) == 0 {
			return q.fail(errorf("%s without values", c.Op))
		}
		parts := make([]string, len(c.Right))
		for i := range c.Right {
			parts[i] = q.right(c, i)
		}
		return left + op + strings.Join(parts, ", ") + ")"
	}
	b, err := q.k.build(c.Set, false)
	if err != nil {
		return q.fail(err)
	}
	if len(b.columns) != 1 {
		return q.fail(errorf("the set of %s must have one column", c.Op))
	}
	text := b.sql
	if c.Op == "not_in" { // one NULL in the set would make every NOT IN unknown
		name := Quote(b.columns[0].Name)
		text = "SELECT " + name + " FROM (" + text + ") AS known WHERE " + name + " IS NOT NULL"
	}
	return left + op + text + ")"
}

// right renders the i-th value, read in the type of the left side.
func (q *query) right(c *Cond, i int) string {
	r := &c.Right[i]
	if r.Literal == nil || r.Literal.Type == "" {
		return q.operand(r)
	}
	left := q.k.meaning(c.Left)
	if !left.known {
		return q.expr(r)
	}
	l := *r.Literal
	switch k := left.Type.Kind; {
	case k == workbook.Text && l.Type != "text":
		if c.Op == "<" || c.Op == ">" || c.Op == "<=" || c.Op == ">=" || c.Op == "between" {
			return q.fail(errorf("%s is text and cannot be compared with %s", left.Label, l.Text))
		}
		l.Type = "text"
	case left.Type.Numeric() && l.Type != "number":
		if !plainDigits.MatchString(l.Text) {
			return q.fail(errorf("%s holds numbers and cannot be compared with %q", left.Label, l.Text))
		}
		l.Type = "number"
	case k == workbook.Date && l.Type == "text", k == workbook.Timestamp && l.Type == "text":
		l.Type = "date"
	case k == workbook.Bool && l.Type != "bool":
		return q.fail(errorf("%s holds yes or no and cannot be compared with %q", left.Label, l.Text))
	case left.Type.Temporal() && l.Type == "number":
		return q.fail(errorf("%s holds dates and cannot be compared with %s", left.Label, l.Text))
	}
	return q.literal(&l)
}

// asDay cuts a timestamp to its day where it is compared with a date, so that a
// day means all of it.
func (q *query) asDay(c *Cond, left string) string {
	if c.Op == "<" || c.Op == ">=" || q.k.meaning(c.Left).Type.Kind != workbook.Timestamp {
		return left
	}
	for i := range c.Right {
		if l := c.Right[i].Literal; l == nil || l.Type != "date" {
			return left
		}
	}
	return "CAST(" + left + " AS DATE)"
}

// like renders contains, starts_with and ends_with, case aside.
func (q *query) like(c *Cond, left string) string {
	l := c.Right[0].Literal
	if l == nil {
		return q.fail(errorf("%s takes a text", c.Op))
	}
	if m := q.k.meaning(c.Left); m.known && m.Type.Kind != workbook.Text {
		left = "CAST(" + left + " AS VARCHAR)"
	}
	text := strings.ToLower(l.Text)
	escaped := strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(text)
	pattern := escaped
	if c.Op != "starts_with" {
		pattern = "%" + pattern
	}
	if c.Op != "ends_with" {
		pattern += "%"
	}
	out := "LOWER(" + left + ") LIKE " + QuoteText(pattern)
	if escaped != text {
		out += ` ESCAPE '\'`
	}
	return out
}
