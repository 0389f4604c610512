package semparse

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/allrows/allrows/agent/link"
	"github.com/allrows/allrows/agent/plan"
)

const (
	explainedReadings = 5
	explainedFeatures = 8
)

// Explain says in text what the words of a question were linked to, and which
// readings were considered with what spoke for and against each. It runs no
// query, so it ranks by words alone.
func (p *Planner) Explain(ctx context.Context, q *link.Question) (string, error) {
	a, err := p.prepare(q)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Language %s\n", q.Language)
	for _, l := range q.Links {
		fmt.Fprintf(&b, "  %-24q %-7s %-36s %.2f %s\n", q.Text[q.Tokens[l.First].Start:q.Tokens[l.Last].End], l.Kind, meaning(l), l.Score, l.How)
	}
	if len(q.Unknown) > 0 {
		fmt.Fprintf(&b, "  unknown: %s\n", strings.Join(q.Unknown, ", "))
	}
	r, err := p.read(ctx, a, plan.Turn{}, nil)
	if err != nil {
		return "", err
	}
	fmt.Fprintf(&b, "%d readings, the first is meant with probability %.2f (threshold %.2f)\n", len(r.cands), r.sure, p.threshold)
	for i, c := range r.cands[:min(len(r.cands), explainedReadings)] {
		fmt.Fprintf(&b, "%d. %.3f  %s\n   %s", i+1, c.prob, c.plan.Reading(q.Schema, q.Language), c.shape)
		if left := a.unused(c); len(left) > 0 {
			fmt.Fprintf(&b, "; does not use: %s", strings.Join(left, ", "))
		}
		fmt.Fprintf(&b, "\n   %s\n", strings.Join(p.model.reasons(c), "  "))
	}
	return b.String(), nil
}

// meaning is what a link points to, in words.
func meaning(l link.Link) string {
	switch l.Kind {
	case link.Column:
		return l.Column.Ref.String() + "." + l.Column.Column
	case link.Value:
		return fmt.Sprintf("%s.%s = %q", l.Column.Ref, l.Column.Column, l.Value)
	case link.Table:
		return l.Table.String()
	case link.Metric:
		return l.Metric
	case link.Numeric:
		if l.Number != nil {
			return l.Number.Digits + l.Number.Unit
		}
	case link.Time:
		if l.Time != nil {
			return l.Time.From.Format("2006-01-02") + " to " + l.Time.To.Format("2006-01-02")
		}
	}
	return ""
}

// reasons are the features that weigh most in a candidate's score.
func (m *Model) reasons(c *cand) []string {
	weight := func(f feat) float64 {
		if f.id < 0 || f.id >= len(m.dense) {
			return 0
		}
		return m.dense[f.id] * f.val
	}
	feats := slices.DeleteFunc(slices.Clone(c.feats), func(f feat) bool { return weight(f) == 0 })
	slices.SortStableFunc(feats, func(x, y feat) int { return cmp.Compare(math.Abs(weight(y)), math.Abs(weight(x))) })
	var out []string
	for _, f := range feats[:min(len(feats), explainedFeatures)] {
		out = append(out, fmt.Sprintf("%+.2f %s", weight(f), m.index.Name(f.id)))
	}
	return out
}
