package guardrails

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// HashTree returns the hash of a syntax tree, locations aside: two texts with one
// hash are the same statement to DuckDB.
func HashTree(tree []byte) (string, error) {
	var v any
	d := json.NewDecoder(bytes.NewReader(tree))
	d.UseNumber() // two constants beyond 2^53 stay two
	if err := d.Decode(&v); err != nil {
		return "", fmt.Errorf("guardrails: reading a syntax tree: %w", err)
	}
	return hashValue(v)
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
