package guardrails

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/allrows/allrows/schema"
)

// Config configures a [Guard]. Parser is required.
type Config struct {
	Parser TreeParser
}

// Guard checks statements. It is safe for concurrent use.
type Guard struct {
	parser TreeParser
	frames sync.Map // rows -> frame
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
	query, tree, err := g.parse(ctx, text)
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
	return g.wrap(ctx, s, text, statement(unplaced(tree)), w)
}

// parse returns the only statement of a text, and the tree's own text.
func (g *Guard) parse(ctx context.Context, text string) (node, []byte, error) {
	tree, err := g.parser.ParseTree(ctx, text)
	if err != nil {
		return nil, nil, fmt.Errorf("guardrails: parsing: %w", err)
	}
	query, complaint, err := decodeTree(tree)
	if _, ok := errors.AsType[*json.SyntaxError](err); ok { // DuckDB writes 1e400 as a bare Infinity
		return nil, nil, &Violation{Rule: "limit", What: "a number of the statement is out of the range of every type", Fix: "write a number of up to 1e308"}
	}
	if err != nil {
		return nil, nil, err
	}
	switch {
	case complaint == "":
		return query, tree, nil
	case strings.HasPrefix(complaint, "Only SELECT"):
		return nil, nil, &Violation{Rule: "read-only", What: "the statement is no SELECT", Fix: "only one SELECT may run"}
	case strings.HasSuffix(complaint, "statements"):
		return nil, nil, &Violation{Rule: "one-statement", What: "the text holds " + complaint, Fix: "send one statement"}
	}
	return nil, nil, &Violation{Rule: "syntax", unread: true, What: complaint, Fix: "write one SELECT in DuckDB's SQL"}
}

// wrap puts the checked text inside a capped SELECT and verifies, by DuckDB's own
// parse of the whole, that it still is that statement and nothing more.
func (g *Guard) wrap(ctx context.Context, s *Scope, text string, inner []byte, w *walker) (Query, error) {
	rows := s.Caps.Defaults().Rows
	frame, err := g.frame(ctx, rows)
	if err != nil {
		return Query{}, err
	}
	wrapped := wrappedText(text, rows)
	tree, err := g.parser.ParseTree(ctx, wrapped)
	if err != nil {
		return Query{}, fmt.Errorf("guardrails: parsing the wrapped statement: %w", err)
	}
	whole := unplaced(tree)
	if !frame.holds(whole, inner) {
		return Query{}, &Violation{Rule: "wrap", What: "the statement means something else inside a capped SELECT", Fix: "write it as one plain SELECT"}
	}
	q := Query{text: text, scope: s, wrap: wrapped, hash: hash(whole)}
	for _, t := range s.Tables {
		if w.tables[t.Table.Ref] {
			q.tables = append(q.tables, t.Table.Ref)
		}
	}
	slices.SortFunc(q.tables, func(a, b schema.Ref) int { return strings.Compare(a.String(), b.String()) })
	return q, nil
}

func wrappedText(text string, rows int) string {
	return fmt.Sprintf("SELECT * FROM (\n%s\n) AS _q LIMIT %d", text, rows+1)
}

// frame is the tree of a capped SELECT around the statement inside it.
type frame struct{ before, after []byte }

func (f frame) holds(whole, inner []byte) bool {
	return len(whole) == len(f.before)+len(inner)+len(f.after) && bytes.HasPrefix(whole, f.before) &&
		bytes.HasSuffix(whole, f.after) && bytes.Equal(whole[len(f.before):len(whole)-len(f.after)], inner)
}

// frame returns the frame for a number of rows, taken from DuckDB's own tree of a
// wrapped statement that nobody else wrote.
func (g *Guard) frame(ctx context.Context, rows int) (frame, error) {
	if f, ok := g.frames.Load(rows); ok {
		return f.(frame), nil
	}
	const known = "SELECT 1"
	tree, err := g.parser.ParseTree(ctx, known)
	if err != nil {
		return frame{}, fmt.Errorf("guardrails: parsing %q: %w", known, err)
	}
	whole, err := g.parser.ParseTree(ctx, wrappedText(known, rows))
	if err != nil {
		return frame{}, fmt.Errorf("guardrails: parsing the wrapped %q: %w", known, err)
	}
	parts := bytes.Split(unplaced(whole), statement(unplaced(tree)))
	if len(parts) != 2 {
		return frame{}, errors.New("guardrails: the parser's tree of a wrapped statement does not hold the statement's own: another version of DuckDB?")
	}
	f := frame{parts[0], parts[1]}
	g.frames.Store(rows, f)
	return f, nil
}

// statement cuts the only statement out of a tree's text.
func statement(tree []byte) []byte {
	const head, tail = `{"error":false,"statements":[`, `]}`
	return bytes.TrimSuffix(bytes.TrimPrefix(tree, []byte(head)), []byte(tail))
}
