package train

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/allrows/allrows/agent/link"
	"github.com/allrows/allrows/agent/plan"
)

func literal(l plan.Literal) any {
	if l.Type == "number" {
		var f float64
		if _, err := fmt.Sscanf(l.Text, "%g", &f); err == nil {
			return f
		}
	}
	if l.Type == "bool" {
		return l.Text == "true"
	}
	return l.Text
}

func (e *exec) aggregate(x plan.Expr, g []tuple) any {
	if len(x.Args) == 0 {
		return float64(len(g))
	}
	var nums []float64
	var vals []any
	distinct := map[string]bool{}
	for _, r := range g {
		v := e.eval(x.Args[0], nil, r)
		if v == nil {
			continue
		}
		vals = append(vals, v)
		distinct[text(v)] = true
		if f, ok := v.(float64); ok {
			nums = append(nums, f)
		}
	}
	switch x.Agg {
	case "count":
		return float64(len(vals))
	case "count_distinct":
		return float64(len(distinct))
	case "min":
		if len(vals) > 0 {
			return slices.MinFunc(vals, order)
		}
		return nil
	case "max":
		if len(vals) > 0 {
			return slices.MaxFunc(vals, order)
		}
		return nil
	}
	if len(nums) == 0 || len(nums) < len(vals) {
		return nil
	}
	sum := 0.0
	for _, f := range nums {
		sum += f
	}
	switch x.Agg {
	case "sum":
		return sum
	case "avg":
		return sum / float64(len(nums))
	}
	slices.Sort(nums)
	return (nums[(len(nums)-1)/2] + nums[len(nums)/2]) / 2
}

func (e *exec) function(x plan.Expr, g []tuple, r tuple) any {
	var args []any
	for _, a := range x.Args {
		args = append(args, e.eval(a, g, r))
	}
	num := func(i int) float64 {
		if i < len(args) {
			if f, ok := args[i].(float64); ok {
				return f
			}
		}
		return math.NaN()
	}
	var f float64
	switch x.Fn {
	case "add":
		f = num(0) + num(1)
	case "sub":
		f = num(0) - num(1)
	case "mul":
		f = num(0) * num(1)
	case "div":
		f = num(0) / num(1)
	case "abs":
		f = math.Abs(num(0))
	case "pct_of":
		f = 100 * num(0) / num(1)
	case "pct_change":
		f = 100 * (num(0) - num(1)) / math.Abs(num(1))
	case "trunc_day":
		if s, ok := args[0].(string); ok && len(s) >= 10 {
			return s[:10]
		}
		return nil
	case "year":
		if s, ok := args[0].(string); ok && len(s) >= 4 {
			return literal(plan.Literal{Type: "number", Text: s[:4]})
		}
		return nil
	default:
		e.fail("no function %q", x.Fn)
		return nil
	}
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil
	}
	return f
}

// holds reports whether a condition is true; unknown is not true.
func (e *exec) holds(c *plan.Cond, g []tuple, r tuple) bool {
	if c == nil {
		return true
	}
	switch c.Op {
	case "and":
		return !slices.ContainsFunc(c.Args, func(a plan.Cond) bool { return !e.holds(&a, g, r) })
	case "or":
		return slices.ContainsFunc(c.Args, func(a plan.Cond) bool { return e.holds(&a, g, r) })
	case "not":
		return !e.holds(&c.Args[0], g, r)
	}
	left := e.eval(*c.Left, g, r)
	switch c.Op {
	case "is_null":
		return left == nil
	case "is_not_null":
		return left != nil
	}
	if left == nil {
		return false
	}
	if c.Set != nil {
		found := e.inner(c.Set).first[text(left)]
		return found == (c.Op == "in")
	}
	var right []any
	for _, x := range c.Right {
		v := e.eval(x, g, r)
		if v == nil {
			return false
		}
		right = append(right, v)
	}
	return compare(left, c.Op, right)
}

func compare(left any, op string, right []any) bool {
	switch op {
	case "in", "not_in":
		return slices.ContainsFunc(right, func(v any) bool { return order(left, v) == 0 }) == (op == "in")
	case "between":
		return order(left, right[0]) >= 0 && order(left, right[1]) <= 0
	case "contains":
		return strings.Contains(" "+link.Phrase(text(left))+" ", link.Phrase(text(right[0])))
	case "starts_with":
		return strings.HasPrefix(link.Fold(text(left)), link.Fold(text(right[0])))
	case "ends_with":
		return strings.HasSuffix(link.Fold(text(left)), link.Fold(text(right[0])))
	}
	c := order(left, right[0])
	switch op {
	case "=":
		return c == 0
	case "<>":
		return c != 0
	case "<":
		return c < 0
	case "<=":
		return c <= 0
	case ">":
		return c > 0
	case ">=":
		return c >= 0
	}
	return false
}

// order compares two values: numbers by size, all else as text.
func order(a, b any) int {
	x, ok1 := a.(float64)
	y, ok2 := b.(float64)
	if ok1 && ok2 {
		return cmp.Compare(x, y)
	}
	return strings.Compare(text(a), text(b))
}

func (db *Database) combine(p *plan.Plan) ([][]any, error) {
	l, err := db.Run(p.Combine.Left)
	if err != nil {
		return nil, err
	}
	r, err := db.Run(p.Combine.Right)
	if err != nil {
		return nil, err
	}
	in := map[string]bool{}
	for _, row := range r {
		in[key(row)] = true
	}
	var out [][]any
	switch p.Combine.Op {
	case "union":
		out = append(append(out, l...), r...)
	case "intersect":
		out = slices.DeleteFunc(l, func(row []any) bool { return !in[key(row)] })
	case "except":
		out = slices.DeleteFunc(l, func(row []any) bool { return in[key(row)] })
	}
	seen := map[string]bool{}
	out = slices.DeleteFunc(out, func(row []any) bool {
		dup := seen[key(row)]
		seen[key(row)] = true
		return dup
	})
	if len(p.Order) > 0 && len(out) > 0 {
		last := len(out[0]) - 1
		slices.SortStableFunc(out, func(a, b []any) int {
			c := order(a[last], b[last])
			if p.Order[0].Desc {
				return -c
			}
			return c
		})
	}
	if p.Limit > 0 {
		out = out[:min(p.Limit, len(out))]
	}
	return out, nil
}
