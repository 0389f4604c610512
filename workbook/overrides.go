package workbook

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/goccy/go-yaml"
)

// OverrideSuffix is what the name of the file beside a workbook ends with in
// which people overrule what was detected: pricing.xlsx.allrows.yaml.
const OverrideSuffix = ".allrows.yaml"

// Overrides is what people say of a workbook against what was detected. Sheets
// and tables that it does not name stay as detected.
type Overrides struct {
	Sheets map[string]SheetOverride `yaml:"sheets"`
}

// SheetOverride overrules one sheet. When it names tables, those are the tables
// of the sheet and no others.
type SheetOverride struct {
	Skip   bool            `yaml:"skip,omitempty"`
	Tables []TableOverride `yaml:"tables,omitempty"`
}

// TableOverride says where a table is and what its columns are.
type TableOverride struct {
	Name       string                    `yaml:"name,omitempty"`
	Title      string                    `yaml:"title,omitempty"`
	Range      string                    `yaml:"range"` // A1, from the first header row to the last row
	HeaderRows []int                     `yaml:"header_rows,omitempty,flow"`
	Totals     []int                     `yaml:"totals,omitempty,flow"` // rows that are totals
	Columns    map[string]ColumnOverride `yaml:"columns,omitempty"`     // by column letter
}

// ColumnOverride says what a column is; empty fields stay as detected.
type ColumnOverride struct {
	Name   string `yaml:"name,omitempty"`
	Header string `yaml:"header,omitempty"`
	Type   string `yaml:"type,omitempty"`   // text, number, date, timestamp, time, bool
	Unit   string `yaml:"unit,omitempty"`   // "%", "€/month", "USD million"
	Locale string `yaml:"locale,omitempty"` // "1,234.5" or "1.234,5"
	Dates  string `yaml:"dates,omitempty"`  // "day first" or "month first"
}

// LoadOverrides reads the file beside a workbook; nil where there is none.
func LoadOverrides(path string) (*Overrides, error) {
	name := path + OverrideSuffix
	raw, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, &FileError{Path: name, Code: CodeOverride, Text: "the file cannot be read; check its permissions", Err: err}
	}
	var o Overrides
	if err := yaml.NewDecoder(bytes.NewReader(raw), yaml.DisallowUnknownField()).Decode(&o); err != nil {
		return nil, &FileError{Path: name, Code: CodeOverride, Text: "the file is not as it should be: " + yaml.FormatError(err, false, false), Err: err}
	}
	if err := o.check(); err != nil {
		return nil, &FileError{Path: name, Code: CodeOverride, Text: err.Error(), Err: err}
	}
	return &o, nil
}

var (
	overrideTypes   = []string{"", "text", "number", "date", "timestamp", "time", "bool"}
	overrideLocales = []string{"", "1,234.5", "1.234,5"}
	overrideDates   = []string{"", "day first", "month first"}
)

// check names the first thing that cannot be right.
func (o *Overrides) check() error {
	for sheet, so := range o.Sheets {
		for _, t := range so.Tables {
			if _, ok := ParseRange(t.Range); !ok {
				return fmt.Errorf("sheet %q: range %q is not of the form A1:D9", sheet, t.Range)
			}
			for letter, c := range t.Columns {
				switch {
				case !slices.Contains(overrideTypes, c.Type):
					return fmt.Errorf("sheet %q, column %s: type %q is not one of text, number, date, timestamp, time, bool", sheet, letter, c.Type)
				case !slices.Contains(overrideLocales, c.Locale):
					return fmt.Errorf("sheet %q, column %s: locale %q is neither 1,234.5 nor 1.234,5", sheet, letter, c.Locale)
				case !slices.Contains(overrideDates, c.Dates):
					return fmt.Errorf("sheet %q, column %s: dates %q are neither day first nor month first", sheet, letter, c.Dates)
				}
			}
		}
	}
	return nil
}

// sheet returns what is said of a sheet; a text file has one sheet, under any
// name.
func (o *Overrides) sheet(name string) *SheetOverride {
	if o == nil {
		return nil
	}
	if s, ok := o.Sheets[name]; ok {
		return &s
	}
	if name == "" && len(o.Sheets) == 1 {
		for _, s := range o.Sheets {
			return &s
		}
	}
	return nil
}

// overruled makes the regions that people declare.
func (l *layout) overruled(tables []TableOverride) {
	for i := range tables {
		t := &tables[i]
		rect, ok := ParseRange(t.Range)
		if !ok {
			continue
		}
		b := block{l.s.grid.find(rect.Row1), l.s.grid.find(rect.Row2 + 1), rect.Col1, rect.Col2}
		if b.row1 >= b.row2 {
			continue
		}
		n := len(l.regions)
		if t.HeaderRows == nil {
			l.findTable(b)
		} else {
			l.regions = append(l.regions, l.declare(t, b))
		}
		if len(l.regions) == n {
			continue
		}
		r := &l.regions[n]
		r.override = t
		r.title = firstOf(t.Title, r.title)
		r.name = t.Name
		for k := b.row2; k < len(l.roles) && l.roles[k] == roleBlank && !l.claimed(tables, k); k++ {
			l.setRole(k, roleNote)
			r.notes = append(r.notes, Note{Row: int(l.s.grid.rows[k].num), Text: l.rowText(l.whole(), k)})
		}
	}
}

// claimed reports whether another declared table holds the row.
func (l *layout) claimed(tables []TableOverride, k int) bool {
	num := int(l.s.grid.rows[k].num)
	for i := range tables {
		if rect, ok := ParseRange(tables[i].Range); ok && rect.Row1 <= num && num <= rect.Row2 {
			return true
		}
	}
	return false
}

// declare makes a region whose header rows are given.
func (l *layout) declare(t *TableOverride, b block) region {
	r := region{col1: b.col1, col2: b.col2, declared: true}
	for i := b.row1; i < b.row2; i++ {
		num := int(l.s.grid.rows[i].num)
		switch {
		case len(l.cells(b, i)) == 0:
		case slices.Contains(t.HeaderRows, num):
			r.headers = append(r.headers, i)
			l.setRole(i, roleHeader)
		case slices.Contains(t.Totals, num):
			r.totals = append(r.totals, i)
			l.setRole(i, roleTotal)
		default:
			r.body = append(r.body, i)
			l.setRole(i, roleBody)
		}
	}
	return r
}

// overrule changes the reading of a column as people say.
func (r *reading) overrule(c *Column, o ColumnOverride) {
	if o == (ColumnOverride{}) {
		return
	}
	c.Header = firstOf(o.Header, c.Header)
	kinds := map[string]Kind{"text": Text, "number": Decimal, "date": Date, "timestamp": Timestamp, "time": Time, "bool": Bool}
	if k, ok := kinds[o.Type]; ok {
		r.kind, r.question = k, ""
	}
	if o.Unit != "" {
		u, ok := parseUnit(o.Unit)
		if !ok {
			u = Unit{Symbol: o.Unit}
		}
		r.unit, r.percent = u, u.Code == "percent"
	}
	if o.Locale != "" {
		r.comma, r.locale, r.question = o.Locale == "1.234,5", o.Locale, ""
	}
	if o.Dates != "" {
		r.dayFirst, r.question = o.Dates == "day first", ""
	}
	r.evidence = append(r.evidence, "as the file beside the workbook says")
}
