package plan

import (
	"math/big"
	"strings"

	"github.com/allrows/allrows/schema"
)

// Uses is what a plan names: to be held against what a question names.
type Uses struct {
	Text    map[string]bool // text literals, in lower case
	Columns map[schema.ColumnRef]bool
	Bound   bool // a condition on cells stands anywhere in the plan
	Dates   bool // a condition on dates does
	numbers []*big.Rat
}

// Uses collects the literals, limits and columns of the plan and of the plans
// inside it.
func (p *Plan) Uses() *Uses {
	u := &Uses{Text: map[string]bool{}, Columns: map[schema.ColumnRef]bool{}}
	u.plan(p)
	return u
}

// Number reports whether the plan names the number: as a literal, a limit, or
// as part of a date.
func (u *Uses) Number(digits string) bool {
	r, ok := new(big.Rat).SetString(digits)
	if !ok {
		return false
	}
	for _, n := range u.numbers {
		if n.Cmp(r) == 0 {
			return true
		}
	}
	return u.Dates
}

func (u *Uses) plan(p *Plan) {
	if p == nil {
		return
	}
	u.number(int64(p.Limit))
	u.number(int64(p.Offset + p.Limit))
	p.exprs(func(e *Expr, _ place) { u.expr(e) })
	p.subplans(u.plan)
}

func (u *Uses) number(n int64) { u.numbers = append(u.numbers, new(big.Rat).SetInt64(n)) }

func (u *Uses) expr(e *Expr) {
	e.walk(func(x *Expr) bool {
		switch {
		case x.Column != nil:
			u.Columns[*x.Column] = true
		case x.Literal != nil:
			u.literal(x.Literal)
		}
		return true
	})
}

func (u *Uses) literal(l *Literal) {
	switch l.Type {
	case "number":
		if r, ok := new(big.Rat).SetString(l.Text); ok {
			u.numbers = append(u.numbers, r)
			return
		}
	case "date", "timestamp":
		u.Dates = true
		return
	}
	u.Text[strings.ToLower(l.Text)] = true
	u.Bound = true
	if r, ok := new(big.Rat).SetString(l.Text); ok {
		u.numbers = append(u.numbers, r)
	}
}
