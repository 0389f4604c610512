package link

import (
	"strings"

	"github.com/allrows/allrows/schema"
)

// names is the vocabulary of a schema context: the words of its headers and
// table names, prepared once.
type names struct {
	things []thing
	index  map[string][]place // stem -> where the word stands
	words  []string           // every distinct word, for words that are only alike
}

// thing is a column or a table as it is called in one of its names.
type thing struct {
	table  schema.Ref
	column string // "" for a table
	words  []string
	weight []float64
	total  float64
	alias  bool // a synonym, not the name itself
}

type place struct{ thing, word int }

var commonParts = []string{"id", "name", "code", "date", "type", "no", "num", "number", "count", "title", "key", "time", "year", "status", "city", "state", "country", "price", "rate", "by"}

func newNames(c *schema.Context, lex *Lexicon) *names {
	n := &names{index: map[string][]place{}}
	known := map[string]bool{}
	for _, p := range commonParts {
		known[p] = true
	}
	for _, t := range c.Tables {
		for _, w := range Words(t.Table) {
			known[w], known[Stem(w)] = true, true
		}
	}
	for _, t := range c.Tables {
		seen := map[string]bool{}
		for i, label := range append([]string{t.Table, t.Sheet, t.Title}, t.Synonyms...) {
			n.add(thing{table: t.Ref, words: headerWords(label, known), alias: i > 1}, lex, seen)
		}
		for _, col := range t.Columns {
			seen := map[string]bool{}
			for i, label := range columnLabels(col) {
				n.add(thing{table: t.Ref, column: col.Name, words: headerWords(label, known), alias: i > 0}, lex, seen)
			}
		}
	}
	n.weigh(c)
	for w := range n.index {
		n.words = append(n.words, w)
	}
	return n
}

func columnLabels(c *schema.Column) []string {
	out := []string{c.Header}
	if c.Header == "" {
		out[0] = c.Name
	}
	if len(c.Path) > 1 {
		out[0] = strings.Join(c.Path, " ")
	}
	return append(out, c.Synonyms...)
}

// headerWords splits a name, and words in it that are two known words in one.
func headerWords(label string, known map[string]bool) []string {
	var out []string
	for _, w := range Words(label) {
		if len(w) > 4 && known[w[1:]] && !known[w] && strings.ContainsRune("flmcpnsd", rune(w[0])) {
			out = append(out, w[:1], w[1:]) // fname, lname, pname
			continue
		}
		if known[w] || len(w) < 6 {
			out = append(out, w)
			continue
		}
		out = append(out, segment(w, known)...)
	}
	return out
}

func segment(w string, known map[string]bool) []string {
	for i := len(w) - 2; i >= 3; i-- {
		if known[w[:i]] && (known[w[i:]] || len(w)-i > 3 && known[Stem(w[i:])]) {
			return []string{w[:i], w[i:]}
		}
	}
	return []string{w}
}

func (n *names) add(t thing, lex *Lexicon, seen map[string]bool) {
	key := strings.Join(t.words, " ")
	if key == "" || seen[key] {
		return
	}
	seen[key] = true
	id := len(n.things)
	for i, w := range t.words {
		n.index[w] = append(n.index[w], place{id, i})
		weight := 1.0
		switch {
		case lex.Is("filler", w) && len(t.words) > 1:
			weight = 0.25
		case lex.Meanings(w) != nil && hasPrefix(lex.Meanings(w), "unit."):
			weight = 0.25
		}
		t.weight = append(t.weight, weight)
	}
	n.things = append(n.things, t)
}

func hasPrefix(entries []Entry, prefix string) bool {
	for _, e := range entries {
		if strings.HasPrefix(e.Class, prefix) {
			return true
		}
	}
	return false
}

// weigh lowers the words that many columns of a table share.
func (n *names) weigh(c *schema.Context) {
	type key struct {
		table schema.Ref
		word  string
	}
	count := map[key]int{}
	for _, t := range n.things {
		if t.column == "" || t.alias {
			continue
		}
		for _, w := range t.words {
			count[key{t.table, Stem(w)}]++
		}
	}
	for i := range n.things {
		t := &n.things[i]
		for j, w := range t.words {
			if k := count[key{t.table, Stem(w)}]; k > 1 && t.column != "" {
				t.weight[j] *= 0.7
			}
			t.total += t.weight[j]
		}
	}
}

// hit is one word of a thing that a token may be.
type hit struct {
	place
	score float64
}

// lookup returns the header words that a question word may be.
func (n *names) lookup(t Token, lex *Lexicon) []hit {
	var out []hit
	for _, w := range n.words {
		s := 0.0
		switch {
		case w == t.Norm:
			s = 1
		case len(t.Norm) < 2:
		case lex.Synonyms(w, t.Norm):
			s = 0.7
		case t.Filler:
		case len(w) >= 3 && len(t.Norm) > len(w)+2 && strings.HasPrefix(t.Norm, w) && len(w) <= 5:
			s = 0.7
		default:
			s = Alike(w, t.Norm)
		}
		if s == 0 {
			continue
		}
		for _, p := range n.index[w] {
			out = append(out, hit{p, s})
		}
	}
	return out
}
