package kb

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// explain says which words of the question the chunk has, best first, and
// which share of them by weight.
func (q *lexicalQuery) explain(s *searchSegment, doc uint32) (coverage float64, why string) {
	type reason struct {
		text  string
		score float64
	}
	var reasons []reason
	have := 0.0
	for _, t := range q.terms {
		best, text := 0.0, ""
		for _, f := range t.forms {
			where, ok := s.where(f.key, doc)
			if w := f.idf * f.weight; ok && w > best {
				best, text = w, f.text
				if where != "" {
					text += " (" + where + ")"
				}
				if t.typo {
					text = t.word + " ~ " + text
				}
			}
		}
		if text != "" {
			reasons = append(reasons, reason{text, best})
			have += best
		}
	}
	for _, p := range q.phrases {
		if where, ok := s.inCell(p.key, doc); ok && strings.Contains(p.text, " ") {
			reasons = append(reasons, reason{"whole cell " + where + ": " + p.text, p.idf})
		}
	}
	slices.SortStableFunc(reasons, func(a, b reason) int { return cmp.Compare(b.score, a.score) })
	parts := make([]string, 0, len(reasons))
	for _, r := range reasons {
		parts = append(parts, r.text)
	}
	if len(parts) == 0 {
		return 0, "similar wording only"
	}
	return math.Min(1, have/q.ideal()), strings.Join(parts, ", ")
}

// covers reports whether the chunk, its title and headers have every content
// word of the question as it is written.
func (q *lexicalQuery) covers(s *searchSegment, doc uint32) bool {
	return !slices.ContainsFunc(q.terms, func(t queryTerm) bool {
		return t.typo || !slices.ContainsFunc(t.forms, func(f form) bool {
			_, ok := s.where(f.key, doc)
			return ok
		})
	})
}

// where names the column in which the chunk has a term; "" for title and headers.
func (s *searchSegment) where(key uint64, doc uint32) (string, bool) {
	if c, ok := s.inCell(key, doc); ok {
		return c, true
	}
	return "", s.lex.context(key, s.view.hidden)
}

func (s *searchSegment) inCell(key uint64, doc uint32) (string, bool) {
	posts := s.lex.find(key)
	i, _ := slices.BinarySearchFunc(posts, doc, func(p posting, d uint32) int { return cmp.Compare(p.doc, d) })
	for ; i < len(posts) && posts[i].doc == doc; i++ {
		c := int(posts[i].col)
		if s.view.hidden.has(c) {
			continue
		}
		if c < len(s.view.slots) {
			return header(s.view.table.Columns[s.view.slots[c]]), true
		}
		return "", true
	}
	return "", false
}

// unitVector returns the vector at length one.
func unitVector(v []float32) []float32 {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	out := make([]float32, len(v))
	if sum == 0 {
		return out
	}
	norm := 1 / math.Sqrt(sum)
	for i, x := range v {
		out[i] = float32(float64(x) * norm)
	}
	return out
}
