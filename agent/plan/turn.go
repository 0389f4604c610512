package plan

import "context"

// Turn is what a planner knows beside the question: the conversation before
// it and what the steps of this question came back with.
type Turn struct {
	Previous         *Plan  // plan of the conversation's last answered question, or nil
	PreviousQuestion string // its words
	PreviousRoute    Route
	Observations     []Observation // of this question's steps, in order

	// Best wants the best plan whatever its confidence: no threshold, no question
	// back between close readings. Measurements set it, front ends never.
	Best bool

	// Run executes a candidate plan, cheaply and bounded, so that a planner may
	// drop candidates that fail or return nothing and may see whether two
	// readings give the same result. It may be nil.
	Run func(ctx context.Context, p *Plan) (*Observation, error)
}
