package bench

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"time"

	"github.com/allrows/allrows/eval"
)

// Right reports whether rows are the gold answer of the case, or one of the
// alternatives that its author allows: as multisets of rows, in order where
// meta.ordered says so. A case without an answer is right without rows, and an
// answer of NULLs is that of no rows.
func (c *Case) Right(rows [][]any) bool {
	if rows == nil {
		return c.AnswerType == Unanswerable
	}
	if c.AnswerType == Unanswerable {
		return false
	}
	got := cellsOf(rows)
	if c.matches(c.Answer, got) {
		return true
	}
	alternatives, _ := c.Meta["alternatives"].([]any)
	return slices.ContainsFunc(alternatives, func(alt any) bool {
		list, ok := alt.([]any)
		return ok && c.matches(list, got)
	})
}

func (c *Case) matches(gold []any, got [][]cell) bool {
	rows := make([][]any, len(gold))
	for i, g := range gold {
		row, ok := g.([]any)
		if !ok {
			row = []any{g}
		}
		rows[i] = row
	}
	want := cellsOf(rows)
	if len(got) == 0 {
		return !slices.ContainsFunc(want, func(r []cell) bool {
			return slices.ContainsFunc(r, func(x cell) bool { return !x.null })
		})
	}
	if total, cut := c.truncatedTo(); cut {
		if len(got) != total {
			return false
		}
		return covers(want, got)
	}
	if ordered, _ := c.Meta["ordered"].(bool); ordered {
		return slices.EqualFunc(want, got, sameRow)
	}
	return eval.SameMultiset(want, got, sameRow)
}

// truncatedTo is how many rows a gold answer had before the set's author cut it.
func (c *Case) truncatedTo() (int, bool) {
	cut, _ := c.Meta["answer_truncated"].(bool)
	n, ok := c.Meta["n_rows"].(json.Number)
	if !cut || !ok {
		return 0, false
	}
	total, err := n.Int64()
	return int(total), err == nil
}

// covers reports whether every wanted row is there, as often as it is wanted.
func covers(want, got [][]cell) bool {
	rest := slices.Clone(got)
	for _, w := range want {
		i := slices.IndexFunc(rest, func(g []cell) bool { return sameRow(w, g) })
		if i < 0 {
			return false
		}
		rest = slices.Delete(rest, i, i+1)
	}
	return true
}

// cell is a value read once in every way in which it may be compared.
type cell struct {
	null   bool
	folded string
	number *eval.Number
	dates  []time.Time
	truth  string // "true", "false" or neither
}

func cellsOf(rows [][]any) [][]cell {
	all := make([][]cell, len(rows))
	for i, r := range rows {
		all[i] = make([]cell, len(r))
		for j, v := range r {
			all[i][j] = cellOf(v)
		}
	}
	return all
}

func cellOf(v any) cell {
	if v == nil {
		return cell{null: true}
	}
	text := eval.Text(v)
	c := cell{folded: eval.Fold(text)}
	if n, ok := eval.ParseNumber(text); ok {
		c.number = &n
		return c
	}
	c.dates = eval.Dates(text)
	if yes, ok := eval.Truth(text); ok {
		c.truth = fmt.Sprint(yes)
	}
	return c
}

func sameRow(want, got []cell) bool { return slices.EqualFunc(want, got, same) }

func same(want, got cell) bool {
	if want.null || got.null {
		return want.null == got.null
	}
	if want.number != nil && got.number != nil {
		return sameNumber(*want.number, got.number.Rat)
	}
	if want.folded == got.folded || want.truth != "" && want.truth == got.truth {
		return true
	}
	return slices.ContainsFunc(want.dates, func(a time.Time) bool {
		return slices.ContainsFunc(got.dates, a.Equal)
	})
}

// sameNumber rounds to the decimals that the gold shows; a gold that shows none
// wants the figure within a millionth of itself.
func sameNumber(want eval.Number, got *big.Rat) bool {
	diff := new(big.Rat).Sub(want.Rat, got)
	diff.Abs(diff)
	limit := new(big.Rat).Abs(want.Rat)
	limit.Mul(limit, big.NewRat(1, 1_000_000))
	if diff.Cmp(limit) <= 0 {
		return true
	}
	if want.Decimals == 0 {
		return false
	}
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(want.Decimals)), nil)
	half := new(big.Rat).SetFrac(big.NewInt(1), unit.Mul(unit, big.NewInt(2)))
	return diff.Cmp(half) <= 0
}
