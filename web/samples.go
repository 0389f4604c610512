package web

import (
	"fmt"
	"strings"

	"github.com/allrows/allrows/schema"
	"github.com/allrows/allrows/workbook"
)

// Samples makes up to n questions that the tables can answer, of different
// kinds, one table after the other.
func Samples(c *schema.Context, n int) []string {
	var perTable [][]string
	for _, t := range c.Tables {
		perTable = append(perTable, tableSamples(t))
	}
	var out []string
	seen := map[string]bool{}
	for round := 0; len(out) < n; round++ {
		more := false
		for i, qs := range perTable {
			// Each table starts with another kind, so that the list is varied.
			if round >= len(qs) {
				continue
			}
			more = true
			q := qs[(round+i)%len(qs)]
			if !seen[q] && len(out) < n {
				seen[q] = true
				out = append(out, q)
			}
		}
		if !more {
			break
		}
	}
	return out
}

func tableSamples(t *schema.Table) []string {
	measure, group := bestMeasure(t), bestGroup(t)
	var out []string
	if measure != "" && group != "" {
		out = append(out, fmt.Sprintf("average %s by %s", measure, group),
			fmt.Sprintf("Which %s has the highest average %s?", group, measure))
	}
	if measure != "" {
		out = append(out, fmt.Sprintf("What is the highest %s?", measure))
	}
	if group != "" {
		out = append(out, fmt.Sprintf("How many rows are there by %s?", group))
	}
	if len(out) == 0 && t.Label() != "" {
		out = append(out, fmt.Sprintf("How many rows does %s have?", t.Label()))
	}
	return out
}

// bestMeasure is the header of the numeric column that most looks like a
// quantity: one with a unit first, and no key or code.
func bestMeasure(t *schema.Table) string {
	best := ""
	for _, c := range t.Columns {
		if !c.Type.Numeric() || len(c.Unit.Mixed) > 0 || c.Profile.Distinct < 2 || likeKey(c) {
			continue
		}
		if !c.Unit.Zero() {
			return words(c)
		}
		if best == "" || c.Type.Kind != workbook.Int {
			best = words(c)
		}
	}
	return best
}

func bestGroup(t *schema.Table) string {
	best, fewest := "", int64(41)
	for _, c := range t.Columns {
		d := c.Profile.Distinct
		if c.Type.Kind == workbook.Text && d >= 2 && d < fewest && d*2 <= t.Rows {
			best, fewest = words(c), d
		}
	}
	return best
}

func likeKey(c *schema.Column) bool {
	name := strings.ToLower(c.Name)
	return name == "id" || strings.HasSuffix(name, "_id") || strings.Contains(name, "year") ||
		c.Type.Kind == workbook.Int && c.Unit.Zero() && c.Profile.Unique && c.Profile.Min == "1"
}

// words is a header as it stands in a question: lower case, without its unit.
func words(c *schema.Column) string {
	h, _, _ := strings.Cut(c.Header, "(")
	h = strings.TrimSpace(strings.ReplaceAll(h, "_", " "))
	if h == "" {
		h = strings.ReplaceAll(c.Name, "_", " ")
	}
	// "Discount %" and "Min order USD" are asked for without their unit.
	if i := strings.LastIndexByte(h, ' '); i > 0 && (h[i+1:] == c.Unit.Symbol || strings.EqualFold(h[i+1:], c.Unit.Code)) {
		h = strings.TrimSpace(h[:i])
	}
	if strings.ToUpper(h) == h {
		return h
	}
	return strings.ToLower(h)
}
