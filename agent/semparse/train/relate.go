package train

import "github.com/allrows/allrows/schema"

// relate measures the joins that the names propose, as loading does.
func (db *Database) relate() {
	for _, r := range schema.JoinCandidates(db.Context.Tables, nil) {
		from, to := db.rels[r.From.Ref], db.rels[r.To.Ref]
		keys := to.index(r.To.Column)
		n, orphans := 0, int64(0)
		seen := map[string]bool{}
		for _, row := range from.rows {
			v := row[from.cols[r.From.Column]]
			if v == nil {
				continue
			}
			n++
			seen[text(v)] = true
			if len(keys[text(v)]) == 0 {
				orphans++
			}
		}
		if n == 0 || float64(orphans) > 0.1*float64(n) {
			continue
		}
		r.Cardinality, r.Orphans = "many_to_one", orphans
		if len(seen) == n {
			r.Cardinality = "one_to_one"
		}
		db.Context.Relationships = append(db.Context.Relationships, r)
	}
}
