package workbook

import (
	"context"
	"fmt"
	"math"
	"math/big"
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
	r        *region
	t        *Table
	cols     []int // columns of the sheet
	stats    []columnStats
	readings []reading
	led      TableLedger
}

// buildSheet reads the tables of one sheet and accounts for its rows.
func buildSheet(ctx context.Context, s *sheet) ([]*Table, SheetLedger, error) {
	b := &builder{ctx: ctx, s: s, ledger: &SheetLedger{Name: s.name, Hidden: s.hidden, Rows: int64(s.grid.last), Incidents: s.incidents}}
	b.l = findLayout(s)
	var builds []*tableBuild
	around := &columnStats{}
	for i := range b.l.regions {
		tb := &tableBuild{builder: b, r: &b.l.regions[i]}
		if err := tb.collect(); err != nil {
			return nil, *b.ledger, err
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
		if err := tb.finish(around); err != nil {
			return nil, *b.ledger, err
		}
		b.tables = append(b.tables, tb.t)
		b.ledger.Tables = append(b.ledger.Tables, tb.led)
	}
	b.account()
	return b.tables, *b.ledger, nil
}

// collect counts the cells of every column.
func (tb *tableBuild) collect() error {
	n := tb.r.col2 - tb.r.col1 + 1
	all := make([]columnStats, n)
	for i := range all {
		all[i].formatDecimals = -1
	}
	for k, i := range tb.r.body {
		if k&0xfff == 0 && tb.ctx.Err() != nil {
			return tb.ctx.Err()
		}
		cs := tb.s.grid.rowCells(i)
		for j := range cs {
			if col := int(cs[j].col) - tb.r.col1; col >= 0 && col < n {
				all[col].add(tb.s, &cs[j])
			}
		}
	}
	for i := range all {
		if all[i].cells > 0 || tb.headerText(tb.r.col1+i) != "" {
			tb.cols = append(tb.cols, tb.r.col1+i)
			tb.stats = append(tb.stats, all[i])
		}
	}
	return nil
}

func (tb *tableBuild) headerText(col int) string {
	return strings.Join(tb.path(col), " / ")
}

// path is the header path of a column.
func (tb *tableBuild) path(col int) []string {
	var path []string
	for _, h := range tb.r.headers {
		c := cellIn(tb.s.grid.rowCells(h), col)
		if c == nil {
			continue
		}
		if t, ok := cellText(tb.s, c); ok && t != "" {
			t = strings.Join(strings.Fields(t), " ")
			path = append(path, strings.TrimSuffix(t, ".0"))
		}
	}
	return path
}

// finish decides the columns, measures them and makes the table.
func (tb *tableBuild) finish(around *columnStats) error {
	tb.t = &Table{Title: tb.r.title, Sheet: tb.s.name, Notes: tb.r.notes}
	used := map[string]bool{"_row": true}
	for i, col := range tb.cols {
		header := tb.headerText(col)
		r := tb.stats[i].decide(header, around, tb.s)
		tb.readings = append(tb.readings, r)
		name := header
		if name == "" {
			name = "column " + ColumnLetter(col)
		}
		c := Column{Header: header, Letter: ColumnLetter(col), Name: SafeName(name, func(s string) bool { return used[s] })}
		used[c.Name] = true
		if len(tb.r.headers) > 1 {
			c.Path = tb.path(col)
		}
		if tb.s.text {
			c.Letter = ""
		}
		tb.t.Columns = append(tb.t.Columns, c)
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
	tb.led.Table, tb.led.Range, tb.led.Rows = tb.t.Title, tb.t.Range, int64(len(tb.r.body))
	return nil
}

// describe fills in what a column became.
func (tb *tableBuild) describe(i int) {
	c, r := &tb.t.Columns[i], &tb.readings[i]
	c.Type = Type{Kind: r.kind}
	if r.kind == Decimal {
		c.Type.Width, c.Type.Scale = r.width, r.scale
	}
	c.Unit, c.Decimals, c.Locale = r.unit, r.decimals, r.locale
	c.Evidence = strings.Join(r.evidence, "; ")
	if r.question != "" {
		tb.t.Questions = append(tb.t.Questions, r.question)
	}
}

// place sets the range and the header rows.
func (tb *tableBuild) place() {
	g := tb.s.grid
	first, last := 0, 0
	for _, h := range tb.r.headers {
		tb.t.HeaderRows = append(tb.t.HeaderRows, int(g.rows[h].num))
	}
	if len(tb.t.HeaderRows) > 0 {
		first, last = tb.t.HeaderRows[0], tb.t.HeaderRows[len(tb.t.HeaderRows)-1]
	}
	if n := len(tb.r.body); n > 0 {
		last = int(g.rows[tb.r.body[n-1]].num)
		if first == 0 {
			first = int(g.rows[tb.r.body[0]].num)
		}
	}
	if first > 0 {
		tb.t.Range = RangeName(tb.cols[0], first, tb.cols[len(tb.cols)-1], last)
	}
}

// width is what the numbers of a column need.
type width struct {
	scale, ints, shown int
	big, float         bool
}

// measure reads every cell once with the readings chosen: it sizes decimals and
// lists what does not fit.
func (tb *tableBuild) measure() error {
	widths := make([]width, len(tb.cols))
	for k, i := range tb.r.body {
		if k&0xfff == 0 && tb.ctx.Err() != nil {
			return tb.ctx.Err()
		}
		cs := tb.s.grid.rowCells(i)
		for j, col := range tb.cols {
			if c := cellIn(cs, col); c != nil {
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
		Cell: CellName(tb.cols[j], int(tb.s.grid.rows[row].num)), Column: tb.t.Columns[j].Name, Text: strings.Clone(text), Reason: reason})
}

var kindWords = map[Kind]string{Bool: "truth value", Int: "number", Decimal: "number", Float: "number", Date: "date", Time: "time", Timestamp: "date and time", Text: "text"}

// rows yields the rows of the table.
func (tb *tableBuild) rows(yield func(int, []Value) bool) {
	vals := make([]Value, len(tb.cols))
	for _, i := range tb.r.body {
		cs := tb.s.grid.rowCells(i)
		for j, col := range tb.cols {
			vals[j], _ = tb.readings[j].value(tb.s, cellIn(cs, col))
		}
		if !yield(int(tb.s.grid.rows[i].num), vals) {
			return
		}
	}
}

// check holds printed totals against the sums of their columns.
func (tb *tableBuild) check() {
	for _, i := range tb.r.totals {
		cs := tb.s.grid.rowCells(i)
		label := tb.l.firstText(i)
		for j, col := range tb.cols {
			r := &tb.readings[j]
			c := cellIn(cs, col)
			if c == nil || (r.kind != Int && r.kind != Decimal) {
				continue
			}
			printed, _, how := r.decimalOf(tb.s, c)
			if how != gotValue || printed.scale == math.MaxInt32 {
				continue
			}
			sum := tb.sum(j)
			tb.t.Checks = append(tb.t.Checks, Check{Row: int(tb.s.grid.rows[i].num), Label: label, Column: tb.t.Columns[j].Name,
				Cell: CellName(col, int(tb.s.grid.rows[i].num)), Printed: printed.plain(), Computed: sum.plain(), Agrees: sameDec(printed, sum)})
		}
	}
}

// sum adds up a column exactly.
func (tb *tableBuild) sum(j int) dec {
	total := new(big.Int)
	r := &tb.readings[j]
	for _, i := range tb.r.body {
		c := cellIn(tb.s.grid.rowCells(i), tb.cols[j])
		if c == nil {
			continue
		}
		if d, _, how := r.decimalOf(tb.s, c); how == gotValue && d.scale != math.MaxInt32 {
			total.Add(total, d.bigInt(r.scale))
		}
	}
	return dec{big: total.String(), scale: r.scale}
}

// bigInt is the unscaled integer at a scale that is no smaller than its own.
func (d dec) bigInt(scale int) *big.Int {
	n := big.NewInt(d.mant)
	if d.big != "" {
		n.SetString(d.big, 10)
	}
	for i := d.scale; i < scale; i++ {
		n.Mul(n, big.NewInt(10))
	}
	return n
}

func sameDec(a, b dec) bool {
	scale := max(a.scale, b.scale)
	return a.bigInt(scale).Cmp(b.bigInt(scale)) == 0
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
			skip(num, num, roleNames[role], shorten(b.l.rowText(i), 200))
		}
	}
}

func shorten(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return strings.Clone(s)
}

// count prints a number and its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
