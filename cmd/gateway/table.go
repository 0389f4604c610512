package main

import (
	"io"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"

	"github.com/allrows/allrows/agent"
	"github.com/allrows/allrows/web"
)

const maxCell = 60

// grid is a table as it is printed.
type grid struct {
	head  []string
	right []bool // columns of numbers
	rows  [][]string
}

// write draws the grid with one rule under its head and two spaces before it.
func (g grid) write(w io.Writer) error {
	align := make(tw.Alignment, len(g.head))
	for i := range align {
		align[i] = tw.AlignLeft
		if i < len(g.right) && g.right[i] {
			align[i] = tw.AlignRight
		}
	}
	cell := tw.CellConfig{
		Formatting: tw.CellFormatting{AutoFormat: tw.Off, AutoWrap: tw.WrapNone},
		Alignment:  tw.CellAlignment{PerColumn: align},
		Padding:    tw.CellPadding{Global: tw.Padding{Left: "", Right: "  ", Overwrite: true}},
	}
	var buf strings.Builder
	t := tablewriter.NewTable(&buf,
		tablewriter.WithConfig(tablewriter.Config{Header: cell, Row: cell}),
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
			Borders: tw.BorderNone,
			Symbols: tw.NewSymbols(tw.StyleLight),
			Settings: tw.Settings{
				Separators: tw.Separators{BetweenColumns: tw.Off, BetweenRows: tw.Off},
				Lines:      tw.Lines{ShowHeaderLine: tw.On},
			},
		})))
	t.Header(g.head)
	if err := t.Bulk(g.rows); err != nil {
		return err
	}
	if err := t.Render(); err != nil {
		return err
	}
	for line := range strings.Lines(buf.String()) {
		if _, err := io.WriteString(w, "  "+strings.TrimRight(line, " \n")+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// resultGrid is a result's first rows.
func resultGrid(r *agent.Result, limit int) grid {
	var g grid
	for _, c := range r.Columns {
		g.head = append(g.head, oneLine(c.Name, maxCell))
		g.right = append(g.right, web.Format(nil, c).Right)
	}
	for _, row := range r.Rows[:min(len(r.Rows), limit)] {
		cells := make([]string, len(r.Columns))
		for i := range cells {
			cells[i] = oneLine(web.Format(row[i], r.Columns[i]).Text, maxCell)
		}
		g.rows = append(g.rows, cells)
	}
	return g
}
