package semparse

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/allrows/allrows/agent/link"
)

// extractor computes the features of the candidates of one question.
type extractor struct {
	*asked
	index    *Index
	ops      []string // classes of the operators in the question, each once
	opSpans  map[string]mask
	named    mask // words of a column's full name
	valued   mask // words of a cell
	numbered mask
	unknown  mask
	opWords  mask
	feats    []feat
}

func newExtractor(a *asked, index *Index) *extractor {
	x := &extractor{asked: a, index: index, opSpans: map[string]mask{}}
	for _, k := range a.ops {
		m := spanMask(k.First, k.Last)
		if x.opSpans[k.Op] == (mask{}) {
			x.ops = append(x.ops, k.Op)
		}
		x.opSpans[k.Op] = x.opSpans[k.Op].or(m)
		x.opWords = x.opWords.or(m)
	}
	for _, k := range a.q.Links {
		m := spanMask(k.First, k.Last)
		switch k.Kind {
		case link.Column:
			if k.Score >= 0.6 {
				x.named = x.named.or(m)
			}
		case link.Value:
			if k.Score >= 0.8 {
				x.valued = x.valued.or(m)
			}
		case link.Numeric, link.Time:
			x.numbered = x.numbered.or(m)
		}
	}
	slices.Sort(x.ops)
	for i := range a.q.Tokens {
		if m := spanMask(i, i); !a.fillers.overlaps(m) && !x.named.or(x.valued).or(x.numbered).or(x.opWords).overlaps(m) {
			x.unknown = x.unknown.or(m)
		}
	}
	return x
}

func (x *extractor) add(name string, val float64) {
	if val == 0 {
		return
	}
	if id := x.index.ID(name); id >= 0 {
		x.feats = append(x.feats, feat{id, val})
	}
}

func (x *extractor) flag(name string, on bool) {
	if on {
		x.add(name, 1)
	}
}

// extract fills in the candidate's features.
func (x *extractor) extract(c *cand) {
	x.feats = make([]feat, 0, 64)
	x.shape(c)
	x.coverage(c)
	for i, at := range c.atoms() {
		x.atom(c, at, i)
	}
	x.items(c)
	x.orderFeats(c)
	x.groupFeats(c)
	x.size(c)
	c.feats = x.feats
}

func (x *extractor) shape(c *cand) {
	kind := c.shape
	if c.shape == "agg" || c.shape == "group" || c.shape == "topgroup" {
		for _, it := range c.items {
			if it.agg != "" {
				kind = c.shape + "." + it.agg
			}
		}
	}
	if c.order != nil && c.limit > 0 {
		kind += map[bool]string{true: ".desc", false: ".asc"}[c.order.desc]
	}
	x.add("shape "+kind, 1)
	x.add("shape "+kind+" wh "+x.wh, 1)
	x.flag("shape "+kind+" of many tables", len(x.v.tables) > 1)
	for _, op := range x.ops {
		head, _, _ := strings.Cut(op, ".")
		if head == "agg" || head == "sup" || head == "op" || head == "cmp" {
			x.add("shape "+kind+" with "+op, 1)
		}
		if head == "agg" || head == "sup" || op == "op.diff" || op == "op.group" || op == "op.share" || op == "op.pctchange" || op == "op.neg" {
			x.flag("unclaimed "+op, !c.used.covers(x.opSpans[op]))
		}
	}
	if x.n > 0 {
		x.add("shape "+kind+" begins "+x.begin(), 1)
	}
}

// begin returns the first words of the question that belong to the language.
func (x *extractor) begin() string {
	out := ""
	for i := 0; i < min(2, x.n); i++ {
		t := x.q.Tokens[i]
		if !t.Filler && !x.lex.Knows(t.Norm) {
			break
		}
		out += t.Norm + " "
	}
	return out
}

func (x *extractor) coverage(c *cand) {
	left := x.content.minus(c.used)
	x.add("unused", float64(left.count()))
	x.flag("unused none", left.empty())
	x.add("unused name", float64(left.overlap(x.named)))
	x.add("unused value", float64(left.overlap(x.valued)))
	x.add("unused number", float64(left.overlap(x.numbered)))
	x.add("unused operator", float64(left.overlap(x.opWords.minus(x.named).minus(x.valued).minus(x.numbered))))
	x.add("unused unknown", float64(left.overlap(x.unknown)))
	x.add("used filler name", float64(c.used.overlap(x.fillers.minus(x.opWords))))
}

func (x *extractor) atom(c *cand, at *atom, i int) {
	k := "cond " + at.kind
	x.add(k, 1)
	x.add(k+" "+at.how, 1)
	x.add(k+" score", at.score)
	x.add(k+" words", float64(at.last-at.first))
	op := at.op
	if at.cmp {
		op += " said"
	}
	col := x.v.cols[at.col]
	x.add(k+" op "+op, 1)
	x.add(k+" type "+string(col.c.Type.Kind), 1)
	switch {
	case at.mentioned > 0:
		x.add(k+" named", at.mentioned)
		x.add(k+" named far", float64(at.near))
	default:
		x.add(k+" not named", 1)
		x.add(k+" not named rivals", math.Log1p(float64(at.rivals)))
	}
	x.flag(k+" name right before", at.mentioned >= 0.5 && at.first > 0 && at.mention.has(at.first-1))
	x.flag(k+" equals", at.first > 0 && x.q.Tokens[at.first-1].Norm == "=" && at.first > 1 && at.mention.has(at.first-2))
	x.flag(k+" other name between", at.mentioned == 0 && at.first > 0 && x.named.has(at.first-1))
	x.flag(k+" or", at.or)
	x.flag(k+" filler", x.fillers.covers(at.value))
	x.flag(k+" operator", x.opMask.covers(at.value))
	x.flag(k+" is name", x.named.covers(at.value))
	x.flag(k+" asked too", slices.ContainsFunc(c.items, func(it item) bool { return it.col == at.col && it.agg == "" }))
	x.flag(k+" key", col.key)
	x.flag(k+" year", col.year)
	for _, b := range c.atoms()[:i] {
		if b.col == at.col {
			x.add("cond same column", 1)
		}
	}
	x.flag(k+" right after by", at.first > 0 && x.q.Tokens[at.first-1].Norm == "by")
	if x.v.tables != nil && col.table != c.base {
		x.add(k+" other table", 1)
	}
}

func (x *extractor) items(c *cand) {
	for i, it := range c.items {
		if it.context || it.col < 0 {
			continue
		}
		col := x.v.cols[it.col]
		k := "item "
		if it.agg != "" {
			k = "arg "
		}
		x.add(k+"type "+x.kind(col)+" wh "+x.wh, 1)
		for _, class := range col.classes {
			x.add(k+"class "+class+" wh "+x.wh, 1)
		}
		x.flag(k+"key", col.key)
		x.flag(k+"label", it.col == x.v.label(col.table))
		x.flag(k+"first column", col.at == 0)
		if it.agg != "" {
			x.add("arg "+it.agg+" type "+x.kind(col), 1)
			x.flag("arg "+it.agg+" key", col.key)
		}
		if it.m.span.empty() {
			x.add(k+"floats", 1)
			x.add(k+"floats fit", x.fits(col))
			x.flag(k+"floats label", it.col == x.v.label(col.table))
			x.flag(k+"floats also "+c.shape, true)
			continue
		}
		x.add(k+"named", it.m.score)
		x.add(k+"named "+it.m.how, 1)
		x.add(k+"named words", float64(it.m.last-it.m.first))
		x.add(k+"named worse", x.better(it.m))
		x.flag(k+"in value", slices.ContainsFunc(c.atoms(), func(at *atom) bool { return at.value.overlaps(it.m.span) }))
		if i == 0 {
			x.position(k, c, it.m)
		}
		x.flag(k+"is condition", slices.ContainsFunc(c.atoms(), func(at *atom) bool { return at.col == it.col }))
	}
}

// position says where the asked column stands: near the question word, first of
// the names, before the conditions.
func (x *extractor) position(k string, c *cand, m mention) {
	d := m.first - x.whAt - 1
	x.flag(k+"right after wh", x.whAt >= 0 && d <= 0)
	x.flag(k+"close after wh", x.whAt >= 0 && d > 0 && d <= 3)
	x.add(k+"far in", float64(m.first)/float64(x.n))
	first := true
	for _, o := range x.mentions {
		if o.score >= 0.6 && o.last < m.first {
			first = false
		}
	}
	x.flag(k+"first name", first)
	x.flag(k+"before conditions", len(c.conds) > 0 && !slices.ContainsFunc(c.conds, func(at *atom) bool { return at.first < m.first }))
	x.flag(k+"last word", m.last == x.n-1)
}

// better says by how much another column's name fits the same words better.
func (x *extractor) better(m mention) float64 {
	best := 0.0
	for _, o := range x.mentions {
		if o.span.overlaps(m.span) {
			best = max(best, o.score*float64(o.last-o.first+1)-m.score*float64(m.last-m.first+1))
		}
	}
	return best
}

func (x *extractor) kind(c *column) string {
	switch {
	case c.year:
		return "year"
	case c.numeric:
		return "number"
	case c.temporal:
		return "date"
	}
	return "text"
}

func (x *extractor) fits(c *column) float64 {
	p := proposer{asked: x.asked}
	return p.fitsWord(c)
}

func (x *extractor) orderFeats(c *cand) {
	o := c.order
	if o == nil {
		return
	}
	k := "order "
	if o.agg == "row" {
		x.add(k+"sheet", 1)
	}
	if o.col < 0 {
		return
	}
	col := x.v.cols[o.col]
	x.add(k+"type "+x.kind(col), 1)
	x.flag(k+"key", col.key)
	if o.m.span.empty() {
		x.add(k+"floats", boolean(o.agg == ""))
	} else {
		x.add(k+"named", o.m.score)
		x.add(k+"named worse", x.better(o.m))
	}
	for _, s := range x.asked.ops {
		if !strings.HasPrefix(s.Op, "sup.") && s.Op != "op.asc" && s.Op != "op.desc" || !c.claims.covers(spanMask(s.First, s.Last)) {
			continue
		}
		x.flag(k+"right after", o.m.first == s.Last+1 && !o.m.span.empty())
		x.flag(k+"shortly after", o.m.first > s.Last+1 && o.m.first <= s.Last+3)
		x.flag(k+"before", o.m.last < s.First && !o.m.span.empty())
		x.flag(k+"of the word", len(s.Dims) > 0 && (col.has(s.Dims...) || col.has(s.Against...)))
		x.flag(k+"not of the word", len(s.Dims) > 0 && !col.has(s.Dims...) && !col.has(s.Against...))
	}
}

func (x *extractor) groupFeats(c *cand) {
	for _, g := range c.group {
		col := x.v.cols[g]
		x.add("group type "+x.kind(col), 1)
		x.flag("group unique", col.c.Profile.Unique)
		x.flag("group key", col.key)
		x.flag("group label", g == x.v.label(col.table))
	}
	if len(c.group) > 0 {
		said := false
		for _, s := range x.asked.ops {
			said = said || s.Op == "op.group" && c.claims.covers(spanMask(s.First, s.Last))
		}
		x.flag("group said", said)
		x.flag("group not said", !said)
		x.add("group columns", float64(len(c.group)))
	}
}

func (x *extractor) size(c *cand) {
	x.add("conditions", float64(len(c.atoms())))
	x.flag("conditions none", len(c.atoms()) == 0)
	n := 0
	for _, it := range c.items {
		if !it.context {
			n++
		}
	}
	x.flag("items "+strconv.Itoa(min(n, 4)), true)
	x.flag("items "+strconv.Itoa(min(n, 4))+" of many tables", len(x.v.tables) > 1)
	tables := map[int]bool{c.base: true}
	for _, i := range c.columns() {
		tables[x.v.cols[i].table] = true
	}
	x.add("tables", float64(len(tables)-1))
	if len(x.v.tables) > 1 {
		best := 0.0
		for _, t := range x.asked.tables {
			if t.col == c.base {
				best = max(best, t.score)
			}
		}
		x.add("base named", best)
		unnamed := 0.0
		for t := range tables {
			if !slices.ContainsFunc(x.asked.tables, func(m mention) bool { return m.col == t }) {
				unnamed++
			}
		}
		x.add("tables not named", unnamed)
	}
	if c.shape == "count_distinct" || c.shape == "count_col" {
		col := x.v.cols[c.items[0].col]
		repeats := !col.c.Profile.Unique && col.c.Profile.Distinct < x.v.tables[col.table].Rows
		x.flag(c.shape+" repeats", repeats)
		x.flag(c.shape+" repeats, no conditions", repeats && len(c.conds) == 0)
		x.flag(c.shape+" number", col.numeric)
	}
	x.flag("distinct", c.distinct)
	x.flag("limit above one", c.limit > 1)
}
