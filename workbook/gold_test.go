package workbook

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// goldCase is a question whose answer stands in cells of a workbook.
type goldCase struct {
	ID     string   `json:"id"`
	Tables []string `json:"tables"`
	Answer []any    `json:"answer"`
	Meta   struct {
		Aggregation []string `json:"aggregation"`
	} `json:"meta"`
}

// canonical brings an answer or a value to a form that compares: plain digits
// for numbers, ISO for dates, folded text for the rest.
func canonical(s string) string {
	s = strings.Join(strings.Fields(strings.ToLower(s)), " ")
	if n, ok := parseNumText(s); ok {
		if d, ok := n.decimal(false); ok {
			return trimZeros(d.plain())
		}
	}
	if d, ok := parseDateText(s); ok && !d.noDate {
		y, m, day := d.date(false)
		return fmt.Sprintf("%04d-%02d-%02d", y, m, day)
	}
	return s
}

// dataValues returns every value of every table, and the printed totals.
func dataValues(wb *Workbook) (cells, totals map[string]bool) {
	cells, totals = map[string]bool{}, map[string]bool{}
	for _, tb := range wb.Tables {
		for _, vals := range tb.Rows {
			for i, v := range vals {
				cells[canonical(v.Text(tb.Columns[i].Type))] = true
			}
		}
		for _, c := range tb.Checks {
			totals[canonical(c.Printed)] = true
		}
	}
	return cells, totals
}

// TestGold counts how many gold answers of hitab.dev and imtqa_en.dev are the
// value of a data cell.
func TestGold(t *testing.T) {
	for _, set := range []string{"hitab.dev", "imtqa_en.dev"} {
		t.Run(set, func(t *testing.T) {
			dir := benchDir(t, set)
			n, inCells, inTotals := 0, 0, 0
			for _, c := range benchCases[goldCase](t, dir) {
				if len(c.Meta.Aggregation) > 0 && c.Meta.Aggregation[0] != "none" {
					continue // computed, not looked up
				}
				wb, err := Open(context.Background(), filepath.Join(dir, c.Tables[0]), Options{})
				if err != nil {
					t.Errorf("%s: %v", c.Tables[0], err)
					continue
				}
				cells, totals := dataValues(wb)
				missing, total := "", false
				for _, a := range c.Answer {
					s := canonical(fmt.Sprint(a))
					if _, _, ok := ParseCell(strings.ToUpper(strings.Split(s, ",")[0])); ok && set == "hitab.dev" {
						continue // a place, no value
					}
					switch {
					case cells[s]:
					case totals[s]:
						total = true
					default:
						missing = s
					}
				}
				n++
				switch {
				case missing != "":
					t.Logf("%s %s: no cell holds %q", c.ID, c.Tables[0], missing)
				case total:
					inTotals++
				default:
					inCells++
				}
			}
			t.Logf("%s: %d questions, answer in data cells %d (%.1f%%), with printed totals %d (%.1f%%)", set, n, inCells,
				100*float64(inCells)/float64(n), inCells+inTotals, 100*float64(inCells+inTotals)/float64(n))
			if (inCells+inTotals)*100 < n*95 {
				t.Errorf("%s: below 95%%", set)
			}
		})
	}
}
