package main

import (
	"slices"

	"github.com/allrows/allrows/guardrails"
)

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
		if d := guardrails.Distance(word, w); d < at {
			best, at = w, d
		}
	}
	return best
}
