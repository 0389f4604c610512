package semparse

import (
	"slices"
	"strings"

	"github.com/allrows/allrows/agent/link"
	"github.com/allrows/allrows/schema"
)

// view is a schema context flattened for candidates: columns and tables by
// number, with what their headers say and how tables hang together.
type view struct {
	schema *schema.Context
	tables []*schema.Table
	cols   []*column
	first  []int              // table -> its first column
	byRef  map[schema.Ref]int // table numbers
	edges  [][]edge           // table -> relationships from it
}

type column struct {
	ref      schema.ColumnRef
	table    int
	at       int // position in its table
	c        *schema.Column
	words    []string
	classes  []string // of header words: person, time, place …
	numeric  bool
	temporal bool
	text     bool
	key      bool // an identifier: not to be added up
	year     bool // whole numbers that are years
	foreign  bool // the many side of a relationship
}

type edge struct {
	to        int
	left, key schema.ColumnRef // left of this table = key of the other
	toOne     bool
}

func newView(c *schema.Context, lex *link.Lexicon) *view {
	v := &view{schema: c, tables: c.Tables, byRef: map[schema.Ref]int{}}
	for i, t := range c.Tables {
		v.byRef[t.Ref] = i
		v.first = append(v.first, len(v.cols))
		for j, col := range t.Columns {
			v.cols = append(v.cols, newColumn(t, i, j, col, lex))
		}
	}
	v.edges = make([][]edge, len(v.tables))
	for _, r := range c.Relationships {
		from, ok1 := v.byRef[r.From.Ref]
		to, ok2 := v.byRef[r.To.Ref]
		if !ok1 || !ok2 || from == to {
			continue
		}
		v.edges[from] = append(v.edges[from], edge{to, r.From, r.To, true})
		v.edges[to] = append(v.edges[to], edge{from, r.To, r.From, r.Cardinality == "one_to_one"})
		if i := v.column(r.From); i >= 0 {
			v.cols[i].foreign = true
		}
	}
	return v
}

func newColumn(t *schema.Table, table, at int, c *schema.Column, lex *link.Lexicon) *column {
	label := c.Header
	if label == "" {
		label = c.Name
	}
	k := &column{ref: schema.ColumnRef{Ref: t.Ref, Column: c.Name}, table: table, at: at, c: c, words: link.Words(label)}
	k.numeric, k.temporal = c.Type.Numeric(), c.Type.Temporal()
	k.text = !k.numeric && !k.temporal
	for _, class := range lex.Classes() {
		if slices.ContainsFunc(k.words, func(w string) bool { return lex.InClass(class, w) }) {
			k.classes = append(k.classes, class)
		}
	}
	last := ""
	if len(k.words) > 0 {
		last = k.words[len(k.words)-1]
	}
	switch last {
	case "id", "code", "no", "key", "number", "nr", "sku", "zip", "phone", "codigo", "identifier", "ids":
		k.key = last == "id" || last == "ids" || last == "key" || !k.numeric || c.Profile.Unique
	}
	k.year = k.numeric && c.Type.Kind == "int" && isYear(c.Profile.Min) && isYear(c.Profile.Max)
	return k
}

func isYear(s string) bool {
	return len(s) == 4 && s >= "1200" && s < "2200" && !strings.Contains(s, ".")
}

// column returns the number of a column, or -1.
func (v *view) column(r schema.ColumnRef) int {
	t, ok := v.byRef[r.Ref]
	if !ok {
		return -1
	}
	for i := v.first[t]; i < len(v.cols) && v.cols[i].table == t; i++ {
		if v.cols[i].ref.Column == r.Column {
			return i
		}
	}
	return -1
}

// tableCols returns the numbers of the columns of a table.
func (v *view) tableCols(t int) (from, to int) {
	from = v.first[t]
	to = from + len(v.tables[t].Columns)
	return from, to
}

// connect returns the joins that reach every wanted table from base along
// relationships, by the fewest steps, and whether all are reached.
func (v *view) connect(base int, want []int) ([]edge, bool) {
	have := map[int]bool{base: true}
	var out []edge
	for _, t := range want {
		if have[t] {
			continue
		}
		path := v.path(have, t)
		if path == nil {
			return nil, false
		}
		for _, e := range path {
			have[e.to] = true
			out = append(out, e)
		}
	}
	return out, true
}

// path finds the shortest way from any table of have to t.
func (v *view) path(have map[int]bool, t int) []edge {
	type step struct {
		prev int
		e    edge
	}
	from := map[int]step{}
	var queue []int
	for i := range v.tables {
		if have[i] {
			queue = append(queue, i)
			from[i] = step{prev: -1}
		}
	}
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		if n == t {
			var path []edge
			for from[n].prev >= 0 {
				path = append([]edge{from[n].e}, path...)
				n = from[n].prev
			}
			return path
		}
		for _, e := range v.edges[n] {
			if _, seen := from[e.to]; !seen {
				from[e.to] = step{n, e}
				queue = append(queue, e.to)
			}
		}
	}
	return nil
}

// label returns the column that names the rows of a table: a unique text, else
// the first text, or -1.
func (v *view) label(t int) int {
	best, score := -1, 0
	from, to := v.tableCols(t)
	for i := from; i < to; i++ {
		c := v.cols[i]
		if !c.text {
			continue
		}
		s := 1
		if c.c.Profile.Unique {
			s += 2
		}
		if c.has("name", "title") {
			s += 4
		}
		if c.key || c.foreign {
			s -= 2
		}
		if c.at <= 1 {
			s++
		}
		if s > score {
			best, score = i, s
		}
	}
	return best
}

func (c *column) has(words ...string) bool {
	for _, w := range c.words {
		for _, x := range words {
			if w == x || link.Stem(w) == link.Stem(x) {
				return true
			}
		}
	}
	return false
}
