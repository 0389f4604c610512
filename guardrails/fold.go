package guardrails

import "strings"

// fold lowers a name as DuckDB does: ASCII letters alone. Unicode's own folding
// would take the Kelvin sign for a k, and a name that DuckDB does not know for
// one that it does.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// same reports whether two names are one to DuckDB.
func same(a, b string) bool { return a == b || fold(a) == fold(b) }
