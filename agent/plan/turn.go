package plan

import "context"

// Turn is what a planner knows beside the question: what was asked before in
// the conversation and what its own steps came back with.
type Turn struct {
	Previous         *Plan // the plan of the answer before this one, nil for a first question
	PreviousQuestion string
	PreviousRoute    Route
	Observations     []Observation // of this question's calls, oldest first

	// Run executes a candidate under the question's scope, guard and budget, so
	// that a planner may discard it. It is nil where nothing may be run.
	Run func(ctx context.Context, p *Plan) (*Observation, error)
}
