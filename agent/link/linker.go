package link

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/allrows/allrows/schema"
)

// maxTokens bounds a question: what is longer is cut, and the cut words are
// Unknown, so that no answer ignores them.
const maxTokens = 120

// maxSpan is the most words that one cell or header takes in a question.
const maxSpan = 8

// Linker links the words of questions. It is safe for concurrent use and
// remembers the vocabulary of the contexts it saw last.
type Linker struct {
	mu    sync.Mutex
	cache map[nameKey]*names
}

type nameKey struct {
	schema   schema.Fingerprint
	language string
}

// New returns a Linker, or an error where the embedded lexicons are damaged.
func New() (*Linker, error) {
	if _, err := Lexicons(); err != nil {
		return nil, err
	}
	return &Linker{cache: map[nameKey]*names{}}, nil
}

// work is the linking of one question.
type work struct {
	q      *Question
	tokens []Token
	lex    *Lexicon
	names  *names
}

// Link finds everything that the words of text may mean in the context. idx may
// be nil: then no cell values are found.
func (l *Linker) Link(ctx context.Context, text string, c *schema.Context, idx ValueIndex, now time.Time) (*Question, error) {
	q := &Question{Text: text, Now: now, Schema: c, Tokens: Tokenize(text)}
	cut := q.Tokens
	if len(q.Tokens) > maxTokens {
		q.Tokens = q.Tokens[:maxTokens]
	}
	lang, err := Detect(q.Tokens)
	if err != nil {
		return nil, err
	}
	all, err := Lexicons()
	if err != nil {
		return nil, err
	}
	q.Language = lang
	w := &work{q: q, tokens: q.Tokens, lex: all[lang]}
	for i := range w.tokens {
		w.tokens[i].Filler = w.lex.Is("filler", w.tokens[i].Norm)
	}
	w.names = l.names(c, w.lex)
	w.operators()
	w.numbers()
	w.times()
	w.columns()
	if idx != nil {
		if err := w.values(ctx, idx); err != nil {
			return nil, fmt.Errorf("link: looking up the cells that the question names: %w", err)
		}
	}
	w.unknown()
	for _, t := range cut[len(q.Tokens):] {
		q.Unknown = append(q.Unknown, t.Text)
	}
	return q, nil
}

func (l *Linker) names(c *schema.Context, lex *Lexicon) *names {
	key := nameKey{c.Fingerprint(), lex.Language}
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.cache[key]
	if n == nil {
		if len(l.cache) > 32 {
			clear(l.cache)
		}
		n = newNames(c, lex)
		l.cache[key] = n
	}
	return n
}

func (w *work) add(k Link) { w.q.Links = append(w.q.Links, k) }

func (w *work) phrase(first, last int) string {
	if first == last {
		return w.tokens[first].Norm
	}
	parts := make([]string, 0, maxSpan)
	for i := first; i <= last; i++ {
		parts = append(parts, w.tokens[i].Norm)
	}
	return strings.Join(parts, " ")
}

// operators links the words of the language; inside a longer phrase a shorter
// one of the same kind has no meaning of its own.
func (w *work) operators() {
	for i := range w.tokens {
		longest := min(w.lex.Longest(w.tokens[i].Norm), len(w.tokens)-i)
		for n := longest; n >= 1; n-- {
			for _, e := range w.lex.Meanings(w.phrase(i, i+n-1)) {
				if operator(e.Class) {
					w.add(Link{First: i, Last: i + n - 1, Kind: Operator, Op: e.Class, Dims: e.Dims, Against: e.Against, Score: 1, How: "lexicon"})
				}
			}
		}
	}
	ops := w.q.Links
	w.q.Links = slices.DeleteFunc(slices.Clone(ops), func(a Link) bool {
		return slices.ContainsFunc(ops, func(b Link) bool {
			return b.First <= a.First && a.Last <= b.Last && b.Last-b.First > a.Last-a.First && related(a.Op, b.Op)
		})
	})
}

func operator(class string) bool {
	head, _, _ := strings.Cut(class, ".")
	switch head {
	case "wh", "agg", "sup", "cmp", "op", "time":
		return true
	}
	return false
}

// related reports whether the longer phrase's meaning replaces the shorter's.
func related(short, long string) bool {
	if strings.HasPrefix(short, "time.") || strings.HasPrefix(long, "time.") {
		return false
	}
	return long != "filler"
}

// columns links runs of words to columns and tables by their names.
func (w *work) columns() {
	scores := map[int][]float64{} // thing -> score of every token, and its word below
	at := map[int][]int{}
	for i, t := range w.tokens {
		hits := w.names.lookup(t, w.lex)
		if i+1 < len(w.tokens) {
			joined := Token{Norm: t.Norm + w.tokens[i+1].Norm}
			for _, p := range w.names.index[joined.Norm] {
				hits = append(hits, hit{p, 1})
			}
		}
		for _, h := range hits {
			if scores[h.thing] == nil {
				scores[h.thing], at[h.thing] = make([]float64, len(w.tokens)), make([]int, len(w.tokens))
			}
			if h.score > scores[h.thing][i] {
				scores[h.thing][i], at[h.thing][i] = h.score, h.word
			}
		}
	}
	ids := make([]int, 0, len(scores))
	for id := range scores {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		w.runs(&w.names.things[id], scores[id], at[id])
	}
}

// runs adds a link for every run of tokens that are words of the thing.
func (w *work) runs(t *thing, score []float64, at []int) {
	for i := 0; i < len(score); i++ {
		if score[i] == 0 || w.tokens[i].Filler && score[i] < 1 {
			continue
		}
		used := map[int]bool{}
		sum, last, least := 0.0, i, 1.0
		content := false
		for j := i; j < len(score) && j <= last+3; j++ {
			if score[j] > 0 && !used[at[j]] && (j == last || j == last+1 || w.fillers(last+1, j-1)) {
				used[at[j]] = true
				sum += score[j] * t.weight[at[j]]
				least = min(least, score[j])
				content = content || !w.tokens[j].Filler || score[j] == 1 && len(t.words) == 1
				last = j
			}
		}
		if s := sum / t.total; content && s > 0.2 {
			w.addName(t, Link{First: i, Last: last, Score: s}, least, len(used) == len(t.words))
		}
		i = last
	}
}

func (w *work) fillers(first, last int) bool {
	for i := first; i <= last; i++ {
		if !w.tokens[i].Filler {
			return false
		}
	}
	return true
}

// addName completes a link to a column or table. Least is the worst match of one
// of its words; whole says that every word of the name was said.
func (w *work) addName(t *thing, k Link, least float64, whole bool) {
	k.Kind, k.Table, k.How = Column, t.table, "part"
	switch {
	case whole && least >= 0.95:
		k.How = "name"
	case whole:
		k.How = "alike"
	}
	if t.alias && k.How == "name" {
		k.How = "synonym"
	}
	k.Column = schema.ColumnRef{Ref: t.table, Column: t.column}
	if t.column == "" {
		k.Kind = Table
	}
	w.add(k)
}

// values links runs of words to cells. The longest exact match hides what lies
// inside it.
func (w *work) values(ctx context.Context, idx ValueIndex) error {
	n := len(w.tokens)
	var exact []Link
	for size := min(maxSpan, n); size >= 1; size-- {
		for i := 0; i+size <= n; i++ {
			last := i + size - 1
			if w.pointless(i, last) || slices.ContainsFunc(exact, func(k Link) bool { return k.First <= i && last <= k.Last }) {
				continue
			}
			text := w.q.Text[w.tokens[i].Start:w.tokens[last].End]
			found, err := idx.FindValues(ctx, text, 12)
			if err != nil {
				return err
			}
			for _, m := range found {
				k := valueLink(i, last, m)
				if m.Score < 0.95 && w.isName(k) {
					continue
				}
				w.add(k)
				if size > 1 && m.Score >= 0.95 {
					exact = append(exact, k)
				}
			}
		}
	}
	if err := w.sameCells(ctx, idx); err != nil {
		return err
	}
	slices.SortStableFunc(w.q.Links, func(a, b Link) int {
		return cmp.Or(cmp.Compare(a.First, b.First), cmp.Compare(b.Last, a.Last))
	})
	return nil
}

func valueLink(first, last int, m ValueMatch) Link {
	return Link{First: first, Last: last, Kind: Value, Column: m.Column, Table: m.Column.Ref, Value: m.Value, Score: m.Score, How: m.How}
}

// isName reports whether the words of a doubtful cell are the name of a table or
// of a column.
func (w *work) isName(k Link) bool {
	return slices.ContainsFunc(w.q.Links, func(o Link) bool {
		return (o.Kind == Table || o.Kind == Column && o.How == "name") && o.Score >= 0.75 && o.First <= k.First && k.Last <= o.Last
	})
}

// sameCells links a word to the cells that write it another way: M for male.
func (w *work) sameCells(ctx context.Context, idx ValueIndex) error {
	for i, t := range w.tokens {
		for _, word := range w.lex.Same(t.Norm) {
			if word == t.Norm {
				continue
			}
			found, err := idx.FindValues(ctx, word, 6)
			if err != nil {
				return err
			}
			for _, m := range found {
				if m.Score >= 0.95 {
					m.Score, m.How = 0.85, "same"
					w.add(valueLink(i, i, m))
				}
			}
		}
	}
	return nil
}

// pointless reports whether a run of words can name no cell: one of fillers
// alone, or one that begins or ends with one and is no longer name.
func (w *work) pointless(first, last int) bool {
	if w.fillers(first, last) {
		return first == last || last-first > 2
	}
	return false
}

// unknown names the content words without any meaning.
func (w *work) unknown() {
	seen := make([]bool, len(w.tokens))
	for _, k := range w.q.Links {
		for i := k.First; i <= k.Last; i++ {
			seen[i] = true
		}
	}
	for i, t := range w.tokens {
		if !seen[i] && !t.Filler && !w.lex.Knows(t.Norm) {
			w.q.Unknown = append(w.q.Unknown, t.Text)
		}
	}
}
