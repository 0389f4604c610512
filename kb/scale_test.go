package kb_test

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/allrows/allrows/kb"
	"github.com/allrows/allrows/schema"
)

// filled builds an index of n row chunks in tables of 10,000, the most that
// have row chunks, and says how fast.
func filled(b testing.TB, s *kb.Store, n int) ([]*schema.Table, [][][]string, float64) {
	b.Helper()
	names := []string{"Amber", "Birch", "Cedar", "Delta", "Ember", "Fjord", "Grove", "Haven", "Inlet", "Jade", "Karst", "Ledge"}
	kinds := []string{"pump", "valve", "gasket", "bearing", "filter", "motor", "sensor", "relay", "coupling", "belt"}
	var tables []*schema.Table
	var data [][][]string
	start := time.Now()
	for len(tables)*10_000 < n {
		k := len(tables)
		t := &schema.Table{Ref: schema.Ref{Workbook: fmt.Sprintf("plant_%s", names[k%len(names)]), Table: "parts"}, Version: "v1",
			File: "plant.xlsx", Title: names[k%len(names)] + " plant parts", Columns: []*schema.Column{
				column("part", "Part", text), column("code", "Code", text), column("supplier", "Supplier", text),
				column("price", "Unit price", money), column("stock", "In stock", whole), column("since", "Since", date)}}
		rows := make([][]string, min(10_000, n-k*10_000))
		for i := range rows {
			h := (i*7919 + k*104729) % 99991
			rows[i] = []string{names[h%12] + " " + kinds[h/12%10] + " " + fmt.Sprint(i%300), fmt.Sprintf("%s-%05d", names[k%12][:2], i),
				names[h/120%12] + " " + names[h/1440%12] + " Ltd", fmt.Sprintf("%d.%02d", h%500, h%100), fmt.Sprint(h % 1000),
				fmt.Sprintf("20%02d-%02d-%02d", 10+h%16, 1+h%12, 1+h%28)}
		}
		build(b, s, profiled(t, rows), rows)
		tables, data = append(tables, t), append(data, rows)
	}
	return tables, data, float64(n) / time.Since(start).Seconds()
}

func sizes() []int {
	if os.Getenv("ALLROWS_BENCH") == "" {
		return []int{10_000}
	}
	return []int{10_000, 100_000}
}

func BenchmarkSearch(b *testing.B) {
	for _, n := range sizes() {
		b.Run(fmt.Sprintf("chunks=%d", n), func(b *testing.B) {
			dir := b.TempDir()
			s := newStore(b, kb.Config{Dir: dir})
			tables, data, perSecond := filled(b, s, n)
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			start := time.Now()
			if _, err := s.Search(b.Context(), kb.Query{Text: "anything", Tables: tables}); err != nil {
				b.Fatal(err)
			}
			opened := time.Since(start)
			runtime.GC()
			runtime.ReadMemStats(&after)
			var took []time.Duration
			i := 0
			for b.Loop() {
				r := data[i%len(data)][(i*37)%len(data[i%len(data)])]
				question := []string{"what is the unit price of the " + r[0] + " from " + r[2], "in stock of code " + r[1], "suplier of " + r[0] + " since " + r[5]}[i%3]
				start := time.Now()
				if _, err := s.Search(b.Context(), kb.Query{Text: question, Tables: tables, Kinds: []kb.Kind{kb.Row}}); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(start))
				i++
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
			b.ReportMetric(perSecond, "built-chunks/s")
			b.ReportMetric(opened.Seconds(), "open-s")
			b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/1e6, "heap-MB")
		})
	}
}

func BenchmarkFindValues(b *testing.B) {
	s := newStore(b, kb.Config{})
	table, rows := tiers()
	build(b, s, table, rows)
	v := s.Values([]*schema.Table{table})
	for _, phrase := range []string{"North", "discount for north", "nroth", "what is the average"} {
		b.Run(phrase, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := v.FindValues(b.Context(), phrase, 10); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
