package semparse

import (
	"slices"
	"strings"

	"github.com/allrows/allrows/agent/link"
	"github.com/allrows/allrows/agent/plan"
	"github.com/allrows/allrows/schema"
)

// sureFollow is how sure the planner is of an ellipsis that it completes.
const sureFollow = 0.8

// follow completes a question that says only what differs from the one before:
// "and in the South?", "by tier", "only 2024", "the total?", "how many are
// there?". It returns nil for a question that stands on its own.
func (p *Planner) follow(a *asked, turn plan.Turn) *plan.Plan {
	prev := turn.Previous
	if prev == nil || prev.Combine != nil {
		return nil
	}
	base, ok := a.v.byRef[prev.From]
	if !ok {
		return nil
	}
	light := a.lightWords()
	for _, cs := range a.condSets() {
		if q := a.completed(prev, base, cs, light); q != nil && q.Key() != prev.Key() {
			return q
		}
	}
	return nil
}

// completed edits the plan before by one choice of conditions and by the rest of
// the words; nil where a word is left or nothing is said.
func (a *asked) completed(prev *plan.Plan, base int, cs *condSet, light mask) *plan.Plan {
	p := prev.Clone()
	left := a.content.minus(light).minus(cs.span)
	if len(cs.atoms) > 0 {
		if p = a.withConditions(p, base, cs); p == nil {
			return nil
		}
		left = left.minus(cs.mention)
	}
	groups, rest := a.groupsIn(left)
	agg := a.aggregateIn(rest)
	rest = rest.minus(a.spanOf(agg))
	if agg == "" && a.content.minus(light).empty() && a.says("agg.count") {
		agg = "agg.count" // "how many are there?" has no content word
	}
	if !rest.empty() || len(cs.atoms) == 0 && len(groups) == 0 && agg == "" {
		return nil
	}
	if agg != "" {
		if p = reaggregate(p, agg); p == nil {
			return nil
		}
	}
	for _, g := range groups {
		if p = a.grouped(p, base, g); p == nil {
			return nil
		}
	}
	return p
}

// lightWords are the words that only lead over to a follow-up.
func (a *asked) lightWords() mask {
	m := a.fillers
	for _, k := range a.ops {
		switch head, _, _ := strings.Cut(k.Op, "."); {
		case k.Op == "op.only", k.Op == "op.and", k.Op == "op.same", k.Op == "op.group", k.Op == "op.each2", head == "wh" && k.Op != "wh.why":
			m = m.or(spanMask(k.First, k.Last))
		}
	}
	return m
}

// withConditions replaces or adds conditions in a plan, joining their tables.
func (a *asked) withConditions(p *plan.Plan, base int, cs *condSet) *plan.Plan {
	for _, at := range cs.atoms {
		if p = a.joined(p, base, a.v.cols[at.col].table); p == nil {
			return nil
		}
	}
	where := a.v.where(cs.atoms, p)
	for _, c := range where.Conditions() {
		p = p.WithCondition(c)
	}
	return p
}

// joined returns the plan with the joins that reach a table, nil where none do.
func (a *asked) joined(p *plan.Plan, base, table int) *plan.Plan {
	ref := a.v.tables[table].Ref
	if ref == p.From || slices.ContainsFunc(p.Joins, func(j plan.Join) bool { return j.To.Ref == ref || j.Left.Ref == ref }) {
		return p
	}
	edges, ok := a.v.connect(base, []int{table})
	if !ok {
		return nil
	}
	p = p.Clone()
	for _, e := range edges {
		j := plan.Join{Left: e.left, To: e.key}
		if !slices.Contains(p.Joins, j) {
			p.Joins = append(p.Joins, j)
		}
	}
	return p
}

// groupsIn returns the columns to split by, said after "by" or "per", and the
// words that are left.
func (a *asked) groupsIn(left mask) ([]int, mask) {
	var out []int
	for _, m := range a.mentions {
		said := slices.ContainsFunc(a.ops, func(k link.Link) bool { return k.Op == "op.group" && k.Last < m.first })
		if !said || m.score < 0.6 || !left.covers(m.span) || slices.ContainsFunc(a.mentions, func(o mention) bool {
			return o.span.overlaps(m.span) && o.score > m.score
		}) {
			continue
		}
		out = append(out, m.col)
		left = left.minus(m.span)
	}
	return out, left
}

// grouped splits a plan by a column; nil where its table cannot be reached.
func (a *asked) grouped(p *plan.Plan, base, col int) *plan.Plan {
	if p = a.joined(p, base, a.v.cols[col].table); p == nil {
		return nil
	}
	return p.GroupedBy(a.v.colExpr(col), "")
}

// aggregateIn returns the aggregate that the words name, "" for none.
func (a *asked) aggregateIn(left mask) string {
	if left.empty() {
		return ""
	}
	for _, k := range a.ops {
		if strings.HasPrefix(k.Op, "agg.") && k.Op != "agg.range" && k.Op != "agg.distinct" && left.covers(spanMask(k.First, k.Last).minus(a.fillers)) {
			return k.Op
		}
	}
	return ""
}

// reaggregate computes another aggregate of what the plan computes or lists; nil
// where there is nothing to compute it of.
func reaggregate(p *plan.Plan, op string) *plan.Plan {
	agg := strings.TrimPrefix(op, "agg.")
	q := p.Clone()
	if agg == "count" {
		q.Select, q.GroupBy, q.Having, q.Distinct = []plan.Item{{Expr: plan.Agg("count"), Role: "measure"}}, nil, nil, false
		q.Order, q.Limit, q.Offset, q.Ties = nil, 0, 0, false
		return q
	}
	for i := range q.Select {
		e := &q.Select[i].Expr
		if e.Agg != "" && e.Agg != "count" && len(e.Args) == 1 {
			e.Agg, q.Select[i].Label = agg, ""
			return q
		}
	}
	for _, it := range q.Select {
		if it.Expr.Column == nil || it.Role == "key" || it.Role == "context" || it.Expr.Column.Column == schema.RowColumn {
			continue
		}
		q.Select = []plan.Item{{Expr: plan.Agg(agg, it.Expr), Role: "measure"}}
		q.Order, q.Limit, q.Offset, q.Ties, q.Distinct = nil, 0, 0, false, false
		return q
	}
	return nil
}
