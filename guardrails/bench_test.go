package guardrails_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/allrows/allrows/guardrails"
)

// timed adds up what parsing costs.
type timed struct {
	parser guardrails.TreeParser
	spent  time.Duration
}

func (p *timed) ParseTree(ctx context.Context, text string) ([]byte, error) {
	begun := time.Now()
	tree, err := p.parser.ParseTree(ctx, text)
	p.spent += time.Since(begun)
	return tree, err
}

// BenchmarkCheck measures the guard on the legitimate corpus and on texts grown to
// 4 KB: the middle and the 99th percentile of a whole check, and of that what
// DuckDB's parser took (two parses). Pipes to a worker are not in it.
func BenchmarkCheck(b *testing.B) {
	var texts []string
	for _, e := range corpus(b, "legitimate.tsv", 1) {
		texts = append(texts, e.sql)
	}
	var wide strings.Builder
	for i := 0; wide.Len() < 3900; i++ {
		fmt.Fprintf(&wide, "sum(case when units = %d and city = 'Lyon' then amount else 0 end) as c%d, ", i, i)
	}
	sets := map[string][]string{"corpus": texts, "4KB": {"select " + wide.String() + "count(*) from sales group by city order by city"}}
	for _, name := range []string{"corpus", "4KB"} {
		b.Run(name, func(b *testing.B) {
			_, db := guard(b)
			p := &timed{parser: duck{db}}
			g, err := guardrails.New(guardrails.Config{Parser: p})
			if err != nil {
				b.Fatal(err)
			}
			scope, took, parsing := fixtureScope(), []time.Duration(nil), []time.Duration(nil)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				p.spent = 0
				begun := time.Now()
				if _, err := g.Check(b.Context(), scope, sets[name][i%len(sets[name])]); err != nil {
					b.Fatal(err)
				}
				took, parsing = append(took, time.Since(begun)), append(parsing, p.spent)
			}
			report(b, took, "")
			report(b, parsing, "parsing-")
		})
	}
}

func report(b *testing.B, d []time.Duration, prefix string) {
	slices.Sort(d)
	b.ReportMetric(float64(d[len(d)/2].Microseconds()), prefix+"p50-µs")
	b.ReportMetric(float64(d[len(d)*99/100].Microseconds()), prefix+"p99-µs")
}
