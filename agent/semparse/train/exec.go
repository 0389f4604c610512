package train

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/allrows/allrows/agent/plan"
	"github.com/allrows/allrows/schema"
)

// Bounds of one plan, so that training takes minutes: the rows of its first table
// and the rows after a join.
const (
	maxRows  = 4_000
	maxPairs = 20_000
)

// Run computes a plan in memory: the meaning of [plan.Plan] without an engine.
func (db *Database) Run(p *plan.Plan) ([][]any, error) {
	if p.Combine != nil {
		return db.combine(p)
	}
	e := &exec{db: db, p: p, at: map[schema.Ref]int{}}
	rows, err := e.from()
	if err != nil {
		return nil, err
	}
	rows = slices.DeleteFunc(rows, func(r tuple) bool { return !e.holds(p.Where, []tuple{r}, r) })
	if e.err != nil {
		return nil, e.err
	}
	groups := e.groups(rows)
	if p.Having != nil {
		groups = slices.DeleteFunc(groups, func(g []tuple) bool { return !e.holds(p.Having, g, first(g)) })
	}
	e.sort(groups)
	if p.Offset > 0 {
		groups = groups[min(p.Offset, len(groups)):]
	}
	var out [][]any
	seen := map[string]bool{}
	for _, g := range groups {
		if p.Limit > 0 && len(out) >= p.Limit {
			break
		}
		row := e.project(g)
		if p.Distinct {
			if k := key(row); seen[k] {
				continue
			} else {
				seen[k] = true
			}
		}
		out = append(out, row)
	}
	return out, e.err
}

// tuple is one row of every table in the plan, by position.
type tuple []int

type exec struct {
	db  *Database
	p   *plan.Plan
	at  map[schema.Ref]int
	rel []*relation
	sub map[*plan.Plan]*answer // of the plans inside this one, each computed once
	err error
}

// answer is what an inner plan gave.
type answer struct {
	rows  [][]any
	first map[string]bool // values of its first column
}

// inner computes a plan inside this one, once.
func (e *exec) inner(p *plan.Plan) *answer {
	if a := e.sub[p]; a != nil {
		return a
	}
	rows, err := e.db.Run(p)
	if err != nil {
		e.fail("%v", err)
	}
	a := &answer{rows: rows, first: map[string]bool{}}
	for _, r := range rows {
		if len(r) > 0 && r[0] != nil {
			a.first[text(r[0])] = true
		}
	}
	if e.sub == nil {
		e.sub = map[*plan.Plan]*answer{}
	}
	e.sub[p] = a
	return a
}

func (e *exec) fail(format string, args ...any) {
	if e.err == nil {
		e.err = fmt.Errorf("train: "+format, args...)
	}
}

func first(g []tuple) tuple {
	if len(g) == 0 {
		return nil
	}
	return g[0]
}

// from joins the tables. Those that no column of the result names only keep
// the rows that have a partner, so rows are made distinct over the others.
func (e *exec) from() ([]tuple, error) {
	root := e.db.rels[e.p.From]
	if root == nil {
		return nil, fmt.Errorf("train: no table %s", e.p.From)
	}
	if len(root.rows) > maxRows {
		return nil, fmt.Errorf("train: table %s has too many rows", e.p.From)
	}
	e.at[e.p.From], e.rel = 0, []*relation{root}
	rows := make([]tuple, 0, len(root.rows))
	own := ownConds(e.p.Where, e.p.From)
	for i := range root.rows {
		r := tuple{i}
		if !slices.ContainsFunc(own, func(c plan.Cond) bool { return !e.holds(&c, nil, r) }) {
			rows = append(rows, r)
		}
	}
	for _, j := range e.p.Joins {
		var err error
		if rows, err = e.join(rows, j); err != nil {
			return nil, err
		}
	}
	return e.shown(rows)
}

// ownConds returns the conditions that speak of one table alone.
func ownConds(w *plan.Cond, ref schema.Ref) []plan.Cond {
	var out []plan.Cond
	for _, c := range w.Conditions() {
		if c.Left != nil && c.Left.Column != nil && c.Left.Column.Ref == ref && c.Set == nil {
			out = append(out, c)
		}
	}
	return out
}

// join adds one table to the rows.
func (e *exec) join(rows []tuple, j plan.Join) ([]tuple, error) {
	left, to := j.Left, j.To
	if _, ok := e.at[left.Ref]; !ok {
		left, to = to, left
	}
	rel := e.db.rels[to.Ref]
	li, ok := e.at[left.Ref]
	if rel == nil || !ok {
		return nil, fmt.Errorf("train: join of %s and %s", left.Ref, to.Ref)
	}
	if _, twice := e.at[to.Ref]; twice {
		return rows, nil
	}
	byKey := rel.index(to.Column)
	lc := e.rel[li].cols[left.Column]
	e.at[to.Ref] = len(e.rel)
	e.rel = append(e.rel, rel)
	var next []tuple
	for _, r := range rows {
		v := e.rel[li].rows[r[li]][lc]
		if v == nil {
			continue
		}
		for _, m := range byKey[text(v)] {
			next = append(next, append(slices.Clone(r), m))
		}
		if len(next) > maxPairs {
			return nil, fmt.Errorf("train: too many pairs")
		}
	}
	return next, nil
}

// index returns the rows by the value of a column.
func (r *relation) index(column string) map[string][]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if m := r.byKey[column]; m != nil {
		return m
	}
	m := map[string][]int{}
	for i, row := range r.rows {
		if v := row[r.cols[column]]; v != nil {
			m[text(v)] = append(m[text(v)], i)
		}
	}
	if r.byKey == nil {
		r.byKey = map[string]map[string][]int{}
	}
	r.byKey[column] = m
	return m
}

// shown applies the conditions and makes rows distinct over the tables that
// the result shows.
func (e *exec) shown(rows []tuple) ([]tuple, error) {
	if len(e.rel) == 1 {
		return rows, nil
	}
	rows = slices.DeleteFunc(rows, func(r tuple) bool { return !e.holds(e.p.Where, []tuple{r}, r) })
	keep := map[int]bool{0: true}
	mark := func(x plan.Expr) { e.mark(x, keep) }
	for _, it := range e.p.Select {
		mark(it.Expr)
	}
	for _, g := range e.p.GroupBy {
		mark(g)
	}
	for _, o := range e.p.Order {
		mark(o.Expr)
	}
	if e.p.Having != nil && e.p.Having.Left != nil {
		mark(*e.p.Having.Left)
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(rows, func(r tuple) bool {
		var b []byte
		for i, v := range r {
			if keep[i] {
				b = append(strconv.AppendInt(b, int64(v), 32), ' ')
			}
		}
		dup := seen[string(b)]
		seen[string(b)] = true
		return dup
	}), e.err
}

func (e *exec) mark(x plan.Expr, keep map[int]bool) {
	if x.Column != nil {
		keep[e.at[x.Column.Ref]] = true
	}
	for _, a := range x.Args {
		e.mark(a, keep)
	}
}

func hasAgg(x plan.Expr) bool {
	return x.Agg != "" || slices.ContainsFunc(x.Args, hasAgg)
}

func (e *exec) groups(rows []tuple) [][]tuple {
	agg := len(e.p.GroupBy) > 0 || e.p.Having != nil
	for _, it := range e.p.Select {
		agg = agg || hasAgg(it.Expr)
	}
	if !agg {
		out := make([][]tuple, len(rows))
		for i, r := range rows {
			out[i] = []tuple{r}
		}
		return out
	}
	if len(e.p.GroupBy) == 0 {
		return [][]tuple{rows}
	}
	index := map[string]int{}
	var out [][]tuple
	for _, r := range rows {
		var vals []any
		for _, g := range e.p.GroupBy {
			vals = append(vals, e.eval(g, nil, r))
		}
		k := key(vals)
		i, ok := index[k]
		if !ok {
			i = len(out)
			index[k] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], r)
	}
	return out
}

func key(vals []any) string {
	var b strings.Builder
	for _, v := range vals {
		if v == nil {
			b.WriteString("\x01")
		}
		b.WriteString(text(v))
		b.WriteByte(0)
	}
	return b.String()
}

func (e *exec) sort(groups [][]tuple) {
	if len(e.p.Order) == 0 {
		return
	}
	keys := make(map[int][]any, len(groups))
	idx := make([]int, len(groups))
	for i, g := range groups {
		idx[i] = i
		for _, o := range e.p.Order {
			keys[i] = append(keys[i], e.eval(o.Expr, g, first(g)))
		}
	}
	slices.SortStableFunc(idx, func(a, b int) int {
		for i, o := range e.p.Order {
			x, y := keys[a][i], keys[b][i]
			if x == nil || y == nil {
				if (x == nil) != (y == nil) {
					return cmp.Compare(map[bool]int{true: 1}[x == nil], map[bool]int{true: 1}[y == nil])
				}
				continue
			}
			if c := order(x, y); c != 0 {
				if o.Desc {
					return -c
				}
				return c
			}
		}
		return 0
	})
	sorted := make([][]tuple, len(groups))
	for i, j := range idx {
		sorted[i] = groups[j]
	}
	copy(groups, sorted)
}

func (e *exec) project(g []tuple) []any {
	if len(e.p.Select) == 0 {
		rel := e.rel[0]
		return slices.Clone(rel.rows[g[0][0]])
	}
	var row []any
	for _, it := range e.p.Select {
		if it.Role == "context" {
			continue
		}
		row = append(row, e.eval(it.Expr, g, first(g)))
	}
	return row
}

func (e *exec) eval(x plan.Expr, g []tuple, r tuple) any {
	switch {
	case x.Column != nil:
		i, ok := e.at[x.Column.Ref]
		if !ok || r == nil {
			if !ok {
				e.fail("column %v of no table here", *x.Column)
			}
			return nil
		}
		if x.Column.Column == schema.RowColumn {
			return float64(e.rel[i].ids[r[i]])
		}
		c, ok := e.rel[i].cols[x.Column.Column]
		if !ok {
			e.fail("no column %v", *x.Column)
			return nil
		}
		return e.rel[i].rows[r[i]][c]
	case x.Literal != nil:
		return literal(*x.Literal)
	case x.Plan != nil:
		rows := e.inner(x.Plan).rows
		if len(rows) == 0 || len(rows[0]) == 0 {
			return nil
		}
		return rows[0][0]
	case x.Agg != "":
		return e.aggregate(x, g)
	}
	return e.function(x, g, r)
}
