package guardrails_test

import (
	"strings"
	"testing"

	"github.com/allrows/allrows/guardrails"
)

// parsed is a statement of the corpus with the rule that refuses it, "" for none.
type parsed struct {
	guardrails.Parsed
	text, rule string
}

// parsedCorpus returns the statements that come as far as the walk.
func parsedCorpus(t *testing.T, g *guardrails.Guard, s *guardrails.Scope, name string, fields int) []parsed {
	var out []parsed
	for _, e := range corpus(t, name, fields) {
		p, err := g.ParseForWalk(t.Context(), e.sql)
		if err != nil {
			t.Fatal(err)
		}
		if fields == 1 {
			out = append(out, parsed{p, e.sql, ""})
		} else if p.Rule(s) == e.fields[1] {
			out = append(out, parsed{p, e.sql, e.fields[1]})
		}
	}
	return out
}

// Deleting any one rule of the policy makes the corpus fail: an attack is no
// longer refused as it was, or a legitimate statement is.
func TestEveryRuleIsNeeded(t *testing.T) {
	g, _ := guard(t)
	scope := fixtureScope()
	legitimate := parsedCorpus(t, g, scope, "legitimate.tsv", 1)
	attacks := parsedCorpus(t, g, scope, "attacks.tsv", 3)
	fails := func(m guardrails.Mutation) bool {
		undo := m.Do()
		defer undo()
		tried := legitimate
		if m.Strict {
			tried = attacks
		}
		for _, first := range []bool{true, false} {
			for _, p := range tried {
				if strings.Contains(p.text, m.Word) == first && p.Rule(scope) != p.rule {
					return true
				}
			}
		}
		return false
	}
	for _, m := range guardrails.Mutations() {
		if fails(m) == unreachable[m.Name] {
			t.Errorf("no statement of the corpus needs the rule %q: listed as unreachable %v", m.Name, unreachable[m.Name])
		}
	}
}

// unreachable are parts of the tree that no statement of DuckDB 1.5 fills: its
// grammar puts samples elsewhere, and takes no ORDER BY in a recursion. They are
// held all the same, for the version that will.
var unreachable = map[string]bool{
	"EMPTY looks into sample": true, "EXPRESSION_LIST looks into sample": true, "JOIN looks into sample": true, "PIVOT looks into sample": true,
	"EXPRESSION_LIST looks into expected_types": true, "JOIN looks into duplicate_eliminated_columns": true,
	"RECURSIVE_CTE_NODE looks into key_targets": true, "RECURSIVE_CTE_NODE looks into modifiers": true, "class CONSTANT looks into value": true,
}
