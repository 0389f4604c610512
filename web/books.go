package web

import (
	"fmt"
	"strings"
	"time"

	"github.com/allrows/allrows/schema"
	"github.com/allrows/allrows/workbook"
)

// Book is one workbook of the list, with what its load kept and left out.
type Book struct {
	Name, File string
	Loaded     string
	Tables     []BookTable
	Notes      []string // what the ledger says beside the tables
}

// BookTable is one table of a workbook.
type BookTable struct {
	Name, Label string
	Rows        int64
	Columns     []string
}

// NewBook makes the view of one version. The ledger may be nil.
func NewBook(name, file string, loaded time.Time, tables []*schema.Table, l *workbook.Ledger) Book {
	b := Book{Name: name, File: file, Loaded: When(loaded)}
	for _, t := range tables {
		bt := BookTable{Name: t.Ref.String(), Label: t.Label(), Rows: t.Rows}
		for _, c := range t.Columns {
			bt.Columns = append(bt.Columns, c.Header)
		}
		b.Tables = append(b.Tables, bt)
		b.Notes = append(b.Notes, CheckNotes(t)...)
		b.Notes = append(b.Notes, t.Questions...)
	}
	b.Notes = append(b.Notes, LedgerNotes(l)...)
	return b
}

// CheckNotes says which printed totals disagree with the rows, and which columns
// cannot be totalled at all.
func CheckNotes(t *schema.Table) []string {
	var out []string
	for _, c := range t.Checks {
		if c.Agrees {
			continue
		}
		label := c.Column
		if col := t.Column(c.Column); col != nil {
			label = col.Header
		}
		out = append(out, fmt.Sprintf("%s: the printed %s of %s in %s is %s, but the rows add up to %s",
			t.Label(), strings.ToLower(c.Label), label, c.Cell, group(c.Printed), group(c.Computed)))
	}
	for _, c := range t.Columns {
		if len(c.Unit.Mixed) > 1 {
			out = append(out, fmt.Sprintf("%s: %s holds figures in several units (%s); they are never added up", t.Label(), c.Header, strings.Join(c.Unit.Mixed, ", ")))
		}
	}
	return out
}

// LedgerNotes says in words what a load rejected and what happened on the way.
// Skipped titles, headers, notes and blanks are as they should be and not named.
func LedgerNotes(l *workbook.Ledger) []string {
	if l == nil {
		return nil
	}
	var out []string
	for _, s := range l.Sheets {
		for _, t := range s.Tables {
			if t.RejectedCells > 0 {
				out = append(out, rejected(s.Name, t))
			}
		}
		if s.Rejected > 0 {
			out = append(out, fmt.Sprintf("%s: %s rejected", s.Name, Plural(s.Rejected, "row")))
		}
		for _, i := range s.Incidents {
			out = append(out, incident(i))
		}
	}
	for _, i := range l.Incidents {
		out = append(out, incident(i))
	}
	return out
}

func rejected(sheet string, t workbook.TableLedger) string {
	const named = 3
	var cells []string
	for _, c := range t.Rejected[:min(len(t.Rejected), named)] {
		cells = append(cells, fmt.Sprintf("%s %q", c.Cell, c.Text))
	}
	more := ""
	if n := t.RejectedCells - int64(len(cells)); n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	name := sheet
	if name == "" {
		name = t.Table
	}
	return fmt.Sprintf("%s: %s did not fit the column and count as empty: %s%s", name, Plural(t.RejectedCells, "cell"), strings.Join(cells, ", "), more)
}

func incident(i workbook.Incident) string {
	if i.Where == "" {
		return i.Text
	}
	return i.Where + ": " + i.Text
}
