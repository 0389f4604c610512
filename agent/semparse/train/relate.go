package train

import (
	"strings"

	"github.com/allrows/allrows/agent/link"
	"github.com/allrows/allrows/schema"
)

// relate finds the joins that names and values support: every value of a column
// stands in a unique column of another table, and the names speak of each other.
func (db *Database) relate() {
	if len(db.Context.Tables) < 2 {
		return
	}
	sets := map[schema.ColumnRef]map[string]bool{}
	for _, t := range db.Context.Tables {
		for i, c := range t.Columns {
			if c.Type.Kind == "float" || c.Type.Temporal() {
				continue
			}
			s := map[string]bool{}
			for _, row := range db.rels[t.Ref].rows {
				if row[i] != nil {
					s[text(row[i])] = true
				}
			}
			sets[schema.ColumnRef{Ref: t.Ref, Column: c.Name}] = s
		}
	}
	for _, to := range db.Context.Tables {
		for _, key := range to.Columns {
			k := schema.ColumnRef{Ref: to.Ref, Column: key.Name}
			if !key.Profile.Unique || sets[k] == nil {
				continue
			}
			db.relateTo(k, key, sets)
		}
	}
}

func (db *Database) relateTo(k schema.ColumnRef, key *schema.Column, sets map[schema.ColumnRef]map[string]bool) {
	for _, from := range db.Context.Tables {
		if from.Ref == k.Ref {
			continue
		}
		for _, c := range from.Columns {
			f := schema.ColumnRef{Ref: from.Ref, Column: c.Name}
			if len(sets[f]) == 0 || c.Type.Numeric() != key.Type.Numeric() || !namesFit(c, key, k.Table) {
				continue
			}
			if c.Profile.Unique && lower(from.Table) < lower(k.Table) && sameName(c, key) && within(sets[k], sets[f]) == 1 {
				continue // one to one: the other direction is kept
			}
			if within(sets[f], sets[k]) < 0.9 {
				continue
			}
			kind := "many_to_one"
			if c.Profile.Unique {
				kind = "one_to_one"
			}
			db.Context.Relationships = append(db.Context.Relationships, schema.Relationship{From: f, To: k, Cardinality: kind})
		}
	}
}

func lower(s string) string { return strings.ToLower(s) }

func sameName(a, b *schema.Column) bool { return lower(a.Header) == lower(b.Header) }

// namesFit reports whether a column's name speaks of the key or of its table.
func namesFit(c, key *schema.Column, table string) bool {
	if sameName(c, key) {
		return true
	}
	a, b := lower(strings.Join(link.Words(c.Header), "")), lower(strings.Join(link.Words(key.Header), ""))
	if len(b) > 2 && (strings.HasSuffix(a, b) || strings.HasSuffix(b, a) && len(a) > 2) {
		return true
	}
	for _, w := range link.Words(table) {
		for _, x := range link.Words(c.Header) {
			if len(w) > 3 && link.Stem(w) == link.Stem(x) {
				return true
			}
		}
	}
	return false
}

func within(a, b map[string]bool) float64 {
	n := 0
	for v := range a {
		if b[v] {
			n++
		}
	}
	return float64(n) / float64(max(1, len(a)))
}
