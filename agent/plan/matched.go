package plan

import (
	"strings"

	"github.com/allrows/allrows/schema"
)

// matched renders the query that counts, for each table, the rows that the
// conditions keep and the cells that the aggregates pass over.
func (k *compiler) matched(q *query) (string, error) {
	if q.plan.constant() {
		return "", nil
	}
	var parts []string
	for i, r := range q.from {
		count, nulls := "COUNT(*)", q.nulls(r)
		row := q.column(schema.ColumnRef{Ref: r, Column: schema.RowColumn})
		if i > 0 || q.rootCut || len(q.derived) > 0 {
			count = "COUNT(DISTINCT " + row + ")"
		}
		if len(q.from) > 1 && nulls != "0" {
			nulls = "COUNT(DISTINCT " + row + ") FILTER (WHERE " + q.isNull(r) + ")"
		}
		parts = append(parts, "SELECT "+QuoteText(r.String())+" AS table_name, "+count+" AS rows_matched, "+nulls+
			" AS nulls_ignored, MIN("+row+") AS first_row, MAX("+row+") AS last_row"+q.fromWhere(q.notNullKey()))
	}
	for _, d := range q.derived {
		inner, err := k.matched(d.query)
		if err != nil {
			return "", err
		}
		parts = append(parts, inner)
	}
	for _, c := range q.plan.Where.Conditions() {
		if c.Set == nil || !k.raw[c.Set] || c.Set.From == q.from[0] {
			continue
		}
		b, err := k.build(c.Set, false)
		if err != nil {
			return "", err
		}
		inner, err := k.matched(b.query)
		if err != nil {
			return "", err
		}
		parts = append(parts, inner)
	}
	return strings.Join(parts, " UNION ALL "), q.err
}

// nulls counts the empty cells of the table's columns that are aggregated.
func (q *query) nulls(r schema.Ref) string {
	var terms []string
	for _, c := range q.aggregated(r) {
		terms = append(terms, "COUNT(*) - COUNT("+q.column(c)+")")
	}
	if len(terms) == 0 {
		return "0"
	}
	return strings.Join(terms, " + ")
}

func (q *query) isNull(r schema.Ref) string {
	var terms []string
	for _, c := range q.aggregated(r) {
		terms = append(terms, q.column(c)+" IS NULL")
	}
	return strings.Join(terms, " OR ")
}

// aggregated returns the table's columns that stand in aggregates.
func (q *query) aggregated(r schema.Ref) []schema.ColumnRef {
	var out []schema.ColumnRef
	for _, c := range q.plan.Aggregated() {
		if c.Ref == r && c.Column != schema.RowColumn {
			out = append(out, c)
		}
	}
	return out
}

// rowsSQL renders the query for the sheet rows behind each row of the result,
// where each stands for one row of every table.
func (q *query) rowsSQL() (string, []schema.Ref) {
	if q.orig.Aggregates() || q.plan.constant() || q.plan.Distinct || len(q.derived) > 0 || len(q.plan.Select) == 0 {
		return "", nil
	}
	p := q.plan.Clone()
	p.Select = nil
	for _, r := range q.from {
		p.Select = append(p.Select, Item{Expr: Col(schema.ColumnRef{Ref: r, Column: schema.RowColumn}), Role: "context"})
	}
	rq := *q
	rq.plan, rq.orig, rq.names, rq.columns = p, p.Clone(), namer{}, nil
	rq.orig.Order = q.orig.Order
	text := rq.render()
	return text, q.from
}

// combine renders a set operation on two plans.
func (k *compiler) combine(p *Plan, top bool) (*built, error) {
	op := map[string]string{"union": "UNION", "intersect": "INTERSECT", "except": "EXCEPT"}[p.Combine.Op]
	if op == "" {
		return nil, errorf("there is no combination %q", p.Combine.Op)
	}
	var text [2]string
	var columns []Column
	for i, side := range []*Plan{p.Combine.Left, p.Combine.Right} {
		b, err := k.build(side, false)
		if err != nil {
			return nil, err
		}
		if text[i] = b.sql; side.Limit > 0 || side.Combine != nil {
			text[i] = "SELECT * FROM (" + b.sql + ") AS part"
		}
		if columns == nil {
			columns = b.columns
		} else if len(columns) != len(b.columns) {
			return nil, errorf("the two sides of a %s differ in columns", p.Combine.Op)
		}
		for j := range columns {
			if a, b := columns[j].Type, b.columns[j].Type; a.Kind != b.Kind && !(a.Numeric() && b.Numeric()) {
				return nil, errorf("the two sides of a %s have %s beside %s", p.Combine.Op, a.Kind, b.Kind)
			}
		}
	}
	sql := text[0] + " " + op + " " + text[1]
	order, err := combinedOrder(p, columns)
	if err != nil {
		return nil, err
	}
	if !top && p.Limit == 0 {
		return &built{sql: sql, columns: columns}, nil
	}
	sql = "SELECT * FROM (" + sql + ") AS combined ORDER BY " + strings.Join(order, ", ") + limit(p.Limit, p.Offset)
	return &built{sql: sql, columns: columns}, nil
}

// combinedOrder sorts a combination by its own columns: an order must name one
// that the left side selects.
func combinedOrder(p *Plan, columns []Column) ([]string, error) {
	left := p.Combine.Left
	for left.Combine != nil {
		left = left.Combine.Left
	}
	var out []string
	used := map[string]bool{}
	for i := range p.Order {
		found := false
		for j := range left.Select {
			if j < len(columns) && left.Select[j].Expr.Equal(&p.Order[i].Expr) {
				name := Quote(columns[j].Name)
				used[name], found = true, true
				if p.Order[i].Desc {
					name += " DESC NULLS LAST"
				}
				out = append(out, name)
			}
		}
		if !found {
			return nil, errorf("a combination is sorted by what it does not select")
		}
	}
	for _, c := range columns {
		if name := Quote(c.Name); !used[name] {
			out = append(out, name)
		}
	}
	return out, nil
}
