package kb

import (
	"cmp"
	"math"
	"slices"
	"sync"
)

// searchSegment is a segment as one caller may see it.
type searchSegment struct {
	*segment
	view   *tableView
	avgLen float64 // words per chunk of this kind, over the segments searched
	allow  []bool  // the chunks that hold the query's conditions, nil for all
	best   float64 // best lexical score, for routing
}

// scored is one chunk of a segment with its lexical score.
type scored struct {
	seg     int
	doc     uint32
	lexical float64
	cosine  float64
	score   float64
}

// allows reports whether the chunk may be found.
func (s *searchSegment) allows(doc uint32) bool { return s.allow == nil || s.allow[doc] }

// docs returns how many chunks may be found.
func (s *searchSegment) docs() int {
	if s.allow == nil {
		return s.lex.docs
	}
	n := 0
	for _, ok := range s.allow {
		if ok {
			n++
		}
	}
	return n
}

// countDocs returns how many chunks have the key where the caller may look.
func (s *searchSegment) countDocs(key uint64) int {
	if s.lex.context(key, s.view.hidden) {
		return s.docs()
	}
	n, last := 0, -1
	for _, p := range s.lex.find(key) {
		if int(p.doc) != last && s.allows(p.doc) && !s.view.hidden.has(int(p.col)) {
			n, last = n+1, int(p.doc)
		}
	}
	return n
}

// saturate is BM25's answer to how much one more of a word says.
func saturate(count, length, avg float64) float64 {
	return count * (bm25K1 + 1) / (count + bm25K1*(1-bm25B+bm25B*length/avg))
}

// accumulator adds up the scores of one segment's chunks.
type accumulator struct {
	scores  []float64
	seen    []bool
	touched []uint32
	named   []float64 // by column: how far the question names its header near the term
}

var accumulators = sync.Pool{New: func() any { return &accumulator{} }}

func (a *accumulator) reset(docs int) {
	if cap(a.scores) < docs {
		a.scores, a.seen = make([]float64, docs), make([]bool, docs)
	}
	a.scores, a.seen = a.scores[:docs], a.seen[:docs]
	a.touched = a.touched[:0]
}

func (a *accumulator) add(doc uint32, x float64) {
	if !a.seen[doc] {
		a.seen[doc] = true
		a.touched = append(a.touched, doc)
	}
	a.scores[doc] += x
}

// score adds the chunks of segment number n to the best.
func (q *lexicalQuery) score(n int, s *searchSegment, best *topScored) {
	a := accumulators.Get().(*accumulator)
	defer accumulators.Put(a)
	a.reset(s.lex.docs)
	base := 0.0
	for i := range q.terms {
		t := 0.0
		for _, f := range q.terms[i].forms {
			t += q.scoreTerm(a, s, f, i)
		}
		base += t
	}
	for _, f := range q.phrases {
		q.scoreCells(a, s, f, "")
	}
	for _, b := range q.boosts {
		if b.ref == s.view.table.Ref {
			q.scoreCells(a, s, b.form, b.column)
		}
	}
	s.best = base
	for _, d := range a.touched {
		if !s.allows(d) {
			continue
		}
		total := base + a.scores[d]
		s.best = max(s.best, total)
		best.add(scored{seg: n, doc: d, lexical: total})
	}
	if base > 0 {
		for d := 0; d < s.lex.docs && d < best.size && best.wants(base); d++ {
			if !a.seen[d] && s.allows(uint32(d)) {
				best.add(scored{seg: n, doc: uint32(d), lexical: base})
			}
		}
	}
	for _, d := range a.touched {
		a.scores[d], a.seen[d] = 0, false
	}
}

// nameColumns measures how much of each header the question says, words near
// the term counting more: in "the away team when the home team scored 12" it is
// the home team's 12.
func (q *lexicalQuery) nameColumns(a *accumulator, s *searchSegment, term int) {
	a.named = append(a.named[:0], make([]float64, len(s.lex.widths))...)
	if len(s.lex.headers) == 0 {
		return
	}
	for i := range q.terms {
		if i == term {
			continue
		}
		for _, f := range q.terms[i].forms {
			for _, c := range s.lex.headers[f.key] {
				a.named[c] += nearness(q.terms[i].at, q.terms[term].at) / float64(s.lex.widths[c])
			}
		}
	}
	for c := range a.named {
		a.named[c] = min(a.named[c], 1)
	}
}

// nearness is 1 for neighbouring words and falls with the words between them.
func nearness(a, b []int) float64 {
	gap := math.MaxInt
	for _, i := range a {
		for _, j := range b {
			gap = min(gap, max(i-j, j-i))
		}
	}
	return 1 / (1 + pairFalloff*float64(gap-1))
}

// scoreTerm adds a term's score to the chunks that hold it and returns what it
// adds to every chunk of the segment, being a word of its title or headers.
func (q *lexicalQuery) scoreTerm(a *accumulator, s *searchSegment, f form, term int) float64 {
	ctx, base := 0.0, 0.0
	w := f.idf * f.weight
	if s.lex.context(f.key, s.view.hidden) {
		ctx = contextCount
		base = w * saturate(ctx, 1, 1)
	}
	posts := s.lex.find(f.key)
	if len(posts) > 0 {
		q.nameColumns(a, s, term)
	}
	for i := 0; i < len(posts); {
		doc, count, named := posts[i].doc, 0.0, 0.0
		for ; i < len(posts) && posts[i].doc == doc; i++ {
			c := int(posts[i].col)
			if s.view.hidden.has(c) {
				continue
			}
			count += float64(posts[i].count)
			if c < len(a.named) {
				named = max(named, a.named[c])
			}
		}
		if count > 0 {
			x := saturate(count+ctx, float64(s.lex.lengths[doc]), s.avgLen)
			a.add(doc, w*(x+pairWeight*named)-base)
		}
	}
	return base
}

// scoreCells adds the score of whole cells, in one column or in any.
func (q *lexicalQuery) scoreCells(a *accumulator, s *searchSegment, f form, column string) {
	last := -1
	for _, p := range s.lex.find(f.key) {
		if int(p.doc) == last || s.view.hidden.has(int(p.col)) || column != "" && s.column(int(p.col)) != column {
			continue
		}
		last = int(p.doc)
		a.add(p.doc, f.idf*f.weight)
	}
}

// topScored keeps the best chunks; ties go to the earlier segment and chunk.
type topScored struct {
	size int
	all  []scored
	low  float64 // what a newcomer must reach once the list was cut
	cut  bool
}

func (t *topScored) wants(lexical float64) bool { return !t.cut || lexical > t.low }

func (t *topScored) add(s scored) {
	if !t.wants(s.lexical) {
		return
	}
	if t.all = append(t.all, s); len(t.all) >= 4*t.size {
		t.trim()
	}
}

func (t *topScored) trim() {
	slices.SortFunc(t.all, byLexical)
	if len(t.all) >= t.size {
		t.all = t.all[:t.size]
		t.low, t.cut = t.all[t.size-1].lexical, true
	}
}

func byLexical(a, b scored) int {
	return cmp.Or(cmp.Compare(b.lexical, a.lexical), cmp.Compare(a.seg, b.seg), cmp.Compare(a.doc, b.doc))
}
