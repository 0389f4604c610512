package kb

import (
	"cmp"
	"context"
	"slices"
)

// wants reports whether the query asks for the segment and the caller may see it.
func (q Query) wants(x *tableIndex, seg *segment, v *tableView) bool {
	family := seg.kind == Group || seg.kind == Parent
	switch {
	case family && v.hidden.has(seg.by): // it would show what the rows share
		return false
	case seg.kind != Row && seg.kind != Schema && slices.Contains(q.Filtered, x.ref): // it speaks of rows that the caller may not see
		return false
	case len(q.Kinds) > 0:
		return slices.Contains(q.Kinds, seg.kind)
	case family:
		return x.segment(Row) == nil
	}
	return true
}

// allowed returns which chunks hold all conditions, nil where there are none.
func allowed(seg *segment, v *tableView, where []Condition) []bool {
	if len(where) == 0 {
		return nil
	}
	held := make([]int, seg.lex.docs)
	for n, c := range where {
		col := slices.Index(seg.columns, c.Column)
		if col < 0 || v.hidden.has(col) {
			return make([]bool, seg.lex.docs)
		}
		for _, p := range seg.lex.find(phraseKey(Phrase(c.Value))) {
			if int(p.col) == col && held[p.doc] == n {
				held[p.doc]++
			}
		}
	}
	out := make([]bool, seg.lex.docs)
	for d, n := range held {
		out[d] = n == len(where)
	}
	return out
}

// narrow is the first pass of two: of every table with parents, only rows of
// the partitions that fit the question best are left to be searched.
func (s *Store) narrow(ctx context.Context, q Query, segs []*searchSegment) error {
	first := q
	first.TwoPass, first.Kinds, first.K, first.Tokens = false, []Kind{Parent}, bestPartitions, 0
	hits, err := s.Search(ctx, first)
	if err != nil {
		return err
	}
	for _, seg := range segs {
		parents, err := s.chunks(ctx, seg.view.table)
		if err != nil {
			return err
		}
		p := parents.segment(Parent)
		if seg.kind != Row || p == nil {
			continue
		}
		allow := make([]bool, seg.lex.docs)
		found := false
		for _, h := range hits {
			for i, members := range p.members {
				if h.Ref != seg.view.table.Ref || p.first[i] != h.FirstRow {
					continue
				}
				for _, d := range members {
					allow[d] = seg.allow == nil || seg.allow[d]
					found = true
				}
			}
		}
		if found {
			seg.allow = allow
		}
	}
	return nil
}

// closest returns the k chunks of highest cosine among those allowed. chromem
// scans all or filters by metadata, so what the conditions left is scanned here.
func (s *searchSegment) closest(ctx context.Context, query []float32, k int) ([]scored, error) {
	if s.allow == nil {
		return s.nearest(ctx, query, k)
	}
	var out []scored
	for d, ok := range s.allow {
		if ok {
			out = append(out, scored{doc: uint32(d), cosine: s.cosine(uint32(d), query)})
		}
	}
	slices.SortStableFunc(out, func(a, b scored) int { return cmp.Compare(b.cosine, a.cosine) })
	return out[:min(k, len(out))], nil
}
