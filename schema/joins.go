package schema

import (
	"math/big"
	"strings"

	"github.com/allrows/allrows/workbook"
)

// JoinCandidates returns the pairs of columns that may be a reference and its key,
// by name, type and range, for the data to decide: To is unique in its table, and
// From is named like it. Pairs within old alone are left out; they were measured
// before.
func JoinCandidates(fresh, old []*Table) []Relationship {
	all := append(append([]*Table{}, fresh...), old...)
	var out []Relationship
	for i, from := range all {
		for j, to := range all {
			if i == j || i >= len(fresh) && j >= len(fresh) {
				continue
			}
			for _, f := range from.Columns {
				for _, t := range to.Columns {
					if t.Profile.Unique && sameKind(f, t) && namesAlike(from, f, to, t) && within(f, t) {
						out = append(out, Relationship{From: ColumnRef{from.Ref, f.Name}, To: ColumnRef{to.Ref, t.Name}})
					}
				}
			}
		}
	}
	return out
}

// sameKind reports whether two columns can be equal at all.
func sameKind(f, t *Column) bool {
	if f.Type.Kind == workbook.Int && t.Type.Kind == workbook.Int {
		return true
	}
	return f.Type.Kind == t.Type.Kind && f.Type.Kind == workbook.Text
}

// namesAlike reports whether a column's name refers to another table's key:
// customer_id to customers.customer_id, city_id to cities.id, region to
// regions.name.
func namesAlike(from *Table, f *Column, to *Table, t *Column) bool {
	fn, tn := words(f.Name), words(t.Name)
	if fn == tn {
		return !generic[tn] || singular(from.Table) == singular(to.Table)
	}
	one := singular(strings.ToLower(to.Table))
	if generic[tn] && (fn == one || fn == one+tn || strings.HasSuffix(fn, one+tn)) {
		return true
	}
	if strings.HasSuffix(fn, tn) && len(tn) > 3 && !generic[tn] { // home_team_id to team_id
		return true
	}
	kind, ok := strings.CutPrefix(tn, one)
	if !ok || len(one) < 3 || !generic[kind] {
		return false
	}
	return strings.HasSuffix(fn, one) // host_city to cities.city_id
}

// generic are names of keys that say nothing of what they are keys of.
var generic = map[string]bool{"id": true, "name": true, "code": true, "key": true, "no": true, "nr": true, "number": true, "title": true}

// words drops what separates the words of a name.
func words(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == ' ' || r == '-' {
			return -1
		}
		return r
	}, strings.ToLower(s))
}

// singular drops an English plural.
func singular(s string) string {
	s = words(s)
	switch {
	case strings.HasSuffix(s, "ies") && len(s) > 4:
		return s[:len(s)-3] + "y"
	case strings.HasSuffix(s, "sses") || strings.HasSuffix(s, "xes") || strings.HasSuffix(s, "ches"):
		return s[:len(s)-2]
	case strings.HasSuffix(s, "s") && !strings.HasSuffix(s, "ss"):
		return s[:len(s)-1]
	}
	return s
}

// within reports whether a column's range lies in the key's.
func within(f, t *Column) bool {
	if f.Type.Kind != workbook.Int {
		return f.Profile.Distinct <= t.Profile.Distinct*2
	}
	fmin, ok1 := new(big.Int).SetString(f.Profile.Min, 10)
	fmax, ok2 := new(big.Int).SetString(f.Profile.Max, 10)
	tmin, ok3 := new(big.Int).SetString(t.Profile.Min, 10)
	tmax, ok4 := new(big.Int).SetString(t.Profile.Max, 10)
	if !ok1 || !ok2 || !ok3 || !ok4 {
		return false
	}
	// A few orphans may lie outside: the ranges must overlap for the most part.
	return fmin.Cmp(tmax) <= 0 && fmax.Cmp(tmin) >= 0
}
