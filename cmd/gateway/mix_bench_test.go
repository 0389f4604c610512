package main

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/allrows/allrows/agent"
	"github.com/allrows/allrows/eval"
	"github.com/allrows/allrows/examples"
	"github.com/allrows/allrows/server"
)

// BenchmarkMix asks the committed first cases of all samples at once, no
// workbook named, and reports the median and the slowest twentieth of them.
func BenchmarkMix(b *testing.B) {
	g, srv := opened(b, examples.Names()...)
	cases, err := eval.ReadCases(filepath.Join("..", "..", "eval", "testdata", "cases", "first.yaml"))
	if err != nil {
		b.Fatal(err)
	}
	quantiles := func(b *testing.B, took []time.Duration) {
		slices.Sort(took)
		b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
		b.ReportMetric(float64(took[len(took)*19/20].Microseconds())/1000, "p95-ms")
	}
	b.Run("ask", func(b *testing.B) {
		var took []time.Duration
		for b.Loop() {
			for _, c := range cases {
				begun := time.Now()
				if _, err := g.front.Ask(b.Context(), server.Question{Text: c.Question, Principal: "local"}); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(begun))
				if os.Getenv("ALLROWS_BENCH_EACH") != "" {
					b.Log(took[len(took)-1], c.ID, c.Question)
				}
			}
		}
		quantiles(b, took)
	})
	b.Run("sql", func(b *testing.B) {
		var took []time.Duration
		for b.Loop() {
			var a agent.Answer
			begun := time.Now()
			code := postJSON(b, srv.URL+"/v1/sql", `{"sql": "select region, avg(discount_pct) from pricing.tiers group by all"}`, &a)
			if code != http.StatusOK {
				b.Fatalf("/v1/sql = %d", code)
			}
			took = append(took, time.Since(begun))
		}
		quantiles(b, took)
	})
	b.Run("snapshot", func(b *testing.B) {
		for b.Loop() {
			snap, err := g.store.Snapshot()
			if err != nil {
				b.Fatal(err)
			}
			snap.Context()
			snap.Close()
		}
	})
}
