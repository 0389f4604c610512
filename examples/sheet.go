package examples

import (
	"bytes"
	"fmt"
	"strconv"
	"time"

	"github.com/xuri/excelize/v2"
)

// cell makes what a sheet's cell holds of the text of a CSV field.
type cell func(text string) (any, error)

func text(s string) (any, error) { return s, nil }

func number(s string) (any, error) { return strconv.ParseFloat(s, 64) }

// percent makes "12.0" the fraction 0.12, which a percent format shows as 12%.
// The digits stay exact for the one decimal that the samples have.
func percent(s string) (any, error) {
	f, err := strconv.ParseFloat(s, 64)
	return f * 10 / 1000, err
}

func date(s string) (any, error) { return time.Parse(time.DateOnly, s) }

// column says how one column of a sheet is written: its cells, their number
// format ("" is General) and its width.
type column struct {
	cell   cell
	format string
	width  float64
}

// sheet is one sheet: lines above the header, a table, lines below it.
type sheet struct {
	name    string
	title   string
	header  []string
	columns []column
	rows    [][]string
	footer  [][]any // after the rows: totals, notes
}

// workbook renders sheets as one xlsx file.
func workbook(sheets ...sheet) ([]byte, error) {
	f := excelize.NewFile()
	defer f.Close()
	for i, s := range sheets {
		if i == 0 {
			if err := f.SetSheetName("Sheet1", s.name); err != nil {
				return nil, err
			}
		} else if _, err := f.NewSheet(s.name); err != nil {
			return nil, err
		}
		if err := s.write(f); err != nil {
			return nil, fmt.Errorf("sheet %s: %w", s.name, err)
		}
	}
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func (s sheet) write(f *excelize.File) error {
	row := 1
	if s.title != "" {
		if err := s.put(f, row, []any{s.title}, "title"); err != nil {
			return err
		}
		row += 2 // an empty line stands between title and header
	}
	header := make([]any, len(s.header))
	for i, h := range s.header {
		header[i] = h
	}
	if err := s.put(f, row, header, "header"); err != nil {
		return err
	}
	first := row + 1
	for _, r := range s.rows {
		row++
		values := make([]any, len(r))
		for i, c := range r {
			v, err := s.columns[i].cell(c)
			if err != nil {
				return fmt.Errorf("row %d, column %s: %w", row, s.header[i], err)
			}
			values[i] = v
		}
		if err := s.put(f, row, values, ""); err != nil {
			return err
		}
	}
	for _, r := range s.footer {
		row++
		if err := s.put(f, row, r, ""); err != nil {
			return err
		}
	}
	return s.style(f, first, row)
}

// put writes one row from column A on. Titles and headers are bold.
func (s sheet) put(f *excelize.File, row int, values []any, role string) error {
	for i, v := range values {
		at, err := excelize.CoordinatesToCellName(i+1, row)
		if err != nil {
			return err
		}
		if err := f.SetCellValue(s.name, at, v); err != nil {
			return err
		}
		if role == "" {
			continue
		}
		bold, err := f.NewStyle(&excelize.Style{Font: &excelize.Font{Bold: true}})
		if err != nil {
			return err
		}
		if err := f.SetCellStyle(s.name, at, at, bold); err != nil {
			return err
		}
	}
	return nil
}

// style sets widths and number formats of the rows [first, last].
func (s sheet) style(f *excelize.File, first, last int) error {
	for i, c := range s.columns {
		letter, err := excelize.ColumnNumberToName(i + 1)
		if err != nil {
			return err
		}
		if c.width > 0 {
			if err := f.SetColWidth(s.name, letter, letter, c.width); err != nil {
				return err
			}
		}
		if c.format == "" {
			continue
		}
		id, err := f.NewStyle(&excelize.Style{CustomNumFmt: &c.format})
		if err != nil {
			return err
		}
		if err := f.SetCellStyle(s.name, letter+strconv.Itoa(first), letter+strconv.Itoa(last), id); err != nil {
			return err
		}
	}
	return nil
}
