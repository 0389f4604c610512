package kb_test

import (
	"testing"

	"github.com/allrows/allrows/kb/embed"
)

// TestEmbedderRecall scores the embedder alone, over all rows of all tables: it
// is how word tables are compared.
func TestEmbedderRecall(t *testing.T) {
	for _, set := range []struct {
		name string
		make func(t testing.TB) *corpus
	}{
		{"wikisql-identified", func(t testing.TB) *corpus { return wikisql(t, 400, 1500, true) }},
		{"wtq", func(t testing.TB) *corpus { return wtq(t, 800) }},
	} {
		t.Run(set.name, func(t *testing.T) {
			c := set.make(t)
			e := embed.Static()
			type row struct {
				table int
				row   int64
				v     []float32
			}
			var rows []row
			for n, data := range c.data {
				var texts []string
				for _, r := range data {
					s := ""
					for j, v := range r {
						s += c.tables[n].Columns[j].Header + ": " + v + "\n"
					}
					texts = append(texts, s)
				}
				vs, err := e.Embed(t.Context(), texts)
				if err != nil {
					t.Fatal(err)
				}
				for i, v := range vs {
					rows = append(rows, row{n, int64(i + 2), v})
				}
			}
			var all, known recall
			for _, l := range c.lookups {
				vs, err := e.Embed(t.Context(), []string{l.question})
				if err != nil {
					t.Fatal(err)
				}
				rightCos := float32(-2)
				cos := make([]float32, len(rows))
				for i, r := range rows {
					for j, x := range r.v {
						cos[i] += x * vs[0][j]
					}
					if r.table == l.table && l.rows[r.row] {
						rightCos = cos[i]
					}
				}
				rank, inTable := 0, 0
				for i, r := range rows {
					if cos[i] > rightCos {
						rank++
						if r.table == l.table {
							inTable++
						}
					}
				}
				all.rank(rank)
				known.rank(inTable)
			}
			t.Logf("%d rows\n  table unknown: %s\n  table known:   %s", len(rows), &all, &known)
		})
	}
}

func (r *recall) rank(n int) {
	r.n++
	r.mrr += 1 / float64(n+1)
	if n < 1 {
		r.at1++
	}
	if n < 5 {
		r.at5++
	}
	if n < 10 {
		r.at10++
	}
}
