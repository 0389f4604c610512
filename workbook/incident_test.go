package workbook

import (
	"strings"
	"testing"
)

// TestIncidents holds that nothing of a workbook that is no cell goes unsaid.
func TestIncidents(t *testing.T) {
	const types = `http://schemas.openxmlformats.org/officeDocument/2006/relationships/`
	rels := func(pairs ...string) string {
		var b strings.Builder
		b.WriteString(`<Relationships>`)
		for i := 0; i < len(pairs); i += 3 {
			b.WriteString(`<Relationship Id="` + pairs[i] + `" Type="` + types + pairs[i+1] + `" Target="` + pairs[i+2] + `"/>`)
		}
		return b.String() + `</Relationships>`
	}
	cells := `<worksheet><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>City</t></is></c><c r="B1" t="inlineStr"><is><t>Pay</t></is></c></row>` +
		`<row r="2"><c r="A2" t="inlineStr"><is><t>Lyon</t></is></c><c r="B2"><v>3</v></c></row></sheetData></worksheet>`
	book := zipOf(t, "xl/workbook.xml", `<workbook><sheets><sheet name="S" id="r1"/><sheet name="M" id="r2"/><sheet name="C" id="r3"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels", rels("r1", "worksheet", "s.xml", "r2", "xlMacrosheet", "m.xml", "r3", "chartsheet", "c.xml", "r4", "externalLink", "e.xml", "r5", "vbaProject", "v.bin"),
		"xl/s.xml", cells, "xl/_rels/s.xml.rels", rels("r1", "drawing", "d.xml"), "xl/d.xml", `<wsDr><pic/></wsDr>`, "xl/m.xml", `<macrosheet/>`, "xl/c.xml", `<chartsheet/>`)
	wb := openFile(t, write(t, "odd.xlsm", book))
	for _, code := range []string{"picture", "external_link", "macros", "macro_sheet", "no_cells"} {
		if !hasIncident(wb, code) {
			t.Errorf("xlsm: no incident %s in %s", code, dump(wb.Ledger))
		}
	}
	content := strings.Replace(odsContent, `office:value-type="currency"`, `table:formula="of:='file:///tmp/other.ods'#$A.B2" office:value-type="currency"`, 1)
	wb = openFile(t, write(t, "odd.ods", zipOf(t, "mimetype", "application/vnd.oasis.opendocument.spreadsheet", "content.xml", content, "Pictures/a.png", "x", "Basic/Standard/Module1.xml", "x")))
	for _, code := range []string{"picture", "external_link", "macros"} {
		if !hasIncident(wb, code) {
			t.Errorf("ods: no incident %s in %s", code, dump(wb.Ledger))
		}
	}
}
