package plan_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/allrows/allrows/agent/plan"
	"github.com/allrows/allrows/schema"
)

// FuzzCompile makes plans from a seed. Whatever compiles runs in DuckDB, twice
// the same; and a count of rows counts each row of its table once, however the
// plan joins.
func FuzzCompile(f *testing.F) {
	w := newWorld(f)
	for seed := range uint64(300) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		g := &planGen{r: rand.New(rand.NewPCG(seed, 7)), ctx: w.ctx}
		p := g.plan(2)
		c, err := plan.Compile(p, w.ctx)
		if err != nil {
			return
		}
		again, err := plan.Compile(p, w.ctx)
		if err != nil || again.SQL != c.SQL {
			t.Fatalf("Compile gives %q, then %q (%v)", c.SQL, again.SQL, err)
		}
		for _, q := range []string{c.SQL, c.Matched, c.Rows} {
			if q == "" {
				continue
			}
			if _, err := w.rows(q); err != nil && !strings.Contains(err.Error(), "More than one row returned") {
				t.Errorf("plan %s\nsql %s\n%v", p.Key(), q, err)
			}
		}
		for _, lang := range []string{"en", "es", "de", "pt"} {
			if s := p.Reading(w.ctx, lang); strings.ContainsAny(s, "{}") {
				t.Errorf("Reading(%s) = %q leaves a blank unfilled", lang, s)
			}
		}
		g.countOnce(t, w, p)
	})
}

// countOnce holds the number of rows that a joined plan counts against the
// distinct ones among the pairs of the plain join.
func (g *planGen) countOnce(t *testing.T, w *world, p *plan.Plan) {
	if p.Combine != nil || len(p.Joins) == 0 {
		return
	}
	q := &plan.Plan{From: p.From, Joins: p.Joins, Where: p.Where, Select: []plan.Item{{Expr: plan.Agg("count")}}}
	c, err := plan.Compile(q, w.ctx)
	if err != nil {
		return
	}
	pairs := &plan.Plan{From: p.From, Joins: p.Joins, Where: p.Where, Select: []plan.Item{{Expr: plan.Col(schema.ColumnRef{Ref: p.From, Column: schema.RowColumn})}}}
	for _, j := range p.Joins { // what shows a column of every table is joined plainly
		for _, ref := range []schema.Ref{j.Left.Ref, j.To.Ref} {
			pairs.Select = append(pairs.Select, plan.Item{Expr: plan.Col(schema.ColumnRef{Ref: ref, Column: schema.RowColumn})})
		}
	}
	d, err := plan.Compile(pairs, w.ctx)
	if err != nil {
		return
	}
	same, err := w.rows("SELECT (" + c.SQL + ") = (SELECT COUNT(DISTINCT _row) FROM (" + d.SQL + ") AS pairs)")
	if err == nil && same[0] != "true" {
		t.Errorf("plan %s does not count each row of %s once:\n%s\n%s", q.Key(), p.From, c.SQL, d.SQL)
	}
}

type planGen struct {
	r   *rand.Rand
	ctx *schema.Context
}

func pick[T any](g *planGen, list ...T) T { return list[g.r.IntN(len(list))] }

func (g *planGen) plan(depth int) *plan.Plan {
	if depth > 0 && g.r.IntN(15) == 0 {
		return &plan.Plan{Combine: &plan.Combine{Op: pick(g, "union", "intersect", "except"), Left: g.plan(0), Right: g.plan(0)}, Limit: g.r.IntN(3)}
	}
	tables := []*schema.Table{pick(g, g.ctx.Tables...)}
	p := &plan.Plan{From: tables[0].Ref}
	if tables[0].Workbook == "cities" && g.r.IntN(2) == 0 {
		cities, metro, employers := g.ctx.Tables[1], g.ctx.Tables[2], g.ctx.Tables[3]
		id := func(t *schema.Table) schema.ColumnRef {
			return schema.ColumnRef{Ref: t.Ref, Column: t.Columns[0].Name}
		}
		p.Joins = append(p.Joins, plan.Join{Left: id(metro), To: id(cities)})
		if g.r.IntN(2) == 0 || tables[0] == employers {
			p.Joins = append(p.Joins, plan.Join{Left: id(cities), To: id(employers), Outer: g.r.IntN(5) == 0 && tables[0] != employers})
		}
		tables = []*schema.Table{cities, metro, pick(g, cities, employers)}
	}
	if g.r.IntN(2) == 0 {
		p.Where = g.cond(tables, depth, false)
	}
	agg := g.r.IntN(2) == 0
	if agg && g.r.IntN(2) == 0 {
		p.GroupBy = []plan.Expr{g.column(tables)}
		p.Select = append(p.Select, plan.Item{Expr: p.GroupBy[0], Role: "key"})
		if g.r.IntN(4) == 0 {
			p.Having = g.cond(tables, 0, true)
		}
	}
	for range 1 + g.r.IntN(2) {
		p.Select = append(p.Select, plan.Item{Expr: g.expr(tables, depth, agg), Role: "measure"})
	}
	if g.r.IntN(3) == 0 {
		p.Order = []plan.Order{{Expr: g.expr(tables, 0, agg), Desc: g.r.IntN(2) == 0}}
		p.Limit, p.Offset, p.Ties = g.r.IntN(4), g.r.IntN(2), g.r.IntN(2) == 0
	}
	p.Distinct = g.r.IntN(6) == 0
	return p
}

func (g *planGen) column(tables []*schema.Table) plan.Expr {
	t := pick(g, tables...)
	return plan.Col(schema.ColumnRef{Ref: t.Ref, Column: pick(g, t.Columns...).Name})
}

func (g *planGen) expr(tables []*schema.Table, depth int, agg bool) plan.Expr {
	if !agg {
		if g.r.IntN(4) == 0 {
			return plan.Func(pick(g, "year", "trunc_month", "lower", "abs", "neg"), g.column(tables))
		}
		return g.column(tables)
	}
	e := plan.Agg(pick(g, "count", "count_distinct", "sum", "avg", "min", "max", "median"), g.column(tables))
	if g.r.IntN(3) == 0 {
		e = plan.Agg("count")
	}
	if g.r.IntN(4) == 0 {
		e.Filter = g.cond(tables, 0, false)
	}
	if g.r.IntN(4) == 0 {
		return plan.Func(pick(g, "sub", "div", "pct_of", "pct_change", "add", "mul"), e, g.expr(tables, 0, true))
	}
	if depth > 0 && g.r.IntN(8) == 0 {
		return plan.Func("pct_of", e, plan.Expr{Plan: &plan.Plan{From: tables[0].Ref, Select: []plan.Item{{Expr: plan.Agg("count")}}}})
	}
	return e
}

func (g *planGen) cond(tables []*schema.Table, depth int, agg bool) *plan.Cond {
	if depth > 0 && g.r.IntN(3) == 0 {
		return &plan.Cond{Op: pick(g, "and", "or"), Args: []plan.Cond{*g.cond(tables, depth-1, agg), *g.cond(tables, depth-1, agg)}}
	}
	left := g.expr(tables, 0, agg)
	lit := pick(g, plan.Text("North"), plan.Text("it's 5%"), plan.Number("5"), plan.Number("-12.5"), plan.Day("2026-01-01"))
	c := plan.Compare(left, pick(g, "=", "<>", "<", "<=", ">", ">=", "contains", "starts_with", "ends_with"), lit)
	switch g.r.IntN(8) {
	case 0:
		c = plan.Compare(left, "between", lit, lit)
	case 1:
		c = plan.Compare(left, pick(g, "in", "not_in"), lit, lit)
	case 2:
		c = plan.Compare(left, pick(g, "is_null", "is_not_null"))
	case 3:
		c = plan.Cond{Op: "not", Args: []plan.Cond{c}}
	case 4:
		if left.Column != nil {
			c = plan.Cond{Op: pick(g, "in", "not_in"), Left: &left, Set: &plan.Plan{From: left.Column.Ref, Select: []plan.Item{{Expr: left}}, Limit: g.r.IntN(3)}}
		}
	}
	return &c
}
