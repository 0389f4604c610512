package workbook

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const page1 = `<!DOCTYPE html><html><head><title>x</title><style>td{}</style></head><body>
<h2>Pay by city</h2><p>As agreed.</p><img src="chart.png">
<table><caption>Base pay (EUR)</caption><thead>
<tr><th rowspan=2>City<th colspan="2">2024<th colspan=2>2025</tr>
<tr><th>Men<th>Women<th>Men<th>Women</thead>
<tr><td rowspan="2">Lyon<td>1,200.50<sup>1</sup><td>1,100<td>1,300<td>1,250
<tr><td>12<td>13<td>14<td>15
<tr><td>Nice<td>900<td>n/a<td>950<td>940
<tr><td>Total<td>2,112.50<td>1,113<td>2,264<td>2,205</table>
<table><tr><td>menu<td><table><tr><th>Key</th><th>Value</th></tr><tr><td>a&amp;b</td><td>3 m<sup>2</sup></td></tr><tr><td>c</td><td>4</td></tr></table></table>
</body></html>`

func TestHTML(t *testing.T) {
	wb := openFile(t, write(t, "pay.html", []byte(page1)))
	if len(wb.Tables) != 2 || wb.Format != "html" {
		t.Fatalf("%d tables: %s", len(wb.Tables), dump(wb.Tables))
	}
	tb := wb.Tables[0]
	if tb.Title != "Base pay (EUR)" || len(tb.HeaderRows) != 2 || tb.Columns[1].Header != "2024 / Men" {
		t.Errorf("title %q, header rows %v, columns %s", tb.Title, tb.HeaderRows, dump(tb.Columns))
	}
	if d := cmp.Diff([]string{"Lyon | 1200.50 | 1100 | 1300 | 1250", "Lyon | 12.00 | 13 | 14 | 15", "Nice | 900.00 |  | 950 | 940"}, text(tb)); d != "" {
		t.Error(d)
	}
	if len(tb.Checks) != 4 || !tb.Checks[0].Agrees {
		t.Errorf("checks %s", dump(tb.Checks))
	}
	if got, u := text(wb.Tables[1])[0], wb.Tables[1].Columns[1].Unit; got != "a&b | 3" || u.Symbol != "m²" {
		t.Errorf("inner table: %q, unit %+v", got, u)
	}
	for _, code := range []string{"picture", "layout_table"} {
		if !hasIncident(wb, code) {
			t.Errorf("no incident %s in %s", code, dump(wb.Ledger.Incidents))
		}
	}
}

// hasIncident reports whether the ledger has an incident, of the file or a sheet.
func hasIncident(wb *Workbook, code string) bool {
	all := wb.Ledger.Incidents
	for _, s := range wb.Ledger.Sheets {
		all = append(all, s.Incidents...)
	}
	for _, i := range all {
		if i.Code == code {
			return true
		}
	}
	return false
}

// TestRaised reads what stands above the line.
func TestRaised(t *testing.T) {
	for _, tt := range []struct{ base, up, want string }{
		{"m", "2", "²"}, {"1,890", "1", "¹"}, {"12.4", "a", " (a)"}, {"1", "st", "st"}, {"10", "6", "^6"}, {"3 × 10", "-6", "^-6"}, {"110", "1", "¹"}, {"x", "", ""},
	} {
		if got := raised(tt.base, tt.up); got != tt.want {
			t.Errorf("raised(%q, %q) = %q, want %q", tt.base, tt.up, got, tt.want)
		}
	}
}

// TestPageAsXLS reads what many programs write and call xls.
func TestPageAsXLS(t *testing.T) {
	wb := openFile(t, write(t, "export.xls", []byte("<table><tr><th>City</th><th>Pay</th></tr><tr><td>Lyon</td><td>3</td></tr></table>")))
	if d := cmp.Diff([]string{"Lyon | 3"}, text(wb.Tables[0])); d != "" || !hasIncident(wb, "extension") {
		t.Errorf("%s %s", d, dump(wb.Ledger))
	}
}

func TestMarkdown(t *testing.T) {
	src := "# Report\n\nWords.\n\n## Prices\n\nTable 1: Prices of 2024\n\n| Item | Price |\n|:-----|------:|\n| `a\\|b` **c** | $1,200.50 |\n| d | $3 |\n| Total | $1,203.50 |\n\n" +
		"## Cities\n\n![map](map.png)\n\n| Name | Land |\n|---|---|\n| Lyon | France |\n| Bonn | Germany |\n\n<table><tr><th>K</th><th>V</th></tr>\n<tr><td>x</td><td>7</td></tr></table>\n"
	wb := openFile(t, write(t, "report.md", []byte(src)))
	if len(wb.Tables) != 3 {
		t.Fatalf("%d tables: %s", len(wb.Tables), dump(wb.Tables))
	}
	prices := wb.Tables[0]
	if d := cmp.Diff([]string{"a|b c | 1200.50", "d | 3.00"}, text(prices)); d != "" {
		t.Error(d)
	}
	if prices.Title != "Table 1: Prices of 2024" || prices.Columns[1].Unit.Code != "USD" || len(prices.Checks) != 1 || !prices.Checks[0].Agrees {
		t.Errorf("%s", dump(prices))
	}
	if d := cmp.Diff([]string{"Lyon | France", "Bonn | Germany"}, text(table(t, wb, "cities"))); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"x | 7"}, text(wb.Tables[2])); d != "" || !hasIncident(wb, "picture") {
		t.Errorf("%s %s", d, dump(wb.Ledger.Incidents))
	}
}

const docxBody = `<?xml version="1.0"?><w:document xmlns:w="w"><w:body>
<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Staff</w:t></w:r></w:p>
<w:p><w:pPr><w:pStyle w:val="Caption"/></w:pPr><w:r><w:t xml:space="preserve">Staff by </w:t></w:r><w:r><w:t>site</w:t></w:r></w:p>
<w:tbl><w:tblPr/><w:tr><w:trPr><w:tblHeader/></w:trPr>
<w:tc><w:tcPr><w:vMerge w:val="restart"/></w:tcPr><w:p><w:r><w:t>Site</w:t></w:r></w:p></w:tc><w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr><w:p><w:r><w:t>Staff</w:t></w:r></w:p></w:tc></w:tr>
<w:tr><w:trPr><w:tblHeader/></w:trPr><w:tc><w:tcPr><w:vMerge/></w:tcPr><w:p/></w:tc><w:tc><w:p><w:r><w:t>2024</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>2025</w:t></w:r></w:p></w:tc></w:tr>
<w:tr><w:tc><w:p><w:r><w:t>North &amp; co</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>1</w:t></w:r><w:r><w:t>2</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>15</w:t></w:r><w:r><w:delText>9</w:delText></w:r></w:p></w:tc></w:tr>
<w:tr><w:tc><w:p><w:r><w:t>South</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>7</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>8</w:t></w:r></w:p></w:tc></w:tr></w:tbl>
<w:p><w:r><w:drawing/></w:r></w:p>
<w:tbl><w:tr><w:tc><w:p><w:r><w:t>Name</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>Age</w:t></w:r></w:p></w:tc></w:tr><w:tr><w:tc><w:p><w:r><w:t>Ada</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>36</w:t></w:r></w:p></w:tc></w:tr></w:tbl>
</w:body></w:document>`

// zipOf packs parts, in pairs of name and content.
func zipOf(t testing.TB, parts ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	zw := zip.NewWriter(&out)
	for i := 0; i < len(parts); i += 2 {
		w, err := zw.Create(parts[i])
		if err == nil {
			_, err = io.WriteString(w, parts[i+1])
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

func TestDOCX(t *testing.T) {
	wb := openFile(t, write(t, "staff.docx", zipOf(t, "word/document.xml", docxBody, "word/vbaProject.bin", "x", "word/embeddings/sheet.xlsx", "x")))
	if len(wb.Tables) != 2 {
		t.Fatalf("%d tables: %s", len(wb.Tables), dump(wb))
	}
	tb := wb.Tables[0]
	if tb.Title != "Staff by site" || tb.Columns[1].Header != "Staff / 2024" || tb.Columns[0].Header != "Site" {
		t.Errorf("%q %s", tb.Title, dump(tb.Columns))
	}
	if d := cmp.Diff([]string{"North & co | 12 | 15", "South | 7 | 8"}, text(tb)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"Ada | 36"}, text(wb.Tables[1])); d != "" {
		t.Error(d)
	}
	for _, code := range []string{"picture", "macros", "embedded"} {
		if !hasIncident(wb, code) {
			t.Errorf("no incident %s in %s", code, dump(wb.Ledger.Incidents))
		}
	}
}

// TestDocumentRefusals says in words what a document lacks.
func TestDocumentRefusals(t *testing.T) {
	for _, tt := range []struct{ name, file, code, words, data string }{
		{"no table", "a.md", CodeNoTable, "no table", "# Only\n\nwords\n"},
		{"a picture of one", "a.html", CodeNoTable, "picture", "<p>see <img src=t.png></p>"},
		{"pdf", "a.pdf", CodeUnsupported, "PDF", "%PDF-1.7\n"},
		{"docx that is text", "a.docx", CodeExtension, "docx", "hello\n"},
		{"encrypted docx", "e.docx", CodeEncrypted, "password", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + strings.Repeat("\x01", 600)},
		{"wide", "w.html", CodeLimit, "columns", "<table><tr>" + strings.Repeat("<td colspan=1000>x", 17)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Open(context.Background(), write(t, tt.file, []byte(tt.data)), Options{})
			fe, ok := errors.AsType[*FileError](err)
			if !ok || fe.Code != tt.code || !strings.Contains(fe.Text, tt.words) {
				t.Errorf("Open = %v, want code %s and %q", err, tt.code, tt.words)
			}
		})
	}
}

// FuzzDocument holds what every table of a document keeps: its ledger balances
// and its rows come in order.
func FuzzDocument(f *testing.F) {
	f.Add([]byte(page1))
	f.Add([]byte("| a | b |\n|---|---|\n| 1 | 2 |\n\n<table><td rowspan=0 colspan=3>x<tr><td>y"))
	f.Fuzz(func(t *testing.T, src []byte) {
		for _, read := range []func(*document) error{
			func(d *document) error { return d.readHTML(context.Background(), src) },
			func(d *document) error { return d.readMarkdown(context.Background(), src) },
		} {
			d := &document{maxCells: 100_000}
			if read(d) != nil {
				continue
			}
			for _, tb := range d.tables {
				if s, err := tb.grid("t"); err == nil {
					holdsTrue(t, s)
				}
			}
		}
	})
}

// FuzzDOCX holds the same of Word documents.
func FuzzDOCX(f *testing.F) {
	f.Add(docxBody)
	f.Fuzz(func(t *testing.T, body string) {
		wb, err := Open(context.Background(), write(t, "f.docx", zipOf(t, "word/document.xml", body)), Options{MaxCells: 100_000})
		if err != nil {
			return
		}
		for i := range wb.Ledger.Sheets {
			if s := &wb.Ledger.Sheets[i]; !s.Balanced() {
				t.Errorf("ledger does not balance: %+v", s)
			}
		}
	})
}
