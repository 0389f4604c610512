package agent

import (
	"github.com/allrows/allrows/agent/plan"
)

// Outcome is how a question ended.
type Outcome string

// The outcomes. All but Answered carry a Reason.
const (
	Answered Outcome = "answered"
	Clarify  Outcome = "clarify"
	Declined Outcome = "declined"
	Empty    Outcome = "empty"
	Failed   Outcome = "failed"
)

// Answer is one question's answer, the same on every surface.
type Answer struct {
	ID           string        `json:"id"`
	Conversation string        `json:"conversation"`
	Question     string        `json:"question"`
	Outcome      Outcome       `json:"outcome"`
	Route        plan.Route    `json:"route,omitempty"`
	Text         string        `json:"text"`
	Result       *Result       `json:"result,omitempty"`
	Reason       *plan.Reason  `json:"reason,omitempty"`
	Choices      []plan.Choice `json:"choices,omitempty"`
	Warnings     []Warning     `json:"warnings,omitempty"`
	Chart        *Chart        `json:"chart,omitempty"`
	Receipt      Receipt       `json:"receipt"`
	Err          error         `json:"-"` // what ended it without an answer: a *guardrails.Violation, *sqltool.TimeoutError …
}

// Result is the figures of an answer, exact.
type Result struct {
	Columns   []Column `json:"columns"`
	Rows      [][]any  `json:"rows"`
	Truncated bool     `json:"truncated"`
}

// Column is one column of a result. Role is key, measure or context.
type Column struct {
	Name string `json:"name"`
	Type string `json:"type"`
	Unit string `json:"unit,omitempty"`
	Role string `json:"role"`

	// Figures is how the text writes the column's figures, nil where that is not
	// known: an answer read from the journal, a person's own statement.
	Figures *Figures `json:"-"`
}

// Figures writes the figures of a column as people of a language do.
type Figures struct {
	Column   plan.Column
	Language string
}

// Format writes one figure, with its unit.
func (f *Figures) Format(v any) string { return plan.Format(v, f.Column, f.Language) }

// Warning is something that the reader must know beside the answer.
type Warning struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

// Chart is a picture proposed by rule from the result's types. Kind is bar,
// line, area, point, arc, number or table.
type Chart struct {
	Kind   string `json:"kind"`
	X      string `json:"x,omitempty"`
	Y      string `json:"y,omitempty"`
	Series string `json:"series,omitempty"`
	Title  string `json:"title,omitempty"`
}

// Receipt is the proof of an answer.
type Receipt struct {
	Complete   bool        `json:"complete"` // computed over the whole set, not a sample
	Trust      string      `json:"trust"`    // computed, looked_up, verified, generated
	Confidence float64     `json:"confidence"`
	Reading    string      `json:"reading"`
	SQL        string      `json:"sql,omitempty"`
	Tables     []TableUse  `json:"tables,omitempty"`
	Limit      int         `json:"limit,omitempty"`
	Citations  []Citation  `json:"citations,omitempty"`
	Checks     []CheckMade `json:"checks,omitempty"`
	Planner    string      `json:"planner"`
	Model      string      `json:"model,omitempty"`
	Tokens     int         `json:"tokens,omitempty"`
	ElapsedMS  float64     `json:"elapsed_ms"`
	Steps      []StepMade  `json:"steps,omitempty"`
}

// TableUse is one table that an answer read.
type TableUse struct {
	Name          string `json:"name"`
	Workbook      string `json:"workbook"` // file name
	Sheet         string `json:"sheet,omitempty"`
	Title         string `json:"title,omitempty"`
	Version       string `json:"version"`
	SHA256        string `json:"sha256"`
	LoadedAt      string `json:"loaded_at"`
	SourceMTime   string `json:"source_mtime"`
	Rows          int64  `json:"rows"`         // in the caller's scope
	RowsMatched   int64  `json:"rows_matched"` // that the conditions kept
	NullsIgnored  int64  `json:"nulls_ignored"`
	CellsRejected int64  `json:"cells_rejected"`
}

// Citation is where a figure stands in its source.
type Citation struct {
	Workbook string `json:"workbook"` // file name
	Sheet    string `json:"sheet,omitempty"`
	Range    string `json:"range"` // A1
}

// CheckMade is one semantic check: pass, fail or not_applicable.
type CheckMade struct {
	Name   string `json:"name"`
	Result string `json:"result"`
	Detail string `json:"detail,omitempty"`
}

// StepMade is one tool call of the loop.
type StepMade struct {
	Tool      string  `json:"tool"`
	Detail    string  `json:"detail,omitempty"`
	Refusal   string  `json:"refusal,omitempty"`
	Rows      int64   `json:"rows"`
	Complete  bool    `json:"complete"`
	ElapsedMS float64 `json:"elapsed_ms"`
}
