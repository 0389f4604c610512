package plan

import (
	"slices"
	"strconv"
	"strings"

	"github.com/allrows/allrows/schema"
)

// render writes the SELECT and fills in the query's columns.
func (q *query) render() string {
	selects := q.selectList()
	if q.plan.constant() {
		return "SELECT " + strings.Join(selects, ", ")
	}
	if q.plan.Ties && q.plan.Limit > 0 && len(q.plan.Order) > 0 {
		return q.ranked(selects)
	}
	text := "SELECT "
	grouped := q.groupBy()
	if q.plan.Distinct {
		if grouped == "" && q.ordersByOther() {
			grouped = " GROUP BY " + strings.Join(q.selectExprs(), ", ")
		} else {
			text += "DISTINCT "
		}
	}
	text += strings.Join(selects, ", ") + q.fromWhere(q.notNullKey()) + grouped + q.having()
	return text + q.orderBy() + limit(q.plan.Limit, q.plan.Offset)
}

// selectList renders the items under names of their own.
func (q *query) selectList() []string {
	out := make([]string, len(q.plan.Select))
	for i := range q.plan.Select {
		it := &q.plan.Select[i]
		text := q.expr(&it.Expr)
		m := q.k.meaning(&q.orig.Select[i].Expr)
		name := q.names.take(m.Name)
		q.columns = append(q.columns, q.k.resultColumn(&q.orig.Select[i], m, name))
		out[i] = text
		if it.Expr.Column == nil || it.Expr.Column.Column != name {
			out[i] += " AS " + Quote(name)
		}
	}
	return out
}

func (q *query) selectExprs() []string {
	var out []string
	for i := range q.plan.Select {
		if text := q.expr(&q.plan.Select[i].Expr); !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}

// fromWhere renders FROM, joins and WHERE, with more conditions beside the plan's.
func (q *query) fromWhere(more ...string) string {
	text := " FROM " + q.tableAs(q.from[0])
	for _, r := range q.from[1:] {
		text += q.join(q.tableAs(r), q.joinsTo(r))
	}
	for _, d := range q.derived {
		text += q.join("("+d.sql+") AS "+Quote(d.name), d.joins)
	}
	var conds []string
	if q.plan.Where != nil {
		w := q.cond(q.plan.Where)
		if q.plan.Where.Op == "or" && len(more) > 0 && more[0] != "" {
			w = "(" + w + ")"
		}
		conds = append(conds, w)
	}
	conds = append(conds, more...)
	conds = slices.DeleteFunc(conds, func(s string) bool { return s == "" })
	if len(conds) > 0 {
		text += " WHERE " + strings.Join(conds, " AND ")
	}
	return text
}

func (q *query) joinsTo(r schema.Ref) []Join {
	var out []Join
	for _, j := range q.joins {
		if j.To.Ref == r {
			out = append(out, j)
		}
	}
	return out
}

func (q *query) tableAs(r schema.Ref) string {
	if qual := q.quals[r]; qual != "" && qual != r.Table {
		return TableName(r) + " AS " + Quote(qual)
	}
	return TableName(r)
}

func (q *query) join(table string, on []Join) string {
	kind := " JOIN "
	conds := make([]string, len(on))
	for i, j := range on {
		if j.Outer {
			kind = " LEFT JOIN "
		}
		conds[i] = q.column(j.Left) + " = " + q.column(j.To)
	}
	return kind + table + " ON " + strings.Join(conds, " AND ")
}

func (q *query) groupBy() string {
	if len(q.plan.GroupBy) == 0 {
		return ""
	}
	parts := make([]string, len(q.plan.GroupBy))
	for i := range q.plan.GroupBy {
		if q.plan.GroupBy[i].hasAgg() {
			return q.fail(errorf("a group cannot be an aggregate"))
		}
		parts[i] = q.expr(&q.plan.GroupBy[i])
	}
	return " GROUP BY " + strings.Join(parts, ", ")
}

// having renders the conditions on groups, with that of the first sort key.
func (q *query) having() string {
	var conds []string
	if q.plan.Having != nil {
		conds = append(conds, q.cond(q.plan.Having))
	}
	if len(q.plan.GroupBy) > 0 {
		if k := q.notNull(); k != "" {
			conds = append(conds, k)
		}
	}
	if len(conds) == 0 {
		return ""
	}
	return " HAVING " + strings.Join(conds, " AND ")
}

// notNullKey is the condition that a row has the value it is ranked by.
func (q *query) notNullKey() string {
	if q.orig.Aggregates() {
		return ""
	}
	return q.notNull()
}

// notNull says that what a limited result is sorted by is there: the largest of
// a column is never an empty cell.
func (q *query) notNull() string {
	if q.plan.Limit == 0 || len(q.plan.Order) == 0 || !q.k.nullable(&q.orig.Order[0].Expr) {
		return ""
	}
	return q.operand(&q.plan.Order[0].Expr) + " IS NOT NULL"
}

// ordersByOther reports whether distinct rows are sorted by what they do not show.
func (q *query) ordersByOther() bool {
	return slices.ContainsFunc(q.plan.Order, func(o Order) bool {
		return !slices.ContainsFunc(q.plan.Select, func(it Item) bool { return it.Expr.Equal(&o.Expr) })
	})
}

// orderKeys renders the plan's own sort keys; of rows regrouped to be distinct,
// the best of those behind each.
func (q *query) orderKeys(regrouped bool) []string {
	out := make([]string, 0, len(q.plan.Order)+2)
	for i := range q.plan.Order {
		o := &q.plan.Order[i]
		text := q.operand(&o.Expr)
		if regrouped && !slices.ContainsFunc(q.plan.Select, func(it Item) bool { return it.Expr.Equal(&o.Expr) }) {
			if text = "MIN(" + text + ")"; o.Desc {
				text = "MAX" + text[3:]
			}
		}
		if o.Desc {
			text += " DESC"
		}
		limited := i == 0 && q.plan.Limit > 0
		if q.k.nullable(&q.orig.Order[i].Expr) && !limited {
			text += " NULLS LAST"
		}
		out = append(out, text)
	}
	return out
}

// tieBreak are the keys that make the order total: the groups' own, what is
// shown of distinct rows, else the rows' place in the sheet.
func (q *query) tieBreak() []string {
	var exprs []Expr
	switch {
	case len(q.plan.GroupBy) > 0:
		exprs = q.plan.GroupBy
	case q.orig.Aggregates():
		return nil
	case q.plan.Distinct:
		for i := range q.plan.Select {
			exprs = append(exprs, q.plan.Select[i].Expr)
		}
	default:
		for _, r := range q.from {
			exprs = append(exprs, Col(schema.ColumnRef{Ref: r, Column: schema.RowColumn}))
		}
	}
	var out []string
	for i := range exprs {
		if !slices.ContainsFunc(q.plan.Order, func(o Order) bool { return o.Expr.Equal(&exprs[i]) }) && exprs[i].Literal == nil {
			out = append(out, q.expr(&exprs[i]))
		}
	}
	return out
}

func (q *query) orderBy() string {
	if !q.top && q.plan.Limit == 0 {
		return ""
	}
	keys := append(q.orderKeys(q.plan.Distinct && !q.orig.Aggregates() && q.ordersByOther()), q.tieBreak()...)
	if len(keys) == 0 {
		return ""
	}
	return " ORDER BY " + strings.Join(keys, ", ")
}

// ranked renders a limit that keeps ties, by the place of each row or group.
func (q *query) ranked(selects []string) string {
	var ties, outer []string
	for i, t := range q.tieBreak() {
		if j := slices.Index(q.selectExprs(), t); j >= 0 && len(q.selectExprs()) == len(q.columns) {
			outer = append(outer, Quote(q.columns[j].Name))
			continue
		}
		n := q.names.take("key_" + strconv.Itoa(i+1))
		ties, outer = append(ties, t+" AS "+n), append(outer, n)
	}
	place := q.names.take("place")
	rank := "RANK()"
	if q.plan.Offset > 0 {
		rank = "DENSE_RANK()"
	}
	inner := append(slices.Clone(selects), ties...)
	inner = append(inner, rank+" OVER (ORDER BY "+strings.Join(q.orderKeys(false), ", ")+") AS "+place)
	names := make([]string, len(q.columns))
	for i, c := range q.columns {
		names[i] = Quote(c.Name)
	}
	text := "SELECT " + strings.Join(names, ", ") + " FROM (SELECT " + strings.Join(inner, ", ") + q.fromWhere(q.notNullKey()) + q.groupBy() + q.having() + ") AS ranked WHERE " + place
	if q.plan.Offset > 0 {
		text += " > " + strconv.Itoa(q.plan.Offset) + " AND " + place
	}
	text += " <= " + strconv.Itoa(q.plan.Limit+q.plan.Offset)
	if q.plan.Distinct {
		text += " GROUP BY " + strings.Join(names, ", ")
		place, outer = "MIN("+place+")", names
	}
	if !q.top {
		return text
	}
	return text + " ORDER BY " + strings.Join(append([]string{place}, outer...), ", ")
}
