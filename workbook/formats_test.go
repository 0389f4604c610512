package workbook

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
)

const odsContent = `<office:document-content><office:automatic-styles><style:style style:name="ta2"><style:table-properties table:display="false"/></style:style></office:automatic-styles>
<office:body><office:spreadsheet><table:table table:name="Prices &amp; more">
<table:table-row><table:table-cell office:value-type="string"><text:p>Item</text:p></table:table-cell><table:table-cell office:value-type="string"><text:p>Price</text:p></table:table-cell><table:table-cell office:value-type="string"><text:p>Share</text:p></table:table-cell><table:table-cell office:value-type="string"><text:p>Day</text:p></table:table-cell></table:table-row>
<table:table-row table:number-rows-repeated="2"><table:table-cell office:value-type="string"><office:annotation><text:p>remark</text:p></office:annotation><text:p>a<text:s/>b</text:p></table:table-cell><table:table-cell office:value-type="currency" office:currency="EUR" office:value="1.5"><text:p>1,50 €</text:p></table:table-cell><table:table-cell office:value-type="percentage" office:value="0.25"/><table:table-cell office:value-type="date" office:date-value="2024-02-29"/></table:table-row>
<table:table-row table:number-rows-repeated="1048000"><table:table-cell table:number-columns-repeated="1024"/></table:table-row>
</table:table><table:table table:name="Secret" table:style-name="ta2"><table:table-row><table:table-cell office:value-type="string"><text:p>x</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet></office:body></office:document-content>`

func odsOf(t testing.TB, content []byte) []byte {
	var out bytes.Buffer
	zw := zip.NewWriter(&out)
	for _, p := range []struct{ name, data string }{{"mimetype", "application/vnd.oasis.opendocument.spreadsheet"}, {"content.xml", string(content)}} {
		w, err := zw.Create(p.name)
		if err == nil {
			_, err = io.WriteString(w, p.data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := zw.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestODS(t *testing.T) {
	wb := openFile(t, write(t, "prices.ods", odsOf(t, []byte(odsContent))))
	tb := wb.Tables[0]
	if d := cmp.Diff([]string{"a b | 1.5 | 25 | 2024-02-29", "a b | 1.5 | 25 | 2024-02-29"}, text(tb)); d != "" {
		t.Error(d)
	}
	if tb.Columns[1].Unit.Code != "EUR" || tb.Columns[2].Unit.Code != "percent" || tb.Sheet != "Prices & more" || !wb.Ledger.Sheets[1].Hidden {
		t.Errorf("%s", dump(wb))
	}
}

func FuzzODS(f *testing.F) {
	f.Add([]byte(odsContent))
	f.Fuzz(func(t *testing.T, content []byte) {
		b := odsOf(t, content)
		c, err := openContainer(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Fatal(err)
		}
		sheets, err := readODS(context.Background(), c, 100_000)
		if err != nil {
			return
		}
		for _, s := range sheets {
			holdsTrue(t, s)
		}
	})
}

func TestPacked(t *testing.T) {
	const data = "name;n\nAda;1,5\nBob;2\n"
	var gz, zst, zipped bytes.Buffer
	g := gzip.NewWriter(&gz)
	io.WriteString(g, data)
	g.Close()
	z, err := zstd.NewWriter(&zst)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(z, data)
	z.Close()
	zw := zip.NewWriter(&zipped)
	w, err := zw.Create("inner.csv")
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(w, data)
	zw.Close()
	for name, b := range map[string][]byte{"data.csv.gz": gz.Bytes(), "data.csv.zst": zst.Bytes(), "data.zip": zipped.Bytes()} {
		wb := openFile(t, write(t, name, b))
		if d := cmp.Diff([]string{"Ada | 1.5", "Bob | 2.0"}, text(wb.Tables[0])); d != "" || wb.Name != "data" {
			t.Errorf("%s (%s): %s", name, wb.Name, d)
		}
	}
}

// TestScan describes a large text file for DuckDB's own reader.
func TestScan(t *testing.T) {
	data := "Report of the year\n\nzip;price\n" + strings.Repeat("01234;1.234,50\n98765;2,5\n", 100)
	wb, err := Open(context.Background(), write(t, "big.csv", []byte(data)), Options{ScanBytes: 100})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"delim": ";", "quote": `"`, "header": true, "skip": 2, "encoding": "utf-8", "null_padding": true, "ignore_errors": false,
		"decimal_separator": ",", "types": map[string]string{"zip": "VARCHAR"}}
	if d := cmp.Diff(want, wb.Tables[0].Scan.Options); d != "" || wb.Tables[0].Scan.Reader != "read_csv" {
		t.Error(d)
	}
}

// TestTitleUnit gives figures the unit that stands above the table.
func TestTitleUnit(t *testing.T) {
	x := newFixture(t)
	x.sheet("S", []any{"Balance sheet ($ in millions)"}, []any{"Item", "2023", "2024", "Growth %"}, []any{"Cash", 12.5, 13, 4}, []any{"Debt", 7, 8.25, 5})
	wb := x.open("balance.xlsx")
	tb := wb.Tables[0]
	if u := tb.Columns[1].Unit; u.Code != "USD" || u.Scale != 1e6 {
		t.Errorf("unit %+v", u)
	}
	if u := tb.Columns[3].Unit; u.Code != "percent" || u.Scale != 0 {
		t.Errorf("unit %+v", u)
	}
}
