package kb

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/allrows/allrows/schema"
	"github.com/allrows/allrows/workbook"
)

// place says where a table stands: "pricing.xlsx · Tiers".
func place(t *schema.Table) string {
	if t.Sheet == "" {
		return t.File
	}
	return t.File + " · " + t.Sheet
}

// titleTexts are the texts whose words stand for the whole table.
func titleTexts(t *schema.Table) []string {
	return append([]string{t.Title, t.Sheet, t.Workbook, t.Table}, t.Synonyms...)
}

func headerTexts(t *schema.Table) []string {
	out := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		out[i] = strings.Join(append([]string{header(c)}, c.Synonyms...), " ")
	}
	return out
}

func header(c *schema.Column) string {
	if len(c.Path) > 1 {
		return strings.Join(c.Path, " ")
	}
	if c.Header != "" {
		return c.Header
	}
	return c.Name
}

// embeddedRow is what is embedded of a row: context, then "Header: value" lines.
func embeddedRow(t *schema.Table, values []string) string {
	var b strings.Builder
	b.WriteString(t.Label())
	for i, v := range values {
		if v != "" {
			b.WriteByte('\n')
			b.WriteString(header(t.Columns[i]))
			b.WriteString(": ")
			b.WriteString(v)
		}
	}
	return b.String()
}

// deliveredRow is what a reader gets of a row: where it is from, "Header: value"
// lines, and one sentence that says the same.
func deliveredRow(t *schema.Table, row int64, values []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s, row %d)\n", t.Label(), place(t), row)
	var keys, rest []string
	for i, v := range values {
		if v == "" {
			continue
		}
		c := t.Columns[i]
		fmt.Fprintf(&b, "%s: %s\n", header(c), withUnit(v, c))
		if part := header(c) + " " + withUnit(v, c); len(rest) == 0 && (c.Type.Kind == workbook.Text || len(keys) == 0) {
			keys = append(keys, part)
		} else {
			rest = append(rest, part)
		}
	}
	fmt.Fprintf(&b, "In %s, the row with %s", t.Label(), sentence(keys))
	if len(rest) > 0 {
		b.WriteString(" has " + sentence(rest))
	}
	b.WriteByte('.')
	return b.String()
}

// withUnit writes a value with its column's unit, where the header does not say it.
func withUnit(v string, c *schema.Column) string {
	u := c.Unit.Symbol
	if u == "" || !c.Type.Numeric() || strings.Contains(c.Header, u) {
		return v
	}
	switch {
	case c.Unit.Prefix:
		return u + v
	case u == "%":
		return v + u
	}
	return v + " " + u
}

// sentence joins parts as people do: a, b and c.
func sentence(parts []string) string {
	switch len(parts) {
	case 0:
		return ""
	case 1:
		return parts[0]
	}
	return strings.Join(parts[:len(parts)-1], ", ") + " and " + parts[len(parts)-1]
}

// Describe returns a description that only this table could have: what it
// holds, by what, over which range.
func Describe(t *schema.Table) string {
	var by, measures []string
	for _, c := range t.Columns {
		switch {
		case c.Type.Numeric() && !grouping(c, t.Rows):
			measures = append(measures, header(c))
		case len(by) < 4:
			by = append(by, header(c))
		}
	}
	what := t.Label()
	switch {
	case len(measures) > 0 && len(by) > 0:
		what += ": " + sentence(measures[:min(4, len(measures))]) + " by " + sentence(by)
	case len(by) > 0:
		what += ": " + sentence(by)
	case len(measures) > 0:
		what += ": " + sentence(measures[:min(4, len(measures))])
	}
	facts := strings.Join(columnFacts(t, 4), ", ")
	if facts != "" {
		facts = "; " + facts
	}
	return fmt.Sprintf("%s (%s); %s%s.", what, place(t), count(t.Rows, "row"), facts)
}

// Summarize says in one paragraph what a table holds, for people: rows, groups
// with their names, ranges, notes. It is what overview questions are answered
// from, and says only what the given table's profile says: a caller's scope
// passes the table as it shows it.
func Summarize(t *schema.Table) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", t.Label(), count(t.Rows, "row"))
	for _, f := range columnFacts(t, len(t.Columns)) {
		b.WriteString(", " + f)
	}
	fmt.Fprintf(&b, " (%s).", place(t))
	if d := strings.TrimSpace(t.Description); d != "" {
		b.WriteString(" " + d)
	}
	for _, n := range t.Notes {
		b.WriteString(" Note: " + strings.TrimSpace(n.Text))
	}
	return b.String()
}

// summaryText is the summary chunk: the paragraph, and which tool answers what.
func summaryText(t *schema.Table) string {
	return fmt.Sprintf("%s\nCounts, sums, averages, extremes and groups: call run_sql on %s. One row by its description: call search_rows.",
		Summarize(t), t.Ref)
}

// schemaText is the schema chunk: the columns with types, keys and ranges.
func schemaText(t *schema.Table) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Columns of %s (%s, %s):\n", t.Label(), place(t), t.Ref)
	for _, c := range t.Columns {
		fmt.Fprintf(&b, "- %s (%s, %s", header(c), c.Name, c.Type.SQL())
		if c.Unit.Symbol != "" {
			b.WriteString(", " + c.Unit.Symbol)
		}
		if c.Profile.Unique {
			b.WriteString(", key")
		}
		b.WriteString(")")
		if f := columnFact(c, t.Rows); f != "" {
			b.WriteString(": " + f)
		}
		if c.Description != "" {
			b.WriteString(". " + c.Description)
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "Its columns, types and ranges: call describe_table on %s.", t.Ref)
	return b.String()
}

// grouping reports whether a column sorts the rows into few groups.
func grouping(c *schema.Column, rows int64) bool {
	d := c.Profile.Distinct
	if d == 0 || c.Profile.Unique || c.Type.Kind == workbook.Float || c.Type.Kind == workbook.Decimal && c.Type.Scale > 0 {
		return false
	}
	return d <= 24 && d*2 <= rows && c.Unit.Zero()
}

func columnFacts(t *schema.Table, limit int) []string {
	var out []string
	for _, c := range t.Columns {
		if f := columnFact(c, t.Rows); f != "" && len(out) < limit {
			out = append(out, f)
		}
	}
	return out
}

// columnFact says what is known of one column: "6 regions (North, South, …)",
// "tiers 1–7", "Discount % 1–21%", "Effective 2025-07-01 to 2026-01-01".
func columnFact(c *schema.Column, rows int64) string {
	p, h := c.Profile, header(c)
	switch {
	case p.Distinct == 0 && p.Min == "":
		return ""
	case c.Type.Temporal():
		if p.Min == p.Max {
			return h + " " + day(p.Min)
		}
		return fmt.Sprintf("%s %s to %s", h, day(p.Min), day(p.Max))
	case c.Type.Numeric():
		name := h
		if grouping(c, rows) {
			name = plural(lowerFirst(h), 2)
		}
		if p.Min == p.Max {
			return h + " " + withUnit(p.Min, c)
		}
		return fmt.Sprintf("%s %s–%s", name, figureText(p.Min, c), withUnit(figureText(p.Max, c), c))
	case c.Type.Kind == workbook.Bool:
		return h + " yes or no"
	case p.Distinct == 1 && len(p.Top) > 0:
		return h + " " + clip(p.Top[0].Value)
	}
	names := topNames(c)
	if names != "" {
		names = " (" + names + ")"
	}
	return fmt.Sprintf("%s%s", count(p.Distinct, lowerFirst(h)), names)
}

// topNames lists the most frequent values, the way people do.
func topNames(c *schema.Column) string {
	var names []string
	for _, v := range c.Profile.Top {
		if strings.TrimSpace(v.Value) != "" {
			names = append(names, clip(v.Value))
		}
	}
	limit := 3
	if c.Profile.Distinct <= 8 {
		limit = 8
	}
	if c.Profile.Unique {
		slices.Sort(names)
	}
	cut := int64(min(limit, len(names))) < c.Profile.Distinct
	out := strings.Join(names[:min(limit, len(names))], ", ")
	if cut && out != "" {
		out += ", …"
	}
	return out
}

func figureText(v string, c *schema.Column) string {
	if c.Type.Kind == workbook.Decimal && strings.Contains(v, ".") {
		return trimDecimals(v)
	}
	return v
}

func trimDecimals(v string) string { return strings.TrimRight(strings.TrimRight(v, "0"), ".") }

// day drops the midnight of a timestamp.
func day(v string) string {
	d, _, _ := strings.Cut(v, " 00:00:00")
	return d
}

// clip bounds a value inside prose.
func clip(v string) string {
	v = strings.Join(strings.Fields(v), " ")
	if utf8.RuneCountInString(v) <= 40 {
		return v
	}
	return string([]rune(v)[:39]) + "…"
}

func count(n int64, noun string) string {
	if n != 1 {
		noun = plural(noun, n)
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// plural is the plural of a header that is one plain word, else the header with
// "values of" in front, which reads well in any case.
func plural(noun string, n int64) string {
	last := noun[strings.LastIndexByte(noun, ' ')+1:]
	for _, r := range last {
		if !unicode.IsLower(r) {
			return "values of " + noun
		}
	}
	switch {
	case n == 1 || strings.HasSuffix(last, "s") || last == "":
		return noun
	case strings.HasSuffix(last, "y") && len(last) > 2 && !strings.ContainsRune("aeiou", rune(last[len(last)-2])):
		return noun[:len(noun)-1] + "ies"
	case strings.HasSuffix(last, "ch"), strings.HasSuffix(last, "x"), strings.HasSuffix(last, "sh"):
		return noun + "es"
	}
	return noun + "s"
}

// lowerFirst writes a header inside a sentence: Region is region, SKU stays SKU.
func lowerFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if next, _ := utf8.DecodeRuneInString(s[n:]); unicode.IsUpper(next) {
		return s
	}
	return string(unicode.ToLower(r)) + s[n:]
}
