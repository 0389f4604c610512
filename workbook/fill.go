package workbook

// sectionColumn is the place of a column that no column of the sheet holds: the
// headings between the rows.
const sectionColumn = -1

// groupColumn is that of the headings above those headings.
const groupColumn = -3

// cellAt returns the cell of the k-th row of the table in its j-th column: the
// cell itself, the label that it continues, or the heading above it.
func (tb *tableBuild) cellAt(k, j int) *cell {
	if f := tb.fills[j]; f != nil {
		if f[k] < 0 {
			return nil
		}
		cs := tb.s.grid.rowCells(int(f[k]))
		if tb.cols[j] < 0 {
			return &cs[tb.firstCell(cs)]
		}
		return cellIn(cs, tb.cols[j])
	}
	return cellIn(tb.s.grid.rowCells(tb.r.body[k]), tb.cols[j])
}

// firstCell is the index of the first cell of a row within the table.
func (tb *tableBuild) firstCell(cs []cell) int {
	for i := range cs {
		if int(cs[i].col) >= tb.r.col1 {
			return i
		}
	}
	return 0
}

// headings tells which of the headings stand above other headings: all but the
// last of those that follow each other without a row between.
func (tb *tableBuild) headings() (upper, lower []int) {
	rows := tb.r.sections
	for k, i := range rows {
		if k+1 < len(rows) && len(between(tb.r.body, i, rows[k+1])) == 0 {
			upper = append(upper, i)
		} else {
			lower = append(lower, i)
		}
	}
	return upper, lower
}

// headingFill returns for each row of the table the last of the headings above
// it.
func (tb *tableBuild) headingFill(headings []int) []int32 {
	out := make([]int32, len(tb.r.body))
	next, current := 0, int32(-1)
	for k, i := range tb.r.body {
		for next < len(headings) && headings[next] < i {
			current = int32(headings[next])
			next++
		}
		out[k] = current
	}
	return out
}

// mergedFill returns where the texts of cells merged downwards reach, nil when
// the column has none.
func (tb *tableBuild) mergedFill(col int) []int32 {
	var out []int32
	for _, m := range tb.s.merges {
		if m.Row2 <= m.Row1 || col != m.Col1 {
			continue
		}
		i := tb.s.grid.find(m.Row1)
		if i >= len(tb.s.grid.rows) || int(tb.s.grid.rows[i].num) != m.Row1 {
			continue
		}
		if c := cellIn(tb.s.grid.rowCells(i), col); c == nil || c.kind != kindText {
			continue
		}
		for k, row := range tb.r.body {
			if num := int(tb.s.grid.rows[row].num); num > m.Row1 && num <= m.Row2 {
				if out == nil {
					out = tb.identity()
				}
				out[k] = int32(i)
			}
		}
	}
	return out
}

func (tb *tableBuild) identity() []int32 {
	out := make([]int32, len(tb.r.body))
	for k, i := range tb.r.body {
		out[k] = int32(i)
	}
	return out
}

// blankFill continues the labels of the first column into the blanks below
// them, when the column right of it is filled and its values begin again under
// every label.
func (tb *tableBuild) blankFill(j int) []int32 {
	if j > 1 || j+1 >= len(tb.cols) || len(tb.r.body) < 4 || len(tb.r.body) > maxSample {
		return nil
	}
	blanks, groups := 0, 0
	seen := map[string]int{}
	for k := range tb.r.body {
		label, next := tb.cellAt(k, j), tb.cellAt(k, j+1)
		if next == nil || next.kind != kindText && tb.classifyAt(next) != clsYear || k == 0 && label == nil || label != nil && label.kind != kindText {
			return nil
		}
		if label == nil {
			blanks++
		} else {
			groups++
		}
		t, _ := cellText(tb.s, next)
		seen[t]++
	}
	if blanks*3 < len(tb.r.body) || groups < 2 || len(seen)*3 > len(tb.r.body)*2 {
		return nil
	}
	out := tb.identity()
	last := int32(-1)
	for k, i := range tb.r.body {
		if cellIn(tb.s.grid.rowCells(i), tb.cols[j]) != nil {
			last = int32(i)
		}
		out[k] = last
	}
	return out
}

func (tb *tableBuild) classifyAt(c *cell) class { return tb.l.classify(c) }

// prepareFills finds the columns whose cells stand for more than their own row.
func (tb *tableBuild) prepareFills() {
	tb.fills = make([][]int32, len(tb.cols))
	for j, col := range tb.cols {
		switch {
		case col == sectionColumn:
			_, lower := tb.headings()
			tb.fills[j] = tb.headingFill(lower)
		case col == groupColumn:
			upper, _ := tb.headings()
			tb.fills[j] = tb.headingFill(upper)
		case col == parentColumn:
			tb.fills[j] = tb.parents()
		case len(tb.s.merges) > 0 && len(tb.s.merges) < 50_000:
			tb.fills[j] = tb.mergedFill(col)
		}
	}
	for j, col := range tb.cols {
		if col >= 0 && tb.fills[j] == nil {
			if tb.fills[j] = tb.blankFill(j); tb.fills[j] == nil {
				return
			}
		}
	}
}
