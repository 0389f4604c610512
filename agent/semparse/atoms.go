package semparse

import (
	"slices"
	"strings"

	"github.com/allrows/allrows/agent/link"
	"github.com/allrows/allrows/agent/plan"
)

// atom is one condition that some words of the question may state.
type atom struct {
	col       int
	op        string // = <> < <= > >= between in contains starts_with ends_with above_avg below_avg
	vals      []plan.Literal
	span      mask // the words that state it: value, operator, unit
	value     mask // the words of the value alone
	first     int  // first and last token of the value
	last      int
	mention   mask    // the words that name its column
	mentioned float64 // how surely they do
	near      int     // tokens between the column's name and the value
	score     float64
	kind      string // value number time avg
	how       string
	rivals    int // other columns that the same words may be a value of
	cmp       bool
	owned     bool // of a bound: a column's name claims the number
	or        bool // "or" stands before it
}

// asked is a question prepared for proposing candidates.
type asked struct {
	q        *link.Question
	v        *view
	lex      *link.Lexicon
	n        int
	ops      []link.Link
	mentions []mention
	byCol    map[int][]mention
	tables   []mention // table mentions; col is the table
	atoms    []*atom
	counts   []*atom // numbers that may bound a count or an aggregate
	limits   []limit
	said     []said // what the question says that it is by
	fillers  mask
	content  mask
	opMask   mask
	wh       string // first question word's class
	whAt     int
}

// mention is a run of words that may name a column (or table).
type mention struct {
	col         int
	first, last int
	span        mask
	score       float64
	how         string
}

// limit is a number that may say how many rows: "top 3", "five smallest".
type limit struct {
	n    int
	at   int
	span mask
}

func prepare(q *link.Question, v *view, lex *link.Lexicon) *asked {
	a := &asked{q: q, v: v, lex: lex, n: len(q.Tokens), byCol: map[int][]mention{}, whAt: -1}
	for i, t := range q.Tokens {
		if t.Filler {
			a.fillers = a.fillers.or(spanMask(i, i))
		}
	}
	a.collectNames()
	a.collectOps()
	for i := range q.Tokens {
		if m := spanMask(i, i); !a.fillers.overlaps(m) {
			a.content = a.content.or(m)
		}
	}
	a.valueAtoms()
	a.numberAtoms()
	a.timeAtoms()
	a.averageAtoms()
	a.textAtoms()
	for _, at := range a.atoms {
		at.or = a.afterOr(at)
	}
	a.said = a.saidBy()
	return a
}

// collectNames gathers the words that may name columns and tables.
func (a *asked) collectNames() {
	for _, k := range a.q.Links {
		m := spanMask(k.First, k.Last)
		switch k.Kind {
		case link.Column:
			if i := a.v.column(k.Column); i >= 0 && k.Score >= 0.3 {
				mn := mention{i, k.First, k.Last, m, k.Score, k.How}
				a.mentions = append(a.mentions, mn)
				a.byCol[i] = append(a.byCol[i], mn)
			}
		case link.Table:
			if t, ok := a.v.byRef[k.Table]; ok && k.Score >= 0.3 {
				a.tables = append(a.tables, mention{t, k.First, k.Last, m, k.Score, k.How})
			}
		}
	}
}

// collectOps gathers the operators of the question. A word inside the full name
// of a column is none ("minimum order"), and the modifiers of a compound term
// carry no condition of their own ("volume" of "volume discount").
func (a *asked) collectOps() {
	for _, k := range a.q.Links {
		if k.Kind != link.Operator {
			continue
		}
		m := spanMask(k.First, k.Last)
		if k.Op == "op.compound" {
			a.compounds(k)
			continue
		}
		if slices.ContainsFunc(a.mentions, func(n mention) bool {
			return (n.how == "name" || n.how == "synonym" || n.how == "part" && n.score >= 0.7) && n.span.covers(m) && n.span != m && !strings.HasPrefix(k.Op, "wh.")
		}) {
			continue
		}
		a.ops = append(a.ops, k)
		a.opMask = a.opMask.or(m)
		if strings.HasPrefix(k.Op, "wh.") && (a.whAt < 0 || k.First == a.whAt && len(k.Op) > len(a.wh)) {
			a.wh, a.whAt = k.Op, k.First
		}
	}
}

func (a *asked) compounds(k link.Link) {
	named := func(i int) bool {
		return slices.ContainsFunc(a.mentions, func(n mention) bool { return n.span.has(i) })
	}
	for i := k.First; i < k.Last; i++ {
		if named(k.Last) && !named(i) {
			a.fillers = a.fillers.or(spanMask(i, i))
		}
	}
}

// afterOr reports whether "or" stands right before the condition's words.
func (a *asked) afterOr(at *atom) bool {
	first := at.first
	for first > 0 && (at.span.has(first-1) || at.mention.has(first-1) || a.fillers.has(first-1) && !a.lex.Is("op.or", a.q.Tokens[first-1].Norm)) {
		first--
	}
	return first > 0 && a.lex.Is("op.or", a.q.Tokens[first-1].Norm)
}

// textAtoms reads quoted text, and the letter or word behind "containing", as
// patterns for the text columns that the question names.
func (a *asked) textAtoms() {
	for _, k := range a.ops {
		op := map[string]string{"cmp.contains": "contains", "cmp.starts": "starts_with", "cmp.ends": "ends_with"}[k.Op]
		if op == "" {
			continue
		}
		i := k.Last + 1
		for i < a.n-1 && a.q.Tokens[i].Filler && len(a.q.Tokens[i].Norm) > 1 || i < a.n-1 && a.lex.Is("op.letter", a.q.Tokens[i].Norm) {
			i++
		}
		if i < a.n {
			a.textAtom(op, i, spanMask(k.First, i))
		}
	}
}

func (a *asked) textAtom(op string, i int, span mask) {
	t := a.q.Tokens[i]
	for c, col := range a.v.cols {
		if !col.text || len(a.byCol[c]) == 0 {
			continue
		}
		at := &atom{col: c, op: op, first: i, last: i, value: spanMask(i, i), span: span, kind: "text", how: op, score: 0.5, cmp: true}
		at.vals = []plan.Literal{{Type: "text", Text: t.Text}}
		a.place(at)
		a.negate(at)
		if at.mentioned > 0 {
			at.score += 0.5*at.mentioned - 0.03*float64(at.near)
			a.atoms = append(a.atoms, at)
		}
	}
}

// opNear returns the operator links of a class that end right before first or
// begin right after last, fillers aside.
func (a *asked) opNear(prefix string, first, last int) []link.Link {
	var out []link.Link
	for _, k := range a.ops {
		if !strings.HasPrefix(k.Op, prefix) {
			continue
		}
		if k.Last < first && a.only(k.Last+1, first-1) || k.First > last && a.only(last+1, k.First-1) {
			out = append(out, k)
		}
	}
	return out
}

// only reports whether the tokens are fillers or units, at most two.
func (a *asked) only(first, last int) bool {
	if last-first > 1 {
		return false
	}
	for i := first; i <= last; i++ {
		if !a.q.Tokens[i].Filler {
			return false
		}
	}
	return true
}

// mentionNear returns the best mention of a column near the value's words.
func (a *asked) mentionNear(col, first, last int) (mention, int, bool) {
	best, dist, score := mention{}, 0, 0.0
	for _, m := range a.byCol[col] {
		d := 0
		switch {
		case m.last < first:
			d = first - m.last - 1
		case m.first > last:
			d = m.first - last - 1
		default:
			continue
		}
		if s := m.score - 0.06*float64(d); s > score || best.span.empty() {
			best, dist, score = m, d, s
		}
	}
	return best, dist, !best.span.empty() && dist <= 8
}

func (a *asked) place(at *atom) {
	if m, d, ok := a.mentionNear(at.col, at.first, at.last); ok {
		at.mention, at.mentioned, at.near = m.span, m.score, d
	}
}

// valueAtoms turns linked cells into conditions.
func (a *asked) valueAtoms() {
	type key struct{ first, last int }
	rivals := map[key]map[int]bool{}
	for _, k := range a.q.Links {
		if k.Kind != link.Value {
			continue
		}
		col := a.v.column(k.Column)
		if col < 0 {
			continue
		}
		span := key{k.First, k.Last}
		if rivals[span] == nil {
			rivals[span] = map[int]bool{}
		}
		part := k.How == "part" || k.How == "tokens"
		if part && rivals[span][col] {
			continue
		}
		rivals[span][col] = true
		at := &atom{col: col, op: "=", first: k.First, last: k.Last, kind: "value", how: k.How, score: k.Score}
		at.value = spanMask(k.First, k.Last)
		at.vals = []plan.Literal{{Type: literalType(a.v.cols[col]), Text: k.Value}}
		if part {
			at.op = "contains"
			at.vals[0] = plan.Literal{Type: "text", Text: a.q.Text[a.q.Tokens[k.First].Start:a.q.Tokens[k.Last].End]}
		}
		at.span = at.value
		a.pattern(at)
		a.place(at)
		a.negate(at)
		a.atoms = append(a.atoms, at)
	}
	for _, at := range a.atoms {
		at.rivals = len(rivals[key{at.first, at.last}])
	}
}

func literalType(c *column) string {
	switch {
	case c.numeric:
		return "number"
	case c.c.Type.Kind == "timestamp":
		return "timestamp"
	case c.temporal:
		return "date"
	case c.c.Type.Kind == "bool":
		return "bool"
	}
	return "text"
}

// pattern turns "starts with X" and "contains X" into their conditions.
func (a *asked) pattern(at *atom) {
	for class, op := range map[string]string{"cmp.starts": "starts_with", "cmp.ends": "ends_with", "cmp.contains": "contains"} {
		for _, k := range a.opNear(class, at.first, at.last) {
			if k.Last < at.first && a.v.cols[at.col].text && (class != "cmp.contains" || at.op == "contains") {
				at.op, at.span = op, at.span.or(spanMask(k.First, k.Last))
			}
		}
	}
}

// negate turns the condition round where a negation stands before it.
func (a *asked) negate(at *atom) {
	for _, k := range a.ops {
		if k.Op != "op.neg" || k.Last >= at.first || at.first-k.Last > 5 {
			continue
		}
		between := spanMask(k.Last, at.first-1).minus(spanMask(k.Last, k.Last)).minus(a.fillers).minus(at.mention)
		if between.count() > 0 {
			continue
		}
		if op, ok := opposite[at.op]; ok {
			at.op, at.span = op, at.span.or(spanMask(k.First, k.Last))
			return
		}
	}
}

var opposite = map[string]string{"=": "<>", "in": "not_in", ">": "<=", "<": ">=", ">=": "<", "<=": ">", "contains": "not_contains", "starts_with": "not_starts_with", "above_avg": "not_above_avg"}
