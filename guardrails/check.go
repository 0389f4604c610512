package guardrails

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/allrows/allrows/schema"
)

// Config configures a [Guard]. Parser is required.
type Config struct {
	Parser TreeParser
}

// Guard checks statements. It is safe for concurrent use.
type Guard struct {
	parser TreeParser
}

// New makes a guard.
func New(cfg Config) (*Guard, error) {
	if cfg.Parser == nil {
		return nil, errors.New("guardrails: Config.Parser is nil")
	}
	return &Guard{parser: cfg.Parser}, nil
}

// Check decides whether a statement may run in a scope. A refusal is a
// [*Violation]; any other error means that the check itself could not be made.
func (g *Guard) Check(ctx context.Context, s *Scope, sql string) (Query, error) {
	if s == nil {
		return Query{}, errors.New("guardrails: Check without a scope")
	}
	q, err := g.check(ctx, s, sql)
	v, refused := errors.AsType[*Violation](err)
	if !refused || !v.unread {
		return q, err
	}
	text, ok := repaired(s, sql)
	if !ok {
		return q, err
	}
	q, err = g.check(ctx, s, text)
	if again, _ := errors.AsType[*Violation](err); again != nil && again.unread {
		return Query{}, v // speak of the text that was sent
	}
	q.repaired = err == nil
	return q, err
}

func (g *Guard) check(ctx context.Context, s *Scope, sql string) (Query, error) {
	text, v := gate(sql)
	if v != nil {
		return Query{}, v
	}
	query, err := g.parse(ctx, text)
	if err != nil {
		return Query{}, err
	}
	w := newWalker(s)
	w.statement(query)
	if w.found == nil {
		w.columns()
	}
	if w.found != nil {
		return Query{}, w.found
	}
	return g.wrap(ctx, s, text, w)
}

// parse returns the tree of the only statement.
func (g *Guard) parse(ctx context.Context, text string) (node, error) {
	tree, err := g.parser.ParseTree(ctx, text)
	if err != nil {
		return nil, fmt.Errorf("guardrails: parsing: %w", err)
	}
	query, complaint, err := decodeTree(tree)
	if _, ok := errors.AsType[*json.SyntaxError](err); ok { // DuckDB writes 1e400 as a bare Infinity
		return nil, &Violation{Rule: "limit", What: "a number of the statement is out of the range of every type", Fix: "write a number of up to 1e308"}
	}
	if err != nil {
		return nil, err
	}
	switch {
	case complaint == "":
		return query, nil
	case strings.HasPrefix(complaint, "Only SELECT"):
		return nil, &Violation{Rule: "read-only", What: "the statement is no SELECT", Fix: "only one SELECT may run"}
	case strings.HasSuffix(complaint, "statements"):
		return nil, &Violation{Rule: "one-statement", What: "the text holds " + complaint, Fix: "send one statement"}
	}
	return nil, &Violation{Rule: "syntax", unread: true, What: complaint, Fix: "write one SELECT in DuckDB's SQL"}
}

// wrap puts the checked text inside a capped SELECT and verifies, by DuckDB's own
// parse of the whole, that it still is that statement and nothing more.
func (g *Guard) wrap(ctx context.Context, s *Scope, text string, w *walker) (Query, error) {
	wrapped := fmt.Sprintf("SELECT * FROM (\n%s\n) AS _q LIMIT %d", text, s.Caps.Defaults().Rows+1)
	tree, err := g.parser.ParseTree(ctx, wrapped)
	if err != nil {
		return Query{}, fmt.Errorf("guardrails: parsing the wrapped statement: %w", err)
	}
	outer, complaint, err := decodeTree(tree)
	if err != nil {
		return Query{}, err
	}
	from := outer.node("node").node("from_table")
	if complaint != "" || from.string("type") != "SUBQUERY" || from.string("alias") != "_q" {
		return Query{}, &Violation{Rule: "wrap", What: "the statement does not stand inside a capped SELECT", Fix: "write it as one plain SELECT"}
	}
	same, err := sameTree(from.node("subquery"), w.root)
	if err != nil {
		return Query{}, err
	}
	if !same {
		return Query{}, &Violation{Rule: "wrap", What: "the statement means something else inside a capped SELECT", Fix: "write it as one plain SELECT"}
	}
	hash, err := HashTree(tree)
	if err != nil {
		return Query{}, err
	}
	q := Query{text: text, scope: s, wrap: wrapped, hash: hash}
	for _, t := range s.Tables {
		if w.tables[t.Table.Ref] {
			q.tables = append(q.tables, t.Table.Ref)
		}
	}
	slices.SortFunc(q.tables, func(a, b schema.Ref) int { return strings.Compare(a.String(), b.String()) })
	return q, nil
}
