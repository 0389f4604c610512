package eval

import (
	"context"
	"time"

	"github.com/allrows/allrows/agent"
)

// Gateway is the part of Allrows that a measurement drives.
type Gateway interface {
	// Load makes a source a workbook and returns the workbook's name. Loading an
	// unchanged one is a no-op.
	Load(ctx context.Context, s Source) (workbook string, err error)
	// Ask answers one question.
	Ask(ctx context.Context, q Question) (*agent.Answer, error)
}

// Source is a file, or a folder whose files are the tables of one workbook.
type Source struct {
	Path string
	Name string // the workbook's name; "" is the file's own
}

// Question is one question as a person asks it.
type Question struct {
	Text         string
	Workbooks    []string // none is all
	Conversation string   // "" opens one
	Asker        string   // a principal; "" is full access
	Now          time.Time
	Best         bool // answer with the best plan, whatever its confidence
}
