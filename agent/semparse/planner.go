// Package semparse is the planner that needs no model: a semantic parser for
// questions about tables.
//
// A [Planner] proposes typed candidate plans from what the linker found, ranks
// them by a log-linear model over inspectable features, and says with a
// calibrated probability which one was meant. It declines rather than ignore a
// word: no answer leaves a content word of the question unused.
package semparse

import (
	"fmt"
	"log/slog"
	"sync"

	"github.com/allrows/allrows/agent/link"
	"github.com/allrows/allrows/agent/plan"
	"github.com/allrows/allrows/schema"
)

// Config configures a [Planner]. Zero values have defaults.
type Config struct {
	Threshold float64      // probability below which it asks or declines; default 0.5
	Model     *Model       // default: the embedded weights
	Logger    *slog.Logger // default discards
}

// Planner plans questions without a model. It is safe for concurrent use.
type Planner struct {
	threshold float64
	model     *Model
	lexicons  map[string]*link.Lexicon
	logger    *slog.Logger

	mu    sync.Mutex
	views map[viewKey]*view
}

type viewKey struct {
	schema   schema.Fingerprint
	language string
}

// New returns a planner, or an error where its embedded files are damaged.
func New(cfg Config) (*Planner, error) {
	p := &Planner{threshold: cfg.Threshold, model: cfg.Model, logger: cfg.Logger, views: map[viewKey]*view{}}
	if p.threshold == 0 {
		p.threshold = 0.5
	}
	if p.logger == nil {
		p.logger = slog.New(slog.DiscardHandler)
	}
	var err error
	if p.lexicons, err = link.Lexicons(); err != nil {
		return nil, err
	}
	if p.model == nil {
		if p.model, err = LoadModel(embeddedWeights); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// Name returns "semparse".
func (p *Planner) Name() string { return "semparse" }

func (p *Planner) prepare(q *link.Question) (*asked, error) {
	lex := p.lexicons[q.Language]
	if lex == nil {
		return nil, fmt.Errorf("semparse: there is no lexicon for the language %q", q.Language)
	}
	key := viewKey{q.Schema.Fingerprint(), q.Language}
	p.mu.Lock()
	v := p.views[key]
	if v == nil {
		if len(p.views) > 32 {
			clear(p.views)
		}
		v = newView(q.Schema, lex)
		p.views[key] = v
	}
	p.mu.Unlock()
	return prepare(q, v, lex), nil
}

// candidates returns the readings of the question with features, ranked.
func (p *Planner) candidates(q *link.Question, index *Index) (*asked, []*cand, error) {
	a, err := p.prepare(q)
	if err != nil {
		return nil, nil, err
	}
	cands := a.propose()
	x := newExtractor(a, index)
	for _, c := range cands {
		x.extract(c)
	}
	return a, cands, nil
}

// Reading is one candidate reading of a question, for training.
type Reading struct {
	Shape    string
	Plan     *plan.Plan
	Features []Feature
	Facts    Facts // but for Share, Rival and Result, which need the other readings
}

// Feature is one fact of a reading: the number of its name, and its value.
type Feature struct {
	ID    int
	Value float64
}

// Readings returns every candidate reading of the question that is a plan, with
// its features numbered by index.
func (p *Planner) Readings(q *link.Question, index *Index) ([]*Reading, error) {
	a, cands, err := p.candidates(q, index)
	if err != nil {
		return nil, err
	}
	var out []*Reading
	for _, c := range cands {
		r := &Reading{Shape: c.shape, Plan: a.v.build(c), Facts: a.leftOver(c)}
		if r.Plan == nil {
			continue
		}
		for _, f := range c.feats {
			r.Features = append(r.Features, Feature{f.id, f.val})
		}
		out = append(out, r)
	}
	return out, nil
}

// unused names the content words that a candidate leaves unexplained.
func (a *asked) unused(c *cand) []string {
	var out []string
	left := a.content.minus(c.used)
	for i, t := range a.q.Tokens {
		if left.has(i) {
			out = append(out, t.Text)
		}
	}
	return out
}

func isZero(v any) bool {
	switch x := v.(type) {
	case float64:
		return x == 0
	case int64:
		return x == 0
	case string:
		return x == "0"
	}
	return false
}

// ResultFeatures are the facts of a reading that only its result shows.
func ResultFeatures(rows [][]any, err error) map[string]float64 {
	f := map[string]float64{}
	switch {
	case err != nil:
		f["result fails"] = 1
	case len(rows) == 0:
		f["result empty"] = 1
	case len(rows) == 1 && len(rows[0]) == 1 && rows[0][0] == nil:
		f["result null"] = 1
	case len(rows) == 1 && len(rows[0]) > 0 && isZero(rows[0][0]):
		f["result zero"] = 1
	case len(rows) > 1:
		f["result many"] = 1
	}
	return f
}
