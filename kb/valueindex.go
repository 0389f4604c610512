package kb

import (
	"cmp"
	"slices"
	"sort"

	"github.com/allrows/allrows/schema"
)

// valueIndex is the opened value index of one table.
type valueIndex struct {
	ref       schema.Ref
	columns   []string // that have values
	unindexed []string

	col    []uint16 // of each value
	text   []string // as the cell has it
	rows   []int64
	words  []uint16 // words of each value
	phrase map[string][]uint32
	tokens map[string][]uint32 // values that have the word
	vocab  []string            // the words, ascending
	fuzzy  *trigrams           // over vocab
	whole  *trigrams           // over phrases of more than one word
	multi  []string            // those phrases
	size   int64
}

func (x *valueIndex) bytes() int64 { return x.size }

// decodeValues reads a values file and indexes it.
func decodeValues(file []byte) (*valueIndex, error) {
	d := newDecoder(file, valuesMagic)
	x := &valueIndex{ref: schema.Ref{Workbook: d.str(), Table: d.str()}, unindexed: d.strs(),
		phrase: map[string][]uint32{}, tokens: map[string][]uint32{}, size: int64(6 * len(file))}
	n := d.num()
	for i := 0; i < n && d.err == nil; i++ {
		c := columnValues{column: d.str(), values: d.strs(), rows: d.i64s()}
		if len(c.values) != len(c.rows) {
			d.err = errCorrupt
			break
		}
		x.columns = append(x.columns, c.column)
		for j, v := range c.values {
			x.add(uint16(i), v, c.rows[j])
		}
	}
	if d.err != nil {
		return nil, d.err
	}
	for w := range x.tokens {
		x.vocab = append(x.vocab, w)
	}
	sort.Strings(x.vocab)
	x.fuzzy = newTrigrams(x.vocab)
	sort.Strings(x.multi)
	x.multi = slices.Compact(x.multi)
	x.whole = newTrigrams(x.multi)
	return x, nil
}

func (x *valueIndex) add(col uint16, value string, rows int64) {
	id := uint32(len(x.text))
	ls := Lexemes(value)
	x.col, x.text, x.rows = append(x.col, col), append(x.text, value), append(x.rows, rows)
	x.words = append(x.words, uint16(min(len(ls), 1<<16-1)))
	p := phraseOf(ls)
	x.phrase[p] = append(x.phrase[p], id)
	if len(ls) > 1 && len(ls) <= longestValueWords {
		x.multi = append(x.multi, p)
	}
	for _, l := range ls {
		x.addToken(l.Term, id)
		for _, a := range l.Also {
			x.addToken(a, id)
		}
	}
}

func (x *valueIndex) addToken(w string, id uint32) {
	ids := x.tokens[w]
	if len(ids) == 0 || ids[len(ids)-1] != id {
		x.tokens[w] = append(ids, id)
	}
}

// valueHit is a value found, before it gets its names.
type valueHit struct {
	id    uint32
	score float64
	how   string
}

// The scores of the ways to be found, before how much of the value is covered.
const (
	foldedScore = 0.98
	tokensScore = 0.92
	partScore   = 0.45 // and as much again, the more of the value is said
	fuzzyScore  = 0.85 // of an exact match, less by each letter that differs
	maxPostings = 5_000
)

// find returns the values that the phrase may name.
func (x *valueIndex) find(phrase string, ls []Lexeme, folded string) []valueHit {
	var out []valueHit
	for _, id := range x.phrase[folded] {
		switch {
		case x.text[id] == phrase:
			out = append(out, valueHit{id, 1, "exact"})
		default:
			out = append(out, valueHit{id, foldedScore, "folded"})
		}
	}
	out = append(out, x.byTokens(ls, folded)...)
	return out
}

// byTokens finds the values that have every word of the phrase.
func (x *valueIndex) byTokens(ls []Lexeme, folded string) []valueHit {
	ids := x.having(ls, func(l Lexeme) []string { return []string{l.Term} })
	var out []valueHit
	for _, id := range ids {
		n := int(x.words[id])
		p := ""
		if n <= len(ls) {
			p = Phrase(x.text[id])
		}
		switch {
		case n <= len(ls) && p == folded:
			continue // found whole
		case n <= len(ls):
			out = append(out, valueHit{id, tokensScore, "tokens"})
		default:
			out = append(out, valueHit{id, partScore + partScore*float64(len(ls))/float64(n), "part"})
		}
	}
	return out
}

// having intersects the values of each lexeme's words; any of the words will do.
func (x *valueIndex) having(ls []Lexeme, words func(Lexeme) []string) []uint32 {
	var ids []uint32
	for i, l := range ls {
		var one []uint32
		for j, w := range words(l) {
			if j == 0 {
				one = x.tokens[w]
				continue
			}
			one = append(slices.Clone(one), x.tokens[w]...)
			slices.Sort(one)
			one = slices.Compact(one)
		}
		if len(one) == 0 || len(one) > maxPostings {
			return nil
		}
		if i == 0 {
			ids = one
		} else {
			ids = intersect(ids, one)
		}
	}
	return ids
}

func intersect(a, b []uint32) []uint32 {
	var out []uint32
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			out = append(out, a[i])
			i, j = i+1, j+1
		}
	}
	return out
}

// typos finds the values that the phrase names with letters wrong.
func (x *valueIndex) typos(ls []Lexeme, folded string) []valueHit {
	var out []valueHit
	if len(ls) > 1 {
		for _, n := range x.whole.near(folded, 0.5, 5) {
			if limit := slips(folded); editDistance(folded, n.word, limit) <= limit {
				score := fuzzyScore * (1 - float64(editDistance(folded, n.word, limit))/float64(len(folded)))
				for _, id := range x.phrase[n.word] {
					out = append(out, valueHit{id, score, "fuzzy"})
				}
			}
		}
	}
	wrong := 0
	ids := x.having(ls, func(l Lexeme) []string {
		if _, ok := x.tokens[l.Term]; ok || hasDigit(l.Term) {
			return []string{l.Term}
		}
		words := x.similar(l.Term)
		if len(words) == 0 {
			words = []string{l.Term}
		}
		wrong++
		return words
	})
	for _, id := range ids {
		said := min(1, float64(len(ls))/float64(x.words[id]))
		score := fuzzyScore * (partScore + (1-partScore)*said) * (1 - 0.1*float64(wrong))
		out = append(out, valueHit{id, score, "fuzzy"})
	}
	return out
}

// similar returns the words of the index that may be the word with letters wrong.
func (x *valueIndex) similar(word string) []string {
	limit := slips(word)
	if limit == 0 {
		return nil
	}
	var out []string
	for _, n := range x.fuzzy.near(word, 0.4, 8) {
		if !hasDigit(n.word) && editDistance(word, n.word, limit) <= limit {
			out = append(out, n.word)
		}
	}
	return out
}

// slips is how many letters may be wrong in a text of that length.
func slips(s string) int {
	switch n := len(s); {
	case n < 4:
		return 0
	case n < 8:
		return 1
	}
	return 2
}

// best sorts the hits, most likely first, one for each value.
func (x *valueIndex) best(hits []valueHit) []valueHit {
	slices.SortFunc(hits, func(a, b valueHit) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.id, b.id))
	})
	seen := make(map[uint32]bool, len(hits))
	return slices.DeleteFunc(hits, func(h valueHit) bool {
		dup := seen[h.id]
		seen[h.id] = true
		return dup
	})
}
