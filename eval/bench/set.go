// Package bench measures Allrows on sets of questions with gold answers.
//
// A set is a folder with cases.jsonl and the tables that its cases name.
// [ReadSet] reads any folder of that form, [Run] loads each table once and asks
// the questions in parallel, and [Summarize] gives accuracy (of the best plan,
// whatever its confidence), coverage and precision (at the threshold) by kind of
// question. Nothing here knows a set by name.
package bench

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Unanswerable is the answer type, and the kind, of a question that its tables
// do not answer.
const Unanswerable = "unanswerable"

// Case is one question of a set.
type Case struct {
	ID         string         `json:"id"`
	Question   string         `json:"question"`
	Tables     []string       `json:"tables"` // paths within the set
	Answer     []any          `json:"answer"`
	AnswerType string         `json:"answer_type"`
	Meta       map[string]any `json:"meta"`
}

// Kind is the kind of question that the set's author named.
func (c *Case) Kind() string {
	if c.AnswerType == Unanswerable {
		return Unanswerable
	}
	if kind, ok := c.Meta["kind"].(string); ok && kind != "" {
		return kind
	}
	return "other"
}

// Now is the moment that "today" means in the question, zero if none is given.
func (c *Case) Now() (time.Time, error) {
	text, _ := c.Meta["now"].(string)
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.DateOnly, time.DateTime, "2006-01-02T15:04:05", time.RFC3339} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("meta.now is %q, want a date such as 2024-06-30", text)
}

// Set is a folder of cases.
type Set struct {
	Dir   string
	Cases []Case
	names map[string]string // workbook name by table path
}

// ReadSet reads a folder of cases. An error names the line.
func ReadSet(dir string) (*Set, error) {
	path := filepath.Join(dir, "cases.jsonl")
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading a set: %w", err)
	}
	defer f.Close()
	cases, err := parseCases(f)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	return &Set{Dir: dir, Cases: cases, names: workbookNames(cases)}, nil
}

func parseCases(r io.Reader) ([]Case, error) {
	var cases []Case
	in := bufio.NewReader(r)
	for line := 1; ; line++ {
		text, err := in.ReadBytes('\n')
		if len(bytes.TrimSpace(text)) > 0 {
			c, err := parseCase(text)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", line, err)
			}
			cases = append(cases, c)
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	if len(cases) == 0 {
		return nil, errors.New("it holds no case")
	}
	return cases, nil
}

func parseCase(text []byte) (Case, error) {
	var c Case
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber() // the decimals that the gold shows count
	if err := d.Decode(&c); err != nil {
		return c, err
	}
	switch {
	case c.Question == "":
		return c, errors.New("it has no question: a set of files without questions is none to ask")
	case len(c.Tables) == 0:
		return c, errors.New("it names no tables")
	}
	for _, t := range c.Tables {
		if !filepath.IsLocal(filepath.FromSlash(t)) {
			return c, fmt.Errorf("table %q lies outside the set", t)
		}
	}
	_, err := c.Now()
	return c, err
}

// workbookNames gives every table path of the set a workbook name of its own:
// the file's or folder's name, with that of the folder above where two are alike.
// Questions may speak of the name, so it stays as short as it can.
func workbookNames(cases []Case) map[string]string {
	paths := tablesOf(cases)
	shared := map[string]int{}
	for _, p := range paths {
		shared[safe(stem(p))]++
	}
	names, taken := map[string]string{}, map[string]bool{}
	for _, p := range paths {
		name := safe(stem(p))
		if shared[name] > 1 {
			name = safe(filepath.Base(filepath.Dir(p)) + "_" + name)
		}
		unique := name
		for n := 2; taken[unique]; n++ {
			unique = fmt.Sprintf("%s_%d", name, n)
		}
		names[p], taken[unique] = unique, true
	}
	return names
}

// tablesOf returns the table paths of the cases, each once, in order.
func tablesOf(cases []Case) []string {
	var paths []string
	seen := map[string]bool{}
	for _, c := range cases {
		for _, t := range c.Tables {
			if !seen[t] {
				seen[t] = true
				paths = append(paths, t)
			}
		}
	}
	return paths
}

func stem(path string) string {
	base := filepath.Base(path)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// safe keeps letters and digits, so that no two names become one when they are
// made safe for SQL.
func safe(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, strings.ToLower(name))
}

// Where is one condition on a case's labels, as --where takes it: "single_table"
// is true, "kind=lookup" is equal, "random_split_dev=1" is held by the list.
type Where struct{ key, value string }

// ParseWhere reads a condition.
func ParseWhere(s string) (Where, error) {
	key, value, ok := strings.Cut(s, "=")
	if key = strings.TrimPrefix(key, "meta."); key == "" {
		return Where{}, fmt.Errorf("where %q: want key or key=value", s)
	}
	if !ok {
		value = "true"
	}
	return Where{key, value}, nil
}

func (w Where) holds(c *Case) bool {
	var label any
	switch w.key {
	case "id":
		label = c.ID
	case "answer_type":
		label = c.AnswerType
	case "kind":
		label = c.Kind()
	default:
		label = c.Meta[w.key]
	}
	switch label := label.(type) {
	case nil:
		return w.value == "false"
	case []any:
		return slices.ContainsFunc(label, func(v any) bool { return fmt.Sprint(v) == w.value })
	}
	return fmt.Sprint(label) == w.value
}

// Select keeps the cases for which every condition holds, then draws n of them
// (0 is all): the same ones for the same seed, in the order of the file.
func (s *Set) Select(conditions []Where, n int, seed uint64) []Case {
	var kept []Case
	for _, c := range s.Cases {
		if !slices.ContainsFunc(conditions, func(w Where) bool { return !w.holds(&c) }) {
			kept = append(kept, c)
		}
	}
	if n <= 0 || n >= len(kept) {
		return kept
	}
	draw := rand.New(rand.NewPCG(seed, 0)).Perm(len(kept))[:n]
	slices.Sort(draw)
	drawn := make([]Case, n)
	for i, at := range draw {
		drawn[i] = kept[at]
	}
	return drawn
}
