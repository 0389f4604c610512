package workbook

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"testing"
	"time"
)

const (
	fuzzBook = `<workbook xmlns:r="r"><workbookPr/><sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>`
	fuzzRels = `<Relationships><Relationship Id="rId1" Type="x/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`
)

// xlsxOf packs parts into a minimal workbook.
func xlsxOf(t testing.TB, sheet, styles, shared []byte) *container {
	var out bytes.Buffer
	zw := zip.NewWriter(&out)
	for _, p := range []struct {
		name string
		data []byte
	}{
		{"xl/workbook.xml", []byte(fuzzBook)}, {"xl/_rels/workbook.xml.rels", []byte(fuzzRels)},
		{"xl/worksheets/sheet1.xml", sheet}, {"xl/styles.xml", styles}, {"xl/sharedStrings.xml", shared},
	} {
		w, err := zw.CreateHeader(&zip.FileHeader{Name: p.name, Method: zip.Store})
		if err == nil {
			_, err = w.Write(p.data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := zw.Close(); err != nil {
		t.Fatal(err)
	}
	c, err := openContainer(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// holdsTrue checks what must hold for any sheet that was read: the ledger balances
// and every row comes out with its columns, in order.
func holdsTrue(t *testing.T, s *sheet) {
	b, err := buildSheet(context.Background(), s, nil)
	if err != nil {
		t.Fatalf("building: %v", err)
	}
	if !b.ledger.Balanced() {
		t.Errorf("ledger does not balance: %+v", b.ledger)
	}
	for _, tb := range b.tables {
		last, n := 0, 0
		for row, vals := range tb.Rows {
			if row <= last || len(vals) != len(tb.Columns) {
				t.Errorf("row %d after %d with %d values of %d columns", row, last, len(vals), len(tb.Columns))
			}
			last = row
			n++
		}
		names := map[string]bool{}
		for _, c := range tb.Columns {
			if names[c.Name] || c.Name == "" {
				t.Errorf("column name %q is empty or twice there", c.Name)
			}
			names[c.Name] = true
			if c.Rejected > int64(n) {
				t.Errorf("%d cells rejected in %d rows", c.Rejected, n)
			}
		}
	}
}

func FuzzXLSX(f *testing.F) {
	f.Add([]byte(`<worksheet><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="inlineStr"><is><t>b</t></is></c></row><row r="2"><c r="A2" s="1"><v>0.5</v></c><c r="B2"><f>SUM(A1:A2)</f><v>3</v></c></row></sheetData><mergeCells><mergeCell ref="A1:B1"/></mergeCells></worksheet>`),
		[]byte(`<styleSheet><numFmts><numFmt numFmtId="164" formatCode="0.0%"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/></cellXfs></styleSheet>`),
		[]byte(`<sst><si><t>a &amp; b</t></si><si><r><t xml:space="preserve">x </t></r><r><t>y</t></r></si></sst>`))
	f.Add([]byte(`<worksheet><sheetData><row><c><v>1e400</v></c><c t="e"><v>#N/A</v></c><c t="b"><v>1</v></c></row><row r='9'><c r='XFD9'><v>45000</v></c></row></sheetData></worksheet>`), []byte(`<styleSheet/>`), []byte(`<sst/>`))
	f.Fuzz(func(t *testing.T, sheet, styles, shared []byte) {
		_, sheets, err := readXLSX(context.Background(), xlsxOf(t, sheet, styles, shared), 100_000)
		if err != nil {
			return
		}
		for _, s := range sheets {
			holdsTrue(t, s)
		}
	})
}

func FuzzCSV(f *testing.F) {
	for _, s := range []string{"a,b\n1,2\n", "a;b\n1,5;\"x\"\"y\"\n", "t\n\na\tb\n1\t2\n\nNote: x", "\xff\xfea\x00", "\"a\nb\",c\r\n\r\n'x','y'\r", "Total,3\n(1,000),(percent)\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		text, _ := decodeText(raw)
		d := sniffDialect(text, 0)
		s, err := readText(text, d, 100_000)
		if err != nil {
			return
		}
		holdsTrue(t, s)
	})
}

func FuzzNumber(f *testing.F) {
	for _, s := range []string{"1.234,56", "(1,234.50)", "12 %", "€ 1'234.5-", "1e-5", "₹1,23,456", "12.4*", "~5", "1.2 million USD", "007", "1,234 (r)", "12345678901234567890.5"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n, ok := parseNumText(trimText(s))
		if !ok {
			return
		}
		for _, comma := range []bool{false, true} {
			d, ok := n.decimal(comma)
			if !ok || d.scale < 0 || d.scale > 400 {
				continue
			}
			plain := d.plain()
			m, ok := parseNumText(plain)
			if !ok {
				if len(plain) > 64 {
					continue
				}
				t.Fatalf("%q was read as %q, which is no number", s, plain)
			}
			m.style = stylePoint
			again, ok := m.decimal(false)
			if !ok || trimZeros(again.plain()) != trimZeros(plain) {
				t.Errorf("%q: %q reads back as %q", s, plain, again.plain())
			}
		}
	})
}

func FuzzDate(f *testing.F) {
	for _, s := range []string{"2024-02-29", "1/2/2025", "5. März 2024", "ene-24", "2024-01-01T10:00:00Z", "Jan 5, 2024 5:30 PM", "31.12.99", "20240131"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d, ok := parseDateText(s)
		if !ok || d.noDate {
			return
		}
		for _, dayFirst := range []bool{false, true} {
			y, m, day := d.date(dayFirst)
			iso := fmt.Sprintf("%04d-%02d-%02d", y, m, day)
			if _, err := time.Parse("2006-01-02", iso); err != nil {
				t.Errorf("%q was read as %s, which is no date", s, iso)
			}
		}
		if d.clock && (d.micros < 0 || d.micros >= microsPerDay) {
			t.Errorf("%q: %d microseconds of the day", s, d.micros)
		}
	})
}

func FuzzFormat(f *testing.F) {
	for _, s := range []string{`"$"#,##0.00_);[Red]("$"#,##0.00)`, "0.0%", "yyyy-mm-dd hh:mm", "[$€-C0A] #,##0", "[h]:mm:ss", "00000", "# ?/?", `#,##0 "kg"`, "mmm-yy", "0.00E+00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, code string) {
		p := parseFormat(code)
		if p.decimals < -1 || p.zeros < 0 {
			t.Errorf("parseFormat(%q) = %+v", code, p)
		}
	})
}
