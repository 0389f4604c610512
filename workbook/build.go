package workbook

import (
	"context"
	"math"
	"slices"
	"strings"
)

// maxRejectedListed is how many rejected cells of a table the ledger lists.
const maxRejectedListed = 1000

// builder turns the regions of one sheet into tables.
type builder struct {
	ctx    context.Context
	s      *sheet
	l      *layout
	ledger *SheetLedger
	tables []*Table
}

// tableBuild is one table while it is made.
type tableBuild struct {
	*builder
	r         *region
	t         *Table
	cols      []int // columns of the sheet
	columns   []Column
	fills     [][]int32 // by column: the row that each row's value stands in, nil where it is its own
	stats     []columnStats
	readings  []reading
	facts     []fact // what footnotes say of the marks in cells
	titleUnit Unit
	around    *columnStats // number styles and date orders of the whole sheet
	led       TableLedger
}

// buildSheet reads the tables of one sheet and accounts for its rows.
func buildSheet(ctx context.Context, s *sheet, over *SheetOverride) (*builder, error) {
	b := &builder{ctx: ctx, s: s, ledger: &SheetLedger{Name: s.name, Hidden: s.hidden, Rows: int64(s.grid.last), Incidents: s.incidents}}
	b.l = findLayout(s, over)
	if over != nil && over.Skip {
		b.ledger.Incidents = append(b.ledger.Incidents, Incident{Where: s.name, Code: "skipped", Text: "the sheet was left out, as the file beside the workbook says"})
	}
	var builds []*tableBuild
	around := &columnStats{}
	for i := range b.l.regions {
		tb := &tableBuild{builder: b, r: &b.l.regions[i], around: around}
		if l, ok := b.l.transposed(tb.r); ok {
			tb.builder, tb.r = &builder{ctx: ctx, s: l.s, l: l, ledger: b.ledger}, &l.regions[0]
		}
		if err := tb.collect(); err != nil {
			return nil, err
		}
		for j := range tb.stats {
			around.merge(&tb.stats[j])
		}
		builds = append(builds, tb)
	}
	for _, tb := range builds {
		if len(tb.cols) == 0 {
			continue
		}
		if err := tb.finish(); err != nil {
			return nil, err
		}
		b.tables = append(b.tables, tb.t)
		b.ledger.Tables = append(b.ledger.Tables, tb.led)
	}
	b.ledger.Incidents = append(b.ledger.Incidents, s.hiddenNote()...)
	b.account()
	return b, nil
}

// collect finds the columns and counts their cells.
func (tb *tableBuild) collect() error {
	tb.cols, tb.columns, tb.stats = nil, nil, nil
	used := make([]bool, tb.r.col2-tb.r.col1+1)
	for _, i := range tb.r.body {
		for _, c := range tb.s.grid.rowCells(i) {
			if col := int(c.col) - tb.r.col1; col >= 0 && col < len(used) {
				used[col] = true
			}
		}
	}
	if upper, _ := tb.headings(); len(upper) > 0 {
		tb.addColumn(groupColumn, []headerCell{{text: "Group"}})
	}
	if len(tb.r.sections) > 0 {
		tb.addColumn(sectionColumn, []headerCell{{text: "Section"}})
	}
	for i, u := range used {
		if i == 0 && tb.parents() != nil {
			label, _ := joinHeader(tb.l.headerCells(tb.r, tb.r.col1))
			tb.addColumn(parentColumn, []headerCell{{text: parentHeader(label)}})
		}
		if h := tb.l.headerCells(tb.r, tb.r.col1+i); u || len(h) > 0 {
			tb.addColumn(tb.r.col1+i, h)
		}
	}
	tb.prepareFills()
	for k := range tb.r.body {
		if k&0xfff == 0 && tb.ctx.Err() != nil {
			return tb.ctx.Err()
		}
		for j := range tb.cols {
			if c := tb.cellAt(k, j); c != nil {
				tb.stats[j].add(tb.s, c)
			}
		}
	}
	return nil
}

func (tb *tableBuild) addColumn(col int, h []headerCell) {
	tb.cols = append(tb.cols, col)
	tb.stats = append(tb.stats, columnStats{formatDecimals: -1})
	name, path := joinHeader(h)
	c := Column{Header: name, Path: path}
	if col >= 0 && !tb.s.text && tb.r.fields == nil {
		c.Letter = ColumnLetter(col)
	}
	tb.columns = append(tb.columns, c)
}

// finish decides the columns, measures them and makes the table.
func (tb *tableBuild) finish() error {
	if tb.settleTotals() {
		if err := tb.collect(); err != nil {
			return err
		}
	}
	tb.useMarks()
	tb.titleUnit = tb.unitOfTitle()
	tb.t = &Table{Title: tb.r.title, Sheet: tb.s.name, Notes: tb.r.notes, Columns: tb.columns, object: tb.r.name}
	used := map[string]bool{"_row": true}
	for j, col := range tb.cols {
		c := &tb.columns[j]
		r := tb.stats[j].decide(c, tb.around, tb.s)
		r.facts = tb.facts
		r.titleUnit(tb.titleUnit, &tb.stats[j], c.Header)
		over := tb.overrideOf(col)
		r.overrule(c, over)
		tb.readings = append(tb.readings, r)
		name := c.Header
		if name == "" {
			name = "column " + ColumnLetter(col)
		}
		c.Name = SafeName(firstOf(over.Name, name), func(s string) bool { return used[s] })
		used[c.Name] = true
	}
	if err := tb.measure(); err != nil {
		return err
	}
	for i := range tb.t.Columns {
		tb.describe(i)
	}
	tb.place()
	tb.check()
	tb.t.Rows = tb.rows
	tb.t.findWide()
	if slices.Contains(tb.cols, parentColumn) {
		tb.nestedNote(tb.t)
	}
	tb.led.Table, tb.led.Range, tb.led.Rows = tb.t.Title, tb.t.Range, int64(len(tb.r.body))
	return nil
}

// overrideOf is what people say of a column of the sheet.
func (tb *tableBuild) overrideOf(col int) ColumnOverride {
	if tb.r.override == nil || col < 0 {
		return ColumnOverride{}
	}
	return tb.r.override.Columns[ColumnLetter(col)]
}

// describe fills in what a column became.
func (tb *tableBuild) describe(i int) {
	c, r := &tb.t.Columns[i], &tb.readings[i]
	c.Type = Type{Kind: r.kind}
	if r.kind == Decimal {
		c.Type.Width, c.Type.Scale = r.width, r.scale
	}
	c.Unit, c.Decimals, c.Locale = r.unit, r.decimals, r.locale
	if c.Evidence != "" {
		r.evidence = append(r.evidence, c.Evidence)
	}
	c.Evidence = strings.Join(r.evidence, "; ")
	if r.question != "" {
		tb.t.Questions = append(tb.t.Questions, r.question)
	}
}

// width is what the numbers of a column need.
type width struct {
	scale, ints int
	big, float  bool
}

// measure reads every cell once with the readings chosen: it sizes decimals and
// lists what does not fit.
func (tb *tableBuild) measure() error {
	widths := make([]width, len(tb.cols))
	for k, i := range tb.r.body {
		if k&0xfff == 0 && tb.ctx.Err() != nil {
			return tb.ctx.Err()
		}
		for j := range tb.cols {
			if c := tb.cellAt(k, j); c != nil {
				tb.measureCell(i, j, c, &widths[j])
			}
		}
	}
	for j := range tb.readings {
		if r := &tb.readings[j]; r.kind == Decimal {
			r.size(widths[j], &tb.stats[j])
		}
	}
	return nil
}

func (tb *tableBuild) measureCell(row, j int, c *cell, w *width) {
	r := &tb.readings[j]
	how := gotValue
	if r.kind == Decimal {
		var d dec
		if d, _, how = r.decimalOf(tb.s, c); how == gotValue {
			w.add(d)
		}
	} else if r.kind != Text || c.kind == kindError || c.kind == kindFormula {
		_, how = r.value(tb.s, c)
	}
	if how == gotRejected {
		tb.reject(row, j, c)
	}
}

func (w *width) add(d dec) {
	if d.scale == math.MaxInt32 {
		w.float = true
		return
	}
	w.scale = max(w.scale, d.scale)
	w.ints = max(w.ints, d.intDigits())
	w.big = w.big || d.big != ""
}

// size chooses INT, DECIMAL or FLOAT for a column of numbers.
func (r *reading) size(w width, st *columnStats) {
	r.scale = w.scale
	switch {
	case w.float || st.sci > 0 && w.scale+w.ints > 15 || w.scale > 9 && st.numbers > 0 || w.scale+w.ints > 38:
		r.kind = Float
	case w.scale == 0 && w.ints <= 18 && !w.big:
		r.kind = Int
	default:
		r.width = min(38, w.ints+w.scale)
	}
	r.decimals = w.scale
	if st.formatDecimals >= 0 && st.numTexts == 0 {
		r.decimals = st.formatDecimals
	} else if w.float || w.scale > 9 {
		r.decimals = max(st.formatDecimals, 2)
	}
}

// reject lists a cell that is NULL in its column.
func (tb *tableBuild) reject(row, j int, c *cell) {
	tb.led.RejectedCells++
	tb.t.Columns[j].Rejected++
	if len(tb.led.Rejected) >= maxRejectedListed {
		return
	}
	text, ok := cellText(tb.s, c)
	reason := "no " + kindWords[tb.readings[j].kind]
	switch {
	case c.kind == kindError:
		text, reason = tb.s.grid.text(c), "an error of the sheet"
	case c.kind == kindFormula:
		reason = "a formula without a stored value"
	case !ok:
		text = "?"
	}
	tb.led.Rejected = append(tb.led.Rejected, RejectedCell{
		Cell: tb.cellName(row, max(tb.cols[j], tb.r.col1)), Column: tb.t.Columns[j].Name, Text: strings.Clone(text), Reason: reason})
}

// cellName is the address of a cell on the sheet.
func (tb *tableBuild) cellName(row, col int) string {
	num := int(tb.s.grid.rows[row].num)
	if tb.r.fields != nil {
		return CellName(num-1, tb.r.fields[col])
	}
	return CellName(col, num)
}

var kindWords = map[Kind]string{Bool: "truth value", Int: "number", Decimal: "number", Float: "number", Date: "date", Time: "time", Timestamp: "date and time", Text: "text"}

// rows yields the rows of the table.
func (tb *tableBuild) rows(yield func(int, []Value) bool) {
	vals := make([]Value, len(tb.cols))
	for k, i := range tb.r.body {
		for j := range tb.cols {
			if tb.cols[j] == noteColumn {
				note := tb.noteOf(k)
				vals[j] = Value{Str: note, Null: note == ""}
				continue
			}
			vals[j], _ = tb.readings[j].value(tb.s, tb.cellAt(k, j))
		}
		if !yield(int(tb.s.grid.rows[i].num), vals) {
			return
		}
	}
}

// account lists the rows that are no rows of a table.
func (b *builder) account() {
	led := b.ledger
	next := 1
	skip := func(first, last int, reason, text string) {
		if n := len(led.Skipped); n > 0 && led.Skipped[n-1].Reason == reason && led.Skipped[n-1].Last == first-1 && text == "" {
			led.Skipped[n-1].Last = last
			return
		}
		led.Skipped = append(led.Skipped, Skip{First: first, Last: last, Reason: reason, Text: text})
	}
	for i, row := range b.s.grid.rows {
		num := int(row.num)
		if num > next {
			skip(next, num-1, "blank", "")
		}
		next = num + 1
		if role := b.l.roles[i]; role == roleBody {
			led.Kept++
		} else {
			skip(num, num, roleNames[role], shorten(b.l.rowText(b.l.whole(), i), 200))
		}
	}
}

func shorten(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return strings.Clone(s)
}

// plural prints a number and what there is of it.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return groupDigits(int64(n)) + " " + many
}
