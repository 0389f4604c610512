package guardrails

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
)

// HashTree returns the hash of a syntax tree, locations aside: two texts with one
// hash are the same statement to DuckDB.
func HashTree(tree []byte) (string, error) {
	if !json.Valid(tree) {
		return "", errors.New("guardrails: reading a syntax tree: it is no JSON")
	}
	h := sha256.New()
	from := 0 // start of what is not hashed yet
	for i := 0; i < len(tree); {
		if tree[i] != '"' {
			i++
			continue
		}
		end := stringEnd(tree, i)
		if bytes.Equal(tree[i:end], locationKey) && end < len(tree) && tree[end] == ':' {
			h.Write(tree[from:end])
			for end++; end < len(tree) && (tree[end] == '-' || tree[end] >= '0' && tree[end] <= '9'); end++ {
			}
			from = end
		}
		i = end
	}
	h.Write(tree[from:])
	return hex.EncodeToString(h.Sum(nil)), nil
}

// locationKey is the key whose value says where in the text a part stood. DuckDB
// writes its trees without blanks, and no value is followed by a colon.
var locationKey = []byte(`"query_location"`)

// stringEnd returns the index after the JSON string that starts at i.
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

// sameTree reports whether two parts of trees are the same, locations aside.
func sameTree(a, b node) (bool, error) {
	ha, err := hashValue(map[string]any(a))
	if err != nil {
		return false, err
	}
	hb, err := hashValue(map[string]any(b))
	return ha == hb, err
}

func hashValue(v any) (string, error) {
	dropLocations(v)
	b, err := json.Marshal(v) // map keys come out sorted
	if err != nil {
		return "", fmt.Errorf("guardrails: hashing a syntax tree: %w", err)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), nil
}

func dropLocations(v any) {
	switch x := v.(type) {
	case map[string]any:
		delete(x, "query_location")
		for _, e := range x {
			dropLocations(e)
		}
	case []any:
		for _, e := range x {
			dropLocations(e)
		}
	}
}
