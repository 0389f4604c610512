package workbook

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// odd is a sheet that detection reads in one way and its owner in another.
func odd(t *testing.T) string {
	x := newFixture(t)
	x.sheet("S", []any{"Prices"}, []any{"Item", "Price"}, []any{"a", "1.234"}, []any{"b", "2.345"}, []any{"c", "01/02/2025"}, []any{"All", 9})
	return x.save("odd.xlsx")
}

func TestOverrides(t *testing.T) {
	path := odd(t)
	over := "sheets:\n  S:\n    tables:\n      - name: prices\n        range: A2:B4\n        header_rows: [2]\n        columns:\n          B: {type: number, unit: €, locale: \"1.234,5\", header: Preis}\n"
	if err := os.WriteFile(path+OverrideSuffix, []byte(over), 0o600); err != nil {
		t.Fatal(err)
	}
	wb := openFile(t, path)
	tb := wb.Tables[0]
	if d := cmp.Diff([]string{"a | 1234", "b | 2345"}, text(tb)); d != "" {
		t.Error(d)
	}
	if c := tb.Columns[1]; c.Unit.Code != "EUR" || c.Header != "Preis" || len(tb.Questions) > 0 {
		t.Errorf("column %+v questions %v", c, tb.Questions)
	}
	for _, bad := range []string{"sheets: [", "sheets:\n  S:\n    tables: [{range: nowhere}]\n", "sheet: {}\n", "sheets:\n  S:\n    tables: [{range: A1:B2, columns: {A: {type: money}}}]\n"} {
		if err := os.WriteFile(path+OverrideSuffix, []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Open(context.Background(), path, Options{})
		if fe, ok := errors.AsType[*FileError](err); !ok || fe.Code != CodeOverride {
			t.Errorf("overrides %q: %v, want a FileError", bad, err)
		}
	}
}

// TestInspect draws a sheet and writes overrides that read the same tables.
func TestInspect(t *testing.T) {
	x := newFixture(t)
	x.sheet("Tiers", []any{"Regional discount tiers"}, nil, []any{"Region", "Discount %"}, []any{"North <b>", 0.065}, []any{"South", 0.12}, []any{"Source: finance"})
	x.format("Tiers", "B4:B5", "0.0%")
	path := x.save("tiers.xlsx")
	in, err := Inspect(context.Background(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var text, html, yaml bytes.Buffer
	if err := errors.Join(in.WriteText(&text, Drawing{}), in.WriteHTML(&html, Drawing{}), in.WriteOverrides(&yaml)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"     1 T Regional", "     3 H Region", "     6 n Source", "discount_pct", "DECIMAL(3,1)"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("drawing lacks %q:\n%s", want, &text)
		}
	}
	if !strings.Contains(html.String(), "North &lt;b&gt;") || !strings.Contains(html.String(), `class="header">Region`) {
		t.Errorf("page:\n%s", &html)
	}
	if err := os.WriteFile(path+OverrideSuffix, yaml.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	again := openFile(t, path).Tables[0]
	want := in.Workbook.Tables[0]
	ignore := func(tb *Table) Table {
		c := *tb
		c.Rows, c.object = nil, ""
		for i := range c.Columns {
			c.Columns[i].Evidence = ""
		}
		return c
	}
	if d := cmp.Diff(ignore(want), ignore(again), cmp.AllowUnexported(Table{})); d != "" {
		t.Errorf("overrides\n%s\nread differently:\n%s", &yaml, d)
	}
}
