package eval_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/allrows/allrows/eval"
	"github.com/allrows/allrows/examples"
	"github.com/allrows/allrows/guardrails"
	"github.com/allrows/allrows/ingest"
	"github.com/allrows/allrows/kb"
	"github.com/allrows/allrows/kb/embed"
	"github.com/allrows/allrows/schema"
	"github.com/allrows/allrows/sqltool"
)

func TestMain(m *testing.M) {
	sqltool.MaybeWorker()
	os.Exit(m.Run())
}

// TestWhyAllrowsExists is the reason for the whole program. The average discount
// is 9.4%. A program that retrieves the chunks nearest to the question and
// averages what they say does correct arithmetic, too, and is wrong: its sample
// is what reads like the question, not what the question is about.
func TestWhyAllrowsExists(t *testing.T) {
	const question = "What is the average volume discount across regions?"
	dir, src := t.TempDir(), t.TempDir()
	if err := examples.WriteFile(src, "pricing.xlsx"); err != nil {
		t.Fatal(err)
	}
	store, err := sqltool.OpenStore(dir)
	if err != nil {
		t.Fatal(err)
	}
	runner, err := sqltool.New(sqltool.Config{Store: store, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer runner.Close()
	index, err := kb.New(kb.Config{Dir: filepath.Join(dir, "index"), Embedder: embed.Static()})
	if err != nil {
		t.Fatal(err)
	}
	loader, err := ingest.New(ingest.Config{Store: store, Runner: runner, Index: index})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := loader.Load(t.Context(), ingest.Request{Path: filepath.Join(src, "pricing.xlsx")}); err != nil {
		t.Fatal(err)
	}
	snap, err := store.Snapshot("pricing")
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	scope := guardrails.NewScope("reader", snap.Context())
	tiers := snap.Context().Table(schema.Ref{Workbook: "pricing", Table: "tiers"})

	// What Allrows does: SQL over all 42 rows.
	guard, err := guardrails.New(guardrails.Config{Parser: runner})
	if err != nil {
		t.Fatal(err)
	}
	query, err := guard.Check(t.Context(), scope, "SELECT avg(discount_pct) FROM pricing.tiers")
	if err != nil {
		t.Fatal(err)
	}
	result, err := runner.Run(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	all := figure(t, result.Rows[0][0])

	// What a retrieval does: the twelve nearest rows.
	hits, err := index.Search(t.Context(), kb.Query{Text: question, Tables: []*schema.Table{tiers}, Kinds: []kb.Kind{kb.Row}, K: 12})
	if err != nil {
		t.Fatal(err)
	}
	var rows []int64
	for _, h := range hits {
		rows = append(rows, h.FirstRow)
	}
	sample, err := runner.Rows(t.Context(), scope, tiers.Ref, rows)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, r := range sample.Rows {
		for i, c := range sample.Columns {
			if c.Name == "discount_pct" {
				sum += figure(t, r[i])
			}
		}
	}
	nearest := sum / float64(len(sample.Rows))

	t.Logf("over all %d rows: %.1f%%; over the %d nearest chunks: %.1f%%", tiers.Rows, all, len(sample.Rows), nearest)
	if got := fmt.Sprintf("%.1f", all); got != "9.4" || tiers.Rows != 42 {
		t.Errorf("average over all %d rows = %s, want 9.4 over 42", tiers.Rows, got)
	}
	if printed := fmt.Sprintf("%.1f", nearest); len(sample.Rows) != 12 || printed == "9.4" {
		t.Errorf("average of %d nearest chunks = %.2f, want 12 chunks and a figure visibly off %.2f", len(sample.Rows), nearest, all)
	}
}

func figure(t *testing.T, v any) float64 {
	t.Helper()
	f, err := strconv.ParseFloat(eval.Text(v), 64)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
