package workbook

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
)

// fixture is a workbook that a test writes with another library.
type fixture struct {
	t     testing.TB
	f     *excelize.File
	first bool
}

func newFixture(t testing.TB) *fixture { return &fixture{t: t, f: excelize.NewFile(), first: true} }

func (x *fixture) must(err error) {
	x.t.Helper()
	if err != nil {
		x.t.Fatal(err)
	}
}

// sheet adds a sheet with rows from A1; nil leaves a cell blank.
func (x *fixture) sheet(name string, rows ...[]any) {
	x.t.Helper()
	if x.first {
		x.must(x.f.SetSheetName("Sheet1", name))
		x.first = false
	} else {
		_, err := x.f.NewSheet(name)
		x.must(err)
	}
	for r, row := range rows {
		for c, v := range row {
			if v != nil {
				x.must(x.f.SetCellValue(name, CellName(c, r+1), v))
			}
		}
	}
}

// format gives a range a number format.
func (x *fixture) format(sheet, rng, code string) {
	x.t.Helper()
	id, err := x.f.NewStyle(&excelize.Style{CustomNumFmt: &code})
	x.must(err)
	a, b, _ := strings.Cut(rng, ":")
	x.must(x.f.SetCellStyle(sheet, a, b, id))
}

func (x *fixture) save(name string) string {
	x.t.Helper()
	p := filepath.Join(x.t.TempDir(), name)
	x.must(x.f.SaveAs(p))
	return p
}

func (x *fixture) open(name string) *Workbook { return openFile(x.t, x.save(name)) }

func openFile(t testing.TB, path string) *Workbook {
	t.Helper()
	wb, err := Open(context.Background(), path, Options{})
	if err != nil {
		t.Fatalf("Open(%s): %v", path, err)
	}
	for _, s := range wb.Ledger.Sheets {
		if !s.Balanced() {
			t.Errorf("Open(%s): ledger of %q does not balance: %+v", path, s.Name, s)
		}
	}
	return wb
}

// table returns a table by name.
func table(t testing.TB, wb *Workbook, name string) *Table {
	t.Helper()
	for _, tb := range wb.Tables {
		if tb.Name == name {
			return tb
		}
	}
	t.Fatalf("no table %q in %s", name, dump(wb.Tables))
	return nil
}

// text renders rows for comparison: a | b | c.
func text(tb *Table) []string {
	var out []string
	for _, vals := range tb.Rows {
		var parts []string
		for i, v := range vals {
			parts = append(parts, v.Text(tb.Columns[i].Type))
		}
		out = append(out, strings.Join(parts, " | "))
	}
	return out
}

func dump(v any) string {
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return err.Error()
	}
	return string(b)
}
