package semparse

import (
	"cmp"
	"slices"
	"strings"

	"github.com/allrows/allrows/agent/link"
	"github.com/allrows/allrows/agent/plan"
	"github.com/allrows/allrows/schema"
)

// sureTalk is how sure the planner is of questions that the words of the language
// decide alone.
const sureTalk = 0.9

// talk answers questions that are no computation: what there is, which columns a
// table has, everything about one thing; and declines those that no table can
// answer. It returns nil for all others.
func (p *Planner) talk(a *asked, _ plan.Turn) *plan.Step {
	switch {
	case a.commands("op.write"):
		return &plan.Step{Confidence: sureTalk, Decline: &plan.Reason{Code: "unsupported", Words: a.wordsOf("op.write")}}
	case a.wh == "wh.why", a.says("op.causal"), a.says("op.predict"):
		return &plan.Step{Confidence: sureTalk, Decline: &plan.Reason{Code: "unsupported"}}
	case a.says("op.columns"):
		return a.describeTable()
	case a.says("op.describe"):
		if s := a.entity(); s != nil {
			return s
		}
		return a.overview(a.spanOf("op.describe"))
	case a.says("op.overview"), a.holdings():
		return a.overview(a.spanOf("op.overview"))
	}
	return nil
}

// says reports whether the question has an operator of the class that is not
// part of a column's name, a cell or a table.
func (a *asked) says(class string) bool {
	return slices.ContainsFunc(a.ops, func(k link.Link) bool { return k.Op == class && !a.naming(spanMask(k.First, k.Last)) })
}

// naming reports whether the words name a column, or are a cell.
func (a *asked) naming(m mask) bool {
	return slices.ContainsFunc(a.mentions, func(x mention) bool { return x.score >= 0.6 && x.span.covers(m) }) ||
		slices.ContainsFunc(a.atoms, func(at *atom) bool { return at.kind == "value" && at.score >= 0.8 && at.value.covers(m) })
}

// commands reports whether the question begins with a verb of the class.
func (a *asked) commands(class string) bool {
	return slices.ContainsFunc(a.ops, func(k link.Link) bool {
		if k.Op != class {
			return false
		}
		for i := range k.First {
			if !a.q.Tokens[i].Filler {
				return false
			}
		}
		return true
	})
}

func (a *asked) spanOf(class string) mask {
	var m mask
	for _, k := range a.ops {
		if k.Op == class {
			m = m.or(spanMask(k.First, k.Last))
		}
	}
	return m
}

func (a *asked) wordsOf(class string) []string {
	var out []string
	for _, k := range a.ops {
		if k.Op == class {
			out = append(out, a.q.Text[a.q.Tokens[k.First].Start:a.q.Tokens[k.Last].End])
		}
	}
	return out
}

// holdings reports whether the question asks what there is without saying so in
// one phrase: "what pricing information do we have?".
func (a *asked) holdings() bool {
	if a.wh != "wh.what" && a.wh != "wh.which" || len(a.atoms) > 0 || !slices.ContainsFunc(a.ops, func(k link.Link) bool { return k.Op == "op.holdings" }) {
		return false
	}
	return !slices.ContainsFunc(a.ops, func(k link.Link) bool {
		head, _, _ := strings.Cut(k.Op, ".")
		return head == "agg" || head == "sup" || head == "cmp"
	})
}

// overview proposes the tables that the content words name; nil where a word
// names none, which is for others to decline.
func (a *asked) overview(said mask) *plan.Step {
	left := a.content.minus(said).minus(a.spanOf("op.holdings")).minus(a.spanOf("op.records"))
	var tables []int
	for i := range a.q.Tokens {
		if !left.has(i) {
			continue
		}
		found := a.tablesNamed(i)
		if len(found) == 0 {
			return nil
		}
		tables = append(tables, found...)
	}
	slices.Sort(tables)
	tables = slices.Compact(tables)
	args := map[string]any{}
	var names []string
	for _, t := range tables {
		names = append(names, a.v.tables[t].Ref.String())
	}
	if len(names) > 0 {
		args["tables"] = names
	}
	return &plan.Step{Route: plan.Overview, Confidence: sureTalk, Call: &plan.Call{Tool: "overview", Args: args}}
}

// tablesNamed returns the tables that a word names: by their own name, their
// workbook's, or that of a column.
func (a *asked) tablesNamed(i int) []int {
	var out []int
	for _, m := range a.tables {
		if m.span.has(i) && m.score >= 0.5 {
			out = append(out, m.col)
		}
	}
	if len(out) > 0 {
		return out
	}
	stem := a.q.Tokens[i].Stem
	for t, tab := range a.v.tables {
		file, _, _ := strings.Cut(tab.File, ".")
		for _, w := range append(link.Words(tab.Workbook), link.Words(file)...) {
			if link.Stem(w) == stem && !slices.Contains(out, t) {
				out = append(out, t)
			}
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, m := range a.mentions {
		if m.span.has(i) && m.score >= 0.6 && !slices.Contains(out, a.v.cols[m.col].table) {
			out = append(out, a.v.cols[m.col].table)
		}
	}
	return out
}

// describeTable proposes the columns of the table that the question names.
func (a *asked) describeTable() *plan.Step {
	ms := slices.Clone(a.tables)
	slices.SortStableFunc(ms, func(x, y mention) int {
		return cmp.Or(cmp.Compare(y.score, x.score), cmp.Compare(a.named(y.col), a.named(x.col)))
	})
	var t *schema.Table
	switch {
	case len(ms) > 0:
		t = a.v.tables[ms[0].col]
	case len(a.v.tables) == 1:
		t = a.v.tables[0]
	default:
		return a.overview(a.spanOf("op.columns"))
	}
	return &plan.Step{Route: plan.Overview, Confidence: sureTalk, Call: &plan.Call{Tool: "describe_table", Args: map[string]any{"table": t.Ref.String()}}}
}

// named is 1 for a table whose own name is its workbook's: the one meant where a
// word names several.
func (a *asked) named(t int) int {
	if tab := a.v.tables[t]; tab.Table == tab.Workbook {
		return 1
	}
	return 0
}

// entity proposes everything about the one thing that the question's cells name;
// nil where words are left over or no cell is named.
func (a *asked) entity() *plan.Step {
	skip := a.spanOf("op.describe").or(a.spanOf("op.records")).or(a.spanOf("op.overview"))
	for _, cs := range a.condSets() {
		if len(cs.atoms) == 0 {
			continue
		}
		base := a.v.cols[cs.atoms[0].col].table
		same := !slices.ContainsFunc(cs.atoms, func(at *atom) bool { return a.v.cols[at.col].table != base })
		if !same {
			continue
		}
		left := a.content.minus(skip).minus(cs.span).minus(cs.mention)
		for _, m := range a.tables {
			if m.col == base {
				left = left.minus(m.span)
			}
		}
		if !left.empty() {
			continue
		}
		p := &plan.Plan{From: a.v.tables[base].Ref}
		p.Where = a.v.where(cs.atoms, p)
		return &plan.Step{Route: plan.Lookup, Confidence: sureTalk, Call: &plan.Call{Tool: "entity", Plan: p}}
	}
	return nil
}
