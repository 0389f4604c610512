package main

import (
	"fmt"
	"strings"

	"github.com/allrows/allrows/web"
	"github.com/allrows/allrows/workbook"
)

const maxRejected = 20 // cells listed one by one; --json has up to 1,000

// printLedger says sheet by sheet what was kept, skipped and why, and rejected.
func (a *app) printLedger(st style, l *workbook.Ledger) {
	if l == nil {
		return
	}
	for _, s := range l.Sheets {
		name := s.Name
		if name == "" {
			name = l.File
		}
		if s.Hidden {
			name += " (hidden)"
		}
		fmt.Fprintf(a.stdout, "  %s  %s\n", st.bold(clean(name)), sheetLine(s))
		for _, t := range s.Tables {
			a.printRejected(st, t)
		}
		a.printIncidents(st, s.Incidents)
	}
	a.printIncidents(st, l.Incidents)
}

// sheetLine is "kept 42 of 45 rows; skipped title (row 1), header (row 3)".
func sheetLine(s workbook.SheetLedger) string {
	line := fmt.Sprintf("kept %s of %s", web.Count(s.Kept), web.Plural(s.Rows, "row"))
	const named = 8
	var skipped []string
	for i, k := range s.Skipped {
		if i == named {
			skipped = append(skipped, fmt.Sprintf("and %d more", len(s.Skipped)-named))
			break
		}
		where := fmt.Sprintf("row %d", k.First)
		if k.Last > k.First {
			where = fmt.Sprintf("rows %d-%d", k.First, k.Last)
		}
		what := k.Reason
		if k.Text != "" && k.Reason != "header" {
			what += fmt.Sprintf(" %q", oneLine(k.Text, 40))
		}
		skipped = append(skipped, what+" ("+where+")")
	}
	if len(skipped) > 0 {
		line += "; skipped " + strings.Join(skipped, ", ")
	}
	if s.Rejected > 0 {
		line += fmt.Sprintf("; rejected %s", web.Plural(s.Rejected, "row"))
	}
	return line
}

func (a *app) printRejected(st style, t workbook.TableLedger) {
	if t.RejectedCells == 0 {
		return
	}
	fmt.Fprintf(a.stdout, "    %s\n", st.warn(fmt.Sprintf("! %s in %s did not fit the column and count as empty:", web.Plural(t.RejectedCells, "cell"), t.Table)))
	for i, c := range t.Rejected {
		if i == maxRejected {
			break
		}
		fmt.Fprintf(a.stdout, "      %-7s %s %q: %s\n", c.Cell, oneLine(c.Column, 40), oneLine(c.Text, 40), clean(c.Reason))
	}
	if n := t.RejectedCells - int64(min(len(t.Rejected), maxRejected)); n > 0 {
		fmt.Fprintf(a.stdout, "      … and %s more; --json lists them\n", web.Count(n))
	}
}

func (a *app) printIncidents(st style, incidents []workbook.Incident) {
	for _, i := range incidents {
		text := i.Text
		if i.Where != "" {
			text = i.Where + ": " + text
		}
		fmt.Fprintln(a.stdout, "    "+st.warn("! ")+clean(text))
	}
}
