package workbook

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
)

// readZip reads what is packed as zip: xlsx, ods, docx, a text file.
func (o *opening) readZip(ctx context.Context) error {
	c, err := openContainer(o.f, o.size)
	if err != nil {
		if _, ok := err.(*limitError); ok {
			return err
		}
		return &FileError{Code: CodeTruncated, Text: "the file ends too early or is damaged: its directory cannot be read; copy or export it again", Err: err}
	}
	switch {
	case c.has("content.xml") && c.has("mimetype"):
		return o.readODS(ctx, c)
	case c.has("xl/workbook.bin"):
		return &FileError{Code: CodeUnsupported, Text: "this is a binary workbook (xlsb); save it as xlsx"}
	case c.has("word/document.xml"):
		return o.readDOCX(ctx, c)
	}
	if f := c.onlyText(); f != nil {
		rc, err := c.open(f.Name)
		if err != nil {
			return err
		}
		defer rc.Close()
		o.ext = strings.ToLower(filepath.Ext(f.Name))
		return o.readPacked(ctx, rc)
	}
	b, sheets, err := readXLSX(ctx, c, o.opt.MaxCells)
	if err != nil {
		return err
	}
	o.wb.Format, o.wb.Ledger.Format = "xlsx", "xlsx"
	if b.date1904 {
		o.wb.Ledger.Details = append(o.wb.Ledger.Details, "dates count from 1904")
	}
	if b.external {
		o.wb.Ledger.Incidents = append(o.wb.Ledger.Incidents, Incident{Code: "external_link", Text: "formulas refer to other workbooks; their stored values were read"})
	}
	if b.macros {
		o.wb.Ledger.Incidents = append(o.wb.Ledger.Incidents, Incident{Code: "macros", Text: "the workbook holds macros; they were not read"})
	}
	return o.buildAll(ctx, sheets)
}

// readODS reads an OpenDocument spreadsheet.
func (o *opening) readODS(ctx context.Context, c *container) error {
	sheets, err := readODS(ctx, c, o.opt.MaxCells)
	if err != nil {
		return err
	}
	if len(sheets) == 0 {
		return &FileError{Code: CodeUnsupported, Text: "this is an OpenDocument file without sheets; save its table as xlsx or csv"}
	}
	o.wb.Format, o.wb.Ledger.Format = "ods", "ods"
	if c.embedded("basic/") > 0 {
		o.wb.Ledger.Incidents = append(o.wb.Ledger.Incidents, Incident{Code: "macros", Text: "the workbook holds macros; they were not read"})
	}
	if n := c.embedded("pictures/"); n > 0 {
		o.wb.Ledger.Incidents = append(o.wb.Ledger.Incidents, Incident{Code: "picture", Text: plural(n, "picture was", "pictures were") + " not read; a table shown as a picture has to be typed in"})
	}
	for _, s := range sheets {
		if s.external {
			o.wb.Ledger.Incidents = append(o.wb.Ledger.Incidents, Incident{Where: s.name, Code: "external_link", Text: "formulas refer to other workbooks; their stored values were read"})
		}
	}
	return o.buildAll(ctx, sheets)
}

// readCSV reads a text file, or leaves a large one to DuckDB.
func (o *opening) readCSV(ctx context.Context) error {
	if n := bytes.Count(o.head, []byte{0}); n > 0 && guessUTF16(o.head) == nil && !bytes.HasPrefix(o.head, []byte("\xff\xfe")) && !bytes.HasPrefix(o.head, []byte("\xfe\xff")) {
		return &FileError{Code: CodeExtension, Text: fmt.Sprintf("the file is no text: %d of its first %d bytes are zero; if it is a spreadsheet, give it the right extension", n, len(o.head))}
	}
	if o.size > o.opt.ScanBytes {
		return o.scanCSV(ctx)
	}
	raw := make([]byte, o.size)
	if _, err := io.ReadFull(io.NewSectionReader(o.f, 0, o.size), raw); err != nil {
		return fmt.Errorf("reading text: %w", err)
	}
	return o.readText(ctx, raw)
}

// preferred is the delimiter that the file's name suggests.
func (o *opening) preferred() byte {
	switch o.ext {
	case ".tsv", ".tab":
		return '\t'
	case ".csv":
		return ','
	case ".psv":
		return '|'
	}
	return 0
}

// readText reads the bytes of a text file.
func (o *opening) readText(ctx context.Context, raw []byte) error {
	text, encoding := decodeText(raw)
	if len(bytes.TrimSpace(text)) == 0 {
		return &FileError{Code: CodeEmpty, Text: "the file holds white space only; export it again"}
	}
	d := sniffDialect(text[:min(len(text), 256<<10)], o.preferred())
	s, err := readText(text, d, o.opt.MaxCells)
	if err != nil {
		return err
	}
	o.wb.Format, o.wb.Ledger.Format = "csv", "csv"
	o.wb.Ledger.Details = append(o.wb.Ledger.Details, "encoding "+encoding, "delimiter "+delimiterName(d.delimiter))
	return o.buildAll(ctx, []*sheet{s})
}

// scanCSV describes a large text file for DuckDB's own reader.
func (o *opening) scanCSV(ctx context.Context) error {
	sample := make([]byte, min(o.size, 1<<20))
	if _, err := o.f.ReadAt(sample, 0); err != nil && err != io.EOF {
		return fmt.Errorf("reading text: %w", err)
	}
	encoding := "utf-8"
	text, name := decodeText(trimPartial(sample))
	switch {
	case strings.HasPrefix(name, "UTF-16"):
		encoding = "utf-16"
	case name == "Windows-1252":
		encoding = "CP1252"
	}
	if i := bytes.LastIndexByte(text, '\n'); i > 0 {
		text = text[:i+1]
	}
	d := sniffDialect(text[:min(len(text), 256<<10)], o.preferred())
	s, err := readText(text, d, o.opt.MaxCells)
	if err != nil {
		return err
	}
	b, err := buildSheet(ctx, s, nil)
	if err != nil {
		return err
	}
	options := map[string]any{"delim": string(d.delimiter), "quote": string(d.quote), "header": false, "skip": 0,
		"encoding": encoding, "null_padding": true, "ignore_errors": false}
	if len(b.l.regions) > 0 && len(b.l.regions[0].headers) > 0 {
		options["skip"], options["header"] = int(s.grid.rows[b.l.regions[0].headers[0]].num)-1, true
	}
	if len(b.tables) > 0 {
		readAs(s, b.tables[0], options)
	}
	o.scan("csv", "read_csv", options)
	o.wb.Ledger.Details = append(o.wb.Ledger.Details, "encoding "+name, "delimiter "+delimiterName(d.delimiter), "read by DuckDB in pieces, for its size")
	return nil
}

// readAs tells DuckDB what the first rows show and its own look would miss:
// decimal commas, and codes that must stay text.
func readAs(s *sheet, t *Table, options map[string]any) {
	codes := map[string]string{}
	written := map[string]bool{} // headers exactly as DuckDB sees them
	if len(t.HeaderRows) == 1 {
		cs := s.grid.rowCells(s.grid.find(t.HeaderRows[0]))
		for i := range cs {
			written[s.grid.text(&cs[i])] = true
		}
	}
	for _, c := range t.Columns {
		switch {
		case c.Type.Numeric() && c.Locale == "1.234,5":
			options["decimal_separator"] = ","
		case c.Type.Kind == Text && strings.Contains(c.Evidence, "leading zeros") && written[c.Header]:
			codes[c.Header] = "VARCHAR"
		}
	}
	if len(codes) > 0 {
		options["types"] = codes
	}
}

// trimPartial cuts a character that a sample ends inside.
func trimPartial(b []byte) []byte {
	if i := bytes.LastIndexByte(b, '\n'); i > 0 {
		return b[:i+1]
	}
	return b
}

// buildAll makes the tables of every sheet.
func (o *opening) buildAll(ctx context.Context, sheets []*sheet) error {
	led := o.wb.Ledger
	for _, s := range sheets {
		b, err := buildSheet(ctx, s, o.overrides.sheet(s.name))
		if err != nil {
			return err
		}
		tables, sl := b.tables, *b.ledger
		o.layouts = append(o.layouts, b.l)
		if s.hidden && len(tables) > 0 {
			sl.Incidents = append(sl.Incidents, Incident{Where: s.name, Code: "hidden_sheet", Text: "the sheet is hidden; it was read"})
		}
		o.wb.Tables = append(o.wb.Tables, tables...)
		led.Sheets = append(led.Sheets, sl)
	}
	if len(o.wb.Tables) == 0 {
		return &FileError{Code: CodeNoTable, Text: "the file opens, but no sheet of it holds a table"}
	}
	return nil
}

// name names the tables: a lone table like its workbook, others after their
// sheet, or their title where a sheet has several.
func (o *opening) name() {
	used := map[string]bool{}
	taken := func(s string) bool { return used[s] }
	perSheet := map[string]int{}
	for _, t := range o.wb.Tables {
		perSheet[t.Sheet]++
	}
	for _, t := range o.wb.Tables {
		switch {
		case len(o.wb.Tables) == 1:
			t.Name = o.wb.Name
		case t.object != "":
			t.Name = SafeName(t.object, taken)
		case perSheet[t.Sheet] > 1 && t.Title != "":
			t.Name = SafeName(t.Title, taken)
		case t.Sheet != "":
			t.Name = SafeName(t.Sheet, taken)
		default:
			t.Name = SafeName(o.wb.Name, taken)
		}
		used[t.Name] = true
	}
	o.nameLedger()
	if len(o.wb.Ledger.Sheets) == 1 && o.wb.Ledger.Sheets[0].Name == "" {
		o.wb.Ledger.Sheets[0].Name = filepath.Base(o.path)
	}
}

// nameLedger gives the ledgers of tables their names.
func (o *opening) nameLedger() {
	i := 0
	for s := range o.wb.Ledger.Sheets {
		for t := range o.wb.Ledger.Sheets[s].Tables {
			o.wb.Ledger.Sheets[s].Tables[t].Table = o.wb.Tables[i].Name
			i++
		}
	}
}
