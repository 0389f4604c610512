package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/allrows/allrows/access"
	"github.com/allrows/allrows/agent"
	"github.com/allrows/allrows/agent/plan"
	"github.com/allrows/allrows/guardrails"
	"github.com/allrows/allrows/ingest"
	"github.com/allrows/allrows/server"
	"github.com/allrows/allrows/sqltool"
	"github.com/allrows/allrows/workbook"
)

func TestExitCodes(t *testing.T) {
	answered := func(o agent.Outcome, code string) error {
		return outcome(&agent.Answer{Outcome: o, Reason: &plan.Reason{Code: code}})
	}
	for _, tt := range []struct {
		name string
		err  error
		want int
	}{
		{"nothing", nil, 0},
		{"anything", errors.New("x"), 1},
		{"usage", &usageError{"x"}, 2},
		{"workbook", &sqltool.NotFoundError{What: "workbook", Name: "x"}, 3},
		{"key", &access.NoKeyError{ID: "x"}, 3},
		{"file", &workbook.FileError{Path: "x", Code: workbook.CodeNotFound}, 3},
		{"answer", agent.ErrNotFound, 3},
		{"no key", access.ErrKey, 4},
		{"scope", &guardrails.Violation{Rule: "unscoped"}, 4},
		{"time", &sqltool.TimeoutError{}, 5},
		{"limit", &sqltool.LimitError{}, 5},
		{"deadline", context.DeadlineExceeded, 5},
		{"violation", &guardrails.Violation{Rule: "read-only"}, 1},
		{"file", &workbook.FileError{}, 1},
		{"name in use", &ingest.NameError{}, 1},
		{"configuration", &configError{"a", "b"}, 78},
		{"address", &server.BindError{}, 78},
		{"answered", answered(agent.Answered, ""), 0},
		{"clarify", answered(agent.Clarify, "ambiguous"), 7},
		{"declined", answered(agent.Declined, "unknown_word"), 7},
		{"empty", answered(agent.Empty, "no_rows"), 7},
		{"failed", answered(agent.Failed, "internal"), 1},
		{"failed for time", answered(agent.Failed, "timeout"), 5},
		{"failed for the model", answered(agent.Failed, "llm_unavailable"), 6},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := exitCode(tt.err); got != tt.want {
				t.Errorf("exitCode(%v) = %d, want %d", tt.err, got, tt.want)
			}
			if tt.err != nil {
				if got := exitCode(fmt.Errorf("doing something: %w", tt.err)); got != tt.want {
					t.Errorf("exitCode of the wrapped error = %d, want %d", got, tt.want)
				}
			}
		})
	}
}

// What a workbook holds must not drive the terminal.
func TestClean(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"plain ñ €", "plain ñ €"},
		{"\x1b[2Jgone", "[2Jgone"},
		{"a\tb\r\nc", "a b\nc"},
		{"\u202eevil", "evil"},
		{"\u009b31m", "31m"},
	} {
		if got := clean(tt.in); got != tt.want {
			t.Errorf("clean(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestPrintedAnswerIsClean(t *testing.T) {
	const evil = "\x1b]0;owned\x07"
	var out bytes.Buffer
	a := &app{stdout: &out}
	err := a.printAnswer(&agent.Answer{Outcome: agent.Clarify, Text: evil, Warnings: []agent.Warning{{Text: evil}},
		Choices: []plan.Choice{{Reading: evil, Ask: evil}}, Result: &agent.Result{Columns: []agent.Column{{Name: evil, Type: "VARCHAR"}}, Rows: [][]any{{evil}, {evil}}},
		Receipt: agent.Receipt{Reading: evil, SQL: evil, Citations: []agent.Citation{{Workbook: evil}}}})
	if err != nil || strings.ContainsAny(out.String(), "\x1b\x07") {
		t.Errorf("printAnswer = %v with control characters in %q", err, out.String())
	}
}

func TestNearest(t *testing.T) {
	words := []string{"server.listen", "sql.workers", "log.level"}
	for _, tt := range []struct{ in, want string }{
		{"server.listn", "server.listen"}, {"sql.worker", "sql.workers"}, {"log.levle", "log.level"}, {"nothing.like.it", ""}, {"", ""},
	} {
		if got := nearest(tt.in, words); got != tt.want {
			t.Errorf("nearest(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}
