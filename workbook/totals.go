package workbook

import (
	"math"
	"math/big"
	"strings"
)

// settleTotals decides which rows with the label of a total are totals. One
// that adds up is; one that does not is still a total when it says nothing but
// "Total" and stands at an end of the table; any other goes back to the rows,
// as "Total assets" may be an item like others. It reports whether rows went
// back.
func (tb *tableBuild) settleTotals() bool {
	keep := tb.r.totals[:0:0]
	var back []int
	for _, i := range tb.r.totals {
		if tb.r.declared || tb.isTotal(i) {
			keep = append(keep, i)
		} else {
			back = append(back, i)
		}
	}
	tb.r.totals = keep
	for _, i := range back {
		tb.l.roles[i] = roleBody
	}
	tb.r.body = mergeSorted(tb.r.body, back)
	return len(back) > 0
}

func mergeSorted(a, b []int) []int {
	if len(b) == 0 {
		return a
	}
	out := make([]int, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0] < b[0] {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// isTotal weighs a row with the label of a total.
func (tb *tableBuild) isTotal(i int) bool {
	label := tb.l.firstText(tb.block(), i)
	_, plain := totalLabel(label)
	agree, tried := 0, 0
	for col := tb.r.col1; col <= tb.r.col2; col++ {
		printed, ok := tb.rawNumber(i, col)
		if !ok || printed.mant == 0 {
			continue
		}
		tried++
		if _, ok := tb.covers(i, col, printed); ok {
			agree++
		}
	}
	last := len(tb.r.body) > 0 && i > tb.r.body[len(tb.r.body)-1]
	sums := tb.l.allSums(tb.block(), i)
	return agree > 0 && agree*3 >= tried || sums || plain && last && len(tb.r.body) > 0
}

func (tb *tableBuild) block() block {
	return block{0, len(tb.s.grid.rows), tb.r.col1, tb.r.col2}
}

// rawNumber reads a number before the column is decided.
func (tb *tableBuild) rawNumber(i, col int) (dec, bool) {
	c := cellIn(tb.s.grid.rowCells(i), col)
	if c == nil || c.kind != kindNumber && c.kind != kindText {
		return dec{}, false
	}
	r := reading{comma: tb.around.commaStyles() > tb.around.pointStyles()}
	d, _, how := r.decimalOf(tb.s, c)
	return d, how == gotValue && d.scale != math.MaxInt32
}

// covers finds the rows that a total adds up: all of the table, those since the
// total or heading before it, or those from it to the next.
func (tb *tableBuild) covers(i, col int, printed dec) ([]int, bool) {
	for _, rows := range [][]int{tb.r.body, tb.before(i), tb.behind(i)} {
		if len(rows) == 0 {
			continue
		}
		sum, scale, n := new(big.Int), printed.scale, 0
		for _, k := range rows {
			if d, ok := tb.rawNumber(k, col); ok {
				for ; scale < d.scale; scale++ {
					sum.Mul(sum, big.NewInt(10))
				}
				sum.Add(sum, d.bigInt(scale))
				n++
			}
		}
		if n > 0 && within(sum, printed.bigInt(scale), scale, printed.scale, n) {
			return rows, true
		}
	}
	return nil, false
}

// within allows for rounding where the printed figure has fewer decimals than
// its parts, or decimals at all.
func within(sum, printed *big.Int, scale, shown, n int) bool {
	diff := new(big.Int).Sub(sum, printed)
	if diff.Sign() == 0 {
		return true
	}
	if scale == 0 {
		return false
	}
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale-shown)), nil)
	limit := unit.Mul(unit, big.NewInt(int64(n+1)/2))
	return diff.CmpAbs(limit) <= 0 && new(big.Int).Mul(limit, big.NewInt(20)).CmpAbs(printed) < 0
}

// before are the rows between a total and the total or heading before it.
func (tb *tableBuild) before(i int) []int {
	start := -1
	for _, t := range tb.r.totals {
		if t < i {
			start = max(start, t)
		}
	}
	for _, t := range tb.r.sections {
		if t < i {
			start = max(start, t)
		}
	}
	return between(tb.r.body, start, i)
}

// behind are the rows between a total and the next total or heading.
func (tb *tableBuild) behind(i int) []int {
	end := math.MaxInt
	for _, t := range tb.r.totals {
		if t > i {
			end = min(end, t)
		}
	}
	for _, t := range tb.r.sections {
		if t > i {
			end = min(end, t)
		}
	}
	return between(tb.r.body, i, end)
}

func between(rows []int, after, before int) []int {
	lo := 0
	for lo < len(rows) && rows[lo] <= after {
		lo++
	}
	hi := lo
	for hi < len(rows) && rows[hi] < before {
		hi++
	}
	return rows[lo:hi]
}

// check holds printed totals against the sums of their columns.
func (tb *tableBuild) check() {
	for _, i := range tb.r.totals {
		cs := tb.s.grid.rowCells(i)
		label := strings.Clone(tb.l.firstText(tb.block(), i))
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
			rows, ok := tb.covers(i, col, printed)
			if !ok && notAdditive(r.unit) {
				continue
			}
			if !ok {
				rows = tb.r.body
				if len(tb.r.totals) > 1 {
					rows = tb.before(i)
				}
			}
			sum := tb.sum(rows, j)
			tb.t.Checks = append(tb.t.Checks, Check{Row: int(tb.s.grid.rows[i].num), Label: label, Column: tb.t.Columns[j].Name,
				Cell: CellName(col, int(tb.s.grid.rows[i].num)), Printed: printed.plain(), Computed: sum.plain(), Agrees: ok || sameDec(printed, sum)})
		}
	}
}

// notAdditive reports whether a column's numbers do not add up to anything.
func notAdditive(u Unit) bool { return u.Code == "percent" || len(u.Mixed) > 0 }

// sum adds up rows of a column exactly.
func (tb *tableBuild) sum(rows []int, j int) dec {
	total := new(big.Int)
	r := &tb.readings[j]
	for _, i := range rows {
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
