package kb

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/allrows/allrows/schema"
)

// The second leg: how much the embedding says, and where it is asked.
const (
	lexicalShare   = 0.85
	cosineShare    = 0.15
	routedTables   = 2      // tables whose vectors are scanned, by their best lexical hit
	vectorHits     = 20     // candidates of each scan
	similarCosine  = 0.2    // what a chunk without any word of the question must reach; chance is 0.05
	bestPartitions = 3      // partitions that two passes go into
	unroutedLimit  = 20_000 // chunks scanned when no word of the question occurs anywhere
)

// Query asks for chunks. Tables is the mandatory scope, as the caller sees the
// tables: their permitted columns only.
type Query struct {
	Text     string
	Tables   []*schema.Table
	Filtered []schema.Ref // tables whose rows the scope filters: only chunks that are resolved row by row, and schemas
	Kinds    []Kind       // default: rows, schemas, summaries; groups and parents where a table has no row chunks
	Where    []Condition  // all must hold, before anything is scored
	TwoPass  bool         // find the partitions first, then rows within the best of them
	K        int          // default 10
	Tokens   int          // stop before the hits' texts are longer, in words; 0: no limit
	Boosts   []Boost
}

// Condition holds for the chunks of a table that have the value as a whole
// cell of the column. Chunks of tables without the column do not hold.
type Condition struct {
	Column string // SQL name
	Value  string
}

// Boost is a cell that the question is known to name: its rows rank higher.
type Boost struct {
	Column schema.ColumnRef
	Value  string
	Weight float64 // default 1: as much as a word that is as rare
}

// Search returns the best chunks of the tables in scope, best first. Hits are a
// selection; where nothing scores there are none.
func (s *Store) Search(ctx context.Context, q Query) ([]Hit, error) {
	if strings.TrimSpace(q.Text) == "" {
		return nil, errors.New("kb: the query has no text")
	}
	q.K = cmp.Or(max(q.K, 0), 10)
	segs, indexes, err := s.segments(ctx, q)
	if err != nil || len(segs) == 0 {
		return nil, err
	}
	if q.TwoPass {
		if err := s.narrow(ctx, q, segs); err != nil {
			return nil, err
		}
	}
	lq := newLexicalQuery(q.Text)
	for _, b := range q.Boosts {
		f := form{key: phraseKey(Phrase(b.Value)), text: b.Value, weight: cmp.Or(b.Weight, 1)}
		lq.boosts = append(lq.boosts, boostTerm{ref: b.Column.Ref, column: b.Column.Column, form: f})
	}
	lq.weigh(segs, s.senses)
	best := &topScored{size: max(50, 5*q.K)}
	for n, seg := range segs {
		lq.score(n, seg, best)
	}
	best.trim()
	covered := len(best.all) > 0 && lq.covers(segs[best.all[0].seg], best.all[0].doc)
	all, err := s.addCosines(ctx, q.Text, segs, best.all, covered)
	if err != nil {
		return nil, fmt.Errorf("kb: searching: %w", err)
	}
	hits := make([]Hit, 0, q.K)
	tokens := 0
	for _, c := range all[:min(q.K, len(all))] {
		h := Hit{Chunk: indexes[c.seg].chunk(segs[c.seg], c.doc), Score: c.score, Lexical: c.lexical / lq.ideal(), Cosine: c.cosine}
		h.Coverage, h.Why = lq.explain(segs[c.seg], c.doc)
		if tokens += len(strings.Fields(h.Text)); q.Tokens > 0 && tokens > q.Tokens && len(hits) > 0 {
			break
		}
		hits = append(hits, h)
	}
	return hits, nil
}

// segments opens what the query may search.
func (s *Store) segments(ctx context.Context, q Query) ([]*searchSegment, []*tableIndex, error) {
	var segs []*searchSegment
	var indexes []*tableIndex
	words, docs := map[Kind]float64{}, map[Kind]float64{}
	for _, t := range q.Tables {
		if err := ctx.Err(); err != nil {
			return nil, nil, fmt.Errorf("kb: searching: %w", err)
		}
		x, err := s.chunks(ctx, t)
		if err != nil {
			return nil, nil, err
		}
		view := newTableView(t, x.columns)
		for _, seg := range x.segments {
			if seg.lex.docs == 0 || !q.wants(x, seg, view) {
				continue
			}
			if view.hidden.any() && (seg.kind == Schema || seg.kind == Summary) {
				seg = rescope(seg, t, x)
			}
			found := &searchSegment{segment: seg, view: view}
			if found.allow = allowed(seg, view, q.Where); found.allow != nil && !slices.Contains(found.allow, true) {
				continue
			}
			segs, indexes = append(segs, found), append(indexes, x)
			words[seg.kind] += float64(seg.lex.size)
			docs[seg.kind] += float64(seg.lex.docs)
		}
	}
	for _, seg := range segs {
		seg.avgLen = max(1, words[seg.kind]/docs[seg.kind])
	}
	return segs, indexes, nil
}

// rescope indexes a summary or schema chunk anew as the caller sees the table:
// the stored one holds words of hidden columns.
func rescope(seg *segment, t *schema.Table, x *tableIndex) *segment {
	text := summaryText(t)
	if seg.kind == Schema {
		text = schemaText(t)
	}
	var b lexiconBuilder
	b.startDoc()
	b.add(anyColumn, Lexemes(text))
	out := &segment{kind: seg.kind, columns: x.columns, first: seg.first, last: seg.last, lex: b.build()}
	out.lex.setContext(titleTexts(t), nil)
	return out
}

// addCosines scores the candidates by both legs and adds those that only the
// embedding finds, in the tables that the words point to.
func (s *Store) addCosines(ctx context.Context, text string, segs []*searchSegment, found []scored, covered bool) ([]scored, error) {
	vecs, err := s.cfg.Embedder.Embed(ctx, []string{text})
	if err != nil {
		return nil, fmt.Errorf("embedding the question: %w", err)
	}
	if len(vecs) != 1 || len(vecs[0]) != s.cfg.Embedder.Dim() {
		return nil, fmt.Errorf("embedder %s returned no vector of %d dimensions", s.cfg.Embedder.Name(), s.cfg.Embedder.Dim())
	}
	v := unitVector(vecs[0])
	type place struct {
		seg int
		doc uint32
	}
	have := make(map[place]bool, len(found))
	top := 1e-9
	for i := range found {
		have[place{found[i].seg, found[i].doc}] = true
		top = max(top, found[i].lexical)
		if seg := segs[found[i].seg]; !seg.view.hidden.any() {
			found[i].cosine = seg.cosine(found[i].doc, v)
		}
	}
	for _, n := range route(segs, len(found) > 0, covered) {
		near, err := segs[n].closest(ctx, v, vectorHits)
		if err != nil {
			return nil, err
		}
		for _, c := range near {
			if c.cosine >= similarCosine && !have[place{n, c.doc}] {
				c.seg = n
				found = append(found, c)
			}
		}
	}
	for i := range found {
		found[i].score = lexicalShare*found[i].lexical/top + cosineShare*found[i].cosine
	}
	slices.SortFunc(found, func(a, b scored) int { return cmp.Or(cmp.Compare(b.score, a.score), byLexical(a, b)) })
	return found, nil
}

// route returns the segments whose vectors are worth a scan. None is where the
// best chunk already has every word of the question: embeddings win only on
// words that are missing. None is where columns are hidden: the vectors were
// made of all columns.
func route(segs []*searchSegment, words, covered bool) []int {
	if covered {
		return nil
	}
	var order []int
	for n, s := range segs {
		if s.coll != nil && !s.view.hidden.any() && (s.best > 0 || !words) {
			order = append(order, n)
		}
	}
	if words {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(segs[b].best, segs[a].best) })
		return order[:min(routedTables, len(order))]
	}
	chunks := 0
	for i, n := range order {
		if chunks += segs[n].lex.docs; chunks > unroutedLimit {
			return order[:i]
		}
	}
	return order
}
