package sqltool

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

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

// Placed is a table and the version folder, published or staged, that holds it.
type Placed struct {
	Table *schema.Table
	Dir   string
}

// joinBatch is how many candidates one request measures.
const joinBatch = 16

// Relationships measures candidates (see [schema.JoinCandidates]) between tables
// and returns those that the data supports. Candidates that cannot be measured in
// time are left out, and the log says so: a load does not fail for them.
func (r *Runner) Relationships(ctx context.Context, tables []Placed, candidates []schema.Relationship) ([]schema.Relationship, error) {
	var out []schema.Relationship
	for batch := range slices.Chunk(candidates, joinBatch) {
		resp, _, err := r.do(ctx, r.workers, ingestHolder, joinRequest(tables, batch), nil)
		if err != nil && ctx.Err() != nil {
			return nil, err
		}
		if err != nil {
			r.cfg.Logger.Warn("relationships were not measured", "candidates", len(batch), "first", batch[0].From.String(), "error", err)
			continue
		}
		out = append(out, resp.Joins...)
	}
	return out, nil
}

func joinRequest(tables []Placed, candidates []schema.Relationship) request {
	req := request{Op: opJoins}
	asked := map[schema.Ref]bool{}
	for _, c := range candidates {
		req.Joins = append(req.Joins, joinQuestion{From: c.From, To: c.To})
		asked[c.From.Ref], asked[c.To.Ref] = true, true
	}
	index := map[string]int{}
	for _, t := range tables {
		if !asked[t.Table.Ref] {
			continue
		}
		path := filepath.Join(t.Dir, tablesFile)
		i, ok := index[path]
		if !ok {
			i = len(req.Files)
			index[path] = i
			req.Files = append(req.Files, file{Path: path})
		}
		req.Files[i].Tables = append(req.Files[i].Tables, fileTable{Ref: t.Table.Ref, Columns: viewColumns(t.Table)})
	}
	return req
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
