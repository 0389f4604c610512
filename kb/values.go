package kb

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/allrows/allrows/schema"
)

// Values finds the cells that words of a question may name, in the text
// columns of the tables of one scope. It is cheap to make, and safe for
// concurrent use.
type Values struct {
	store  *Store
	tables []*schema.Table
}

// Values returns the value index of just those tables, with just the columns
// that they show. Files are opened when first asked.
func (s *Store) Values(tables []*schema.Table) *Values { return &Values{s, tables} }

// FindValues returns the cells that the phrase may name, best first: the cell
// itself, the cell but for case, accents and ordinals, the same words in
// another order, words of the cell, and, where nothing else fits, cells that
// differ by a letter or two.
func (v *Values) FindValues(ctx context.Context, phrase string, limit int) ([]schema.ValueMatch, error) {
	phrase = strings.TrimSpace(phrase)
	ls := Lexemes(phrase)
	if len(ls) == 0 || len(ls) > longestValueWords || limit <= 0 {
		return nil, nil
	}
	folded := phraseOf(ls)
	out, err := v.each(ctx, func(x *valueIndex) []valueHit { return x.find(phrase, ls, folded) })
	if err != nil {
		return nil, err
	}
	if len(out) == 0 {
		if out, err = v.each(ctx, func(x *valueIndex) []valueHit { return x.typos(ls, folded) }); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(out, func(a, b schema.ValueMatch) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Rows, a.Rows))
	})
	return out[:min(limit, len(out))], nil
}

// each asks the value index of every table, and names what is found in columns
// that the caller sees.
func (v *Values) each(ctx context.Context, find func(*valueIndex) []valueHit) ([]schema.ValueMatch, error) {
	var out []schema.ValueMatch
	for _, t := range v.tables {
		x, err := v.open(ctx, t)
		if err != nil {
			return nil, err
		}
		for _, h := range x.best(find(x)) {
			if name := x.columns[x.col[h.id]]; t.Column(name) != nil {
				out = append(out, schema.ValueMatch{Column: schema.ColumnRef{Ref: t.Ref, Column: name},
					Value: x.text[h.id], Rows: x.rows[h.id], Score: h.score, How: h.how})
			}
		}
	}
	return out, nil
}

func (v *Values) open(ctx context.Context, t *schema.Table) (*valueIndex, error) {
	return open(ctx, v.store, t, "values", decodeValues)
}

// Unindexed returns the text columns whose values are too many or too long to
// be in the index: they have to be asked of the database.
func (v *Values) Unindexed(ctx context.Context) ([]schema.ColumnRef, error) {
	var out []schema.ColumnRef
	for _, t := range v.tables {
		x, err := v.open(ctx, t)
		if err != nil {
			return nil, err
		}
		for _, name := range x.unindexed {
			if t.Column(name) != nil {
				out = append(out, schema.ColumnRef{Ref: t.Ref, Column: name})
			}
		}
	}
	return out, nil
}
