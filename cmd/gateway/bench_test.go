package main

import (
	"net/http"
	"testing"

	"github.com/allrows/allrows/agent"
)

// BenchmarkHTTP is one request over loopback, with the journal's record, from
// a client that waits for each answer.
func BenchmarkHTTP(b *testing.B) {
	_, srv := opened(b, "pricing.xlsx")
	for _, bm := range []struct{ name, path, body string }{
		{"sql", "/v1/sql", `{"sql": "select region, avg(discount_pct) from pricing.tiers group by all"}`},
		{"ask", "/v1/ask", `{"question": "average discount by region"}`},
	} {
		b.Run(bm.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var a agent.Answer
				if code := postJSON(b, srv.URL+bm.path, bm.body, &a); code != http.StatusOK {
					b.Fatalf("%s = %d", bm.path, code)
				}
			}
		})
	}
}
