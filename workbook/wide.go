package workbook

import (
	"slices"
	"strconv"
	"strings"
)

// Wide says that columns of a table are values of one dimension: a column a
// year, a month, a quarter. [Table.Long] offers the same rows in the long shape.
type Wide struct {
	Dimension string       `json:"dimension"` // year, month, quarter
	Values    []string     `json:"values"`    // as the headers say, in their order
	Measures  []WideColumn `json:"measures"`  // one for each figure that is given along the dimension
}

// WideColumn is one figure along the dimension.
type WideColumn struct {
	Header  string   `json:"header,omitempty"` // what the columns share; "" where the table has one figure only
	Columns []string `json:"columns"`          // one SQL name a value, "" where the table has none
}

// dimensionOf tells what a header is a value of.
func dimensionOf(header string) (dimension string, ok bool) {
	h := strings.ToLower(strings.Trim(header, " .()"))
	switch {
	case len(h) == 4 && classifyText(h) == clsYear, len(h) == 7 && classifyText(h[:4]) == clsYear && (h[4] == '/' || h[4] == '-'):
		return "year", true
	case strings.HasPrefix(h, "fy") && len(h) <= 7 && strings.Trim(h[2:], " 0123456789/") == "" && len(h) > 3:
		return "year", true
	case len(h) >= 2 && (h[0] == 'q' || h[0] == 't') && h[1] >= '1' && h[1] <= '4' && (len(h) == 2 || h[2] == ' ' || h[2] == '/' || h[2] == '-'):
		return "quarter", true
	}
	if _, month := folded(monthByName, h); month {
		return "month", true
	}
	if d, isDate := parseDateText(h); isDate && d.partial {
		return "month", true
	}
	return "", false
}

// findWide looks for columns that are values of one dimension.
func (t *Table) findWide() {
	counts := map[string]int{}
	for i := range t.Columns {
		if dim, _, _, ok := t.Columns[i].alongDimension(); ok {
			counts[dim]++
		}
	}
	for _, dim := range []string{"year", "quarter", "month"} {
		if counts[dim] >= 3 {
			t.Wide = t.wideOf(dim)
			return
		}
	}
}

// alongDimension splits the header of a column of figures into what it measures
// and the value of a dimension that ends it.
func (c *Column) alongDimension() (dimension, value, measure string, ok bool) {
	if !c.Type.Numeric() {
		return "", "", "", false
	}
	leaf, rest := c.Header, ""
	if n := len(c.Path); n > 0 {
		leaf, rest = c.Path[n-1], strings.Join(c.Path[:n-1], " / ")
	}
	if i := strings.LastIndex(leaf, " ("); i > 0 {
		leaf = leaf[:i]
	}
	if dimension, ok = dimensionOf(leaf); !ok && len(c.Path) > 1 {
		leaf, rest = c.Path[0], strings.Join(c.Path[1:], " / ")
		dimension, ok = dimensionOf(leaf)
	}
	return dimension, leaf, rest, ok
}

func (t *Table) wideOf(dim string) *Wide {
	w := &Wide{Dimension: dim}
	for i := range t.Columns {
		if d, value, _, ok := t.Columns[i].alongDimension(); ok && d == dim && !slices.Contains(w.Values, value) {
			w.Values = append(w.Values, value)
		}
	}
	for i := range t.Columns {
		d, value, measure, ok := t.Columns[i].alongDimension()
		if !ok || d != dim {
			continue
		}
		m := slices.IndexFunc(w.Measures, func(c WideColumn) bool { return c.Header == measure })
		if m < 0 {
			m = len(w.Measures)
			w.Measures = append(w.Measures, WideColumn{Header: measure, Columns: make([]string, len(w.Values))})
		}
		if at := slices.Index(w.Values, value); w.Measures[m].Columns[at] == "" {
			w.Measures[m].Columns[at] = t.Columns[i].Name
		}
	}
	return w
}

// longColumn is a column of the long shape and where its values come from.
type longColumn struct {
	from []int // a column of the wide table for each value of the dimension
	col  Column
}

// Long returns the table in the long shape: one row for each row and value of
// the dimension, with a column for the dimension and one for each figure. It
// reports false where the table has no such dimension.
func (t *Table) Long() (*Table, bool) {
	if t.Wide == nil || t.Rows == nil {
		return nil, false
	}
	index := map[string]int{}
	for i, c := range t.Columns {
		index[c.Name] = i
	}
	wide := map[string]bool{}
	var figures []longColumn
	for _, m := range t.Wide.Measures {
		figures = append(figures, t.longFigure(m, index, wide))
	}
	long := &Table{Name: t.Name + "_long", Title: t.Title, Sheet: t.Sheet, Range: t.Range, HeaderRows: t.HeaderRows, Notes: t.Notes}
	var keep []int
	used := map[string]bool{"_row": true}
	taken := func(s string) bool { return used[s] }
	for i, c := range t.Columns {
		if !wide[c.Name] {
			keep, long.Columns = append(keep, i), append(long.Columns, c)
			used[c.Name] = true
		}
	}
	dim := Column{Name: SafeName(t.Wide.Dimension, taken), Header: t.Wide.Dimension, Type: Type{Kind: Text}}
	used[dim.Name] = true
	long.Columns = append(long.Columns, dim)
	for i := range figures {
		figures[i].col.Name = SafeName(firstOf(figures[i].col.Header, "value"), taken)
		used[figures[i].col.Name] = true
		long.Columns = append(long.Columns, figures[i].col)
	}
	long.Rows = t.longRows(keep, figures)
	return long, true
}

// Wider returns the type that holds the numbers of both columns without loss, and
// false where they are no numbers or of types that only an engine knows.
func Wider(a, b Type) (Type, bool) {
	if !a.Numeric() || !b.Numeric() || a.Name != "" || b.Name != "" {
		return Type{}, false
	}
	t := wider(a, b)
	return t, t.Kind != Decimal || t.Width < 38 || max(a.Width, b.Width) == 38
}

// longFigure joins the columns of one figure to one type.
func (t *Table) longFigure(m WideColumn, index map[string]int, wide map[string]bool) longColumn {
	f := longColumn{col: Column{Header: m.Header, Type: Type{Kind: Int}}}
	first := true
	for _, name := range m.Columns {
		i, ok := index[name]
		if !ok || name == "" {
			f.from = append(f.from, -1)
			continue
		}
		wide[name] = true
		f.from = append(f.from, i)
		c := &t.Columns[i]
		f.col.Type = wider(f.col.Type, c.Type)
		f.col.Decimals = max(f.col.Decimals, c.Decimals)
		if first {
			f.col.Unit, first = c.Unit, false
		} else if f.col.Unit.Code != c.Unit.Code {
			f.col.Unit = Unit{Mixed: slices.Sorted(slices.Values([]string{firstOf(f.col.Unit.Code, "number"), firstOf(c.Unit.Code, "number")}))}
		}
	}
	return f
}

// wider is the type that holds the numbers of both.
func wider(a, b Type) Type {
	if a.Kind == Float || b.Kind == Float {
		return Type{Kind: Float}
	}
	if a.Kind == Int && b.Kind == Int {
		return a
	}
	ints := func(t Type) int {
		if t.Kind == Int {
			return 18
		}
		return t.Width - t.Scale
	}
	scale := max(a.Scale, b.Scale)
	return Type{Kind: Decimal, Width: min(38, max(ints(a), ints(b))+scale), Scale: scale}
}

// longRows yields every row once for each value of the dimension.
func (t *Table) longRows(keep []int, figures []longColumn) func(func(int, []Value) bool) {
	return func(yield func(int, []Value) bool) {
		out := make([]Value, len(keep)+1+len(figures))
		for row, vals := range t.Rows {
			for i, k := range keep {
				out[i] = vals[k]
			}
			for v, name := range t.Wide.Values {
				out[len(keep)] = Value{Str: name}
				for i, f := range figures {
					out[len(keep)+1+i] = Value{Null: true}
					if k := f.from[v]; k >= 0 {
						out[len(keep)+1+i] = vals[k].as(t.Columns[k].Type, f.col.Type)
					}
				}
				if !yield(row, out) {
					return
				}
			}
		}
	}
}

// as converts a number to a wider type.
func (v Value) as(from, to Type) Value {
	switch {
	case v.Null || from.Kind == to.Kind && from.Scale == to.Scale:
		return v
	case to.Kind == Float:
		f, err := strconv.ParseFloat(v.Text(from), 64)
		return Value{Float: f, Null: err != nil}
	case v.Str != "":
		return v
	}
	if n, ok := (dec{mant: v.Int, scale: from.Scale}).rescaled(to.Scale); ok {
		return Value{Int: n}
	}
	return Value{Str: v.Text(from)}
}
