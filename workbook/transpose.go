package workbook

// The largest region that is looked at for fields down the side.
const (
	maxFields  = 300
	maxRecords = 300
)

// transposed returns a layout in which fields that stand down the side of a
// region are columns, when its rows are of one kind each and its columns are
// not. Rows of the new grid are numbered as the columns of the sheet.
func (l *layout) transposed(r *region) (*layout, bool) {
	rows := append(append([]int(nil), r.headers...), r.body...)
	if len(r.headers) > 1 || len(r.sections)+len(r.totals) > 0 || r.override != nil || r.declared ||
		len(r.body) < 3 || len(rows) > maxFields || r.col2-r.col1 < 2 || r.col2-r.col1 > maxRecords || !l.fieldsAside(r) {
		return nil, false
	}
	s := *l.s
	s.merges, s.hiddenRows, s.hiddenCols, s.incidents = nil, nil, nil, nil
	s.grid = &grid{arena: l.s.grid.arena}
	for col := r.col1; col <= r.col2; col++ {
		s.grid.startRow(col + 1)
		for j, i := range rows {
			if c := cellIn(l.s.grid.rowCells(i), col); c != nil {
				moved := *c
				moved.col = uint16(j)
				s.grid.put(moved)
			}
		}
		s.grid.endRow()
	}
	if len(s.grid.rows) != r.col2-r.col1+1 {
		return nil, false
	}
	t := region{title: r.title, name: r.name, col2: len(rows) - 1, headers: []int{0}, notes: r.notes}
	for _, i := range rows {
		t.fields = append(t.fields, int(l.s.grid.rows[i].num))
	}
	for i := 1; i < len(s.grid.rows); i++ {
		t.body = append(t.body, i)
	}
	return &layout{s: &s, roles: make([]rowRole, len(s.grid.rows)), regions: []region{t}, nums: map[block]bool{}}, true
}

// fieldsAside reports whether the first column names fields: texts that differ,
// behind which every row is of one kind, of several kinds in all, while the
// columns mix them. Columns that are years or months are a table of figures.
func (l *layout) fieldsAside(r *region) bool {
	for _, h := range r.headers {
		for _, c := range l.cells(block{0, len(l.s.grid.rows), r.col1 + 1, r.col2}, h) {
			if _, dim := dimensionOf(headerText(l.s, &c)); dim || l.classify(&c) != clsText {
				return false
			}
		}
	}
	labels, kinds, texts := map[string]bool{}, map[string]bool{}, map[string]int{}
	for _, i := range r.body {
		cs := l.s.grid.rowCells(i)
		label := cellIn(cs, r.col1)
		if label == nil || label.kind != kindText || l.classify(label) != clsText {
			return false
		}
		labels[l.s.grid.text(label)] = true
		kind, ok := l.fieldKind(cs, r, texts, i)
		if !ok {
			return false
		}
		kinds[kind] = true
	}
	return len(labels) == len(r.body) && kinds["text"] && len(kinds) >= 3
}

// fieldKind is the kind of value that a row holds; false when it holds several,
// too few, or texts that other rows hold as well.
func (l *layout) fieldKind(cs []cell, r *region, texts map[string]int, row int) (string, bool) {
	counts := map[string]int{}
	n := 0
	for col := r.col1 + 1; col <= r.col2; col++ {
		c := cellIn(cs, col)
		if c == nil || l.classify(c) == clsNull {
			continue
		}
		n++
		kind := l.valueKind(c)
		counts[kind]++
		if kind == "text" {
			t := l.s.grid.text(c)
			if before, ok := texts[t]; ok && before != row {
				return "", false
			}
			texts[t] = row
		}
	}
	for kind, k := range counts {
		if k >= n-n/3 && n*2 > r.col2-r.col1 {
			return kind, true
		}
	}
	return "", false
}

// valueKind tells texts, years, dates, percents, money and other numbers apart.
func (l *layout) valueKind(c *cell) string {
	switch l.classify(c) {
	case clsText:
		return "text"
	case clsYear:
		return "year"
	}
	if c.kind == kindText {
		n, ok := parseNumText(trimText(l.s.grid.text(c)))
		switch {
		case !ok:
			return "date"
		case n.percent:
			return "percent"
		}
		return "number " + n.code
	}
	f := l.s.formats[c.style]
	switch f.class {
	case classPercent:
		return "percent"
	case classDate, classDateTime:
		return "date"
	}
	return "number " + f.code
}
