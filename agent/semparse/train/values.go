package train

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/allrows/allrows/agent/link"
	"github.com/allrows/allrows/schema"
)

// Values is a value index in memory, with the scores of the index that the
// gateway uses.
type Values struct {
	cells  []schema.ValueMatch
	words  []int
	phrase map[string][]int
	tokens map[string][]int
	vocab  []string
}

func newValues(db *Database) *Values {
	x := &Values{phrase: map[string][]int{}, tokens: map[string][]int{}}
	for _, t := range db.Context.Tables {
		rel := db.rels[t.Ref]
		for i, c := range t.Columns {
			if c.Type.Numeric() || c.Type.Temporal() {
				continue
			}
			count := map[string]int64{}
			var keys []string
			for _, row := range rel.rows {
				if s, ok := row[i].(string); ok && len(s) < 300 {
					if count[s] == 0 {
						keys = append(keys, s)
					}
					count[s]++
				}
			}
			for _, s := range keys {
				x.add(schema.ValueMatch{Column: schema.ColumnRef{Ref: t.Ref, Column: c.Name}, Value: s, Rows: count[s]})
			}
		}
	}
	for w := range x.tokens {
		x.vocab = append(x.vocab, w)
	}
	slices.Sort(x.vocab)
	return x
}

func (x *Values) add(m schema.ValueMatch) {
	id := len(x.cells)
	ts := link.Tokenize(m.Value)
	x.cells, x.words = append(x.cells, m), append(x.words, len(ts))
	x.phrase[link.Phrase(m.Value)] = append(x.phrase[link.Phrase(m.Value)], id)
	seen := map[string]bool{}
	for _, t := range ts {
		if !seen[t.Norm] {
			seen[t.Norm] = true
			x.tokens[t.Norm] = append(x.tokens[t.Norm], id)
		}
	}
}

// FindValues satisfies [link.ValueIndex].
func (x *Values) FindValues(_ context.Context, phrase string, limit int) ([]schema.ValueMatch, error) {
	ts := link.Tokenize(phrase)
	folded := link.Phrase(phrase)
	var out []schema.ValueMatch
	add := func(id int, score float64, how string) {
		m := x.cells[id]
		m.Score, m.How = score, how
		out = append(out, m)
	}
	for _, id := range x.phrase[folded] {
		if x.cells[id].Value == phrase {
			add(id, 1, "exact")
		} else {
			add(id, 0.98, "folded")
		}
	}
	for _, id := range x.having(ts) {
		n := x.words[id]
		switch {
		case n > len(ts):
			add(id, 0.45+0.45*float64(len(ts))/float64(n), "part")
		case link.Phrase(x.cells[id].Value) != folded:
			add(id, 0.92, "tokens")
		}
	}
	if len(out) == 0 && len(ts) == 1 && len(ts[0].Norm) >= 5 && !strings.ContainsAny(ts[0].Norm, "0123456789") {
		for _, w := range x.vocab {
			if w != "" && w[0] == ts[0].Norm[0] && link.EditDistance(w, ts[0].Norm, 1) <= 1 {
				for _, id := range x.tokens[w] {
					add(id, 0.7/float64(x.words[id]), "fuzzy")
				}
			}
		}
	}
	slices.SortStableFunc(out, func(a, b schema.ValueMatch) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Rows, a.Rows))
	})
	return out[:min(limit, len(out))], nil
}

func (x *Values) having(ts []link.Token) []int {
	var ids []int
	for i, t := range ts {
		one := x.tokens[t.Norm]
		if len(one) == 0 || len(one) > 5000 {
			return nil
		}
		if i == 0 {
			ids = one
			continue
		}
		var both []int
		for a, b := 0, 0; a < len(ids) && b < len(one); {
			switch {
			case ids[a] < one[b]:
				a++
			case ids[a] > one[b]:
				b++
			default:
				both = append(both, ids[a])
				a, b = a+1, b+1
			}
		}
		ids = both
	}
	return ids
}
