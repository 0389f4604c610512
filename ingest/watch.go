package ingest

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/allrows/allrows/workbook"
)

// Watching says what [Loader.Watch] watches: the files of a folder, each of which
// is a workbook, or, where Folder is empty, the sources of what is loaded.
type Watching struct {
	Folder string
	Quiet  time.Duration                                // a file is loaded once it has not changed for so long; default 1s
	Look   time.Duration                                // how often newly loaded workbooks are looked for; default 5s
	Report func(path string, report *Report, err error) // called for each load; the watch goes on after an error
}

// watch is a watch under way.
type watch struct {
	Watching
	l       *Loader
	w       *fsnotify.Watcher
	dirs    map[string]bool
	sources map[string]string // of loaded workbooks: path to name
	due     map[string]time.Time
}

// Watch loads files that change, one after the other, until ctx ends. The files of
// a folder are loaded once at the beginning, too.
func (l *Loader) Watch(ctx context.Context, what Watching) error {
	what.Quiet, what.Look = cmp.Or(what.Quiet, time.Second), cmp.Or(what.Look, 5*time.Second)
	fs, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("ingest: watching files: %w; raise the limit of watches of this machine", err)
	}
	defer fs.Close()
	w := &watch{Watching: what, l: l, w: fs, dirs: map[string]bool{}, sources: map[string]string{}, due: map[string]time.Time{}}
	if err := w.begin(); err != nil {
		return err
	}
	return w.run(ctx)
}

// begin watches the folder and marks what is in it, or finds the sources of what
// is loaded. Those are not loaded again at once: a version may have been rolled back.
func (w *watch) begin() error {
	if w.Folder == "" {
		return w.look()
	}
	path, err := filepath.Abs(w.Folder)
	if err != nil {
		return fmt.Errorf("ingest: %w", err)
	}
	if info, err := os.Stat(path); err != nil {
		return unreadable(w.Folder, err)
	} else if !info.IsDir() {
		return &workbook.FileError{Path: w.Folder, Code: workbook.CodeUnsupported, Text: "this is no folder; name the folder that the file is in"}
	}
	if err := w.w.Add(path); err != nil {
		return fmt.Errorf("ingest: watching %s: %w", w.Folder, err)
	}
	w.Folder = path
	w.all()
	return nil
}

// look finds the sources of loaded workbooks and watches the folders they are in:
// programs replace a file rather than write into it.
func (w *watch) look() error {
	snap, err := w.l.cfg.Store.Snapshot()
	if err != nil {
		return err
	}
	defer snap.Close()
	clear(w.sources)
	for _, v := range snap.Versions {
		source := v.Manifest.Source
		if source == "" || strings.HasSuffix(source, appendedMark) {
			continue
		}
		info, err := os.Stat(source)
		if err != nil {
			continue // gone: what was loaded of it stays
		}
		w.sources[source] = v.Workbook
		dir := source
		if !info.IsDir() {
			dir = filepath.Dir(source)
		}
		if !w.dirs[dir] {
			if err := w.w.Add(dir); err != nil {
				w.l.cfg.Logger.Warn("a source is not watched", "workbook", v.Workbook, "error", err)
				continue
			}
			w.dirs[dir] = true
		}
	}
	return nil
}

// all marks everything that is watched, at the beginning or after events were lost.
func (w *watch) all() {
	if w.Folder == "" {
		for path := range w.sources {
			w.due[path] = time.Now().Add(w.Quiet)
		}
		return
	}
	files, err := folder(w.Folder)
	if err != nil {
		return // nothing in it yet
	}
	for _, f := range files {
		w.due[f] = time.Now() // not known to be changing
	}
}

func (w *watch) run(ctx context.Context) error {
	tick := time.NewTicker(min(w.Quiet/4, 250*time.Millisecond))
	defer tick.Stop()
	looked := time.Now()
	for {
		select {
		case <-ctx.Done():
			return nil
		case e, ok := <-w.w.Events:
			if !ok {
				return nil
			}
			if e.Op != fsnotify.Chmod {
				w.mark(e.Name)
			}
		case err, ok := <-w.w.Errors:
			if !ok {
				return nil
			}
			w.l.cfg.Logger.Warn("watching files", "error", err)
			w.all()
		case <-tick.C:
			if w.Folder == "" && time.Since(looked) > w.Look {
				looked = time.Now()
				if err := w.look(); err != nil {
					w.l.cfg.Logger.Warn("looking for sources to watch", "error", err)
				}
			}
			w.load(ctx)
		}
	}
}

// mark puts off the load of what a change belongs to.
func (w *watch) mark(path string) {
	path = strings.TrimSuffix(path, workbook.OverrideSuffix)
	if strings.HasPrefix(filepath.Base(path), "~$") {
		return
	}
	switch {
	case w.Folder != "":
		if !workbook.Readable(path) {
			return
		}
	case w.sources[path] != "":
	case w.sources[filepath.Dir(path)] != "": // a folder that is one workbook
		path = filepath.Dir(path)
	default:
		return
	}
	w.due[path] = time.Now().Add(w.Quiet)
}

// load loads what has been quiet.
func (w *watch) load(ctx context.Context) {
	for path, at := range w.due {
		if time.Now().Before(at) || ctx.Err() != nil {
			continue
		}
		delete(w.due, path)
		info, err := os.Stat(path)
		if err != nil {
			continue // moved away or removed: what was loaded of it stays
		}
		if still := time.Since(info.ModTime()); !info.IsDir() && still >= 0 && still < w.Quiet {
			w.due[path] = info.ModTime().Add(w.Quiet)
			continue
		}
		report, err := w.l.Load(ctx, Request{Path: path, Name: w.sources[path]})
		if ctx.Err() == nil && w.Report != nil {
			w.Report(path, report, err)
		}
	}
}
