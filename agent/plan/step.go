package plan

// Route is how a question is answered.
type Route string

// The routes.
const (
	Lookup    Route = "lookup"
	Aggregate Route = "aggregate"
	Both      Route = "both"
	Overview  Route = "overview"
	Document  Route = "document"
)

// Step is what a planner proposes next: one tool call, or the end of the
// question by an answer, a clarification or a decline. Exactly one of Call,
// Clarify, Decline is set, or none: then the last observation is the answer.
type Step struct {
	Route      Route
	Confidence float64 // calibrated, 0 to 1, that this step is what was asked
	Reading    string  // the step in words of the question's language
	Call       *Call
	Clarify    []Choice
	Decline    *Reason
}

// Call is one tool call. Plan is the typed plan that SQL was rendered from, or
// nil where a model wrote the SQL.
type Call struct {
	Tool string         // run_sql, search_rows, describe_table, list_tables …
	Plan *Plan          // the typed plan, if there is one
	SQL  string         // run_sql: the statement, not checked yet
	Args map[string]any // other tools: their arguments
}

// Choice is one reading that the asker may choose.
type Choice struct {
	Reading string `json:"reading"` // in words
	Ask     string `json:"ask"`     // what picks it: the next question of the conversation
	Route   Route  `json:"-"`
	Plan    *Plan  `json:"-"` // what is run when it is picked
}

// Reason says why there is no answer. Code is one of the codes of an answer's
// reason: unknown_word ambiguous no_rows not_permitted not_loaded unsupported
// unsafe unscoped limit timeout llm_unavailable internal.
type Reason struct {
	Code  string   `json:"code"`
	Words []string `json:"words,omitempty"`
	Text  string   `json:"text"`
}

// Observation is what a step came back with, for the planner's next step.
type Observation struct {
	Call    *Call
	Columns []string
	Rows    [][]any // a result's rows, at most a few
	RowsIn  int64   // rows of the whole result
	Refusal string  // a violation or engine error that may be repaired
}
