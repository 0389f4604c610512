package kb

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/allrows/allrows/schema"
)

// Embedder turns texts into vectors of Dim numbers, never all zero. Package
// kb/embed has them.
type Embedder interface {
	Name() string
	Dim() int
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// Senses finds words of similar meaning. An [Embedder] that also is one widens
// words of a question that occur nowhere in the searched tables.
type Senses interface {
	Neighbours(word string, limit int) []Neighbour
}

// Neighbour is a word of similar meaning, closest first.
type Neighbour struct {
	Word   string
	Cosine float64
}

// Rows reads all rows of a table: its _row and one value a column, "" for NULL.
// The last pair's error, if any, ends them.
type Rows func(ctx context.Context, t *schema.Table) (iter.Seq2[int64, []string], func() error)

// Config configures a [Store]. Dir and Embedder are required.
type Config struct {
	Dir        string                  // the data folder's index/
	Embedder   Embedder                //
	Rows       Rows                    // rebuilds an index that is missing or of another embedder; nil: [MissingError]
	RowChunks  int64                   // tables of more rows get no row chunks; default 10,000
	GroupRows  int64                   // tables of more rows get no groups and parents; default 100,000
	Strategies map[schema.Ref]Strategy // what people set for a table
	CacheBytes int64                   // memory that opened indexes may keep; default 1 GiB
	Logger     *slog.Logger            // default discards
}

// Store holds the indexes of all published versions. It is safe for concurrent use.
type Store struct {
	cfg    Config
	senses Senses
	cache  *cache
	build  sync.Map // path -> *sync.Mutex: one rebuild of an index at a time
}

// MissingError says that a table has no index of this embedder.
type MissingError struct {
	Ref     schema.Ref
	Version string
}

// Error says what to do.
func (e *MissingError) Error() string {
	return fmt.Sprintf("kb: table %s (version %s) has no index for this embedder; load its workbook again", e.Ref, e.Version)
}

// New returns a store over the index folder. Nothing is read before it is needed.
func New(cfg Config) (*Store, error) {
	if cfg.Dir == "" {
		return nil, errors.New("kb: Config.Dir is empty")
	}
	if cfg.Embedder == nil {
		return nil, errors.New("kb: Config.Embedder is nil")
	}
	if cfg.Embedder.Dim() <= 0 {
		return nil, fmt.Errorf("kb: embedder %s has %d dimensions", cfg.Embedder.Name(), cfg.Embedder.Dim())
	}
	cfg.RowChunks = cmp.Or(cfg.RowChunks, 10_000)
	cfg.GroupRows = cmp.Or(cfg.GroupRows, 100_000)
	cfg.CacheBytes = cmp.Or(cfg.CacheBytes, 1<<30)
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Store{cfg: cfg, cache: newCache(cfg.CacheBytes)}
	s.senses, _ = cfg.Embedder.(Senses)
	return s, nil
}

// Fingerprint names what the indexes depend on besides their version.
func (s *Store) Fingerprint() string {
	name := strings.Map(func(r rune) rune {
		if wordRune(r) || r == '-' || r == '.' {
			return r
		}
		return '_'
	}, s.cfg.Embedder.Name())
	return name + "-" + strconv.Itoa(s.cfg.Embedder.Dim())
}

// path returns the file of a table's index; kind is chunks or values.
func (s *Store) path(t *schema.Table, kind string) string {
	return filepath.Join(s.cfg.Dir, fileName(t.Workbook), fileName(t.Version), s.Fingerprint(), fileName(t.Table)+"."+kind)
}

// fileName keeps a name from leaving its folder. SQL names are safe already.
func fileName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r == '/' || r == '\\' || r == 0 {
			return '_'
		}
		return r
	}, name)
	if strings.Trim(name, ".") == "" {
		return "_" + name
	}
	return name
}

// write puts both files of a table in place, each whole or not at all.
func (s *Store) write(t *schema.Table, x *tableIndex, values []byte) error {
	for _, f := range []struct {
		kind string
		data []byte
	}{{"values", values}, {"chunks", x.encode(s.Fingerprint(), s.cfg.Embedder.Dim())}} {
		path := s.path(t, f.kind)
		if err := writeFile(path, f.data); err != nil {
			return err
		}
		s.cache.drop(path)
	}
	return nil
}

// writeFile writes beside the file, then renames.
func writeFile(path string, data []byte) (err error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("making the index folder: %w", err)
	}
	f, err := os.CreateTemp(dir, ".new-*")
	if err != nil {
		return fmt.Errorf("making an index file: %w", err)
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if _, err = f.Write(data); err != nil {
		return fmt.Errorf("writing an index file: %w", err)
	}
	if err = errors.Join(f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("syncing an index file: %w", err)
	}
	if err = os.Rename(f.Name(), path); err != nil {
		return fmt.Errorf("putting an index file in place: %w", err)
	}
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("syncing the index folder: %w", err)
	}
	return errors.Join(d.Sync(), d.Close())
}

// chunks opens a table's chunk index.
func (s *Store) chunks(ctx context.Context, t *schema.Table) (*tableIndex, error) {
	return open(ctx, s, t, "chunks", func(file []byte) (*tableIndex, error) {
		return decodeTable(ctx, file, s.Fingerprint())
	})
}

// open returns what decode makes of a table's file, from the cache, from the
// file, or from a file built anew where it is missing, torn or of another format.
func open[T sized](ctx context.Context, s *Store, t *schema.Table, kind string, decode func([]byte) (T, error)) (T, error) {
	path := s.path(t, kind)
	v, err := s.cache.get(path, func() (sized, error) {
		file, err := os.ReadFile(path)
		if err == nil {
			var x T
			if x, err = decode(file); err == nil {
				return x, nil
			}
		}
		if !errors.Is(err, os.ErrNotExist) && !errors.Is(err, errCorrupt) {
			return nil, fmt.Errorf("kb: opening the index of %s: %w", t.Ref, err)
		}
		if err := s.rebuild(ctx, t); err != nil {
			return nil, err
		}
		if file, err = os.ReadFile(path); err != nil {
			return nil, fmt.Errorf("kb: reading the new index of %s: %w", t.Ref, err)
		}
		x, err := decode(file)
		if err != nil {
			return nil, fmt.Errorf("kb: opening the new index of %s: %w", t.Ref, err)
		}
		return x, nil
	})
	if err != nil {
		var none T
		return none, err
	}
	return v.(T), nil
}

func (s *Store) rebuild(ctx context.Context, t *schema.Table) error {
	if s.cfg.Rows == nil {
		return &MissingError{t.Ref, t.Version}
	}
	m, _ := s.build.LoadOrStore(s.path(t, "chunks"), &sync.Mutex{})
	m.(*sync.Mutex).Lock()
	defer m.(*sync.Mutex).Unlock()
	rows, ended := s.cfg.Rows(ctx, t)
	stats, err := s.Build(ctx, t, rows)
	if readErr := ended(); readErr != nil {
		return fmt.Errorf("kb: reading the rows of %s: %w", t.Ref, readErr)
	}
	if err != nil {
		return err
	}
	s.cfg.Logger.Info("rebuilt an index", "table", t.Ref.String(), "chunks", stats.Chunks, "elapsed", stats.Elapsed)
	return nil
}

// Forget drops what is cached of a version; its files may then be removed.
func (s *Store) Forget(workbook, version string) {
	s.cache.dropUnder(filepath.Join(s.cfg.Dir, fileName(workbook), fileName(version)) + string(filepath.Separator))
}
