package ingest_test

import (
	"database/sql"
	"path/filepath"
	"testing"
	"time"

	_ "github.com/duckdb/duckdb-go/v2"

	"github.com/allrows/allrows/examples"
	"github.com/allrows/allrows/guardrails"
	"github.com/allrows/allrows/ingest"
	"github.com/allrows/allrows/sqltool"
)

// aggregates are questions over the 200,000 orders, as SQL.
var aggregates = map[string]string{
	"count": "SELECT count(*) FROM orders",
	"group": "SELECT channel, sum(amount), avg(amount) FROM orders GROUP BY channel ORDER BY 2 DESC",
	"month": "SELECT date_trunc('month', order_date) AS m, sum(amount) FROM orders WHERE order_date >= DATE '2024-01-01' GROUP BY 1 ORDER BY 1",
}

// BenchmarkAggregate runs each question through guard, worker and engine, and the
// same SQL directly through the driver over the same file.
func BenchmarkAggregate(b *testing.B) {
	dir := b.TempDir()
	if err := examples.WriteFile(dir, "orders.parquet"); err != nil {
		b.Fatal(err)
	}
	store, l, r := opened(b)
	if _, err := l.Load(b.Context(), ingest.Request{Path: filepath.Join(dir, "orders.parquet")}); err != nil {
		b.Fatal(err)
	}
	snap, err := store.Snapshot()
	if err != nil {
		b.Fatal(err)
	}
	defer snap.Close()
	guard, err := guardrails.New(guardrails.Config{Parser: r})
	if err != nil {
		b.Fatal(err)
	}
	db, err := sql.Open("duckdb", filepath.Join(snap.Versions[0].Dir, "tables.duckdb")+"?access_mode=read_only")
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	scope := guardrails.NewScope("bench", snap.Context())
	for name, q := range aggregates {
		b.Run(name+"/guarded", func(b *testing.B) {
			for b.Loop() {
				query, err := guard.Check(b.Context(), scope, q)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := r.Run(b.Context(), query); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/driver", func(b *testing.B) {
			for b.Loop() {
				drain(b, db, q)
			}
		})
	}
}

func drain(b *testing.B, db *sql.DB, q string) {
	rows, err := db.QueryContext(b.Context(), q)
	if err != nil {
		b.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
	}
	if err := rows.Err(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkLoadParquet loads the orders into a staged version (rows numbered,
// profiled) and, beside it, by DuckDB's own CREATE TABLE AS SELECT. The whole load
// adds the index and the publishing.
func BenchmarkLoadParquet(b *testing.B) {
	dir := b.TempDir()
	if err := examples.WriteFile(dir, "orders.parquet"); err != nil {
		b.Fatal(err)
	}
	path := filepath.Join(dir, "orders.parquet")
	b.Run("ctas", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			db, err := sql.Open("duckdb", filepath.Join(b.TempDir(), "t.duckdb"))
			if err != nil {
				b.Fatal(err)
			}
			if _, err := db.Exec("CREATE TABLE orders AS SELECT * FROM read_parquet('" + path + "')"); err != nil {
				b.Fatal(err)
			}
			if err := db.Close(); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(200_000*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
	})
	b.Run("load", func(b *testing.B) {
		var rows time.Duration
		for b.Loop() {
			b.StopTimer()
			store, _, r := opened(b)
			stage, err := store.Stage("orders")
			if err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
			begun := time.Now()
			_, err = r.Load(b.Context(), sqltool.LoadRequest{Paths: []string{path}, Dir: stage.Dir, Workbook: "orders"}, func(p sqltool.Progress) {
				if p.Phase == "profiling" {
					rows += time.Since(begun)
				}
			})
			if err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(200_000*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		b.ReportMetric(200_000*float64(b.N)/rows.Seconds(), "rows-written/s")
	})
	b.Run("whole", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			_, l, _ := opened(b)
			b.StartTimer()
			if _, err := l.Load(b.Context(), ingest.Request{Path: path}); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(200_000*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
	})
}
