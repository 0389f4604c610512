package server

import "github.com/allrows/allrows/journal"

// Memory is the part of [*journal.Journal] that remembers which conversation a
// stateless client's messages belong to.
type Memory interface {
	Append(kind, principal, id string, body any) error
	Find(id string) (*journal.Record, error)
}

// chats finds conversations by the hash of their messages, over restarts too.
type chats struct{ memory Memory }

type chatNote struct {
	Conversation string `json:"conversation"`
}

func (c chats) note(principal, key, conversation string) error {
	return c.memory.Append("chat", principal, key, chatNote{conversation})
}

// find returns the conversation, or "" where the messages were never said here.
func (c chats) find(key string) string {
	var n chatNote
	r, err := c.memory.Find(key)
	if err != nil || r.Decode(&n) != nil {
		return ""
	}
	return n.Conversation
}
