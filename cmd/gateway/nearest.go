package main

import "slices"

func unknownKey(key string) string {
	all := make([]string, len(settings))
	for i, s := range settings {
		all[i] = s.key
	}
	what := "unknown key " + key
	if best := nearest(key, all); best != "" {
		what += "; did you mean " + best + "?"
	}
	return what
}

// nearest returns the word within an edit distance of a third of its length,
// or "".
func nearest(word string, words []string) string {
	slices.Sort(words)
	best, at := "", len(word)/3+1
	for _, w := range words {
		if d := distance(word, w); d < at {
			best, at = w, d
		}
	}
	return best
}

// distance is Levenshtein's, over bytes.
func distance(a, b string) int {
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
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
