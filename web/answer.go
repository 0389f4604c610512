package web

import (
	"encoding/json"
	"slices"

	"github.com/allrows/allrows/agent"
	"github.com/allrows/allrows/agent/plan"
)

// shownRows is how many rows of a result the page draws; the banner says how
// many there are.
const shownRows = 200

// Answer is the view of one answer.
type Answer struct {
	ID           string
	Conversation string
	Question     string
	Outcome      string
	Route        string
	Text         string
	Figure       string // the one number of the answer, large; or ""
	Trust        string
	Promise      string
	Confidence   string
	Reading      string
	Basis        []string
	Sources      []string
	SQL          string
	Warnings     []string
	Checks       []agent.CheckMade
	Reason       *plan.Reason
	Choices      []plan.Choice
	Samples      []string // what can be asked instead
	Grid         *Grid
	Elapsed      float64
	Planner      string
	Model        string
	Receipt      string // as JSON
}

// Grid is a result drawn as a table.
type Grid struct {
	Columns []GridColumn
	Rows    [][]Cell
	Total   int  // rows of the result
	Cut     bool // the result itself was cut at its limit
	Limit   int
}

// GridColumn is the head of one column.
type GridColumn struct {
	Name, Type, Unit string
	Right            bool
}

// View makes the view of an answer. Samples are offered where there is none.
func View(a *agent.Answer, samples []string) *Answer {
	v := &Answer{
		ID: a.ID, Conversation: a.Conversation, Question: a.Question, Outcome: string(a.Outcome), Route: string(a.Route),
		Text: a.Text, Reading: a.Receipt.Reading, Basis: Basis(a.Receipt), Sources: Sources(a.Receipt), SQL: a.Receipt.SQL,
		Reason: a.Reason, Choices: a.Choices, Elapsed: a.Receipt.ElapsedMS, Planner: a.Receipt.Planner, Model: a.Receipt.Model,
	}
	for _, w := range a.Warnings {
		v.Warnings = append(v.Warnings, w.Text)
	}
	for _, c := range a.Receipt.Checks {
		if c.Result != "not_applicable" {
			v.Checks = append(v.Checks, c)
		}
	}
	if a.Outcome == agent.Answered {
		v.Trust, v.Promise = Trust(a.Receipt)
	} else {
		v.Samples = samples
	}
	v.Grid = grid(a.Result, a.Receipt.Limit)
	v.Figure = figure(a)
	if v.Grid != nil && len(v.Grid.Rows) == 1 && len(v.Grid.Columns) == 1 && v.Figure != "" {
		v.Grid = nil // the figure says it all
	}
	if receipt, err := json.MarshalIndent(a.Receipt, "", "  "); err == nil {
		v.Receipt = string(receipt)
	}
	return v
}

func grid(r *agent.Result, limit int) *Grid {
	if r == nil || len(r.Columns) == 0 || len(r.Rows) == 0 {
		return nil
	}
	g := &Grid{Total: len(r.Rows), Cut: r.Truncated, Limit: limit}
	for _, c := range r.Columns {
		g.Columns = append(g.Columns, GridColumn{Name: c.Name, Type: c.Type, Unit: c.Unit, Right: numeric(c.Type)})
	}
	for _, row := range r.Rows[:min(len(r.Rows), shownRows)] {
		cells := make([]Cell, len(r.Columns))
		for i := range cells {
			cells[i] = Format(row[i], r.Columns[i])
		}
		g.Rows = append(g.Rows, cells)
	}
	return g
}

// figure is the one measure of a one-row result.
func figure(a *agent.Answer) string {
	if a.Outcome != agent.Answered || a.Result == nil || len(a.Result.Rows) != 1 {
		return ""
	}
	measure := func(c agent.Column) bool { return c.Role == "measure" }
	i := slices.IndexFunc(a.Result.Columns, measure)
	if i < 0 || slices.IndexFunc(a.Result.Columns[i+1:], measure) >= 0 || a.Result.Rows[0][i] == nil {
		return ""
	}
	text := Format(a.Result.Rows[0][i], a.Result.Columns[i]).Text
	if len(text) > 24 {
		return ""
	}
	return text
}

// Shown is how many rows are drawn.
func (g *Grid) Shown() int { return len(g.Rows) }
