package eval

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestReadCasesReadsTheCommittedFiles(t *testing.T) {
	for name, want := range map[string]int{"first.yaml": 47, "notes.yaml": 1} {
		cases, err := ReadCases(filepath.Join("testdata", "cases", name))
		if err != nil {
			t.Fatal(err)
		}
		if len(cases) != want {
			t.Errorf("%s has %d cases, want %d", name, len(cases), want)
		}
	}
}

func TestAfterCarriesWorkbooksAndAsker(t *testing.T) {
	cases, err := parseCases([]byte(`
- {id: a, question: q, asker: finance, workbooks: [x.xlsx], expect: {value: 1}}
- {id: b, after: a, question: "and?", expect: {value: 2}}
`))
	if err != nil {
		t.Fatal(err)
	}
	if b := cases[1]; b.Asker != "finance" || len(b.Workbooks) != 1 || b.Workbooks[0] != "x.xlsx" {
		t.Errorf("case b = %+v, want the asker and the workbooks of a", b)
	}
}

func TestParseCasesRefuses(t *testing.T) {
	for _, tt := range []struct{ name, yaml, want string }{
		{"unknown key of a case", "- id: a\n  question: q\n  exepct: {value: 1}\n  expect: {value: 1}", "[3:3]"},
		{"unknown key of an expectation", "- {id: a, question: q, expect: {valeu: 1}}", `unknown field "valeu"`},
		{"unknown key of a citation", "- {id: a, question: q, expect: {cites: {page: 1}}}", `unknown field "page"`},
		{"unknown key of an alternative", "- {id: a, question: q, expect: {one_of: [{valeu: 1}]}}", "valeu"},
		{"no list", "id: a", "line 1: a case file is a list"},
		{"empty", "", "holds no case"},
		{"no id", "\n- {question: q, expect: {value: 1}}", "line 2: case \"\": it has no id"},
		{"no question", "- {id: a, expect: {value: 1}}", "no question"},
		{"same id", "- {id: a, question: q, expect: {value: 1}}\n- {id: a, question: q, expect: {value: 1}}", "line 1 too"},
		{"after a later case", "- {id: a, after: b, question: q, expect: {value: 1}}", "earlier case"},
		{"expects nothing", "- {id: a, question: q}", "expects nothing"},
		{"an alternative that expects nothing", "- {id: a, question: q, expect: {one_of: [{abstains: true}, {}]}}", "one_of 2: it expects nothing"},
		{"tolerance of nothing", "- {id: a, question: q, expect: {route: lookup, tolerance: 1}}", "tolerance without"},
		{"order of nothing", "- {id: a, question: q, expect: {value: 1, ordered: true}}", "ordered without"},
		{"reason of an answer", "- {id: a, question: q, expect: {value: 1, because_contains: x}}", "because_contains without"},
		{"figures of a decline", "- {id: a, question: q, expect: {value: 1, abstains: true}}", "figures and none"},
		{"unknown route", "- {id: a, question: q, expect: {route: sql}}", "route"},
		{"unknown empty", "- {id: a, question: q, expect: {empty: nothing}}", "empty"},
		{"no range", "- {id: a, question: q, expect: {cites: {range: first row}}}", "range"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := parseCases([]byte(tt.yaml))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("parseCases(%q) = %v, want an error with %q", tt.yaml, err, tt.want)
			}
		})
	}
}

func FuzzParseCases(f *testing.F) {
	f.Add([]byte("- {id: a, question: q, expect: {one_of: [{value: 1.5}, {clarifies: [x]}]}}"))
	f.Add([]byte("- id: b\n  question: q\n  expect:\n    rows: [[1, \"2024-01\"], [null, true]]\n"))
	f.Fuzz(func(t *testing.T, body []byte) {
		cases, err := parseCases(body)
		if err != nil {
			return
		}
		for _, c := range cases {
			if faults := Match(&c.Expect, empty()); len(faults) == 0 && c.Expect.passesNothing() {
				t.Errorf("an answer that says nothing passes case %+v", c)
			}
		}
	})
}
