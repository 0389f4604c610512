package semparse

import (
	"strconv"
	"strings"
	"time"

	"github.com/allrows/allrows/agent/link"
	"github.com/allrows/allrows/agent/plan"
)

func parseInt(s string) (int, error) { return strconv.Atoi(s) }

// timeAtoms turns spans of dates into conditions on date columns, and years
// with a comparative into conditions on columns of years.
func (a *asked) timeAtoms() {
	var links []link.Link
	for _, k := range a.q.Links {
		if k.Kind == link.Time {
			links = append(links, k)
		}
	}
	for i := 0; i < len(links); i++ {
		k := links[i]
		value := spanMask(k.First, k.Last)
		from, to, last := k.Time.From, k.Time.To, k.Last
		op, opSpan := a.timeOp(k.First, k.Last)
		if i+1 < len(links) && a.rangeOf(k, links[i+1]) {
			to, last = links[i+1].Time.To, links[i+1].Last
			value = value.or(spanMask(links[i+1].First, last))
			op, opSpan = "in", mask{}
			for _, b := range a.opNear("time.between", k.First, k.Last) {
				opSpan = opSpan.or(spanMask(b.First, b.Last))
			}
		}
		for c, col := range a.v.cols {
			if !col.temporal && !col.year {
				continue
			}
			at := &atom{col: c, first: k.First, last: last, kind: "time", how: k.Time.Grain, value: value, span: value.or(opSpan), score: 0.8, cmp: op != "in"}
			if !at.bound(col, op, from, to) {
				continue
			}
			a.place(at)
			a.negate(at)
			a.atoms = append(a.atoms, at)
		}
	}
}

// timeOp returns how a date is compared: in, after, since, before, until.
func (a *asked) timeOp(first, last int) (string, mask) {
	best, m := "in", mask{}
	for _, k := range a.opNear("", first, last) {
		if k.Last >= first {
			continue
		}
		word := ""
		switch {
		case k.Op == "cmp.gt" && len(k.Dims) > 0:
			word = "after"
		case k.Op == "cmp.lt" && len(k.Dims) > 0:
			word = "before"
		case k.Op == "cmp.ge":
			word = "since"
		case k.Op == "cmp.le" || k.Op == "time.until" && m.empty():
			word = "until"
		default:
			continue
		}
		if best == "in" || word == "since" {
			best, m = word, spanMask(k.First, k.Last)
		}
	}
	return best, m
}

// rangeOf reports whether two dates are the ends of one range.
func (a *asked) rangeOf(x, y link.Link) bool {
	if y.First-x.Last != 2 || !a.lex.Is("time.join", a.q.Tokens[x.Last+1].Norm) {
		return false
	}
	for _, k := range a.opNear("time.between", x.First, x.Last) {
		if k.Last < x.First {
			return true
		}
	}
	return false
}

// bound fills in operator and values for the column's type.
func (at *atom) bound(c *column, op string, from, to time.Time) bool {
	if c.year {
		y0, y1 := strconv.Itoa(from.Year()), strconv.Itoa(to.AddDate(0, 0, -1).Year())
		if y0 != y1 || strings.HasPrefix(from.Format("01-02"), "01-01") && to.Format("01-02") == "01-01" {
			return at.compare(op, "number", y0, y1, y0 == y1)
		}
		return false
	}
	last := to.AddDate(0, 0, -1)
	return at.compare(op, literalType(c), from.Format(time.DateOnly), last.Format(time.DateOnly), from.Equal(last))
}

// compare sets a condition from the first and last value of a span.
func (at *atom) compare(op, typ, first, last string, one bool) bool {
	lit := func(s string) plan.Literal { return plan.Literal{Type: typ, Text: s} }
	switch op {
	case "after":
		at.op, at.vals = ">", []plan.Literal{lit(last)}
	case "since":
		at.op, at.vals = ">=", []plan.Literal{lit(first)}
	case "before":
		at.op, at.vals = "<", []plan.Literal{lit(first)}
	case "until":
		at.op, at.vals = "<=", []plan.Literal{lit(last)}
	default:
		if one {
			at.op, at.vals = "=", []plan.Literal{lit(first)}
		} else {
			at.op, at.vals = "between", []plan.Literal{lit(first), lit(last)}
		}
	}
	return true
}

// averageAtoms reads "above average" and its kin.
func (a *asked) averageAtoms() {
	for _, k := range a.ops {
		op := ""
		switch k.Op {
		case "op.above.avg":
			op = "above_avg"
		case "op.below.avg":
			op = "below_avg"
		default:
			continue
		}
		span := spanMask(k.First, k.Last)
		for c, col := range a.v.cols {
			if !col.numeric || len(a.byCol[c]) == 0 {
				continue
			}
			at := &atom{col: c, op: op, first: k.First, last: k.Last, value: span, span: span, kind: "avg", how: op, score: 0.6, cmp: true}
			a.place(at)
			if at.mentioned > 0 {
				at.score += 0.4 * at.mentioned
				a.atoms = append(a.atoms, at)
			}
		}
	}
}
