package sqltool_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/allrows/allrows/schema"
	"github.com/allrows/allrows/sqltool"
	"github.com/allrows/allrows/workbook"
)

// scanned loads a text file that is read in pieces, publishes it and returns the
// report too.
func scanned(t *testing.T, content string) (*sqltool.Runner, sqltool.Version, *sqltool.LoadReport) {
	t.Helper()
	store, err := sqltool.OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r, err := sqltool.New(sqltool.Config{Store: store, Workers: 1, Timeout: 20 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	g, err := store.Stage("w")
	if err != nil {
		t.Fatal(err)
	}
	report, err := r.Load(t.Context(), sqltool.LoadRequest{Paths: []string{write(t, "w.csv", content)}, Dir: g.Dir, Workbook: "w", ScanBytes: 1000}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tb := range report.Tables {
		tb.Version = "v1"
	}
	if err := g.WriteStaged(report.Ledger, report.Tables); err != nil {
		t.Fatal(err)
	}
	v, err := g.Publish(t.Context(), sqltool.Manifest{Workbook: "w", Version: "v1", LoadedAt: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	return r, v, report
}

// In a large text file, odd cells far below what was sniffed become NULL, keep their
// text in the ledger, and leave the rest typed; floats of few digits are decimals.
func TestOddCellsOfLargeText(t *testing.T) {
	const rows = 60_000
	var b strings.Builder
	b.WriteString("Order no,Paid on,Amount,City\n")
	for i := range rows {
		amount := fmt.Sprintf("%d.%02d", i, i%100)
		if i == 50_000 {
			amount = "n/a"
		}
		day := time.Date(2024, 1, 1+i%600, 0, 0, 0, 0, time.UTC).Format("02/01/2006")
		if i == 50_001 {
			day = "soon"
		}
		fmt.Fprintf(&b, "%d,%s,%s,city %d\n", i, day, amount, i%7)
	}
	r, v, report := scanned(t, b.String())
	var types []string
	for _, c := range report.Tables[0].Columns {
		types = append(types, c.Name+" "+c.Type.SQL())
	}
	if d := cmp.Diff([]string{"order_no BIGINT", "paid_on DATE", "amount DECIMAL(18,2)", "city VARCHAR"}, types); d != "" {
		t.Errorf("types: %s", d)
	}
	l := report.Ledger.Sheets[0]
	want := []workbook.RejectedCell{
		{Cell: "row 50003", Column: "paid_on", Text: "soon", Reason: "does not read as DATE"},
		{Cell: "row 50002", Column: "amount", Text: "n/a", Reason: "does not read as DOUBLE"},
	}
	if d := cmp.Diff(want, l.Tables[0].Rejected); d != "" || l.Kept != rows || !l.Balanced() {
		t.Errorf("ledger keeps %d of %d: %s", l.Kept, rows, d)
	}
	res, err := r.Run(t.Context(), checked(t, r, v, "SELECT count(*), count(amount), max(paid_on), sum(amount) FROM w"))
	if err != nil {
		t.Fatal(err)
	}
	sum := 0
	for i := range rows {
		if i != 50_000 {
			sum += i*100 + i%100
		}
	}
	if d := cmp.Diff([]any{int64(rows), int64(rows - 1), "2025-08-22", fmt.Sprint(sum / 100)}, res.Rows[0]); d != "" {
		t.Error(d)
	}
}

// A scan hands over every row once, in order, over the bounds of its pages.
func TestScanPages(t *testing.T) {
	const rows = 120_001
	var b strings.Builder
	b.WriteString("a,b\n")
	for i := range rows {
		if i%3 == 0 {
			fmt.Fprintf(&b, "%d,\n", i)
		} else {
			fmt.Fprintf(&b, "%d,t%d\n", i, i)
		}
	}
	r, v, _ := scanned(t, b.String())
	n := int64(0)
	err := r.ScanTable(t.Context(), v, "w", func(row int64, values []string, nulls []bool) error {
		text := fmt.Sprintf("t%d", n)
		if n%3 == 0 {
			text = ""
		}
		if row != n+2 || values[0] != fmt.Sprint(n) || values[1] != text || nulls[1] != (n%3 == 0) {
			return fmt.Errorf("row %d is %d %q %v", n, row, values, nulls)
		}
		n++
		return nil
	})
	if err != nil || n != rows {
		t.Errorf("%d rows of %d, %v", n, rows, err)
	}
}

// A profile says what is in a column, in the text form of results.
func TestProfile(t *testing.T) {
	_, _, v := loaded(t, "w.csv", "id,city,pay,share,since\n1,Lyon,3,1000000.5,2024-01-31\n2,Lyon,,0.25,2024-02-01\n3,Nice,5,0.5,\n")
	mean := 4.0
	big := (1000000.5 + 0.75) / 3
	for _, tt := range []struct {
		column string
		want   schema.Profile
	}{
		{"id", schema.Profile{Distinct: 3, Unique: true, Min: "1", Max: "3"}},
		{"city", schema.Profile{Distinct: 2, Min: "Lyon", Max: "Nice", Top: []schema.ValueCount{{Value: "Lyon", Rows: 2}, {Value: "Nice", Rows: 1}}}},
		{"pay", schema.Profile{Distinct: 2, Nulls: 1, Min: "3", Max: "5", Mean: &mean, Top: []schema.ValueCount{{Value: "3", Rows: 1}, {Value: "5", Rows: 1}}}},
		{"share", schema.Profile{Distinct: 3, Unique: true, Min: "0.25", Max: "1000000.5", Mean: &big}},
		{"since", schema.Profile{Distinct: 2, Nulls: 1, Min: "2024-01-31", Max: "2024-02-01", Top: []schema.ValueCount{{Value: "2024-01-31", Rows: 1}, {Value: "2024-02-01", Rows: 1}}}},
	} {
		got := v.Tables[0].Column(tt.column).Profile
		if tt.column == "id" {
			got.Mean = nil
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s: %s", tt.column, d)
		}
	}
}
