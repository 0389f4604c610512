package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/allrows/allrows/agent/plan"
	"github.com/allrows/allrows/guardrails"
	"github.com/allrows/allrows/journal"
	"github.com/allrows/allrows/schema"
)

// ErrNotFound says that the caller has no answer of that id: there is none, it
// is another's, or the caller's scope no longer shows all that it shows.
var ErrNotFound = errors.New("agent: there is no such answer")

// kindAnswer is the journal's kind of an answer.
const kindAnswer = "answer"

// kept is an answer as the journal keeps it.
type kept struct {
	Answer   *Answer           `json:"answer"`
	Plan     *plan.Plan        `json:"plan,omitempty"`
	Tool     string            `json:"tool,omitempty"`
	Args     map[string]any    `json:"args,omitempty"`
	Language string            `json:"language"`
	Filters  map[string]string `json:"filters,omitempty"` // row filters of the tables read, as they were
	Offers   []offer           `json:"offers,omitempty"`  // of a question asked back
}

// keep writes the answer to the journal.
func (r *run) keep() error {
	if r.a.cfg.Journal == nil {
		return nil
	}
	k := kept{Answer: r.ans, Language: r.lang, Filters: filters(r.req.Scope, r.ans)}
	if r.ans.Outcome == Clarify {
		k.Offers = offers(r.ans.Choices)
	}
	if r.out != nil && r.call != nil {
		k.Plan, k.Tool, k.Args = r.call.Plan, r.call.Tool, r.call.Args
	}
	e := journal.Entry{Kind: kindAnswer, Principal: r.req.Scope.Principal, ID: r.ans.ID, Conversation: r.ans.Conversation, Body: k}
	if err := r.a.cfg.Journal.Write(e); err != nil {
		return fmt.Errorf("agent: keeping the answer: %w", err)
	}
	return nil
}

// filters are the row filters of the tables that an answer read.
func filters(s *guardrails.Scope, a *Answer) map[string]string {
	out := map[string]string{}
	for _, t := range s.Tables {
		name := t.Table.Ref.String()
		if t.Filter != "" && slices.ContainsFunc(a.Receipt.Tables, func(u TableUse) bool { return u.Name == name }) {
			out[name] = t.Filter
		}
	}
	return out
}

// previous returns the last answer of the conversation that a question may follow
// up on: the caller's own, with a plan over tables that the scope still shows; and
// the question that was asked back last, where nothing came after it.
func (a *Agent) previous(conversation string, s *guardrails.Scope) (prev, asked *kept, err error) {
	if a.cfg.Journal == nil || conversation == "" {
		return nil, nil, nil
	}
	records, err := a.cfg.Journal.Conversation(conversation)
	if err != nil {
		return nil, nil, fmt.Errorf("agent: reading the conversation: %w", err)
	}
	latest := true
	for _, rec := range slices.Backward(records) {
		if rec.Kind != kindAnswer || rec.Principal != s.Principal {
			continue
		}
		k := &kept{}
		if err := rec.Decode(k); err != nil {
			return nil, nil, fmt.Errorf("agent: reading the conversation: %w", err)
		}
		if latest && k.Answer != nil && len(k.Offers) > 0 {
			asked = k
		}
		latest = false
		if k.Answer == nil || k.Answer.Outcome != Answered && (k.Answer.Outcome != Empty || k.Plan == nil) {
			continue
		}
		if k.Plan != nil && slices.ContainsFunc(k.Plan.Tables(), func(t schema.Ref) bool { return s.Table(t) == nil }) {
			continue
		}
		return k, asked, nil
	}
	return nil, asked, nil
}

// Answer returns a kept answer to its principal, as long as the scope still shows
// what the answer shows.
func (a *Agent) Answer(ctx context.Context, id string, s *guardrails.Scope) (*Answer, error) {
	k, err := a.find(ctx, id, s)
	if err != nil {
		return nil, err
	}
	return k.Answer, nil
}

// find reads an answer from the journal and holds it against the scope.
func (a *Agent) find(ctx context.Context, id string, s *guardrails.Scope) (*kept, error) {
	if a.cfg.Journal == nil || s == nil {
		return nil, ErrNotFound
	}
	rec, err := a.cfg.Journal.Find(id)
	if errors.Is(err, journal.ErrNotFound) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("agent: reading an answer: %w", err)
	}
	k := &kept{}
	if rec.Kind != kindAnswer || rec.Principal != s.Principal {
		return nil, ErrNotFound
	}
	if err := rec.Decode(k); err != nil {
		return nil, fmt.Errorf("agent: reading an answer: %w", err)
	}
	if k.Answer == nil || !a.stillShown(ctx, k, s) {
		return nil, ErrNotFound
	}
	return k, nil
}

// stillShown reports whether the scope shows the tables, rows and columns that
// the answer was made of.
func (a *Agent) stillShown(ctx context.Context, k *kept, s *guardrails.Scope) bool {
	for _, u := range k.Answer.Receipt.Tables {
		i := slices.IndexFunc(s.Tables, func(t guardrails.ScopeTable) bool { return t.Table.Ref.String() == u.Name })
		if i < 0 || s.Tables[i].Filter != k.Filters[u.Name] {
			return false
		}
	}
	if k.Answer.Receipt.SQL == "" {
		return true
	}
	_, err := a.cfg.Guard.Check(ctx, s, k.Answer.Receipt.SQL)
	return err == nil
}
