// Package agent turns one question into one answer.
//
// An [Agent] links the question's words to the caller's tables, lets a [Planner]
// propose steps, runs each through the guard and a tool, and composes an
// [Answer] from the cells that came back: text from templates, never a figure
// that is no cell of the result; a receipt that says over which rows of which
// version it was computed; or a decline that says why there is no answer.
//
// The planner proposes and nothing more. What may run is decided by the guard,
// what may be seen by the scope, what is said by the result, so a planner with a
// model behind it is bound exactly as the built-in one.
//
// Time and ids come from [Config]: with both fixed, a transcript replays byte
// for byte.
package agent

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"time"

	"github.com/allrows/allrows/agent/link"
	"github.com/allrows/allrows/agent/plan"
	"github.com/allrows/allrows/agent/tools"
	"github.com/allrows/allrows/guardrails"
	"github.com/allrows/allrows/journal"
	"github.com/allrows/allrows/schema"
	"github.com/allrows/allrows/sqltool"
)

// Planner proposes the steps of a question, one at a time. agent/semparse and
// agent/llm have one.
type Planner interface {
	Name() string
	Next(ctx context.Context, q *link.Question, turn plan.Turn) (plan.Step, error)
}

// Linker finds what the words of a question may mean. [link.Linker] is one.
type Linker interface {
	Link(ctx context.Context, text string, c *schema.Context, idx link.ValueIndex, now time.Time) (*link.Question, error)
}

// Values opens the index of cell values over the tables of a scope.
type Values func(tables []*schema.Table) link.ValueIndex

// Journal keeps answers and finds them again. [journal.Journal] is one.
type Journal interface {
	Write(e journal.Entry) error
	Find(id string) (*journal.Record, error)
	Conversation(id string) ([]*journal.Record, error)
	List(q journal.Query) ([]*journal.Record, error)
}

// Versions finds the tables of a version, current or not. [sqltool.Store] is one.
type Versions interface {
	Version(name, id string) (sqltool.Version, error)
}

// Config configures an [Agent]. Planner, Linker, Guard and Runner are required;
// other zero values have defaults.
type Config struct {
	Planner  Planner
	Linker   Linker
	Guard    tools.Guard
	Runner   tools.Runner
	Index    tools.Index // retrieval; without one, rows are found by SQL alone
	Values   Values      // cell values that words may name; without one, none are linked
	Journal  Journal     // without one, answers are not kept and no question follows up
	Versions Versions    // of answers to be verified; without one, Verify runs on the scope's own

	Threshold float64          // confidence below which a step is not answered; default 0
	MaxSteps  int              // calls of one question; default 8
	Timeout   time.Duration    // of one question; default 20s
	MaxRows   int64            // rows of a table up to which lookups go through its row chunks; default 10,000
	Now       func() time.Time // default time.Now
	NewID     func() string    // default 26 random characters
	Logger    *slog.Logger     // default discards
}

// Agent answers questions. It is safe for concurrent use.
type Agent struct{ cfg Config }

// New returns an agent of the configuration.
func New(cfg Config) (*Agent, error) {
	switch {
	case cfg.Planner == nil:
		return nil, errors.New("agent: Config.Planner is nil")
	case cfg.Linker == nil:
		return nil, errors.New("agent: Config.Linker is nil")
	case cfg.Guard == nil:
		return nil, errors.New("agent: Config.Guard is nil")
	case cfg.Runner == nil:
		return nil, errors.New("agent: Config.Runner is nil")
	case cfg.Threshold < 0 || cfg.Threshold > 1:
		return nil, errors.New("agent: Config.Threshold must be between 0 and 1")
	}
	cfg.MaxSteps = cmp.Or(cfg.MaxSteps, 8)
	cfg.Timeout = cmp.Or(cfg.Timeout, 20*time.Second)
	cfg.MaxRows = cmp.Or(cfg.MaxRows, 10_000)
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.NewID == nil {
		cfg.NewID = rand.Text
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	return &Agent{cfg}, nil
}

// Request is one question.
type Request struct {
	Question     string
	Conversation string // goes on with it; an unknown id opens it; "" opens a new one
	Scope        *guardrails.Scope
	Observe      func(Event) // told what happens while it happens; may be nil

	// Now is what "today" means; zero is Config.Now.
	Now time.Time
	// Best answers with the best plan, whatever its confidence and however many
	// words it leaves over. It is for measuring: no front end sets it.
	Best bool
}

// Event is something that happened while a question was being answered: linked,
// step (a call is about to run), observation (it came back), answer.
type Event struct {
	Kind   string  `json:"kind"`
	Text   string  `json:"text,omitempty"` // in words
	Tool   string  `json:"tool,omitempty"`
	SQL    string  `json:"sql,omitempty"`
	Rows   int64   `json:"rows,omitempty"`
	Answer *Answer `json:"answer,omitempty"` // of the last event
}
