package workbook

import (
	"encoding/xml"
	"fmt"
	"sort"
	"strconv"
	"strings"
)

// readObjects reads the Excel tables of a sheet and notes what holds no cells:
// pictures, charts, external links.
func (b *xlsxBook) readObjects(xs xlsxSheet, s *sheet) error {
	rs, err := b.rels(xs.part)
	if err != nil {
		return err
	}
	for _, r := range rs {
		switch r.kind {
		case "table":
			if !b.has(r.target) {
				continue
			}
			if err := b.readTable(r.target, s); err != nil {
				return err
			}
		case "drawing":
			if b.has(r.target) {
				b.readDrawing(r.target, s)
			}
		}
	}
	sort.Slice(s.objects, func(i, j int) bool { return s.objects[i].name < s.objects[j].name })
	return nil
}

func (b *xlsxBook) readTable(part string, s *sheet) error {
	return b.each(part, func(_ *xml.Decoder, path []string, e xml.StartElement) error {
		if e.Name.Local != "table" || len(path) > 0 {
			return nil
		}
		rect, ok := ParseRange(attr(e, "ref"))
		if !ok {
			return nil
		}
		o := object{name: attr(e, "displayName"), rect: rect, headers: 1}
		if n, err := strconv.Atoi(attr(e, "headerRowCount")); err == nil {
			o.headers = n
		}
		o.totals, _ = strconv.Atoi(attr(e, "totalsRowCount"))
		s.objects = append(s.objects, o)
		return nil
	})
}

// noCells says what a sheet without cells is.
func noCells(xs xlsxSheet) Incident {
	if strings.Contains(strings.ToLower(xs.kind), "macrosheet") {
		return Incident{Where: xs.name, Code: "macro_sheet", Text: "a sheet of macros holds no rows; it was neither run nor read"}
	}
	return Incident{Where: xs.name, Code: "no_cells", Text: "a " + xs.kind + " holds no rows"}
}

// readDrawing reports pictures, which may show tables that no reader sees.
func (b *xlsxBook) readDrawing(part string, s *sheet) {
	pictures := 0
	err := b.each(part, func(_ *xml.Decoder, _ []string, e xml.StartElement) error {
		if e.Name.Local == "pic" {
			pictures++
		}
		return nil
	})
	if err != nil {
		s.incidents = append(s.incidents, Incident{Where: s.name, Code: "drawing_unreadable", Text: "a drawing on this sheet cannot be read"})
	}
	if pictures > 0 {
		s.incidents = append(s.incidents, Incident{Where: s.name, Code: "picture",
			Text: fmt.Sprintf("%d pictures on this sheet are not read; a table shown as a picture has to be typed in", pictures)})
	}
}

// orderRows sorts rows that a file holds out of order and joins rows that it
// holds twice.
func orderRows(g *grid) {
	sorted := true
	for i := 1; i < len(g.rows) && sorted; i++ {
		sorted = g.rows[i].num > g.rows[i-1].num
	}
	if sorted {
		return
	}
	old, cells := g.rows, g.cells
	sort.SliceStable(old, func(i, j int) bool { return old[i].num < old[j].num })
	g.rows, g.cells, g.last = nil, make([]cell, 0, len(cells)), 0
	for i := 0; i < len(old); {
		g.startRow(int(old[i].num))
		num := old[i].num
		for ; i < len(old) && old[i].num == num; i++ {
			for _, c := range cells[old[i].first : old[i].first+old[i].n] {
				g.put(c)
			}
		}
		g.endRow()
	}
}
