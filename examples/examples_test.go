package examples

import (
	"bytes"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"
)

func TestSamplesAreTheSameBytesEachTime(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	for _, dir := range []string{a, b} {
		if err := Write(dir); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range Names() {
		one, err := os.ReadFile(filepath.Join(a, name))
		if err != nil {
			t.Fatal(err)
		}
		two, err := os.ReadFile(filepath.Join(b, name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(one, two) {
			t.Errorf("Write made two different files %s", name)
		}
	}
}

func TestWriteFileKnowsItsNames(t *testing.T) {
	if err := WriteFile(t.TempDir(), "payroll.xlsx"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("WriteFile(payroll.xlsx) = %v, want an error that wraps fs.ErrNotExist", err)
	}
}

// open opens a sample as another program reads it.
func open(t *testing.T, name string) *excelize.File {
	t.Helper()
	dir := t.TempDir()
	if err := WriteFile(dir, name); err != nil {
		t.Fatal(err)
	}
	f, err := excelize.OpenFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func TestPricing(t *testing.T) {
	f := open(t, "pricing.xlsx")
	if got, want := f.GetSheetList(), []string{"Tiers", "Rebates", "Freight"}; !cmp.Equal(got, want) {
		t.Fatalf("sheets = %q, want %q", got, want)
	}
	tiers, err := f.GetRows("Tiers")
	if err != nil {
		t.Fatal(err)
	}
	if len(tiers) != 2+1+42 {
		t.Fatalf("Tiers has %d rows, want title, empty line, header and 42", len(tiers))
	}
	want := []string{"North", "3", "12.0%", "$25,000", "2026-01-01"}
	if diff := cmp.Diff(want, tiers[5]); diff != "" {
		t.Errorf("North tier 3 as Excel shows it (-want +got):\n%s", diff)
	}
	sum := 0.0
	for row := 4; row <= 45; row++ {
		v, err := f.GetCellValue("Tiers", "C"+strconv.Itoa(row), excelize.Options{RawCellValue: true})
		if err != nil {
			t.Fatal(err)
		}
		x, err := strconv.ParseFloat(v, 64)
		if err != nil {
			t.Fatal(err)
		}
		sum += x
	}
	if mean := sum / 42 * 100; strconv.FormatFloat(mean, 'f', 1, 64) != "9.4" {
		t.Errorf("average discount = %v, want 9.4 to one decimal", mean)
	}
	for sheet, want := range map[string][]string{
		"Rebates": {"Total", "", "4,495", "$74,700"},
		"Freight": {"Total", "425", "$70,000"},
	} {
		rows, err := f.GetRows(sheet)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, rows[len(rows)-1]); diff != "" {
			t.Errorf("last row of %s (-want +got):\n%s", sheet, diff)
		}
	}
}

func TestConvenio(t *testing.T) {
	f := open(t, "convenio.xlsx")
	rows, err := f.GetRows("Tabla salarial", excelize.Options{RawCellValue: true})
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{
		{"Tabla salarial 2025"}, nil,
		{"Categoría", "Sueldo base (€/mes)", "Complemento (€/mes)"},
		{"Auxiliar", "1.790", "120"}, {"Oficial de 3ª", "1.845", "140"}, {"Oficial de 2ª", "1.890", "165"},
		{"Oficial de 1ª*", "2.150", "210"}, {"Encargado*", "2.480,50", "260"}, {"Técnico", "2.760,75", "310"},
		{"Jefe de sección", "3.120", "395,5"}, {"* Incluye plus de nocturnidad"},
	}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Errorf("convenio.xlsx (-want +got):\n%s", diff)
	}
}

func TestCities(t *testing.T) {
	f := open(t, "cities.xlsx")
	for sheet, want := range map[string]int{"cities": 51, "metro": 11, "employers": 14} {
		rows, err := f.GetRows(sheet)
		if err != nil {
			t.Fatal(err)
		}
		if len(rows) != want {
			t.Errorf("sheet %s has %d rows, want %d", sheet, len(rows), want)
		}
	}
}

// DuckDB reads what the small Parquet writer wrote, and customers.xlsx has
// every customer that an order names.
func TestOrders(t *testing.T) {
	dir := t.TempDir()
	if err := WriteFile(dir, "orders.parquet"); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var got struct{ rows, ids, wrong, low, high, types string }
	err = db.QueryRowContext(t.Context(), `SELECT count(*), count(DISTINCT order_id),
		count(*) FILTER (amount <> unit_price * quantity OR product = '' OR status = '' OR channel = ''
			OR customer_id NOT BETWEEN 1 AND 1200),
		min(order_date)::VARCHAR, max(order_date)::VARCHAR,
		any_value(typeof(amount) || ' ' || typeof(order_date) || ' ' || typeof(quantity))
		FROM read_parquet($1)`, filepath.Join(dir, "orders.parquet")).
		Scan(&got.rows, &got.ids, &got.wrong, &got.low, &got.high, &got.types)
	if err != nil {
		t.Fatal(err)
	}
	want := got
	want.rows, want.ids, want.wrong = "200000", "200000", "0"
	want.low, want.high, want.types = "2023-01-01", "2025-12-31", "DECIMAL(12,2) DATE INTEGER"
	if got != want {
		t.Errorf("orders.parquet = %+v, want %+v", got, want)
	}
	rows, err := open(t, "customers.xlsx").GetRows("customers")
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != CustomerCount+1 {
		t.Errorf("customers.xlsx has %d rows, want a header and %d", len(rows), CustomerCount)
	}
	seen := map[string]bool{}
	for _, r := range rows {
		if seen[r[1]] {
			t.Errorf("customer name %q occurs twice", r[1])
		}
		seen[r[1]] = true
	}
}
