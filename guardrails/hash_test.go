package guardrails_test

import (
	"testing"

	"github.com/allrows/allrows/guardrails"
)

// Locations do not count, everything else does, also what only looks like one.
func TestHashTree(t *testing.T) {
	const base = `{"node":{"query_location":7,"value":"a\"query_location\":1","n":[{"query_location":18446744073709551615}]}}`
	for _, tt := range []struct {
		name, tree string
		same       bool
	}{
		{"the same", base, true},
		{"other locations", `{"node":{"query_location":12,"value":"a\"query_location\":1","n":[{"query_location":3}]}}`, true},
		{"another text", `{"node":{"query_location":7,"value":"a\"query_location\":2","n":[{"query_location":18446744073709551615}]}}`, false},
		{"another key", `{"node":{"query_locations":7,"value":"a\"query_location\":1","n":[{"query_location":18446744073709551615}]}}`, false},
		{"one location less", `{"node":{"query_location":7,"value":"a\"query_location\":1","n":[{}]}}`, false},
		{"a value of that name", `{"node":{"query_location":7,"value":"query_location","n":[{"query_location":18446744073709551615}]}}`, false},
	} {
		want, err := guardrails.HashTree([]byte(base))
		if err != nil {
			t.Fatal(err)
		}
		got, err := guardrails.HashTree([]byte(tt.tree))
		if err != nil || (got == want) != tt.same {
			t.Errorf("%s: same hash %v, %v; want %v", tt.name, got == want, err, tt.same)
		}
	}
	if _, err := guardrails.HashTree([]byte(`{"a":`)); err == nil {
		t.Error("half a tree has a hash")
	}
}
