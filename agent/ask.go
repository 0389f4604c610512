package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/allrows/allrows/agent/link"
	"github.com/allrows/allrows/agent/plan"
	"github.com/allrows/allrows/agent/tools"
	"github.com/allrows/allrows/guardrails"
	"github.com/allrows/allrows/sqltool"
)

// longestQuestion is how many characters a question may have.
const longestQuestion = 2000

// run is one question on its way to its answer.
type run struct {
	a     *Agent
	req   Request
	start time.Time
	lang  string
	q     *link.Question
	env   *tools.Env
	turn  plan.Turn
	prev  *kept  // the answer before, nil in a new conversation
	pick  *offer // the reading that the question picks from those offered before it

	trying sync.Mutex // of env.Tried

	step plan.Step     // the last step that made a call
	out  *tools.Output // what it came back with, nil if it was refused
	call *plan.Call
	err  error // the last refusal

	objected *plan.Reason // why the first plan that left words out was not taken
	ans      *Answer
}

// Ask answers one question. A question without an answer is no error: its
// answer says why. An error is a caller that went away, or a journal that
// cannot be written.
func (a *Agent) Ask(ctx context.Context, req Request) (*Answer, error) {
	r, err := a.open(req)
	if err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, a.cfg.Timeout)
	defer cancel()
	err = r.answer(limited)
	if ctx.Err() != nil {
		return nil, fmt.Errorf("agent: answering: %w", context.Cause(ctx))
	}
	if err != nil {
		r.fail(err)
	}
	return r.finish()
}

// open makes the run of a question: its ids, scope and conversation.
func (a *Agent) open(req Request) (*run, error) {
	if req.Scope == nil {
		return nil, errors.New("agent: the request has no scope")
	}
	r := &run{a: a, req: req, start: a.cfg.Now(), lang: "en"}
	r.ans = &Answer{ID: a.cfg.NewID(), Conversation: req.Conversation, Question: req.Question}
	r.ans.Receipt.Planner = a.cfg.Planner.Name()
	if r.ans.Conversation == "" {
		r.ans.Conversation = a.cfg.NewID()
	}
	c := req.Scope.Context()
	r.env = &tools.Env{Scope: req.Scope, Schema: c, Guard: a.cfg.Guard, Runner: a.cfg.Runner, Index: a.cfg.Index,
		Language: r.lang, Question: req.Question, MaxRows: a.cfg.MaxRows, Tried: map[string]*sqltool.Result{}}
	prev, asked, err := a.previous(req.Conversation, req.Scope)
	if err != nil {
		return nil, err
	}
	if asked != nil {
		if r.pick = picked(req.Question, asked.Offers); r.pick != nil {
			r.req.Question = asked.Answer.Question // whose words the reading is of
		}
	}
	if prev != nil {
		r.prev = prev
		r.turn.Previous, r.turn.PreviousQuestion, r.turn.PreviousRoute = prev.Plan, prev.Answer.Question, prev.Answer.Route
	}
	return r, nil
}

// answer goes from the question to the composed answer.
func (r *run) answer(ctx context.Context) error {
	switch question := strings.TrimSpace(r.req.Question); {
	case question == "":
		r.decline(plan.Reason{Code: "unsupported", Text: r.say("empty_question")})
		return nil
	case utf8.RuneCountInString(question) > longestQuestion:
		r.decline(plan.Reason{Code: "limit", Text: r.say("long_question", "n", count(longestQuestion, r.lang))})
		return nil
	}
	if err := r.env.Narrow(ctx); err != nil {
		return err
	}
	if err := r.link(ctx); err != nil {
		return err
	}
	if len(r.env.Schema.Tables) == 0 {
		r.decline(plan.Reason{Code: "not_loaded", Text: r.say("nothing_loaded")})
		return nil
	}
	if r.pick != nil {
		return r.answerPicked(ctx, r.pick)
	}
	if asksWhy(r.req.Question) {
		r.explain()
		return nil
	}
	r.turn.Run, r.turn.Best = r.try, r.req.Best
	for n := 0; ; n++ {
		step, err := r.a.cfg.Planner.Next(ctx, r.q, r.turn)
		if err != nil {
			return fmt.Errorf("planning step %d: %w", n+1, err)
		}
		switch {
		case step.Decline != nil:
			r.decline(*cmp.Or(r.objected, step.Decline))
			return nil
		case len(step.Clarify) > 0:
			r.clarify(step.Clarify)
			return nil
		case step.Call == nil:
			r.compose()
			return nil
		case n >= r.a.cfg.MaxSteps:
			r.decline(plan.Reason{Code: "limit", Text: r.say("limit", "n", itoa(n))})
			return nil
		}
		if reason := r.objection(&step); reason != nil {
			if r.object(&step, reason) {
				continue
			}
			r.decline(*reason)
			return nil
		}
		if err := r.take(ctx, step); err != nil {
			return err
		}
	}
}

// object tells the planner that a plan leaves words of the question out, so that
// it may propose another. It reports false where the planner need not be asked.
func (r *run) object(s *plan.Step, why *plan.Reason) bool {
	if why.Code != "unsupported" || len(why.Words) == 0 {
		return false
	}
	if r.objected == nil {
		r.objected = why
	}
	refusal := "the plan leaves out: " + strings.Join(why.Words, ", ")
	r.turn.Observations = append(r.turn.Observations, plan.Observation{Call: s.Call, Refusal: refusal})
	return true
}

// link finds what the question's words mean in the scope.
func (r *run) link(ctx context.Context) error {
	var idx link.ValueIndex = noValues{}
	if r.a.cfg.Values != nil {
		idx = r.a.cfg.Values(r.env.Schema.Tables)
	}
	now := r.req.Now
	if now.IsZero() {
		now = r.a.cfg.Now()
	}
	q, err := r.a.cfg.Linker.Link(ctx, r.req.Question, r.env.Schema, idx, now)
	if err != nil {
		return fmt.Errorf("linking the question: %w", err)
	}
	r.q = q
	if q.Language != "" {
		r.lang = q.Language
	}
	r.env.Language = r.lang
	r.event(Event{Kind: "linked"})
	return nil
}

// noValues is the value index of an agent without one.
type noValues struct{}

// FindValues finds nothing.
func (noValues) FindValues(context.Context, string, int) ([]link.ValueMatch, error) { return nil, nil }

// take runs a step's call and keeps what it came back with.
func (r *run) take(ctx context.Context, step plan.Step) error {
	began := r.a.cfg.Now()
	r.event(Event{Kind: "step", Tool: step.Call.Tool, Text: step.Reading, SQL: step.Call.SQL})
	out, err := tools.Call(ctx, r.env, normal(step))
	elapsed := float64(r.a.cfg.Now().Sub(began).Microseconds()) / 1000
	r.step, r.call, r.out, r.err = step, step.Call, out, nil
	if refusal, ok := errors.AsType[*tools.Refusal](err); ok {
		r.err = refusal
		r.ans.Receipt.Steps = append(r.ans.Receipt.Steps, StepMade{Tool: step.Call.Tool, Detail: step.Call.SQL, Refusal: refusal.Error(), ElapsedMS: elapsed})
		r.turn.Observations = append(r.turn.Observations, plan.Observation{Call: step.Call, Refusal: refusal.Error()})
		r.event(Event{Kind: "observation", Tool: step.Call.Tool, Text: refusal.Error()})
		return nil
	}
	if err != nil {
		return err
	}
	for i, m := range out.Made {
		made := StepMade{Tool: m.Tool, Detail: m.Detail, Rows: m.Rows, Complete: m.Complete}
		if i == len(out.Made)-1 {
			made.ElapsedMS = elapsed
		}
		r.ans.Receipt.Steps = append(r.ans.Receipt.Steps, made)
		r.event(Event{Kind: "observation", Tool: m.Tool, SQL: sqlOf(m), Rows: m.Rows})
	}
	ob := out.Observe(step.Call, observedRows)
	r.turn.Observations = append(r.turn.Observations, ob)
	return nil
}

// observedRows is how many rows of a result a planner sees.
const observedRows = 20

// normal is the call as its tool takes it: a typed plan on the lookup route is a
// lookup, whichever way the planner called it.
func normal(s plan.Step) *plan.Call {
	c := *s.Call
	if c.Tool == "run_sql" && s.Route == plan.Lookup && c.Plan != nil && !c.Plan.Aggregates() {
		c.Tool = "lookup"
	}
	return &c
}

func sqlOf(m tools.Made) string {
	if m.Tool == "search_rows" || m.Tool == "overview" || m.Tool == "describe_table" {
		return ""
	}
	return m.Detail
}

// try runs a candidate for the planner: under the same scope and guard, and
// without a trace in the receipt.
func (r *run) try(ctx context.Context, p *plan.Plan) (*plan.Observation, error) {
	c, err := plan.Compile(p, r.env.Schema)
	if err != nil {
		return &plan.Observation{Refusal: err.Error()}, nil
	}
	q, err := r.a.cfg.Guard.Check(ctx, r.req.Scope, c.SQL)
	if v, ok := errors.AsType[*guardrails.Violation](err); ok {
		return &plan.Observation{Refusal: v.Error()}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("trying a plan: %w", err)
	}
	res, err := r.a.cfg.Runner.Run(ctx, q)
	if e, ok := errors.AsType[*sqltool.EngineError](err); ok {
		return &plan.Observation{Refusal: e.Error()}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("trying a plan: %w", err)
	}
	r.trying.Lock()
	r.env.Tried[c.SQL] = res
	r.trying.Unlock()
	ob := &plan.Observation{RowsIn: int64(len(res.Rows)), Rows: res.Rows}
	for _, col := range res.Columns {
		ob.Columns = append(ob.Columns, col.Name)
	}
	return ob, nil
}

// say fills a template of the question's language.
func (r *run) say(key string, pairs ...string) string { return words(r.lang).Say(key, pairs...) }

func (r *run) event(e Event) {
	if r.req.Observe != nil {
		r.req.Observe(e)
	}
}

// finish times the answer, keeps it and returns it.
func (r *run) finish() (*Answer, error) {
	r.ans.Receipt.ElapsedMS = float64(r.a.cfg.Now().Sub(r.start).Microseconds()) / 1000
	if err := r.keep(); err != nil {
		return nil, err
	}
	r.event(Event{Kind: "answer", Text: r.ans.Text, Answer: r.ans})
	return r.ans, nil
}
