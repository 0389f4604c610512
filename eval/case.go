// Package eval measures what Allrows answers.
//
// [ReadCases] reads a case file, [Run] asks its questions of a [Gateway] and
// holds every answer against what the case expects of it. Comparison is lenient
// on form (separators, currency, case, order) and strict on figures, and an
// expectation that nothing could fail is refused when it is read. The package
// eval/bench does the same for sets of questions with gold answers.
package eval

import (
	"errors"
	"fmt"
	"os"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// Case is one question with what its answer must show.
type Case struct {
	ID        string   `yaml:"id"`
	Question  string   `yaml:"question"`
	Asker     string   `yaml:"asker"`
	Workbooks []string `yaml:"workbooks"`
	After     string   `yaml:"after"` // the case whose conversation goes on
	Kind      string   `yaml:"kind"`
	Language  string   `yaml:"language"`
	Expect    Expect   `yaml:"expect"`

	Line int `yaml:"-"` // where the case stands in its file
}

// Expect is what an answer must show: all that is given must hold, and one of
// OneOf must hold whole.
type Expect struct {
	Route           string     `yaml:"route"`
	Value           any        `yaml:"value"`
	Tolerance       float64    `yaml:"tolerance"`
	Values          []any      `yaml:"values"`
	Rows            [][]any    `yaml:"rows"`
	Ordered         bool       `yaml:"ordered"`
	MustContain     []string   `yaml:"must_contain"`
	Complete        *bool      `yaml:"complete"`
	MustCallTool    []string   `yaml:"must_call_tool"`
	Cites           citations  `yaml:"cites"`
	Abstains        *bool      `yaml:"abstains"`
	BecauseContains string     `yaml:"because_contains"`
	Clarifies       *clarifies `yaml:"clarifies"`
	Empty           string     `yaml:"empty"`
	OneOf           []Expect   `yaml:"one_of"`
}

// Cite is a place that an answer must cite. An empty field is any.
type Cite struct {
	Workbook string `yaml:"workbook"`
	Sheet    string `yaml:"sheet"`
	Range    string `yaml:"range"`
}

// citations is one citation or a list of them.
type citations []Cite

// UnmarshalYAML reads a mapping as a list of one.
func (c *citations) UnmarshalYAML(node ast.Node) error {
	if node.Type() == ast.SequenceType {
		var list []Cite
		err := yaml.NodeToValue(node, &list, yaml.Strict())
		*c = list
		return err
	}
	var one Cite
	err := yaml.NodeToValue(node, &one, yaml.Strict())
	*c = citations{one}
	return err
}

// clarifies is true or false, or the readings that must be named.
type clarifies struct {
	asks     bool
	readings []string
}

// UnmarshalYAML reads a boolean or a list.
func (c *clarifies) UnmarshalYAML(node ast.Node) error {
	if node.Type() == ast.SequenceType {
		c.asks = true
		return yaml.NodeToValue(node, &c.readings)
	}
	return yaml.NodeToValue(node, &c.asks)
}

// ReadCases reads a case file. An error names the file and the line.
func ReadCases(path string) ([]Case, error) {
	body, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading cases: %w", err)
	}
	cases, err := parseCases(body)
	if err != nil {
		return nil, fmt.Errorf("reading cases of %s: %w", path, err)
	}
	return cases, nil
}

func parseCases(body []byte) ([]Case, error) {
	file, err := parser.ParseBytes(body, 0)
	if err != nil {
		return nil, err
	}
	var cases []Case
	seen := map[string]*Case{}
	for _, doc := range file.Docs {
		if doc.Body == nil {
			continue
		}
		list, ok := doc.Body.(*ast.SequenceNode)
		if !ok {
			return nil, fmt.Errorf("line %d: a case file is a list of cases", doc.Body.GetToken().Position.Line)
		}
		for _, node := range list.Values {
			c := Case{Line: node.GetToken().Position.Line}
			if err := yaml.NodeToValue(node, &c, yaml.Strict()); err != nil {
				return nil, err // it has line and column
			}
			if err := c.check(seen); err != nil {
				return nil, fmt.Errorf("line %d: case %q: %w", c.Line, c.ID, err)
			}
			cases = append(cases, c)
			seen[c.ID] = &c
		}
	}
	if len(cases) == 0 {
		return nil, errors.New("it holds no case")
	}
	return cases, nil
}

// check refuses a case that could not be run, or could not fail. A case that
// goes on from another takes its workbooks and its asker where it names none.
func (c *Case) check(seen map[string]*Case) error {
	switch {
	case c.ID == "":
		return errors.New("it has no id")
	case seen[c.ID] != nil:
		return fmt.Errorf("the id stands on line %d too", seen[c.ID].Line)
	case c.Question == "":
		return errors.New("it has no question")
	}
	if c.After != "" {
		before := seen[c.After]
		if before == nil {
			return fmt.Errorf("after: %q is not the id of an earlier case", c.After)
		}
		if c.Workbooks == nil {
			c.Workbooks = before.Workbooks
		}
		if c.Asker == "" {
			c.Asker = before.Asker
		}
	}
	if c.Language == "" {
		c.Language = "unlabelled"
	}
	return c.Expect.check()
}

func (e *Expect) check() error {
	figures := e.Value != nil || e.Values != nil || e.Rows != nil
	silent := e.Abstains != nil || e.Clarifies != nil || e.Empty != ""
	some := figures || silent || e.Route != "" || e.MustContain != nil || e.Complete != nil ||
		e.MustCallTool != nil || e.Cites != nil || e.OneOf != nil
	switch {
	case !some:
		return errors.New("it expects nothing")
	case e.Tolerance < 0:
		return errors.New("tolerance is below zero")
	case e.Tolerance > 0 && !figures && e.OneOf == nil:
		return errors.New("tolerance without value, values or rows")
	case e.Ordered && e.Values == nil && e.Rows == nil && e.OneOf == nil:
		return errors.New("ordered without values or rows")
	case e.BecauseContains != "" && e.Abstains == nil && e.Empty == "" && e.OneOf == nil:
		return errors.New("because_contains without abstains or empty")
	case figures && silent:
		return errors.New("it expects figures and none")
	}
	if err := oneOf("route", e.Route, "lookup", "aggregate", "both", "overview", "document"); err != nil {
		return err
	}
	if err := oneOf("empty", e.Empty, "no_rows", "not_permitted", "not_loaded"); err != nil {
		return err
	}
	for _, c := range e.Cites {
		if c == (Cite{}) {
			return errors.New("cites names nothing")
		}
		if _, err := parseRange(c.Range); c.Range != "" && err != nil {
			return err
		}
	}
	for i := range e.OneOf {
		if err := e.OneOf[i].check(); err != nil {
			return fmt.Errorf("one_of %d: %w", i+1, err)
		}
	}
	return nil
}

// oneOf refuses a word that is none of those allowed.
func oneOf(key, word string, allowed ...string) error {
	if word == "" {
		return nil
	}
	for _, a := range allowed {
		if a == word {
			return nil
		}
	}
	return fmt.Errorf("%s: %q is none of %q", key, word, allowed)
}
