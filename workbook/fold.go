package workbook

import (
	"strings"
	"unicode/utf8"
)

// foldLimit is the longest word that the tables of words hold.
const foldLimit = 24

// folded looks a short word up in lower case without making a new string.
func folded[V any](m map[string]V, s string) (v V, ok bool) {
	if len(s) > foldLimit {
		return v, false
	}
	var buf [foldLimit]byte
	for i := range len(s) {
		c := s[i]
		if c >= utf8.RuneSelf {
			v, ok = m[strings.ToLower(s)]
			return v, ok
		}
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		buf[i] = c
	}
	v, ok = m[string(buf[:len(s)])]
	return v, ok
}

// containsFold reports whether s holds an ASCII word in any case; word is lower
// case.
func containsFold(s, word string) bool {
	for i := 0; i+len(word) <= len(s); i++ {
		j := 0
		for j < len(word) && s[i+j]|0x20 == word[j] {
			j++
		}
		if j == len(word) {
			return true
		}
	}
	return false
}
