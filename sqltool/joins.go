package sqltool

import (
	"context"
	"fmt"

	"github.com/allrows/allrows/guardrails"
	"github.com/allrows/allrows/schema"
)

// joinQuestion asks whether a column refers to a key: From's values against To's.
type joinQuestion struct {
	From schema.ColumnRef `json:"from"`
	To   schema.ColumnRef `json:"to"`
}

// maxOrphanShare is the share of rows without a partner up to which a column
// still counts as a reference.
const maxOrphanShare = 0.05

// Relationships measures candidates (see [schema.JoinCandidates]) over the tables
// of a scope and returns those that the data supports.
func (r *Runner) Relationships(ctx context.Context, scope *guardrails.Scope, candidates []schema.Relationship) ([]schema.Relationship, error) {
	if len(candidates) == 0 {
		return nil, nil
	}
	var refs []schema.Ref
	seen := map[schema.Ref]bool{}
	var questions []joinQuestion
	for _, c := range candidates {
		questions = append(questions, joinQuestion{From: c.From, To: c.To})
		for _, ref := range []schema.Ref{c.From.Ref, c.To.Ref} {
			if !seen[ref] {
				seen[ref] = true
				refs = append(refs, ref)
			}
		}
	}
	files, err := r.files(scope, refs)
	if err != nil {
		return nil, err
	}
	resp, _, err := r.do(ctx, request{Op: opJoins, Files: files, Joins: questions}, nil)
	if err != nil {
		return nil, fmt.Errorf("measuring relationships: %w", err)
	}
	return resp.Joins, nil
}

// joins measures each candidate: rows of From that hold a value, those without a
// partner, and whether From repeats itself.
func (w *worker) joins(ctx context.Context, r request) ([]schema.Relationship, error) {
	e, err := w.engine(ctx, r.Files)
	if err != nil {
		return nil, err
	}
	var out []schema.Relationship
	for _, j := range r.Joins {
		from, to := ident(j.From.Column), ident(j.To.Column)
		res, err := e.collect(ctx, fmt.Sprintf("SELECT count(f.v), count(*) FILTER (WHERE f.v IS NOT NULL AND t.v IS NULL), count(DISTINCT f.v) "+
			"FROM (SELECT %s AS v FROM %s) AS f LEFT JOIN (SELECT DISTINCT %s AS v FROM %s) AS t ON f.v = t.v",
			from, tableName(j.From.Ref), to, tableName(j.To.Ref)), noCaps)
		if err != nil {
			return nil, w.failed(e, err)
		}
		rows, _ := res.Rows[0][0].(int64)
		orphans, _ := res.Rows[0][1].(int64)
		distinct, _ := res.Rows[0][2].(int64)
		if rows == 0 || float64(orphans) > maxOrphanShare*float64(rows) {
			continue
		}
		rel := schema.Relationship{From: j.From, To: j.To, Cardinality: "many_to_one", Orphans: orphans}
		if distinct == rows {
			rel.Cardinality = "one_to_one"
		}
		out = append(out, rel)
	}
	return out, nil
}
