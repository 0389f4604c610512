package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"log/slog"
	"path/filepath"
	"syscall"

	"github.com/allrows/allrows/access"
	"github.com/allrows/allrows/agent"
	"github.com/allrows/allrows/agent/link"
	"github.com/allrows/allrows/agent/semparse"
	"github.com/allrows/allrows/guardrails"
	"github.com/allrows/allrows/ingest"
	"github.com/allrows/allrows/journal"
	"github.com/allrows/allrows/kb"
	"github.com/allrows/allrows/kb/embed"
	"github.com/allrows/allrows/schema"
	"github.com/allrows/allrows/server"
	"github.com/allrows/allrows/sqltool"
)

// gateway is an open data folder with everything that works on it.
type gateway struct {
	store   *sqltool.Store
	runner  *sqltool.Runner
	planner *semparse.Planner
	linker  *link.Linker
	index   *kb.Store
	agent   *agent.Agent
	loader  *ingest.Loader
	journal *journal.Journal
	front   *server.Front
}

// open puts the packages together over the data folder. It starts no worker:
// the first query does.
func (a *app) open(log *slog.Logger) (*gateway, error) {
	g := &gateway{}
	if err := g.wire(a, log); err != nil {
		return nil, errors.Join(err, g.Close())
	}
	return g, nil
}

// wire fills in the parts. Those made before one that fails are there to be closed.
func (g *gateway) wire(a *app, log *slog.Logger) (err error) {
	if g.store, err = sqltool.OpenStore(a.cfg.Data); err != nil {
		return folderError(a.cfg.Data, err)
	}
	g.runner, err = sqltool.New(sqltool.Config{Store: g.store, Workers: a.cfg.Workers, Timeout: a.cfg.Timeout, MemoryMB: a.cfg.MemoryMB, Logger: log})
	if err != nil {
		return folderError(a.cfg.Data, err)
	}
	guard, err := guardrails.New(guardrails.Config{Parser: g.runner})
	if err != nil {
		return err
	}
	if g.index, err = kb.New(kb.Config{Dir: filepath.Join(a.cfg.Data, "index"), Embedder: embed.Static(), Rows: g.rows, RowChunks: int64(a.cfg.IndexRows), Logger: log}); err != nil {
		return err
	}
	if g.linker, err = link.New(); err != nil {
		return err
	}
	if g.planner, err = semparse.New(semparse.Config{Threshold: a.cfg.Threshold, Logger: log}); err != nil {
		return err
	}
	if g.journal, err = journal.Open(filepath.Join(a.cfg.Data, "journal")); err != nil {
		return folderError(a.cfg.Data, err)
	}
	g.agent, err = agent.New(agent.Config{Planner: g.planner, Linker: g.linker, Guard: guard, Runner: g.runner, Index: g.index,
		Values:  func(t []*schema.Table) link.ValueIndex { return g.index.Values(t) },
		Journal: g.journal, Versions: g.store, MaxRows: int64(a.cfg.IndexRows), Now: a.now, NewID: newID, Logger: log})
	if err != nil {
		return err
	}
	g.loader, err = ingest.New(ingest.Config{Store: g.store, Runner: g.runner, Index: g.index, Keep: a.cfg.KeepVers, Now: a.now, Logger: log})
	if err != nil {
		return err
	}
	g.front = &server.Front{Store: g.store, Asker: g.agent, Recorder: g.agent, Historian: g.agent, Loader: g.loader}
	return nil
}

// folderError says that a data folder cannot be worked in, in the words of a setting.
func folderError(dir string, err error) error {
	var why string
	switch {
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		why = "this user may not write to it"
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, fs.ErrExist):
		why = "it is no folder"
	case errors.Is(err, syscall.ENOSPC):
		why = "the disk is full"
	default:
		return fmt.Errorf("opening the data folder %s: %w", dir, err)
	}
	return &configError{"data.dir", fmt.Sprintf("%s: %s; choose another with --data or ALLROWS_DATA", dir, why)}
}

// rows reads a table again for an index that is missing.
func (g *gateway) rows(ctx context.Context, t *schema.Table) (iter.Seq2[int64, []string], func() error) {
	v, err := g.store.Version(t.Workbook, t.Version)
	if err != nil {
		return func(func(int64, []string) bool) {}, func() error { return err }
	}
	return ingest.Rows(ctx, g.runner, v, t, nil)
}

// keys opens the API keys of the data folder.
func (a *app) keys() (*access.Keys, error) {
	return access.New(access.Config{Path: filepath.Join(a.cfg.Data, "keys.json"), Now: a.now})
}

// Close ends the workers and closes the journal.
func (g *gateway) Close() error {
	var errs []error
	if g.runner != nil {
		errs = append(errs, g.runner.Close())
	}
	if g.journal != nil {
		errs = append(errs, g.journal.Close())
	}
	return errors.Join(errs...)
}

// newID is 96 random bits: ids of answers and requests cannot be guessed.
func newID() string {
	var raw [12]byte
	rand.Read(raw[:]) // never fails
	return hex.EncodeToString(raw[:])
}
