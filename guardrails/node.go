package guardrails

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// node is one object of DuckDB's syntax tree.
type node map[string]any

// decodeTree reads what json_serialize_sql returned: one statement's query, or
// the parser's complaint.
func decodeTree(tree []byte) (query node, complaint string, err error) {
	var t struct {
		Error      bool   `json:"error"`
		ErrorType  string `json:"error_type"`
		Message    string `json:"error_message"`
		Statements []node `json:"statements"`
	}
	d := json.NewDecoder(bytes.NewReader(tree))
	d.UseNumber()
	if err := d.Decode(&t); err != nil {
		return nil, "", fmt.Errorf("guardrails: reading a syntax tree: %w", err)
	}
	if t.Error {
		return nil, t.Message, nil
	}
	if len(t.Statements) != 1 {
		return nil, fmt.Sprintf("%d statements", len(t.Statements)), nil
	}
	return t.Statements[0], "", nil
}

func (n node) string(key string) string { s, _ := n[key].(string); return s }
func (n node) bool(key string) bool     { b, _ := n[key].(bool); return b }

func (n node) node(key string) node {
	m, _ := n[key].(map[string]any)
	return m
}

// list returns the objects of an array.
func (n node) list(key string) []node {
	a, _ := n[key].([]any)
	out := make([]node, 0, len(a))
	for _, e := range a {
		m, _ := e.(map[string]any)
		out = append(out, m)
	}
	return out
}

// strings returns the texts of an array.
func (n node) strings(key string) []string {
	a, _ := n[key].([]any)
	out := make([]string, 0, len(a))
	for _, e := range a {
		s, _ := e.(string)
		out = append(out, s)
	}
	return out
}

// number returns the value of a constant number, negated or not.
func (n node) number() (float64, bool) {
	switch n.string("class") {
	case "FUNCTION":
		if kids := n.list("children"); n.string("function_name") == "-" && len(kids) == 1 {
			f, ok := kids[0].number()
			return -f, ok
		}
	case "CAST":
		return n.node("child").number()
	case "CONSTANT":
		v := n.node("value")
		if v.bool("is_null") {
			return 0, false
		}
		num, ok := v["value"].(json.Number)
		if !ok {
			return 0, false
		}
		f, err := strconv.ParseFloat(num.String(), 64)
		if info := v.node("type").node("type_info"); info.string("type") == "DECIMAL_TYPE_INFO" {
			scale, _ := info["scale"].(json.Number)
			k, _ := scale.Int64()
			for range k {
				f /= 10
			}
		}
		return f, err == nil
	}
	return 0, false
}

// text returns the value of a constant text.
func (n node) text() (string, bool) {
	if n.string("class") != "CONSTANT" {
		return "", false
	}
	s, ok := n.node("value")["value"].(string)
	return s, ok
}
