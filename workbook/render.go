package workbook

import (
	"fmt"
	"html/template"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Drawing bounds what is drawn of a sheet. Zero values have defaults.
type Drawing struct {
	Rows    int  // of a sheet; default 40: the first half and the last
	Columns int  // default 12
	Width   int  // characters of a cell; default 16
	Color   bool // by role, for terminals
}

func (d Drawing) withDefaults() Drawing {
	if d.Rows <= 0 {
		d.Rows = 40
	}
	if d.Columns <= 0 {
		d.Columns = 12
	}
	if d.Width <= 0 {
		d.Width = 16
	}
	return d
}

// roleColors are the colours of roles in a terminal.
var roleColors = map[Role]string{RoleTitle: "\x1b[1;35m", RoleHeader: "\x1b[1;36m", RoleTotal: "\x1b[33m", RoleSection: "\x1b[34m", RoleNote: "\x1b[2m"}

// roleLetters mark roles where there are no colours.
var roleLetters = map[Role]string{RoleTitle: "T", RoleHeader: "H", RoleRow: " ", RoleTotal: "+", RoleSection: "S", RoleNote: "n", RoleBlank: " "}

// WriteText draws every sheet for a terminal: its grid, each row marked by what
// it was taken for, and the tables found.
func (in *Inspection) WriteText(w io.Writer, d Drawing) error {
	d = d.withDefaults()
	for i := range in.Sheets {
		v := &in.Sheets[i]
		b := &strings.Builder{}
		fmt.Fprintf(b, "%s: %s, %s\n", v.Name, plural(v.LastRow, "row", "rows"), plural(v.Columns, "column", "columns"))
		half := max(d.Rows/2, 1)
		if v.LastRow <= d.Rows {
			half = v.LastRow
		}
		drawRows(b, v.Rows(1, half, d.Columns), d)
		if v.LastRow > d.Rows {
			fmt.Fprintf(b, "   …  %s not drawn\n", plural(v.LastRow-2*half, "row", "rows"))
			drawRows(b, v.Rows(v.LastRow-half+1, v.LastRow, d.Columns), d)
		}
		for _, t := range in.tables(*v) {
			drawTable(b, t)
		}
		if _, err := io.WriteString(w, b.String()+"\n"); err != nil {
			return fmt.Errorf("workbook: drawing %s: %w", v.Name, err)
		}
	}
	return nil
}

func drawRows(b *strings.Builder, rows []GridRow, d Drawing) {
	for _, r := range rows {
		line := &strings.Builder{}
		fmt.Fprintf(line, "%6d %s", r.Row, roleLetters[rowRoleOf(r)])
		for _, c := range r.Cells {
			t := shorten(c.Text, d.Width)
			pad := strings.Repeat(" ", max(0, d.Width-utf8.RuneCountInString(t)))
			if color := roleColors[c.Role]; d.Color && color != "" {
				t = color + t + "\x1b[0m"
			}
			line.WriteString(" " + t + pad)
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}

// rowRoleOf is the role of the first cell that has one.
func rowRoleOf(r GridRow) Role {
	for _, c := range r.Cells {
		if c.Role != RoleBlank {
			return c.Role
		}
	}
	return RoleBlank
}

// drawTable lists the columns of a table and what is open about it.
func drawTable(b *strings.Builder, t *Table) {
	fmt.Fprintf(b, "  table %s %s", t.Name, t.Range)
	if t.Title != "" {
		fmt.Fprintf(b, " %q", shorten(t.Title, 60))
	}
	b.WriteByte('\n')
	for _, c := range t.Columns {
		fmt.Fprintf(b, "    %-3s %-28s %-14s %s", c.Letter, c.Name, c.Type.SQL(), unitText(c.Unit))
		if c.Rejected > 0 {
			fmt.Fprintf(b, "  %s", plural(int(c.Rejected), "cell rejected", "cells rejected"))
		}
		b.WriteByte('\n')
	}
	for _, c := range t.Checks {
		verdict := "agrees"
		if !c.Agrees {
			verdict = "differs: the rows add up to " + c.Computed
		}
		fmt.Fprintf(b, "    check %s %s %s: %s\n", c.Cell, c.Label, c.Printed, verdict)
	}
	for _, q := range t.Questions {
		fmt.Fprintf(b, "    question %s\n", q)
	}
}

// page is the HTML of an inspection; every text of the file is escaped.
var page = template.Must(template.New("inspect").Parse(`<!doctype html><meta charset="utf-8"><title>{{.File}}</title>
<style>body{font:14px sans-serif}table{border-collapse:collapse;margin:1em 0}td,th{border:1px solid #ccc;padding:2px 6px;max-width:24em;overflow:hidden}
.title{color:#7b1fa2;font-weight:bold}.header{background:#e0f2f1;font-weight:bold}.total{background:#fff8e1}.section{background:#e8eaf6}.note{color:#777}.blank{background:#fafafa}</style>
<h1>{{.File}}</h1>{{range .Sheets}}<h2>{{.Name}}</h2><table><tr><th></th>{{range .Letters}}<th>{{.}}</th>{{end}}</tr>
{{range .Rows}}<tr><th>{{.Row}}</th>{{range .Cells}}<td class="{{.Role}}">{{.Text}}</td>{{end}}</tr>
{{end}}</table>{{range .Tables}}<pre>{{.}}</pre>{{end}}{{end}}`))

// WriteHTML draws the same as a page.
func (in *Inspection) WriteHTML(w io.Writer, d Drawing) error {
	d = d.withDefaults()
	type view struct {
		Name    string
		Letters []string
		Rows    []GridRow
		Tables  []string
	}
	data := struct {
		File   string
		Sheets []view
	}{File: in.Workbook.Ledger.File}
	for i := range in.Sheets {
		v := &in.Sheets[i]
		out := view{Name: v.Name + " (" + strconv.Itoa(v.LastRow) + ")", Rows: v.Rows(1, d.Rows, d.Columns)}
		for c := range min(d.Columns, v.Columns) {
			out.Letters = append(out.Letters, ColumnLetter(c))
		}
		for _, t := range in.tables(*v) {
			b := &strings.Builder{}
			drawTable(b, t)
			out.Tables = append(out.Tables, b.String())
		}
		data.Sheets = append(data.Sheets, out)
	}
	if err := page.Execute(w, data); err != nil {
		return fmt.Errorf("workbook: drawing %s: %w", data.File, err)
	}
	return nil
}
