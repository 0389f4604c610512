package workbook

import "slices"

// place sets the range and the header rows.
func (tb *tableBuild) place() {
	g := tb.s.grid
	if f := tb.r.fields; f != nil {
		tb.t.Turned = true
		tb.t.Range = RangeName(int(g.rows[0].num)-1, f[0], int(g.rows[len(g.rows)-1].num)-1, f[len(f)-1])
		return
	}
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
		tb.nameBy(first, last)
		tb.t.Range = RangeName(max(tb.cols[0], tb.r.col1), first, max(slices.Max(tb.cols), tb.r.col1), last)
	}
}

// nameBy takes the name that the workbook gives to the range of the table, with
// or without its header.
func (tb *tableBuild) nameBy(first, last int) {
	for _, n := range tb.s.names {
		if n.rect.Col1 == tb.r.col1 && n.rect.Col2 == tb.r.col2 && n.rect.Row2 == last && n.rect.Row1 >= first && n.rect.Row1 <= first+len(tb.r.headers) {
			tb.t.object = firstOf(tb.t.object, n.name)
		}
	}
}
