package guardrails_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/allrows/allrows/guardrails"
)

// Every legitimate statement passes, and what runs gives what DuckDB gives for the
// statement itself.
func TestCorpusLegitimate(t *testing.T) {
	g, _ := guard(t)
	conn, scope := fixture(t), fixtureScope()
	entries := corpus(t, "legitimate.tsv", 1)
	if len(entries) < 300 {
		t.Errorf("%d legitimate statements, want at least 300", len(entries))
	}
	for _, e := range entries {
		q, err := g.Check(t.Context(), scope, e.sql)
		if err != nil {
			t.Errorf("line %d: Check(%q) = %v, want it accepted", e.line, e.sql, err)
			continue
		}
		want, err := rowsOf(t.Context(), conn, e.sql)
		if err != nil {
			t.Errorf("line %d: DuckDB refuses %q: %v", e.line, e.sql, err)
			continue
		}
		got, err := rowsOf(t.Context(), conn, q.Wrapped())
		if err != nil {
			t.Errorf("line %d: %q does not run: %v", e.line, q.Wrapped(), err)
			continue
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("line %d: %q, directly and as checked: %s", e.line, e.sql, d)
		}
	}
}

// Every attack is refused by the rule that its line names.
func TestCorpusAttacks(t *testing.T) {
	g, _ := guard(t)
	scope := fixtureScope()
	entries := corpus(t, "attacks.tsv", 3)
	if len(entries) < 400 {
		t.Errorf("%d attacks, want at least 400", len(entries))
	}
	for _, e := range entries {
		_, err := g.Check(t.Context(), scope, e.sql)
		v, ok := errors.AsType[*guardrails.Violation](err)
		if !ok {
			t.Errorf("line %d: %s: Check(%.200q) = %v, want a %q violation", e.line, e.fields[0], e.sql, err, e.fields[1])
			continue
		}
		if v.Rule != e.fields[1] {
			t.Errorf("line %d: %s: Check(%.200q) = %v, want rule %q", e.line, e.fields[0], e.sql, err, e.fields[1])
		}
	}
}

// Text of MySQL's flavour is repaired to what it means, and its repaired form is
// DuckDB SQL that passes as it is.
func TestCorpusMySQL(t *testing.T) {
	g, _ := guard(t)
	conn, scope := fixture(t), fixtureScope()
	for _, e := range corpus(t, "mysql.tsv", 1) {
		q, err := g.Check(t.Context(), scope, e.sql)
		if err != nil || !q.Repaired() {
			t.Errorf("line %d: Check(%q) = repaired %v, %v, want it repaired", e.line, e.sql, q.Repaired(), err)
			continue
		}
		want, err := rowsOf(t.Context(), conn, e.fields[0])
		if err != nil {
			t.Errorf("line %d: DuckDB refuses %q: %v", e.line, e.fields[0], err)
			continue
		}
		got, err := rowsOf(t.Context(), conn, q.Wrapped())
		if err != nil {
			t.Errorf("line %d: %q, repaired from %q, does not run: %v", e.line, q.SQL(), e.sql, err)
			continue
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("line %d: %q, repaired from %q: %s", e.line, q.SQL(), e.sql, d)
		}
		if again, err := g.Check(t.Context(), scope, q.SQL()); err != nil || again.Repaired() {
			t.Errorf("line %d: the repaired form %q is repaired again: %v", e.line, q.SQL(), err)
		}
	}
}
