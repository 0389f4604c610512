package web

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/allrows/allrows/agent"
)

// Basis says what an answer stands on, one line a table: "all 42 rows of
// pricing.xlsx · Tiers, loaded 2026-11-02 14:05".
func Basis(r agent.Receipt) []string {
	var lines []string
	for _, t := range r.Tables {
		lines = append(lines, fmt.Sprintf("%s of %s, loaded %s", basisRows(r, t), source(t.Workbook, t.Sheet, t.Name), loaded(t.LoadedAt)))
	}
	return lines
}

func basisRows(r agent.Receipt, t agent.TableUse) string {
	switch {
	case r.Complete && (t.RowsMatched == t.Rows || t.RowsMatched == 0):
		return "all " + Plural(t.Rows, "row")
	case r.Complete:
		return fmt.Sprintf("%s, of all %s", matching(t.RowsMatched), Plural(t.Rows, "row"))
	case r.Trust == "looked_up" && t.RowsMatched > 0:
		return fmt.Sprintf("%s looked up among %s", Plural(t.RowsMatched, "row"), Count(t.Rows))
	}
	return fmt.Sprintf("a selection from %s", Plural(t.Rows, "row"))
}

// source is "pricing.xlsx · Tiers", or the table's name where there is no sheet.
func source(workbook, sheet, table string) string {
	if sheet != "" {
		return workbook + " · " + sheet
	}
	if _, name, ok := strings.Cut(table, "."); ok && !strings.HasPrefix(workbook, name+".") {
		return workbook + " · " + name
	}
	return workbook
}

// Sources lists the cells that an answer cites: "pricing.xlsx · Tiers!D4:D45".
func Sources(r agent.Receipt) []string {
	var out []string
	for _, c := range r.Citations {
		s := c.Workbook
		if c.Sheet != "" {
			s += " · " + c.Sheet
		}
		if c.Range != "" {
			s += " · " + c.Range
		}
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// loaded writes the receipt's time to the minute, or as it stands.
func loaded(iso string) string {
	t, err := time.Parse(time.RFC3339, iso)
	if err != nil {
		return iso
	}
	return When(t)
}

// When writes a time to the minute.
func When(t time.Time) string { return t.Local().Format("2006-01-02 15:04") }

// Trust is the label of how an answer came about, and what the label promises.
func Trust(r agent.Receipt) (label, promise string) {
	switch r.Trust {
	case "computed":
		if r.Complete {
			return "Computed over all rows", "A database calculated this over every row of the table in your scope."
		}
		return "Computed", "A database calculated this, over part of the rows; see the warnings."
	case "looked_up":
		return "Looked up", "This is read from the cells that are cited, not calculated."
	case "verified":
		return "Verified question", "A person has confirmed this question and its SQL."
	case "generated":
		return "Generated", "A model wrote this text; its figures were checked against the result."
	}
	return "", ""
}

// matching is "1 row that matches", "7 rows that match".
func matching(n int64) string {
	if n == 1 {
		return "1 row that matches"
	}
	return Plural(n, "row") + " that match"
}
