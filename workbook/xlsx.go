package workbook

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"
)

// xlsxBook is an xlsx file while it is read.
type xlsxBook struct {
	*container
	arena    *arena
	strings  []uint64 // shared strings, as places in the arena
	formats  []numFormat
	bold     []bool
	indents  []uint8
	date1904 bool
	sheets   []xlsxSheet
	names    []definedName
	cells    int64
	maxCells int64
	external bool // links to other workbooks
	macros   bool
}

type xlsxSheet struct {
	name, part string
	kind       string // worksheet, chartsheet, dialogsheet, macrosheet
	hidden     bool
}

// definedName is a name that the workbook gives to a range.
type definedName struct{ name, ref string }

var errNoWorkbook = errors.New("the zip file holds no workbook")

// readXLSX reads every sheet of an opened xlsx or xlsm file.
func readXLSX(ctx context.Context, c *container, maxCells int64) (*xlsxBook, []*sheet, error) {
	b := &xlsxBook{container: c, arena: &arena{}, maxCells: maxCells}
	part, err := b.mainPart()
	if err != nil {
		return nil, nil, err
	}
	if err := b.readWorkbook(part); err != nil {
		return nil, nil, err
	}
	var sheets []*sheet
	for _, xs := range b.sheets {
		s := &sheet{name: xs.name, hidden: xs.hidden, date1904: b.date1904, formats: b.formats, indents: b.indents, names: b.namesOf(xs.name), grid: &grid{arena: b.arena}}
		sheets = append(sheets, s)
		switch {
		case xs.kind != "worksheet":
			s.incidents = append(s.incidents, noCells(xs))
		case !b.has(xs.part):
			s.incidents = append(s.incidents, Incident{Where: xs.name, Code: "missing_part", Text: "the file names this sheet but does not hold it"})
		default:
			if err := b.readSheet(ctx, xs, s); err != nil {
				return nil, nil, fmt.Errorf("sheet %q: %w", xs.name, err)
			}
		}
	}
	return b, sheets, nil
}

// mainPart finds the workbook part by the package's relationships.
func (b *xlsxBook) mainPart() (string, error) {
	rs, err := b.rels("")
	if err != nil {
		return "", err
	}
	for _, r := range rs {
		if r.kind == "officeDocument" && b.has(r.target) {
			return r.target, nil
		}
	}
	if b.has("xl/workbook.xml") {
		return "xl/workbook.xml", nil
	}
	return "", errNoWorkbook
}

func (b *xlsxBook) readWorkbook(part string) error {
	rs, err := b.rels(part)
	if err != nil {
		return err
	}
	isBook := false
	err = b.each(part, func(d *xml.Decoder, _ []string, e xml.StartElement) error {
		switch e.Name.Local {
		case "workbook":
			isBook = true
		case "workbookPr":
			b.date1904 = isTrue(attr(e, "date1904"))
		case "sheet":
			r := rs[attr(e, "id")]
			b.sheets = append(b.sheets, xlsxSheet{attr(e, "name"), r.target, r.kind, attr(e, "state") != "" && attr(e, "state") != "visible"})
		case "definedName":
			var ref string
			if err := d.DecodeElement(&ref, &e); err != nil {
				return fmt.Errorf("reading defined name %q: %w", attr(e, "name"), err)
			}
			b.names = append(b.names, definedName{attr(e, "name"), ref})
			return errDecoded
		}
		return nil
	})
	if err != nil {
		return err
	}
	if !isBook {
		return errNoWorkbook
	}
	return b.readParts(part, rs)
}

// readParts reads styles and shared strings.
func (b *xlsxBook) readParts(part string, rs map[string]rel) error {
	styles, shared := "", ""
	for _, r := range rs {
		switch r.kind {
		case "styles":
			styles = r.target
		case "sharedStrings":
			shared = r.target
		case "externalLink":
			b.external = true
		case "vbaProject":
			b.macros = true
		}
	}
	dir := path.Dir(part)
	if styles == "" {
		styles = dir + "/styles.xml"
	}
	if shared == "" {
		shared = dir + "/sharedStrings.xml"
	}
	b.formats = []numFormat{{decimals: -1}}
	b.bold = []bool{false}
	if b.has(styles) {
		if err := b.readStyles(styles); err != nil {
			return err
		}
	}
	b.formats = append(b.formats, numFormat{class: classDate}, numFormat{class: classDateTime}) // of cells of type d
	if b.has(shared) {
		return b.readStrings(shared)
	}
	return nil
}

// readStyles reads what cell styles say of numbers, and which are bold.
func (b *xlsxBook) readStyles(part string) error {
	codes := map[int]string{}
	var fonts []bool
	var formats []numFormat
	var bold []bool
	var indents []uint8
	known := map[int]numFormat{}
	err := b.each(part, func(_ *xml.Decoder, path []string, e xml.StartElement) error {
		parent := ""
		if len(path) > 0 {
			parent = path[len(path)-1]
		}
		switch {
		case e.Name.Local == "numFmt" && parent == "numFmts":
			if id, err := strconv.Atoi(attr(e, "numFmtId")); err == nil {
				codes[id] = attr(e, "formatCode")
			}
		case e.Name.Local == "font" && parent == "fonts":
			fonts = append(fonts, false)
		case e.Name.Local == "b" && parent == "font" && len(path) > 1 && path[len(path)-2] == "fonts" && len(fonts) > 0:
			fonts[len(fonts)-1] = attr(e, "val") == "" || isTrue(attr(e, "val"))
		case e.Name.Local == "xf" && parent == "cellXfs":
			id, _ := strconv.Atoi(attr(e, "numFmtId"))
			font, _ := strconv.Atoi(attr(e, "fontId"))
			f, ok := known[id]
			if !ok {
				f = formatByID(id, codes)
				known[id] = f
			}
			formats = append(formats, f)
			bold = append(bold, font >= 0 && font < len(fonts) && fonts[font])
			indents = append(indents, 0)
		case e.Name.Local == "alignment" && parent == "xf" && len(indents) > 0 && len(path) > 1 && path[len(path)-2] == "cellXfs":
			if n, err := strconv.Atoi(attr(e, "indent")); err == nil && n > 0 && n < 64 {
				indents[len(indents)-1] = uint8(n)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(formats) > 0 {
		b.formats, b.bold, b.indents = formats, bold, indents
	}
	return nil
}

// namesOf returns the names that the workbook gives to ranges of a sheet.
func (b *xlsxBook) namesOf(sheet string) []namedRect {
	var out []namedRect
	for _, n := range b.names {
		at, ref, ok := strings.Cut(n.ref, "!")
		if !ok || strings.HasPrefix(n.name, "_xlnm") || strings.ReplaceAll(strings.Trim(at, "'"), "''", "'") != sheet {
			continue
		}
		if r, ok := ParseRange(ref); ok {
			out = append(out, namedRect{n.name, r})
		}
	}
	return out
}

func formatByID(id int, codes map[int]string) numFormat {
	if code, ok := codes[id]; ok {
		return parseFormat(code)
	}
	return parseFormat(builtinFormats[id])
}

func isTrue(s string) bool {
	return s == "1" || strings.EqualFold(s, "true") || strings.EqualFold(s, "on")
}
