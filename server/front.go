package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/allrows/allrows/agent"
	"github.com/allrows/allrows/guardrails"
	"github.com/allrows/allrows/ingest"
	"github.com/allrows/allrows/schema"
	"github.com/allrows/allrows/sqltool"
)

// Asker is the part of [*agent.Agent] that answers.
type Asker interface {
	Ask(ctx context.Context, r agent.Request) (*agent.Answer, error)
	SQL(ctx context.Context, r agent.SQLRequest) (*agent.Answer, error)
	Search(ctx context.Context, r agent.SearchRequest) (*agent.SearchResult, error)
}

// Recorder is the part of [*agent.Agent] that knows earlier answers.
type Recorder interface {
	Answer(ctx context.Context, id string, s *guardrails.Scope) (*agent.Answer, error)
	Verify(ctx context.Context, id string, s *guardrails.Scope) (*agent.Verification, error)
}

// Historian is the part of [*agent.Agent] that knows earlier conversations.
type Historian interface {
	Conversation(ctx context.Context, id string, s *guardrails.Scope) (*agent.Conversation, error)
	Conversations(ctx context.Context, limit int, s *guardrails.Scope) ([]agent.ConversationLine, error)
}

// Loader is the part of [*ingest.Loader] that front ends call.
type Loader interface {
	Load(ctx context.Context, r ingest.Request) (*ingest.Report, error)
}

// Front is what every front end calls, command line and doors alike: it pins
// the versions that a question reads, cuts the caller's scope from them, asks,
// and lets go. Answered and Scope may be nil, the other fields are required.
type Front struct {
	Store     *sqltool.Store
	Asker     Asker
	Recorder  Recorder
	Historian Historian
	Loader    Loader
	// Answered is told of every answer; nil tells nobody.
	Answered func(*agent.Answer)
	// Scope cuts what a principal may see; the default is everything.
	Scope func(principal string, c *schema.Context) *guardrails.Scope
}

func (f *Front) check() error {
	if f == nil || f.Store == nil || f.Asker == nil || f.Recorder == nil || f.Historian == nil || f.Loader == nil {
		return errors.New("server: Front lacks a part")
	}
	return nil
}

// Question is one question of one principal. Without Workbooks it may read all
// that the principal's scope shows.
type Question struct {
	Text         string
	Workbooks    []string
	Conversation string
	Principal    string
	Now          time.Time         // what "today" means; zero is the clock
	Best         bool              // for measurements: the best plan, whatever its confidence
	Observe      func(agent.Event) // called as steps happen; may be nil
}

// Ask answers a question.
func (f *Front) Ask(ctx context.Context, q Question) (*agent.Answer, error) {
	if err := checkID(q.Conversation); err != nil {
		return nil, err
	}
	scope, done, err := f.scope(q.Principal, q.Workbooks)
	if err != nil {
		return nil, err
	}
	defer done()
	a, err := f.Asker.Ask(ctx, agent.Request{Question: q.Text, Conversation: q.Conversation, Scope: scope, Now: q.Now,
		Best: q.Best, Observe: q.Observe})
	if err == nil && f.Answered != nil {
		f.Answered(a)
	}
	return a, err
}

// longestID is how many bytes an id may have that a caller chooses.
const longestID = 200

// checkID refuses a conversation's id that could do harm where it is printed.
func checkID(id string) error {
	if len(id) <= longestID && utf8.ValidString(id) && !strings.ContainsFunc(id, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return nil
	}
	return refuse("AR-REQ-400", http.StatusBadRequest, "the conversation's id is no id",
		fmt.Sprintf("it has more than %d bytes or characters that cannot be printed", longestID), "leave it out for a new conversation")
}

// SQL runs a person's statement through the guard. Limit 0 is the scope's own.
// A statement that was refused, or did not run, is an error: who writes SQL has
// not asked a question that an outcome could answer.
func (f *Front) SQL(ctx context.Context, principal string, workbooks []string, sql string, limit int) (*agent.Answer, error) {
	scope, done, err := f.scope(principal, workbooks)
	if err != nil {
		return nil, err
	}
	defer done()
	a, err := f.Asker.SQL(ctx, agent.SQLRequest{SQL: sql, Limit: limit, Scope: scope})
	if err != nil {
		return nil, err
	}
	return a, a.Err
}

// Search finds chunks. What it returns is a selection, never the whole.
func (f *Front) Search(ctx context.Context, principal string, workbooks []string, text string, k int) (*agent.SearchResult, error) {
	scope, done, err := f.scope(principal, workbooks)
	if err != nil {
		return nil, err
	}
	defer done()
	return f.Asker.Search(ctx, agent.SearchRequest{Text: text, K: k, Scope: scope})
}

// Answer returns an earlier answer of the principal, cut to what its scope
// shows now.
func (f *Front) Answer(ctx context.Context, principal, id string) (*agent.Answer, error) {
	scope, done, err := f.scope(principal, nil)
	if err != nil {
		return nil, err
	}
	defer done()
	return f.Recorder.Answer(ctx, id, scope)
}

// Verify runs an earlier answer of the principal again.
func (f *Front) Verify(ctx context.Context, principal, id string) (*agent.Verification, error) {
	scope, done, err := f.scope(principal, nil)
	if err != nil {
		return nil, err
	}
	defer done()
	return f.Recorder.Verify(ctx, id, scope)
}

// Conversation returns the answers of one of the principal's conversations.
func (f *Front) Conversation(ctx context.Context, principal, id string) (*agent.Conversation, error) {
	scope, done, err := f.scope(principal, nil)
	if err != nil {
		return nil, err
	}
	defer done()
	return f.Historian.Conversation(ctx, id, scope)
}

// Conversations lists the principal's newest conversations.
func (f *Front) Conversations(ctx context.Context, principal string, limit int) ([]agent.ConversationLine, error) {
	scope, done, err := f.scope(principal, nil)
	if err != nil {
		return nil, err
	}
	defer done()
	return f.Historian.Conversations(ctx, limit, scope)
}

// Tables returns the schema context as the principal's scope shows it.
func (f *Front) Tables(principal string, workbooks ...string) (*schema.Context, error) {
	scope, done, err := f.scope(principal, workbooks)
	if err != nil {
		return nil, err
	}
	defer done()
	return scope.Context(), nil
}

// scope pins the current versions and cuts the principal's scope from them.
func (f *Front) scope(principal string, workbooks []string) (*guardrails.Scope, func(), error) {
	snap, err := f.Store.Snapshot(workbooks...)
	if err != nil {
		return nil, nil, err
	}
	cut := f.Scope
	if cut == nil {
		cut = guardrails.NewScope
	}
	return cut(principal, snap.Context()), func() { snap.Close() }, nil
}

// Books lists the workbooks that have a table in the principal's scope, with
// their ledgers.
func (f *Front) Books(principal string) ([]Book, error) {
	ctx, err := f.Tables(principal)
	if err != nil {
		return nil, err
	}
	books := []Book{}
	at := map[string]int{}
	for _, t := range ctx.Tables {
		i, ok := at[t.Workbook]
		if !ok {
			ledger, err := f.Store.Ledger(t.Workbook, t.Version)
			if err != nil {
				return nil, fmt.Errorf("reading the ledger of %s: %w", t.Workbook, err)
			}
			i = len(books)
			at[t.Workbook] = i
			books = append(books, Book{Workbook: t.Workbook, File: t.File, Version: t.Version, LoadedAt: t.LoadedAt, Ledger: ledger})
		}
		books[i].Tables = append(books[i].Tables, t)
	}
	return books, nil
}
