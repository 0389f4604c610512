package eval

import (
	"fmt"
	"slices"
	"strings"

	"github.com/allrows/allrows/agent"
)

// grid is the key and measure columns of a result.
type grid struct {
	columns   []agent.Column
	rows      [][]any
	truncated bool
}

// Rows returns the rows of an answer's key and measure columns, nil where it has
// no result. Columns that only give context are not what was asked.
func Rows(a *agent.Answer) [][]any {
	if g := gridOf(a); g != nil {
		return g.rows
	}
	return nil
}

// Units returns the units of the columns of [Rows].
func Units(a *agent.Answer) []string {
	g := gridOf(a)
	if g == nil {
		return nil
	}
	units := make([]string, len(g.columns))
	for i, c := range g.columns {
		units[i] = c.Unit
	}
	return units
}

func gridOf(a *agent.Answer) *grid {
	if a.Outcome != agent.Answered || a.Result == nil {
		return nil
	}
	g := &grid{truncated: a.Result.Truncated, rows: make([][]any, len(a.Result.Rows))}
	for i, c := range a.Result.Columns {
		if c.Role == "context" {
			continue
		}
		g.columns = append(g.columns, c)
		for r, row := range a.Result.Rows {
			g.rows[r] = append(g.rows[r], row[i])
		}
	}
	return g
}

// String shows the grid, cut after a few rows.
func (g *grid) String() string {
	names := make([]string, len(g.columns))
	for i, c := range g.columns {
		names[i] = c.Name
	}
	return fmt.Sprintf("[%s] %s", strings.Join(names, ", "), show(g.rows))
}

// show prints rows as text, cut after a few.
func show(rows [][]any) string {
	var b strings.Builder
	for i, r := range rows {
		if i == 8 {
			fmt.Fprintf(&b, " and %d more", len(rows)-i)
			break
		}
		cells := make([]string, len(r))
		for j, v := range r {
			cells[j] = Text(v)
		}
		fmt.Fprintf(&b, "(%s)", strings.Join(cells, ", "))
	}
	return b.String()
}

// only returns the index of the one column of that role, or -1.
func (g *grid) only(role string) int {
	at := -1
	for i, c := range g.columns {
		if c.Role != role {
			continue
		}
		if at >= 0 {
			return -1
		}
		at = i
	}
	return at
}

// hasValue reports whether the one figure or text of the answer is the wanted
// one. A row of a key and its measure answers "which" by the key and "how much"
// by the measure; more than one row, or two measures, are no one figure.
func (g *grid) hasValue(want any, tolerance float64) bool {
	if len(g.rows) != 1 {
		return false
	}
	candidates := []int{g.only("measure"), g.only("key")}
	if len(g.columns) == 1 {
		candidates = []int{0}
	}
	for _, i := range candidates {
		if i >= 0 && equal(want, g.rows[0][i], g.columns[i].Unit, tolerance) {
			return true
		}
	}
	return false
}

// hasValues reports whether one column holds the wanted set, or list.
func (g *grid) hasValues(e *Expect) bool {
	for i, c := range g.columns {
		var got []any
		for _, r := range g.rows {
			got = append(got, r[i])
		}
		same := func(want, got any) bool { return equal(want, got, c.Unit, e.Tolerance) }
		if e.Ordered && slices.EqualFunc(e.Values, got, same) {
			return true
		}
		if !e.Ordered && within(e.Values, got, same) && within(got, e.Values, func(g, w any) bool { return same(w, g) }) {
			return true
		}
	}
	return false
}

// within reports whether every element of a has an equal in b.
func within(a, b []any, same func(a, b any) bool) bool {
	for _, x := range a {
		if !slices.ContainsFunc(b, func(y any) bool { return same(x, y) }) {
			return false
		}
	}
	return true
}

// hasRows reports whether the rows are the wanted ones: in any order of columns,
// of rows too unless they are ordered, and as their long form where the result
// is pivoted wide.
func (g *grid) hasRows(e *Expect) bool {
	if g.sameRows(e) {
		return true
	}
	l := g.long()
	return l != nil && l.sameRows(e)
}

func (g *grid) sameRows(e *Expect) bool {
	if len(e.Rows) != len(g.rows) {
		return false
	}
	if len(e.Rows) == 0 {
		return true
	}
	n := len(e.Rows[0])
	if n != len(g.columns) || n > 6 {
		return false
	}
	for order := range permutations(n) {
		if g.sameInOrder(e, order) {
			return true
		}
	}
	return false
}

// sameInOrder compares with expected column i taken from column order[i].
func (g *grid) sameInOrder(e *Expect, order []int) bool {
	same := func(want, got []any) bool {
		if len(want) != len(order) {
			return false
		}
		for i, w := range want {
			if !equal(w, got[order[i]], g.columns[order[i]].Unit, e.Tolerance) {
				return false
			}
		}
		return true
	}
	if e.Ordered {
		return slices.EqualFunc(e.Rows, g.rows, same)
	}
	return SameMultiset(e.Rows, g.rows, same)
}

// SameMultiset reports whether the elements of want and got can be paired, each
// with an equal one. Equality is loose but close enough to transitive for the
// first free partner to do.
func SameMultiset[W, G any](want []W, got []G, same func(W, G) bool) bool {
	if len(want) != len(got) {
		return false
	}
	taken := make([]bool, len(got))
	for i, w := range want {
		found := false
		for k := range got {
			j := (i + k) % len(got) // the same place first: most are in order
			if !taken[j] && same(w, got[j]) {
				taken[j], found = true, true
				break
			}
		}
		if !found {
			return false
		}
	}
	return true
}

// long is the grid with one row a measure: the keys, the measure's name, its
// value. What is NULL when wide has no row when long. It is nil for a grid that is
// not wide.
func (g *grid) long() *grid {
	l := &grid{truncated: g.truncated}
	var keys, measures []int
	for i, c := range g.columns {
		if c.Role == "key" {
			keys = append(keys, i)
			l.columns = append(l.columns, c)
		} else {
			measures = append(measures, i)
		}
	}
	if len(measures) < 2 {
		return nil
	}
	l.columns = append(l.columns, agent.Column{Name: "name", Role: "key"}, agent.Column{
		Name: "value", Role: "measure", Unit: g.columns[measures[0]].Unit})
	for _, row := range g.rows {
		for _, m := range measures {
			if row[m] == nil {
				continue
			}
			var r []any
			for _, k := range keys {
				r = append(r, row[k])
			}
			l.rows = append(l.rows, append(r, g.columns[m].Name, row[m]))
		}
	}
	return l
}

// permutations yields every order of 0 … n-1, the natural one first.
func permutations(n int) func(yield func([]int) bool) {
	return func(yield func([]int) bool) {
		order := make([]int, n)
		for i := range order {
			order[i] = i
		}
		permute(order, 0, yield)
	}
}

func permute(order []int, from int, yield func([]int) bool) bool {
	if from == len(order) {
		return yield(order)
	}
	for i := from; i < len(order); i++ {
		order[from], order[i] = order[i], order[from]
		if !permute(order, from+1, yield) {
			return false
		}
		order[from], order[i] = order[i], order[from]
	}
	return true
}
