package workbook

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"
)

// bigXLSX writes a sheet of n rows and twelve columns: texts, whole numbers,
// money, percents and dates.
func bigXLSX(tb testing.TB, n int) string {
	tb.Helper()
	f := excelize.NewFile()
	w, err := f.NewStreamWriter("Sheet1")
	if err != nil {
		tb.Fatal(err)
	}
	style := func(code string) int {
		id, err := f.NewStyle(&excelize.Style{CustomNumFmt: &code})
		if err != nil {
			tb.Fatal(err)
		}
		return id
	}
	money, pct, date := style(`"$"#,##0.00`), style("0.0%"), style("yyyy-mm-dd")
	row := func(i int, vals ...any) {
		if err := w.SetRow(CellName(0, i), vals); err != nil {
			tb.Fatal(err)
		}
	}
	row(1, "Order", "Customer", "Region", "Product", "Units", "Price USD", "Discount %", "Ordered", "Shipped", "Weight (kg)", "Code", "Remark")
	regions := []string{"North", "South", "East", "West"}
	for i := range n {
		day := 43831 + i%1500
		row(i+2, i+1, fmt.Sprintf("Customer %d", i%5000), regions[i%4], fmt.Sprintf("Product %d", i%300), i%97,
			excelize.Cell{StyleID: money, Value: float64(i%100000) / 100}, excelize.Cell{StyleID: pct, Value: float64(i%300) / 1000},
			excelize.Cell{StyleID: date, Value: day}, excelize.Cell{StyleID: date, Value: day + 3}, float64(i%5000)/8, fmt.Sprintf("%05d", i%100000), "as ordered")
	}
	if err := w.Flush(); err != nil {
		tb.Fatal(err)
	}
	p := filepath.Join(tb.TempDir(), "big.xlsx")
	if err := f.SaveAs(p); err != nil {
		tb.Fatal(err)
	}
	return p
}

// peak watches the heap until stop is called and returns its highest size.
func peak() (stop func() uint64) {
	var top atomic.Uint64
	done := make(chan struct{})
	go func() {
		var m runtime.MemStats
		for {
			select {
			case <-done:
				return
			case <-time.After(20 * time.Millisecond):
				runtime.ReadMemStats(&m)
				top.Store(max(top.Load(), m.HeapInuse+m.StackInuse))
			}
		}
	}()
	return func() uint64 { close(done); return top.Load() }
}

// BenchmarkXLSX reads 200,000 rows of 12 columns, typed and ledgered, and with
// excelize's own row iterator, plain and with raw values, and reports rows per second, their ratio and the
// peak of the heap.
func BenchmarkXLSX(b *testing.B) {
	const n = 200_000
	path := bigXLSX(b, n)
	if st, err := os.Stat(path); err == nil {
		b.Logf("%d bytes", st.Size())
	}
	runtime.GC()
	var ours, theirs float64
	b.Run("allrows", func(b *testing.B) {
		stop := peak()
		b.ReportAllocs()
		for b.Loop() {
			readAll(b, path)
		}
		ours = n * float64(b.N) / b.Elapsed().Seconds()
		b.ReportMetric(ours, "rows/s")
		b.ReportMetric(float64(stop())/(1<<20), "peak-MB")
	})
	for _, raw := range []bool{false, true} {
		b.Run(fmt.Sprintf("excelize/raw=%v", raw), func(b *testing.B) {
			for b.Loop() {
				excelizeRows(b, path, raw)
			}
			theirs = n * float64(b.N) / b.Elapsed().Seconds()
			b.ReportMetric(theirs, "rows/s")
			if ours > 0 {
				b.ReportMetric(ours/theirs, "ratio")
			}
		})
	}
}

func readAll(tb testing.TB, path string) {
	wb, err := Open(context.Background(), path, Options{})
	if err != nil {
		tb.Fatal(err)
	}
	for _, t := range wb.Tables {
		for range t.Rows {
		}
	}
}

func excelizeRows(tb testing.TB, path string, raw bool) {
	f, err := excelize.OpenFile(path, excelize.Options{RawCellValue: raw})
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	rows, err := f.Rows("Sheet1")
	if err != nil {
		tb.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		if _, err := rows.Columns(); err != nil {
			tb.Fatal(err)
		}
	}
}
