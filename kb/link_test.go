package kb_test

import (
	"github.com/allrows/allrows/agent/link"
	"github.com/allrows/allrows/kb"
)

var _ link.ValueIndex = (*kb.Values)(nil)
