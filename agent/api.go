package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/allrows/allrows/agent/plan"
	"github.com/allrows/allrows/agent/tools"
	"github.com/allrows/allrows/guardrails"
	"github.com/allrows/allrows/kb"
	"github.com/allrows/allrows/schema"
)

// SQLRequest is one statement that a person wrote.
type SQLRequest struct {
	SQL          string
	Conversation string
	Limit        int // rows; 0 is the scope's cap
	Scope        *guardrails.Scope
	Observe      func(Event)
}

// SQL runs a person's statement through the very path that a planner's takes.
func (a *Agent) SQL(ctx context.Context, req SQLRequest) (*Answer, error) {
	if req.Scope == nil {
		return nil, errors.New("agent: the request has no scope")
	}
	scope := *req.Scope
	if cap := scope.Caps.Defaults().Rows; req.Limit > 0 && req.Limit < cap {
		scope.Caps.Rows = req.Limit
	}
	step := plan.Step{Route: plan.Aggregate, Confidence: 1, Call: &plan.Call{Tool: "run_sql", SQL: req.SQL}}
	return a.direct(ctx, Request{Question: req.SQL, Conversation: req.Conversation, Scope: &scope, Observe: req.Observe}, step)
}

// CallRequest is one tool call that a program makes itself.
type CallRequest struct {
	Tool         string // a name of [tools.All]
	Args         map[string]any
	Conversation string
	Scope        *guardrails.Scope
	Observe      func(Event)
}

// Call runs one tool under the scope and the guard, and answers as a question
// does.
func (a *Agent) Call(ctx context.Context, req CallRequest) (*Answer, error) {
	if req.Scope == nil {
		return nil, errors.New("agent: the request has no scope")
	}
	question := req.Tool
	if text, ok := req.Args["text"].(string); ok {
		question = text
	}
	if text, ok := req.Args["sql"].(string); ok {
		question = text
	}
	step := plan.Step{Confidence: 1, Call: &plan.Call{Tool: req.Tool, Args: req.Args}}
	return a.direct(ctx, Request{Question: question, Conversation: req.Conversation, Scope: req.Scope, Observe: req.Observe}, step)
}

// direct answers by one step that no planner proposed.
func (a *Agent) direct(ctx context.Context, req Request, step plan.Step) (*Answer, error) {
	r, err := a.open(req)
	if err != nil {
		return nil, err
	}
	r.ans.Receipt.Planner = person
	limited, cancel := context.WithTimeout(ctx, a.cfg.Timeout)
	defer cancel()
	if strings.TrimSpace(req.Question) == "" {
		r.decline(plan.Reason{Code: "unsafe", Text: r.say("empty_question")})
		return r.finish()
	}
	if err = r.env.Narrow(limited); err == nil {
		err = r.take(limited, step)
	}
	if err == nil {
		r.compose()
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("agent: running %s: %w", step.Call.Tool, context.Cause(ctx))
	}
	if err != nil {
		r.fail(err)
	}
	return r.finish()
}

// person is the planner of what nobody planned.
const person = "person"

// SearchRequest is a search for rows and tables by words.
type SearchRequest struct {
	Text  string
	K     int // hits at most; default 10
	Kinds []kb.Kind
	Scope *guardrails.Scope
}

// SearchResult is a selection: never the whole, and never to be counted.
type SearchResult struct {
	Hits     []FoundHit `json:"hits"`
	Complete bool       `json:"complete"` // always false
	Notice   string     `json:"notice"`
}

// FoundHit is a hit with the row that it points to, as the engine has it.
type FoundHit struct {
	kb.Hit
	Columns []Column `json:"columns,omitempty"`
	Row     []any    `json:"row,omitempty"`
	Cell    string   `json:"cell,omitempty"` // address of the row's first cell
}

// Search finds chunks of the scope's tables by words; rows are read from the
// engine under the scope, and hits whose rows it does not show are dropped.
func (a *Agent) Search(ctx context.Context, req SearchRequest) (*SearchResult, error) {
	if req.Scope == nil {
		return nil, errors.New("agent: the request has no scope")
	}
	r, err := a.open(Request{Question: req.Text, Scope: req.Scope})
	if err != nil {
		return nil, err
	}
	out := &SearchResult{Hits: []FoundHit{}, Notice: r.notice()}
	if a.cfg.Index == nil || strings.TrimSpace(req.Text) == "" || len(r.env.Schema.Tables) == 0 {
		return out, nil
	}
	limited, cancel := context.WithTimeout(ctx, a.cfg.Timeout)
	defer cancel()
	if err := r.env.Narrow(limited); err != nil {
		return nil, fmt.Errorf("agent: searching: %w", err)
	}
	hits, err := a.cfg.Index.Search(limited, kb.Query{Text: req.Text, Tables: r.env.Schema.Tables, Kinds: req.Kinds, K: req.K})
	if err != nil {
		return nil, fmt.Errorf("agent: searching: %w", err)
	}
	hits, parts, err := r.env.Resolve(limited, hits)
	if err != nil {
		return nil, fmt.Errorf("agent: searching: %w", err)
	}
	for _, h := range hits {
		out.Hits = append(out.Hits, found(h, parts, r.env.Schema))
	}
	return out, nil
}

// found joins a hit with its row.
func found(h kb.Hit, parts []tools.Part, c *schema.Context) FoundHit {
	f := FoundHit{Hit: h}
	for i := range parts {
		p := &parts[i]
		at := slices.IndexFunc(p.RowIDs, func(ids []int64) bool { return ids[0] == h.FirstRow })
		if p.Ref != h.Ref || h.Kind != kb.Row || at < 0 {
			continue
		}
		f.Columns, f.Row = result(p, "en").Columns, p.Result.Rows[at]
		if t := c.Table(h.Ref); t != nil && len(p.Columns) > 0 {
			f.Cell = columnRange(t.Column(p.Columns[0].Name), h.FirstRow, h.FirstRow)
		}
	}
	return f
}
