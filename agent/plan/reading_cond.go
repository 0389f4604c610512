package plan

import (
	"strings"
	"time"
)

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
	return r.calendar(a.Left, from, to)
}

// calendar says that a date lies from a day on and before another, as the year,
// quarter, month or day that they bound; "" where they bound none.
func (r *reader) calendar(left *Expr, from, to time.Time) string {
	grain, key := "", "span"
	switch {
	case to.Equal(from.AddDate(0, 0, 1)):
		key = "="
	case from.YearDay() == 1 && to.Equal(from.AddDate(1, 0, 0)):
		grain = "year"
	case from.Day() == 1 && int(from.Month())%3 == 1 && to.Equal(from.AddDate(0, 3, 0)):
		grain = "quarter"
	case from.Day() == 1 && to.Equal(from.AddDate(0, 1, 0)):
		grain = "month"
	default:
		return ""
	}
	said, ok := r.w.date(from.Format(time.DateOnly), grain)
	if !ok {
		return ""
	}
	return r.w.Say(key, "a", r.expr(left), "b", said)
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
		from, ok1 := dayOf(&c.Right[0])
		to, ok2 := dayOf(&c.Right[1])
		if said := r.calendar(c.Left, from, to.AddDate(0, 0, 1)); ok1 && ok2 && said != "" {
			return said
		}
		return r.w.Say(k, "a", left, "b", right[0], "c", right[1])
	case like.Type.Temporal() && r.w.text[k+"_date"] != "":
		k += "_date"
	}
	return r.w.Say(k, "a", left, "b", strings.Join(right, ", "))
}
