package guardrails

import (
	"context"
	"errors"
	"slices"
	"strings"
)

// A Mutation deletes one rule of the policy until it is undone.
type Mutation struct {
	Name   string
	Word   string // statements that have it are tried first
	Strict bool   // without the rule an attack passes; else a legitimate statement is refused
	Do     func() (undo func())
}

// Mutations are the policy's rules, each deleted: a part of the tree that is not
// looked into or no longer taken, a function's bounds, a function that may be
// called after all, a type, a name.
func Mutations() []Mutation {
	var out []Mutation
	for kind, keys := range shapes {
		for key, s := range keys {
			if s != plain && s != first {
				out = append(out, Mutation{kind + " looks into " + key, key, s != renames, swap(keys, key, shape(99))})
			}
			out = append(out, Mutation{kind + " has " + key, key, false, remove(keys, key)})
		}
		out = append(out, Mutation{kind, kind, false, remove(shapes, kind)})
	}
	for name, f := range functions {
		switch f.class {
		case "never":
			out = append(out, Mutation{"never " + name, name, true, swap(functions, name, functionRule{class: "allow"})})
		case "bounded":
			rules := strings.Fields(f.rule)
			for i := range rules {
				less := functionRule{class: "bounded", rule: strings.Join(slices.Delete(slices.Clone(rules), i, i+1), " ")}
				out = append(out, Mutation{"bound " + name + " " + rules[i], name, true, swap(functions, name, less)})
			}
		}
	}
	for name := range castable {
		out = append(out, Mutation{"type " + name, name, false, remove(castable, name)})
	}
	for i, name := range specials {
		out = append(out, Mutation{"special " + name, name, true, func() func() {
			specials[i] = "?"
			return func() { specials[i] = name }
		}})
	}
	slices.SortFunc(out, func(a, b Mutation) int { return strings.Compare(a.Name, b.Name) })
	return out
}

func swap[V any](m map[string]V, key string, with V) func() func() {
	return func() func() {
		old := m[key]
		m[key] = with
		return func() { m[key] = old }
	}
}

func remove[V any](m map[string]V, key string) func() func() {
	return func() func() {
		old := m[key]
		delete(m, key)
		return func() { m[key] = old }
	}
}

// Parsed is a statement up to the walk, to be walked many times.
type Parsed struct {
	query node
	rule  string // what refused it before
}

// ParseForWalk takes a statement through the gate and the parser.
func (g *Guard) ParseForWalk(ctx context.Context, sql string) (Parsed, error) {
	text, _, v := strip(sql)
	if v != nil {
		return Parsed{rule: v.Rule}, nil
	}
	query, _, err := g.parse(ctx, text)
	if v, ok := errors.AsType[*Violation](err); ok {
		return Parsed{rule: v.Rule}, nil
	}
	return Parsed{query: query}, err
}

// Rule returns the rule by which the walk refuses the statement, or "".
func (p Parsed) Rule(s *Scope) string {
	if p.query == nil {
		return p.rule
	}
	w := newWalker(s)
	w.statement(p.query)
	if w.found == nil {
		w.columns()
	}
	if w.found == nil {
		return ""
	}
	return w.found.Rule
}
