package semparse

import (
	"cmp"
	"math/big"
	"slices"
	"strings"

	"github.com/allrows/allrows/agent/link"
	"github.com/allrows/allrows/agent/plan"
)

var comparators = map[string]string{"cmp.gt": ">", "cmp.lt": "<", "cmp.ge": ">=", "cmp.le": "<=", "cmp.eq": "="}

// comparator returns the operator that the words beside a number state.
func (a *asked) comparator(first, last int) (string, mask) {
	op, m, dist := "=", mask{}, 99
	for _, k := range a.opNear("cmp.", first, last) {
		o, ok := comparators[k.Op]
		d := first - k.Last
		if k.First > last {
			if k.Op != "cmp.ge" && k.Op != "cmp.le" && k.Last == k.First {
				continue // "5 more …" compares what follows
			}
			d = k.First - last
		}
		if !ok || d >= dist {
			continue
		}
		op, m, dist = o, spanMask(k.First, k.Last), d
		if k.Last < first && k.First < k.Last && a.lex.Is("op.or", a.q.Tokens[k.First].Norm) {
			// "20 or above" is a bound; before a number, "or above 20" is another condition.
			op, m = strings.TrimSuffix(o, "="), spanMask(k.First+1, k.Last)
		}
	}
	return op, m
}

// numberAtoms turns numbers into conditions on numeric columns, bounds of
// counts, and limits.
func (a *asked) numberAtoms() {
	links := slices.DeleteFunc(slices.Clone(a.q.Links), func(k link.Link) bool { return k.Kind != link.Numeric })
	for i, k := range links {
		op, opSpan := a.comparator(k.First, k.Last)
		value := spanMask(k.First, k.Last)
		vals := []plan.Literal{{Type: "number", Text: k.Number.Digits}}
		last := k.Last
		if i+1 < len(links) && a.between(k, links[i+1]) {
			op, last = "between", links[i+1].Last
			value = value.or(spanMask(links[i+1].First, last))
			vals = append(vals, plan.Literal{Type: "number", Text: links[i+1].Number.Digits})
			for _, b := range a.opNear("cmp.between", k.First, k.Last) {
				opSpan = opSpan.or(spanMask(b.First, b.Last))
			}
		}
		base := atom{op: op, vals: vals, value: value, span: value.or(opSpan), first: k.First, last: last, kind: "number", how: k.How, cmp: !opSpan.empty()}
		bound := base
		bound.col, bound.owned = -1, a.numberColumns(base, k.Number)
		a.counts = append(a.counts, &bound)
		if n, err := parseInt(k.Number.Digits); err == nil && n > 0 && n <= 1000 && opSpan.empty() {
			a.limits = append(a.limits, limit{n, k.First, value})
		}
	}
}

// between reports whether two numbers are the ends of one range.
func (a *asked) between(x, y link.Link) bool {
	if y.First-x.Last < 1 || y.First-x.Last > 2 {
		return false
	}
	for _, k := range a.opNear("cmp.between", x.First, x.Last) {
		if k.Last < x.First {
			return true
		}
	}
	return false
}

// numberColumns adds the conditions that the number may be, one a column, and
// reports whether one column owns it.
func (a *asked) numberColumns(base atom, n *link.Number) bool {
	var found []*atom
	for i, c := range a.v.cols {
		if !c.numeric || !fits(c, base.op, base.vals) {
			continue
		}
		at := base
		at.col, at.vals = i, slices.Clone(base.vals)
		a.place(&at)
		at.score = 0.35
		if at.mentioned > 0 {
			at.score += 0.6*at.mentioned - 0.04*float64(at.near)
		}
		if n.Unit != "" {
			if !sameUnit(n.Unit, c) {
				at.score -= 0.3
			} else {
				at.score += 0.25
			}
		}
		if c.year && base.op == "=" {
			at.score += 0.15
		}
		if c.key && at.mentioned == 0 {
			at.score -= 0.2
		}
		a.negate(&at)
		found = append(found, &at)
	}
	owned := slices.DeleteFunc(slices.Clone(found), func(at *atom) bool { return !owns(at) })
	if len(owned) > 0 {
		found = owned
	}
	slices.SortStableFunc(found, func(x, y *atom) int { return cmp.Compare(y.score, x.score) })
	if len(found) > 6 {
		found = found[:6]
	}
	for _, at := range found {
		at.rivals = len(found)
	}
	a.atoms = append(a.atoms, found...)
	return len(owned) > 0
}

// owns reports whether the column's name stands right before the number, or before
// the comparison that the number ends: "tier 3", "discount above 10".
func owns(at *atom) bool {
	if at.mentioned < 0.75 {
		return false
	}
	begin := at.first
	for begin > 0 && at.span.has(begin-1) {
		begin--
	}
	return begin > 0 && (at.near == 0 && at.mention.has(at.first-1) || begin < at.first && at.mention.has(begin-1))
}

// sameUnit reports whether a number written with the unit may stand in the column.
func sameUnit(unit string, c *column) bool {
	u := c.c.Unit
	if unit == "%" {
		return u.Code == "percent" || u.Symbol == "%" || c.has("percent", "percentage", "pct", "rate", "share")
	}
	codes := map[string]string{"$": "USD", "€": "EUR", "£": "GBP"}
	return u.Symbol == unit || u.Code == codes[unit] || strings.Contains(u.Symbol, codes[unit]) || strings.Contains(u.Symbol, unit) || u.Zero()
}

// fits reports whether the column's range leaves the condition a chance.
func fits(c *column, op string, vals []plan.Literal) bool {
	lo, ok1 := new(big.Rat).SetString(c.c.Profile.Min)
	hi, ok2 := new(big.Rat).SetString(c.c.Profile.Max)
	x, ok3 := new(big.Rat).SetString(vals[0].Text)
	if !ok1 || !ok2 || !ok3 || op != "=" {
		return true
	}
	wide := new(big.Rat).Sub(hi, lo)
	return x.Cmp(new(big.Rat).Sub(lo, wide)) >= 0 && x.Cmp(new(big.Rat).Add(hi, wide)) <= 0
}
