package train

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/allrows/allrows/agent/link"
	"github.com/allrows/allrows/agent/plan"
	"github.com/allrows/allrows/schema"
)

// Synthetic questions are made from templates over the tables of a set, with
// their plans: they teach what business questions ask and the sets seldom hold
// (groups, tops, shares, bounds), in words of the language and no table's.

// maker writes questions about one table.
type maker struct {
	rng   *rand.Rand
	db    *Database
	t     *schema.Table
	nums  []*schema.Column
	keys  []*schema.Column // texts with repeated values
	names []*schema.Column // texts that name a row
}

// template is one form of question and its plan.
type template func(m *maker) (string, *plan.Plan)

// Synthesize returns up to n questions over the database, the same for the same
// tables.
func Synthesize(c *Case, db *Database, n int) []*Case {
	var out []*Case
	rng := rand.New(rand.NewPCG(3, uint64(hash(c.Group()))))
	if len(db.Context.Tables) == 1 {
		return synthesize(c, &maker{rng: rng, db: db, t: db.Context.Tables[0]}, n)
	}
	for _, t := range db.Context.Tables {
		out = append(out, synthesize(c, &maker{rng: rng, db: db, t: t}, 2*n)...)
	}
	return out
}

// synthesize writes questions over one table.
func synthesize(c *Case, m *maker, n int) []*Case {
	t, db := m.t, m.db
	if t.Rows < 5 || t.Rows > 2000 {
		return nil
	}
	var out []*Case
	for _, col := range t.Columns {
		words := link.Words(col.Header)
		switch {
		case len(words) == 0 || len(words) > 4 || len(col.Header) < 3:
		case col.Type.Numeric() && col.Profile.Distinct > 3 && !identifier(words):
			m.nums = append(m.nums, col)
		case !col.Type.Numeric() && !col.Type.Temporal() && col.Profile.Distinct > 1 && col.Profile.Distinct*2 <= t.Rows:
			m.keys = append(m.keys, col)
		case col.Type.Kind == "text" && col.Profile.Unique:
			m.names = append(m.names, col)
		}
	}
	if len(m.nums) == 0 || len(m.keys) == 0 {
		return nil
	}
	for i := range n {
		q, p := templates[m.rng.IntN(len(templates))](m)
		if p == nil {
			continue
		}
		rows, err := db.Run(p)
		if err != nil || len(rows) == 0 || len(rows) > 60 || rows[0][0] == nil {
			continue
		}
		s := &Case{ID: fmt.Sprintf("%s-%s-synthetic-%d", c.ID, t.Table, i), Question: q, Tables: c.Tables, Dir: c.Dir, Set: "synthetic", Meta: Meta{Kind: "synthetic", DB: c.Group()}}
		for _, r := range rows {
			s.Answer = append(s.Answer, any(r))
		}
		out = append(out, s)
	}
	return out
}

func identifier(words []string) bool {
	switch words[len(words)-1] {
	case "id", "code", "no", "number", "year", "rank", "zip":
		return true
	}
	return false
}

func pick[T any](m *maker, list []T) T { return list[m.rng.IntN(len(list))] }

func (m *maker) col(c *schema.Column) plan.Expr {
	return plan.Col(schema.ColumnRef{Ref: m.t.Ref, Column: c.Name})
}

func (m *maker) num() *schema.Column { return pick(m, m.nums) }
func (m *maker) key() *schema.Column { return pick(m, m.keys) }

// cell returns a value that the column has.
func (m *maker) cell(c *schema.Column) string {
	rel := m.db.rels[m.t.Ref]
	for range 20 {
		if v := rel.rows[m.rng.IntN(len(rel.rows))][rel.cols[c.Name]]; v != nil && len(text(v)) > 1 {
			return text(v)
		}
	}
	return ""
}

func say(c *schema.Column) string { return strings.ToLower(strings.Join(link.Words(c.Header), " ")) }

func plural(s string) string {
	if strings.HasSuffix(s, "s") {
		return s
	}
	if strings.HasSuffix(s, "y") {
		return s[:len(s)-1] + "ies"
	}
	return s + "s"
}

func measure(e plan.Expr) plan.Item { return plan.Item{Expr: e, Role: "measure"} }
func beside(e plan.Expr) plan.Item  { return plan.Item{Expr: e, Role: "context"} }

// aggregate picks an aggregate with words for it.
func (m *maker) aggregate() (string, string) {
	list := [][2]string{{"avg", "average"}, {"avg", "mean"}, {"sum", "total"}, {"sum", "sum of"}, {"max", "highest"}, {"max", "maximum"}, {"min", "lowest"}, {"min", "minimum"}, {"median", "median"}}
	a := pick(m, list)
	return a[0], a[1]
}

func (m *maker) plan(items ...plan.Item) *plan.Plan { return &plan.Plan{From: m.t.Ref, Select: items} }

// only returns a condition on a text column and words for it.
func (m *maker) only() (string, *plan.Cond) {
	k := m.key()
	v := m.cell(k)
	if v == "" {
		return "", nil
	}
	c := plan.Compare(m.col(k), "=", plan.Text(v))
	forms := []string{" for " + v, " in " + v, " where " + say(k) + " is " + v, " of " + v, " with " + say(k) + " " + v, " for the " + v + " " + say(k)}
	return pick(m, forms), &c
}

// above returns a bound on a number column and words for it.
func (m *maker) above() (string, *plan.Cond) {
	n := m.num()
	v := m.cell(n)
	op := pick(m, [][2]string{{">", "above"}, {">", "more than"}, {">", "over"}, {"<", "below"}, {"<", "less than"}, {">=", "at least"}, {"<=", "at most"}, {"<", "under"}})
	if v == "" {
		return "", nil
	}
	c := plan.Compare(m.col(n), op[0], plan.Number(v))
	return pick(m, []string{" with a " + say(n) + " " + op[1] + " " + v, " with " + say(n) + " " + op[1] + " " + v, " that have a " + say(n) + " " + op[1] + " " + v}), &c
}
