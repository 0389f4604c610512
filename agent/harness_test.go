package agent_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/allrows/allrows/agent"
	"github.com/allrows/allrows/agent/link"
	"github.com/allrows/allrows/agent/plan"
	"github.com/allrows/allrows/examples"
	"github.com/allrows/allrows/guardrails"
	"github.com/allrows/allrows/ingest"
	"github.com/allrows/allrows/journal"
	"github.com/allrows/allrows/kb"
	"github.com/allrows/allrows/kb/embed"
	"github.com/allrows/allrows/schema"
	"github.com/allrows/allrows/sqltool"
)

func TestMain(m *testing.M) {
	sqltool.MaybeWorker()
	os.Exit(m.Run())
}

// loadedAt is when every workbook of the tests was loaded.
var loadedAt = time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)

// parts are the real parts behind an agent, over a data folder of their own.
type parts struct {
	dir    string
	store  *sqltool.Store
	runner *sqltool.Runner
	guard  *guardrails.Guard
	index  *kb.Store
}

func newParts(t testing.TB) *parts {
	t.Helper()
	p := &parts{dir: t.TempDir()}
	var err error
	if p.store, err = sqltool.OpenStore(p.dir); err != nil {
		t.Fatal(err)
	}
	if p.runner, err = sqltool.New(sqltool.Config{Store: p.store, Workers: 2, Timeout: 20 * time.Second}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.runner.Close(); err != nil {
			t.Error(err)
		}
	})
	if p.guard, err = guardrails.New(guardrails.Config{Parser: p.runner}); err != nil {
		t.Fatal(err)
	}
	p.index, err = kb.New(kb.Config{Dir: filepath.Join(p.dir, "index"), Embedder: embed.Static()})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// load loads sample workbooks and returns a scope that shows all of them.
func (p *parts) load(t testing.TB, names ...string) *guardrails.Scope {
	t.Helper()
	src := t.TempDir()
	for _, n := range names {
		if err := examples.WriteFile(src, n); err != nil {
			t.Fatal(err)
		}
		p.publish(t, filepath.Join(src, n))
	}
	return p.scope(t, names...)
}

func (p *parts) scope(t testing.TB, names ...string) *guardrails.Scope {
	t.Helper()
	snap, err := p.store.Snapshot(names...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(snap.Close)
	return guardrails.NewScope("tester", snap.Context())
}

// publish loads one file the way that the program does.
func (p *parts) publish(t testing.TB, path string) {
	t.Helper()
	l, err := ingest.New(ingest.Config{Store: p.store, Runner: p.runner, Index: p.index, Now: func() time.Time { return loadedAt }})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, loadedAt, loadedAt); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Load(t.Context(), ingest.Request{Path: path}); err != nil {
		t.Fatal(err)
	}
}

// scripted is a planner that says what it was told to, step by step.
type scripted struct{ steps []plan.Step }

func (s *scripted) Name() string { return "scripted" }

// Next returns the step after those whose observations it is shown.
func (s *scripted) Next(_ context.Context, _ *link.Question, turn plan.Turn) (plan.Step, error) {
	if n := len(turn.Observations); n < len(s.steps) {
		return s.steps[n], nil
	}
	return plan.Step{}, nil
}

// plainLinker links nothing and says the language.
type plainLinker struct {
	lang    string
	unknown []string
}

func (l plainLinker) Link(_ context.Context, text string, c *schema.Context, _ link.ValueIndex, now time.Time) (*link.Question, error) {
	return &link.Question{Text: text, Language: l.lang, Now: now, Schema: c, Unknown: l.unknown}, nil
}

// clock goes on by a millisecond each time it is read.
func clock() func() time.Time {
	var n atomic.Int64
	return func() time.Time { return loadedAt.Add(time.Duration(n.Add(1)) * time.Millisecond) }
}

func ids() func() string {
	var n atomic.Int64
	return func() string { return fmt.Sprintf("id-%d", n.Add(1)) }
}

// agent is an agent over the parts with that planner and linker.
func (p *parts) agent(t testing.TB, pl agent.Planner, l agent.Linker) *agent.Agent {
	t.Helper()
	j, err := journal.Open(filepath.Join(p.dir, "journal"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	a, err := agent.New(agent.Config{Planner: pl, Linker: l, Guard: p.guard, Runner: p.runner, Index: p.index, Journal: j, Versions: p.store,
		Values: func(tabs []*schema.Table) link.ValueIndex { return p.index.Values(tabs) }, Threshold: 0.3, Now: clock(), NewID: ids()})
	if err != nil {
		t.Fatal(err)
	}
	return a
}
