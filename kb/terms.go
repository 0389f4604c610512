package kb

import (
	"cmp"
	"math"
	"slices"

	"github.com/allrows/allrows/schema"
)

// The weights of row-aware BM25, as measured on tables of the web and of business.
const (
	bm25K1        = 1.2
	bm25B         = 0.3
	contextCount  = 0.5  // what a header or title word counts, against a word of a cell
	phraseWeight  = 0.5  // a whole cell
	pairWeight    = 0.5  // a word under the header that the question names
	pairFalloff   = 0.1  // … less for each word between the two
	alsoWeight    = 0.5  // another canonical form of a word
	typoDice      = 0.45 // how alike an unseen word's stand-in must look
	senseCosine   = 0.45 // … or mean
	senseWeight   = 0.5
	standIns      = 3
	maxQueryWords = 64
)

// form is one term that a word of the question may be found by.
type form struct {
	key    uint64
	text   string
	weight float64
	idf    float64
	found  int // chunks that have it, in the searched segments
}

// queryTerm is a content word of the question.
type queryTerm struct {
	word  string
	at    []int // its places in the question
	forms []form
	typo  bool // the forms are stand-ins for a word that occurs nowhere
}

// lexicalQuery is a question as the lexicons see it.
type lexicalQuery struct {
	terms   []queryTerm
	phrases []form
	boosts  []boostTerm
	total   int // chunks searched
}

// boostTerm is a cell that the caller already linked to the question.
type boostTerm struct {
	ref    schema.Ref
	column string
	form
}

// newLexicalQuery reads the question; its terms have no weights yet.
func newLexicalQuery(text string) *lexicalQuery {
	ls := Lexemes(text)
	ls = ls[:min(len(ls), maxQueryWords)]
	q := &lexicalQuery{}
	content := func(l Lexeme) bool { return !stopWords[l.Key] }
	if !slices.ContainsFunc(ls, content) {
		content = func(Lexeme) bool { return true }
	}
	seen := map[string]int{}
	for i, l := range ls {
		if !content(l) {
			continue
		}
		if n, ok := seen[l.Term]; ok {
			q.terms[n].at = append(q.terms[n].at, i)
			continue
		}
		seen[l.Term] = len(q.terms)
		t := queryTerm{word: l.Key, at: []int{i}, forms: []form{{key: termKey(l.Term), text: l.Term, weight: 1}}}
		for _, a := range l.Also {
			if a != l.Term {
				t.forms = append(t.forms, form{key: termKey(a), text: a, weight: alsoWeight})
			}
		}
		q.terms = append(q.terms, t)
	}
	q.addPhrases(ls, content)
	return q
}

func (q *lexicalQuery) addPhrases(ls []Lexeme, content func(Lexeme) bool) {
	seen := map[string]bool{}
	for i := range ls {
		for j := i + 1; j <= min(len(ls), i+maxPhraseWords); j++ {
			if !slices.ContainsFunc(ls[i:j], content) {
				continue
			}
			if p := phraseOf(ls[i:j]); !seen[p] {
				seen[p] = true
				q.phrases = append(q.phrases, form{key: phraseKey(p), text: p, weight: phraseWeight})
			}
		}
	}
}

// weigh counts the terms in the segments, finds stand-ins for the words that
// occur in none, and drops what is nowhere.
func (q *lexicalQuery) weigh(segs []*searchSegment, senses Senses) {
	q.total = 0
	for _, s := range segs {
		q.total += s.docs()
	}
	for i := range q.terms {
		t := &q.terms[i]
		q.count(t.forms, segs)
		if !slices.ContainsFunc(t.forms, func(f form) bool { return f.found > 0 }) && !hasDigit(t.word) {
			t.forms, t.typo = q.standIns(t.word, segs, senses), true
		}
		t.forms = slices.DeleteFunc(t.forms, func(f form) bool { return f.found == 0 })
	}
	q.count(q.phrases, segs)
	q.phrases = slices.DeleteFunc(q.phrases, func(f form) bool { return f.found == 0 })
	for i := range q.boosts {
		one := []form{q.boosts[i].form}
		q.count(one, segs)
		q.boosts[i].form = one[0]
	}
}

func (q *lexicalQuery) count(forms []form, segs []*searchSegment) {
	for i := range forms {
		n := 0
		for _, s := range segs {
			n += s.countDocs(forms[i].key)
		}
		forms[i].found = n
		forms[i].idf = math.Log(1 + (float64(q.total-n)+0.5)/(float64(n)+0.5))
	}
}

// standIns returns words of the segments that an unseen word may mean: a
// misspelling, or a word of a similar sense.
func (q *lexicalQuery) standIns(word string, segs []*searchSegment, senses Senses) []form {
	var near []nearWord
	if stem := Stem(word); len(stem) >= 4 {
		for _, s := range segs {
			near = append(near, s.lex.near(stem, typoDice, standIns)...)
		}
	}
	forms := q.seen(near, 1, segs)
	if senses == nil {
		return forms
	}
	near = near[:0]
	for _, n := range senses.Neighbours(word, 60) {
		if n.Cosine >= senseCosine {
			near = append(near, nearWord{word: Stem(Fold(n.Word)), dice: n.Cosine})
		}
	}
	return append(forms, q.seen(near, senseWeight, segs)...)
}

// seen keeps the best few words that occur where the caller may look.
func (q *lexicalQuery) seen(near []nearWord, weight float64, segs []*searchSegment) []form {
	slices.SortStableFunc(near, func(a, b nearWord) int {
		return cmp.Or(cmp.Compare(b.dice, a.dice), cmp.Compare(a.word, b.word))
	})
	var out []form
	last := ""
	for _, n := range near {
		if len(out) == standIns {
			break
		}
		if n.word == last {
			continue
		}
		last = n.word
		f := []form{{key: termKey(n.word), text: n.word, weight: weight * n.dice}}
		if q.count(f, segs); f[0].found > 0 {
			out = append(out, f[0])
		}
	}
	return out
}

// ideal is the score of a chunk that has every word once: what scores are a share of.
func (q *lexicalQuery) ideal() float64 {
	sum := 0.0
	for _, t := range q.terms {
		best := 0.0
		for _, f := range t.forms {
			best = max(best, f.idf*f.weight)
		}
		if len(t.forms) == 0 { // a word that is nowhere weighs as the rarest would
			best = math.Log(1 + (float64(q.total)+0.5)/0.5)
		}
		sum += best
	}
	return max(sum, 1e-9)
}
