package plan_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/allrows/allrows/agent/plan"
	"github.com/allrows/allrows/schema"
)

var tiers = schema.Ref{Workbook: "pricing", Table: "tiers"}

func col(name string) plan.Expr { return plan.Col(schema.ColumnRef{Ref: tiers, Column: name}) }

func is(name, value string) plan.Cond { return plan.Compare(col(name), "=", plan.Text(value)) }

// TestEdit edits a plan the way that follow-up questions do; the plan edited
// stays as it was.
func TestEdit(t *testing.T) {
	w := newWorld(t)
	north := is("region", "North")
	first := plan.Compare(col("tier"), ">", plan.Number("1"))
	base := &plan.Plan{From: tiers, Where: plan.All(north, first), Select: []plan.Item{{Expr: plan.Agg("avg", col("discount")), Role: "measure"}}}
	before := base.Key()
	top := base.Clone()
	top.Where, top.GroupBy = nil, []plan.Expr{col("region")}
	top.Select = append([]plan.Item{{Expr: col("region"), Role: "key"}}, top.Select...)
	top.Order, top.Limit = []plan.Order{{Expr: plan.Agg("avg", col("discount")), Desc: true}}, 1
	other := &plan.Plan{From: tiers, Select: []plan.Item{{Expr: plan.Agg("count"), Role: "measure"}}}
	carried, conds := other.WithConditionsOf(base)
	if len(conds) != 2 {
		t.Errorf("WithConditionsOf carried %d conditions, want 2", len(conds))
	}
	elsewhere := &plan.Plan{From: schema.Ref{Workbook: "cities", Table: "cities"}, Select: []plan.Item{{Expr: plan.Agg("count"), Role: "measure"}}}
	if _, conds := elsewhere.WithConditionsOf(base); len(conds) != 0 {
		t.Errorf("WithConditionsOf carried %d conditions to another table", len(conds))
	}
	for _, tt := range []struct {
		name string
		plan *plan.Plan
		want string
	}{
		{"and in the South?", base.WithCondition(is("region", "South")), "Average of Discount over the rows of Regional discount tiers where Tier is above 1 and Region is South"},
		{"below tier 5", base.WithCondition(plan.Compare(col("tier"), "<", plan.Number("5"))), "Average of Discount over the rows of Regional discount tiers where Region is North and Tier is above 1 and Tier is below 5"},
		{"above tier 2", base.WithCondition(plan.Compare(col("tier"), ">=", plan.Number("2"))), "Average of Discount over the rows of Regional discount tiers where Region is North and Tier is at least 2"},
		{"everywhere", base.WithoutConditions(schema.ColumnRef{Ref: tiers, Column: "region"}), "Average of Discount over the rows of Regional discount tiers where Tier is above 1"},
		{"by tier", base.GroupedBy(col("tier"), ""), "Average of Discount by Tier over the rows of Regional discount tiers where Region is North"},
		{"by region and tier", top.GroupedBy(col("tier"), ""), "Average of Discount by Region and Tier over all 8 rows of Regional discount tiers; the one with the highest average of Discount; no filter"},
		{"how many of them?", carried, "Number of rows of Regional discount tiers where Region is North and Tier is above 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.plan.Reading(w.ctx, "en"); got != tt.want {
				t.Errorf("the plan reads %q, want %q", got, tt.want)
			}
			if _, err := plan.Compile(tt.plan, w.ctx); err != nil {
				t.Errorf("Compile = %v", err)
			}
		})
	}
	if base.Key() != before {
		t.Errorf("editing changed the plan to %s", base.Key())
	}
}

// TestUses lists what a plan names.
func TestUses(t *testing.T) {
	year := plan.Compare(col("effective"), ">=", plan.Day("2026-01-01"))
	inner := &plan.Plan{From: tiers, Where: plan.All(is("region", "South"), year), Select: []plan.Item{{Expr: col("tier")}}, Limit: 7}
	tier := col("tier")
	p := &plan.Plan{From: tiers, Where: &plan.Cond{Op: "in", Left: &tier, Set: inner}, Limit: 3}
	u := p.Uses()
	for digits, want := range map[string]bool{"3": true, "7.0": true, "2026": true, "no": false} {
		if u.Number(digits) != want {
			t.Errorf("Number(%s) = %v, want %v", digits, !want, want)
		}
	}
	if !u.Text["south"] || !u.Columns[schema.ColumnRef{Ref: tiers, Column: "region"}] {
		t.Errorf("Uses = %+v", u)
	}
	if d := cmp.Diff([]schema.Ref{tiers}, p.Tables()); d != "" {
		t.Errorf("Tables (-want +got):\n%s", d)
	}
}

// TestSpans says bounds that are a calendar span as the span.
func TestSpans(t *testing.T) {
	w := newWorld(t)
	for _, tt := range []struct{ from, to, want string }{
		{"2026-01-01", "2027-01-01", "Effective is in 2026"},
		{"2026-04-01", "2026-07-01", "Effective is in Q2 2026"},
		{"2026-02-01", "2026-03-01", "Effective is in February 2026"},
		{"2026-02-14", "2026-02-15", "Effective is February 14, 2026"},
		{"2026-02-01", "2026-05-01", "Effective is from February 1, 2026 on and Effective is before May 1, 2026"},
		{"2026-02-28", "2026-03-28", "Effective is from February 28, 2026 on and Effective is before March 28, 2026"},
	} {
		c := plan.All(plan.Compare(col("effective"), ">=", plan.Day(tt.from)), plan.Compare(col("effective"), "<", plan.Day(tt.to)))
		if got := plan.CondReading(c, w.ctx, "en"); got != tt.want {
			t.Errorf("%s to %s reads %q, want %q", tt.from, tt.to, got, tt.want)
		}
	}
}
