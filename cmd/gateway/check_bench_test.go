package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/allrows/allrows/guardrails"
)

// BenchmarkCheck is the guard with its parses in a worker, by the size of the
// statement.
func BenchmarkCheck(b *testing.B) {
	g, _ := opened(b, "pricing.xlsx")
	guard, err := guardrails.New(guardrails.Config{Parser: g.runner})
	if err != nil {
		b.Fatal(err)
	}
	snap, err := g.store.Snapshot()
	if err != nil {
		b.Fatal(err)
	}
	defer snap.Close()
	scope := guardrails.NewScope("local", snap.Context())
	for _, n := range []int{1, 16, 64} {
		sql := "SELECT region, AVG(discount_pct) FROM pricing.tiers WHERE tier > 0" + strings.Repeat(" OR region = 'North' AND discount_pct > 3.25 AND tier <= 4", n) + " GROUP BY region"
		b.Run(fmt.Sprintf("bytes=%d", len(sql)), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := guard.Check(b.Context(), scope, sql); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("parse", func(b *testing.B) {
		for b.Loop() {
			if _, err := g.runner.ParseTree(b.Context(), "SELECT 1"); err != nil {
				b.Fatal(err)
			}
		}
	})
}
