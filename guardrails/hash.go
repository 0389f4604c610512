package guardrails

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
)

// HashTree returns the hash of a syntax tree as json_serialize_sql writes it,
// locations aside: two texts with one hash are the same statement to DuckDB.
func HashTree(tree []byte) (string, error) {
	if !json.Valid(tree) {
		return "", errors.New("guardrails: hashing a syntax tree: it is no JSON")
	}
	return hash(unplaced(tree)), nil
}

func hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

var location = []byte(`"query_location":`)

// unplaced returns a tree's text without the numbers that say where in its
// statement each part stood. DuckDB writes trees in one form, so that two texts of
// a tree differ in nothing else.
func unplaced(tree []byte) []byte {
	out := make([]byte, 0, len(tree))
	for i := 0; i < len(tree); {
		if tree[i] != '"' {
			out = append(out, tree[i])
			i++
			continue
		}
		if bytes.HasPrefix(tree[i:], location) { // a key: inside strings we never stand
			out = append(out, location...)
			for i += len(location); i < len(tree) && tree[i] >= '0' && tree[i] <= '9'; i++ {
			}
			continue
		}
		end := stringEnd(tree, i)
		out = append(out, tree[i:end]...)
		i = end
	}
	return out
}

// stringEnd returns the end of the JSON string that begins at i.
func stringEnd(b []byte, i int) int {
	for i++; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(b)
}
