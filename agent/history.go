package agent

import (
	"context"
	"fmt"
	"time"

	"github.com/allrows/allrows/guardrails"
	"github.com/allrows/allrows/journal"
)

// Conversation is one conversation of a caller, with its answers, oldest first.
type Conversation struct {
	ID      string    `json:"id"`
	Begun   time.Time `json:"begun"`
	Answers []*Answer `json:"answers"`
}

// ConversationLine is one conversation of the list.
type ConversationLine struct {
	ID       string    `json:"id"`
	Question string    `json:"question"` // its newest
	Last     time.Time `json:"last"`
	Answers  int       `json:"answers"` // of the newest answers that were looked at
}

// lookedAt is how many of a caller's newest answers the list is made of.
const lookedAt = 500

// Conversation returns the caller's answers of a conversation that the scope
// still shows. The error is [ErrNotFound] where there are none.
func (a *Agent) Conversation(ctx context.Context, id string, s *guardrails.Scope) (*Conversation, error) {
	if a.cfg.Journal == nil || s == nil || id == "" {
		return nil, ErrNotFound
	}
	records, err := a.cfg.Journal.Conversation(id)
	if err != nil {
		return nil, fmt.Errorf("agent: reading a conversation: %w", err)
	}
	c := &Conversation{ID: id}
	for _, rec := range records {
		k, err := a.mine(ctx, rec, s)
		if err != nil {
			return nil, err
		}
		if k == nil {
			continue
		}
		if len(c.Answers) == 0 {
			c.Begun = rec.Time
		}
		c.Answers = append(c.Answers, k.Answer)
	}
	if len(c.Answers) == 0 {
		return nil, ErrNotFound
	}
	return c, nil
}

// Conversations lists the caller's newest conversations, newest first. Answers
// that the scope no longer shows count as not there.
func (a *Agent) Conversations(ctx context.Context, limit int, s *guardrails.Scope) ([]ConversationLine, error) {
	lines := []ConversationLine{}
	if a.cfg.Journal == nil || s == nil {
		return lines, nil
	}
	records, err := a.cfg.Journal.List(journal.Query{Kind: kindAnswer, Principal: s.Principal, Limit: lookedAt})
	if err != nil {
		return nil, fmt.Errorf("agent: listing conversations: %w", err)
	}
	at := map[string]int{}
	for _, rec := range records {
		i, known := at[rec.Conversation]
		if !known && len(lines) >= limit {
			continue
		}
		k, err := a.mine(ctx, rec, s)
		if err != nil {
			return nil, err
		}
		if k == nil {
			continue
		}
		if !known {
			i = len(lines)
			at[rec.Conversation] = i
			lines = append(lines, ConversationLine{ID: rec.Conversation, Question: k.Answer.Question, Last: rec.Time})
		}
		lines[i].Answers++
	}
	return lines, nil
}

// mine decodes a record if it is an answer of the caller that the scope shows;
// else it is nil.
func (a *Agent) mine(ctx context.Context, rec *journal.Record, s *guardrails.Scope) (*kept, error) {
	if rec.Kind != kindAnswer || rec.Principal != s.Principal {
		return nil, nil
	}
	k := &kept{}
	if err := rec.Decode(k); err != nil {
		return nil, fmt.Errorf("agent: reading a conversation: %w", err)
	}
	if k.Answer == nil || !a.stillShown(ctx, k, s) {
		return nil, nil
	}
	return k, nil
}
