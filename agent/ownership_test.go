package agent_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/allrows/allrows/agent"
	"github.com/allrows/allrows/agent/link"
	"github.com/allrows/allrows/agent/plan"
	"github.com/allrows/allrows/guardrails"
	"github.com/allrows/allrows/schema"
)

// TestOwnership keeps answers and conversations to their principal and scope.
func TestOwnership(t *testing.T) {
	p := newParts(t)
	scope := p.load(t, "pricing.xlsx", "cities.xlsx")
	pl := &recorder{scripted: scripted{steps: runSQL(averageDiscount())}}
	a := p.agent(t, pl, plainLinker{lang: "en"})
	first := ask(t, a, scope, "average discount")
	if got, err := a.Answer(t.Context(), first.ID, scope); err != nil || cmp.Diff(first.Text, got.Text) != "" {
		t.Errorf("Answer = %v, %v", got, err)
	}
	other := *scope
	other.Principal = "mallory"
	narrow := *scope
	narrow.Tables = narrow.Tables[3:] // the cities
	for name, s := range map[string]*guardrails.Scope{"another's": &other, "without the table": &narrow, "with other rows": filtered(scope, "tiers", "region = 'South'")} {
		if _, err := a.Answer(t.Context(), first.ID, s); !errors.Is(err, agent.ErrNotFound) {
			t.Errorf("Answer in a scope %s = %v, want ErrNotFound", name, err)
		}
		if _, err := a.Verify(t.Context(), first.ID, s); !errors.Is(err, agent.ErrNotFound) {
			t.Errorf("Verify in a scope %s = %v, want ErrNotFound", name, err)
		}
	}
	for _, tt := range []struct {
		scope   *guardrails.Scope
		follows bool
	}{{scope, true}, {&other, false}, {&narrow, false}} {
		pl.previous = nil
		if _, err := a.Ask(t.Context(), agent.Request{Question: "and in the South?", Conversation: first.Conversation, Scope: tt.scope}); err != nil {
			t.Fatal(err)
		}
		if (pl.previous != nil) != tt.follows {
			t.Errorf("a question of %s with %d tables follows up: %v, want %v", tt.scope.Principal, len(tt.scope.Tables), pl.previous != nil, tt.follows)
		}
	}
}

// recorder notes what the planner is told of the question before.
type recorder struct {
	scripted
	previous *plan.Plan
}

func (r *recorder) Next(ctx context.Context, q *link.Question, turn plan.Turn) (plan.Step, error) {
	r.previous = turn.Previous
	return r.scripted.Next(ctx, q, turn)
}

// TestVerify runs an answer again: the same; then on versions of which the newer
// gives another figure; then on a version that is gone.
func TestVerify(t *testing.T) {
	p := newParts(t)
	file := filepath.Join(t.TempDir(), "pay.csv")
	write := func(content string) *guardrails.Scope {
		t.Helper()
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		p.publish(t, file)
		return p.scope(t, "pay")
	}
	scope := write("city,pay\nLyon,3\nParis,5\n")
	ref := scope.Tables[0].Table.Ref
	sum := &plan.Plan{From: ref, Select: []plan.Item{{Expr: plan.Agg("sum", plan.Col(schema.ColumnRef{Ref: ref, Column: "pay"})), Role: "measure"}}}
	a := p.agent(t, &scripted{steps: runSQL(sum)}, plainLinker{lang: "en"})
	ans := ask(t, a, scope, "total pay")
	verify := func(s *guardrails.Scope) *agent.Verification {
		t.Helper()
		v, err := a.Verify(t.Context(), ans.ID, s)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	if v := verify(scope); !v.Same || v.Current != "same" || len(v.Versions) != 1 {
		t.Errorf("Verify = %+v, want the same", v)
	}
	newer := write("city,pay\nLyon,3\nParis,7\n")
	if v := verify(newer); !v.Same || v.Current != "differs" || len(v.Changed) != 1 || !strings.Contains(v.Text, "8 → 10") {
		t.Errorf("Verify after a new version = %+v, want the same and a difference now", v)
	}
	gone := write("town,pay\nLyon,3\n")
	if v := verify(gone); !v.Same || v.Current != "differs" {
		t.Errorf("Verify = %+v", v)
	}
}
