package train

import (
	"strconv"
	"strings"

	"github.com/allrows/allrows/agent/link"
	"github.com/allrows/allrows/agent/plan"
	"github.com/allrows/allrows/schema"
)

// templates are the forms of synthetic questions.
var templates = []template{
	plainAggregate, plainAggregate, filteredAggregate, across, entityCount, entityCount, grouped, grouped, grouped, counted, countedDistinct, boundedCount,
	topGroups, bestGroup, manyGroups, shareOf, differenceOf, lookedUp, lookedUp, boundedList, largest, mostRows, sized, sized, sized,
}

func plainAggregate(m *maker) (string, *plan.Plan) {
	agg, word := m.aggregate()
	n := m.num()
	q := pick(m, []string{"what is the ", "", "show the ", "what's the "}) + word + " " + say(n)
	return q, m.plan(measure(plan.Agg(agg, m.col(n))))
}

func filteredAggregate(m *maker) (string, *plan.Plan) {
	q, p := plainAggregate(m)
	words, cond := m.only()
	if cond == nil {
		return "", nil
	}
	p.Where = cond
	return q + words, p
}

func across(m *maker) (string, *plan.Plan) {
	q, p := plainAggregate(m)
	return q + " across " + pick(m, []string{"", "all "}) + plural(say(m.key())), p
}

// entityCount counts the rows by the table's name.
func entityCount(m *maker) (string, *plan.Plan) {
	name := strings.ToLower(strings.Join(link.Words(m.t.Table), " "))
	if len(m.db.Context.Tables) == 1 {
		name = "rows"
	}
	p := m.plan(measure(plan.Agg("count")))
	q := pick(m, []string{"how many " + plural(name), "number of " + plural(name), "how many " + plural(name) + " are there"})
	switch m.rng.IntN(3) {
	case 0:
		words, c := m.above()
		if c == nil {
			return "", nil
		}
		q, p.Where = "how many "+plural(name)+strings.Replace(words, " that have", " have", 1), c
	case 1:
		words, c := m.only()
		if c == nil {
			return "", nil
		}
		q, p.Where = "how many "+plural(name)+" are there"+words, c
	}
	return q, p
}

func grouped(m *maker) (string, *plan.Plan) {
	agg, word := m.aggregate()
	n, k := m.num(), m.key()
	p := m.plan(plan.Item{Expr: m.col(k), Role: "key"}, measure(plan.Agg(agg, m.col(n))))
	p.GroupBy = []plan.Expr{m.col(k)}
	by := pick(m, []string{" by ", " per ", " for each ", " in each ", " of each "})
	q := pick(m, []string{"what is the ", "", "show me the "}) + word + " " + say(n) + by + say(k)
	if m.rng.IntN(4) == 0 {
		p.Select[1] = measure(plan.Agg("count"))
		q = pick(m, []string{"number of rows", "how many are there", "count of records"}) + by + say(k)
	}
	return q, p
}

func counted(m *maker) (string, *plan.Plan) {
	words, cond := m.only()
	if cond == nil {
		return "", nil
	}
	p := m.plan(measure(plan.Agg("count")))
	p.Where = cond
	return pick(m, []string{"how many rows are there", "how many records", "how many entries are listed", "count the rows"}) + words, p
}

func countedDistinct(m *maker) (string, *plan.Plan) {
	k := m.key()
	q := pick(m, []string{"how many " + plural(say(k)) + " are there", "how many different " + plural(say(k)), "number of distinct " + plural(say(k)), "how many " + plural(say(k)) + " do we have"})
	return q, m.plan(measure(plan.Agg("count_distinct", m.col(k))))
}

func boundedCount(m *maker) (string, *plan.Plan) {
	words, cond := m.above()
	if cond == nil {
		return "", nil
	}
	p := m.plan(measure(plan.Agg("count")))
	p.Where = cond
	q := pick(m, []string{"how many rows", "how many records are there", "how many entries"}) + words
	if more, c := m.only(); c != nil && m.rng.IntN(2) == 0 {
		p.Where = plan.All(*cond, *c)
		q += more
	}
	return q, p
}

func boundedList(m *maker) (string, *plan.Plan) {
	words, cond := m.above()
	k := m.key()
	if cond == nil {
		return "", nil
	}
	p := m.plan(measure(m.col(k)))
	p.Where, p.Distinct = cond, true
	return pick(m, []string{"which " + plural(say(k)) + " are there", "list the distinct " + plural(say(k)), "show all different " + plural(say(k))}) + words, p
}

// topGroups asks for the first few groups by an aggregate.
func topGroups(m *maker) (string, *plan.Plan) {
	agg, word := m.aggregate()
	n, k := m.num(), m.key()
	e := plan.Agg(agg, m.col(n))
	p := m.plan(measure(m.col(k)), beside(e))
	p.GroupBy = []plan.Expr{m.col(k)}
	count := 2 + m.rng.IntN(3)
	desc := m.rng.IntN(3) > 0
	p.Order, p.Limit = []plan.Order{{Expr: e, Desc: desc}}, count
	side := map[bool]string{true: "top ", false: "bottom "}[desc]
	return side + strconv.Itoa(count) + " " + plural(say(k)) + " by " + word + " " + say(n), p
}

// bestGroup asks which group has the most.
func bestGroup(m *maker) (string, *plan.Plan) {
	word := pick(m, [][2]string{{"avg", "average"}, {"sum", "total"}})
	n, k := m.num(), m.key()
	e := plan.Agg(word[0], m.col(n))
	p := m.plan(measure(m.col(k)), beside(e))
	p.GroupBy = []plan.Expr{m.col(k)}
	desc := m.rng.IntN(3) > 0
	p.Order, p.Limit = []plan.Order{{Expr: e, Desc: desc}}, 1
	side := map[bool]string{true: "highest", false: "lowest"}[desc]
	return "which " + say(k) + " has the " + side + " " + word[1] + " " + say(n), p
}

// manyGroups asks for groups with more than so many rows.
func manyGroups(m *maker) (string, *plan.Plan) {
	k := m.key()
	count := 1 + m.rng.IntN(4)
	op := pick(m, [][2]string{{">", "more than "}, {">=", "at least "}, {"<", "fewer than "}})
	having := plan.Compare(plan.Agg("count"), op[0], plan.Number(strconv.Itoa(count)))
	p := m.plan(measure(m.col(k)))
	p.GroupBy, p.Having = []plan.Expr{m.col(k)}, &having
	return "which " + plural(say(k)) + " have " + op[1] + strconv.Itoa(count) + pick(m, []string{" rows", " records", " entries"}), p
}

func shareOf(m *maker) (string, *plan.Plan) {
	n, k := m.num(), m.key()
	v := m.cell(k)
	if v == "" {
		return "", nil
	}
	cond := plan.Compare(m.col(k), "=", plan.Text(v))
	part := &plan.Plan{From: m.t.Ref, Where: &cond, Select: []plan.Item{measure(plan.Agg("sum", m.col(n)))}}
	whole := m.plan(measure(plan.Agg("sum", m.col(n))))
	p := m.plan(measure(plan.Func("pct_of", plan.Expr{Plan: part}, plan.Expr{Plan: whole})))
	p.Limit = 1
	word := pick(m, []string{"what share of ", "what percentage of ", "share of ", "what proportion of "})
	return word + pick(m, []string{"total ", "the ", "all "}) + say(n) + pick(m, []string{" comes from ", " is from ", " is "}) + v, p
}

func differenceOf(m *maker) (string, *plan.Plan) {
	n, k := m.num(), m.key()
	a, b := m.cell(k), m.cell(k)
	if a == "" || a == b || b == "" || strings.Contains(a+b, " and ") {
		return "", nil
	}
	word := pick(m, [][2]string{{"avg", "average "}, {"sum", "total "}})
	side := func(v string) plan.Expr {
		cond := plan.Compare(m.col(k), "=", plan.Text(v))
		return plan.Expr{Plan: &plan.Plan{From: m.t.Ref, Where: &cond, Select: []plan.Item{measure(plan.Agg(word[0], m.col(n)))}}}
	}
	p := m.plan(measure(plan.Func("abs", plan.Func("sub", side(a), side(b)))))
	p.Limit = 1
	return pick(m, []string{"difference in ", "what is the difference in ", "what is the difference of "}) + word[1] + say(n) + " between " + a + " and " + b, p
}

// lookedUp asks for a cell of the row that two others name.
func lookedUp(m *maker) (string, *plan.Plan) {
	n, k, other := m.num(), m.key(), m.num()
	v, x := m.cell(k), m.cell(other)
	if n == other || v == "" || x == "" {
		return "", nil
	}
	p := m.plan(measure(m.col(n)))
	p.Where = plan.All(plan.Compare(m.col(k), "=", plan.Text(v)), plan.Compare(m.col(other), "=", plan.Number(x)))
	forms := []string{
		"what is the " + say(other) + " " + x + " " + say(n) + " for " + v,
		say(n) + " for " + say(other) + " " + x + " in " + v,
		"what is the " + say(n) + " of " + v + " with " + say(other) + " " + x,
		"what is the " + v + " " + say(other) + " " + x + " " + say(n),
	}
	return pick(m, forms), p
}

// largest asks for the row with the most.
func largest(m *maker) (string, *plan.Plan) {
	n, k := m.num(), m.key()
	desc := m.rng.IntN(2) == 0
	side := map[bool]string{true: "highest", false: "lowest"}[desc]
	p := m.plan(measure(m.col(k)), beside(m.col(n)))
	given := plan.Cond{Op: "is_not_null", Left: ptr(m.col(n))}
	p.Order, p.Limit, p.Where = []plan.Order{{Expr: m.col(n), Desc: desc}}, 1, &given
	q := "which " + say(k) + " has the " + side + " " + say(n)
	return q, p
}

// sizes are the superlatives that speak of a column without its name.
var sizes = []struct {
	headers string
	most    []string
	least   []string
}{
	{"population area size capacity", []string{"largest", "biggest"}, []string{"smallest"}},
	{"price cost salary fee", []string{"most expensive"}, []string{"cheapest"}},
	{"age", []string{"oldest"}, []string{"youngest"}},
	{"height elevation altitude", []string{"tallest", "highest"}, []string{"shortest"}},
	{"weight mass", []string{"heaviest"}, []string{"lightest"}},
	{"length duration distance", []string{"longest"}, []string{"shortest"}},
	{"rating score points", []string{"best", "top"}, []string{"worst"}},
}

// sized asks for the largest of the table's things, the size not named.
func sized(m *maker) (string, *plan.Plan) {
	if len(m.names) == 0 {
		return "", nil
	}
	for _, s := range sizes {
		for _, n := range m.nums {
			last := link.Words(n.Header)
			if !strings.Contains(" "+s.headers+" ", " "+last[len(last)-1]+" ") {
				continue
			}
			return m.sizedBy(n, s.most, s.least)
		}
	}
	return "", nil
}

func (m *maker) sizedBy(n *schema.Column, most, least []string) (string, *plan.Plan) {
	k := pick(m, m.names)
	desc := m.rng.IntN(2) == 0
	word, count := pick(m, least), 1+m.rng.IntN(4)
	if desc {
		word = pick(m, most)
	}
	given := plan.Cond{Op: "is_not_null", Left: ptr(m.col(n))}
	p := m.plan(measure(m.col(k)), beside(m.col(n)))
	p.Order, p.Limit, p.Where = []plan.Order{{Expr: m.col(n), Desc: desc}}, count, &given
	q := pick(m, []string{"what is the ", "", "which is the "}) + word + " " + say(k)
	if count > 1 {
		q = pick(m, []string{strconv.Itoa(count) + " " + word, word + " " + strconv.Itoa(count)}) + " " + plural(say(k))
	}
	if words, c := m.only(); c != nil && m.rng.IntN(2) == 0 {
		p.Where = plan.All(given, *c)
		q += words
	}
	return q, p
}

// mostRows asks for the value that most rows have.
func mostRows(m *maker) (string, *plan.Plan) {
	k := m.key()
	p := m.plan(measure(m.col(k)), beside(plan.Agg("count")))
	p.GroupBy = []plan.Expr{m.col(k)}
	p.Order, p.Limit = []plan.Order{{Expr: plan.Agg("count"), Desc: true}}, 1
	return "which " + say(k) + " has the most " + pick(m, []string{"rows", "records", "entries"}), p
}

func ptr[T any](v T) *T { return &v }
