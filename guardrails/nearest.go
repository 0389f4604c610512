package guardrails

import (
	"slices"
	"strings"
)

// nearest returns up to n of the names, those most like the given one first.
func nearest(name string, names []string, n int) []string {
	type scored struct {
		name string
		far  int
	}
	var all []scored
	for _, c := range names {
		last := c[strings.LastIndexByte(c, '.')+1:]
		all = append(all, scored{c, Distance(strings.ToLower(name), strings.ToLower(last))})
	}
	slices.SortStableFunc(all, func(a, b scored) int { return a.far - b.far })
	out := make([]string, 0, n)
	for _, s := range all[:min(n, len(all))] {
		out = append(out, s.name)
	}
	return out
}

// Distance is Levenshtein's edit distance of two names, in bytes.
func Distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
