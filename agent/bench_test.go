package agent_test

import (
	"database/sql"
	"path/filepath"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2"

	"github.com/allrows/allrows/agent"
	"github.com/allrows/allrows/agent/link"
	"github.com/allrows/allrows/agent/plan"
	"github.com/allrows/allrows/agent/semparse"
	"github.com/allrows/allrows/schema"
)

// BenchmarkAggregate asks an aggregate question of 200,000 rows, with its plan
// given and planned without a model, and runs the same SQL through the driver
// alone: what an answer costs beside its figure.
func BenchmarkAggregate(b *testing.B) {
	p := newParts(b)
	scope := p.load(b, "orders.parquet")
	ref := scope.Tables[0].Table.Ref
	col := func(name string) plan.Expr { return plan.Col(schema.ColumnRef{Ref: ref, Column: name}) }
	var text, number string
	for _, c := range scope.Tables[0].Table.Columns {
		switch {
		case c.Type.Kind == "text" && text == "" && c.Profile.Distinct < 100:
			text = c.Name
		case c.Type.Numeric() && !c.Profile.Unique:
			number = c.Name
		}
	}
	where := plan.Compare(col(number), ">", plan.Number("1"))
	q := &plan.Plan{From: ref, Where: &where, GroupBy: []plan.Expr{col(text)},
		Select: []plan.Item{{Expr: col(text), Role: "key"}, {Expr: plan.Agg("sum", col(number)), Role: "measure"}}}
	a := p.agent(b, &scripted{steps: runSQL(q)}, plainLinker{lang: "en"})
	b.Run("question", func(b *testing.B) {
		for b.Loop() {
			ans, err := a.Ask(b.Context(), agent.Request{Question: "total by group", Scope: scope})
			if err != nil || ans.Outcome != agent.Answered {
				b.Fatal(ans, err)
			}
		}
	})
	c, err := plan.Compile(q, scope.Context())
	if err != nil {
		b.Fatal(err)
	}
	b.Run("planned", func(b *testing.B) {
		pl, err := semparse.New(semparse.Config{})
		if err != nil {
			b.Fatal(err)
		}
		l, err := link.New()
		if err != nil {
			b.Fatal(err)
		}
		a := p.agent(b, pl, l)
		for b.Loop() {
			ans, err := a.Ask(b.Context(), agent.Request{Question: "total amount by product", Scope: scope})
			if err != nil || ans.Outcome != agent.Answered {
				b.Fatal(ans.Text, err)
			}
		}
	})
	b.Run("driver", func(b *testing.B) {
		v, err := p.store.Current("orders")
		if err != nil {
			b.Fatal(err)
		}
		db, err := sql.Open("duckdb", "")
		if err != nil {
			b.Fatal(err)
		}
		defer db.Close()
		db.SetMaxOpenConns(1)
		for _, s := range []string{"ATTACH '" + filepath.Join(v.Dir, "tables.duckdb") + "' AS f (READ_ONLY)", "CREATE SCHEMA orders", "CREATE VIEW orders.orders AS SELECT * FROM f." + scope.Tables[0].Table.Table} {
			if _, err := db.Exec(s); err != nil {
				b.Fatal(err)
			}
		}
		for b.Loop() {
			rows, err := db.Query(c.SQL)
			if err != nil {
				b.Fatal(err)
			}
			for rows.Next() {
			}
			rows.Close()
		}
	})
}
