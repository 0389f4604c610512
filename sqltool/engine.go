package sqltool

import (
	"context"
	"crypto/rand"
	"database/sql/driver"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/allrows/allrows/schema"
	"github.com/duckdb/duckdb-go/v2"
)

// engine is one locked DuckDB instance in memory over read-only version files.
type engine struct {
	connector *duckdb.Connector
	conn      *duckdb.Conn
	names     map[string]fileTable  // scanned table ("f_ab12.main.tiers") -> the scope's table
	sources   map[schema.Ref]string // the same names as SQL, for our own scans
	temp      string                // folder for spills: two engines in one would write the same names
	parse     driver.Stmt           // the statement of tree, once it was needed
}

// openEngine attaches the files, locks the instance, reads every setting back,
// and makes the scope's views.
func openEngine(ctx context.Context, s settings, files []file) (*engine, error) {
	c, err := duckdb.NewConnector("", nil)
	if err != nil {
		return nil, fmt.Errorf("opening an engine: %w", err)
	}
	dc, err := c.Connect(ctx)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("connecting to an engine: %w", err), c.Close())
	}
	s.TempDir = filepath.Join(s.TempDir, randomName())
	e := &engine{connector: c, conn: dc.(*duckdb.Conn), temp: s.TempDir, names: map[string]fileTable{}, sources: map[schema.Ref]string{}}
	if err := e.prepare(ctx, s, files); err != nil {
		return nil, errors.Join(err, e.close())
	}
	return e, nil
}

func (e *engine) prepare(ctx context.Context, s settings, files []file) error {
	aliases := make([]string, len(files))
	for i, f := range files {
		aliases[i] = "f_" + randomName()
		if err := e.exec(ctx, fmt.Sprintf("ATTACH %s AS %s (READ_ONLY)", quote(f.Path), aliases[i])); err != nil {
			return fmt.Errorf("attaching a version: %w", err)
		}
	}
	if err := e.lock(ctx, s); err != nil {
		return err
	}
	if len(files) == 0 {
		return nil
	}
	return e.makeViews(ctx, files, aliases)
}

// locked are the settings of an engine that serves, in the order that works.
// Each is read back as want.
func locked(s settings) []struct{ name, set, want string } {
	memory, disk := s.MemoryMB*3/4, 4*s.MemoryMB // a quarter is for what the engine allocates outside its limit
	return []struct{ name, set, want string }{
		{"autoinstall_known_extensions", "false", "false"},
		{"autoload_known_extensions", "false", "false"},
		{"allow_community_extensions", "false", "false"},
		{"allow_unsigned_extensions", "", "false"},
		{"allow_persistent_secrets", "false", "false"},
		{"TimeZone", "'UTC'", "UTC"},
		{"memory_limit", mebibytes(memory), readBack(memory)},
		{"threads", fmt.Sprint(s.Threads), fmt.Sprint(s.Threads)},
		{"temp_directory", quote(s.TempDir), s.TempDir},
		{"max_temp_directory_size", mebibytes(disk), readBack(disk)},
		{"enable_external_file_cache", "false", "false"},
		{"enable_external_access", "false", "false"},
		{"lock_configuration", "true", "true"},
	}
}

func mebibytes(n int) string { return fmt.Sprintf("'%dMiB'", n) }

// readBack is how DuckDB prints a size that was set in MiB: cut to one decimal.
func readBack(mib int) string {
	if mib < 1024 {
		return fmt.Sprintf("%d.0 MiB", mib)
	}
	return fmt.Sprintf("%d.%d GiB", mib/1024, mib%1024*10/1024)
}

// lock sets what [locked] says and refuses to go on where a setting did not take.
func (e *engine) lock(ctx context.Context, s settings) error {
	list := locked(s)
	for _, k := range list {
		if k.set == "" {
			continue
		}
		if err := e.exec(ctx, "SET "+k.name+" = "+k.set); err != nil {
			return fmt.Errorf("locking the engine: %s: %w", k.name, err)
		}
	}
	for _, k := range list {
		rows, err := e.strings(ctx, "SELECT current_setting("+quote(k.name)+")::VARCHAR")
		if err != nil {
			return fmt.Errorf("locking the engine: reading %s back: %w", k.name, err)
		}
		if len(rows) != 1 || rows[0][0] != k.want {
			return fmt.Errorf("locking the engine: %s reads back as %v, want %s: not serving", k.name, rows, k.want)
		}
	}
	return nil
}

// makeViews makes the scope: a private catalog with one schema a workbook and
// one view a permitted table, and bare names where they are unique.
func (e *engine) makeViews(ctx context.Context, files []file, aliases []string) error {
	scope := "s_" + randomName()
	stmts := []string{"ATTACH ':memory:' AS " + scope}
	schemas := map[string]bool{}
	for i, f := range files {
		for _, t := range f.Tables {
			source := fmt.Sprintf("%s.main.%s", aliases[i], ident(t.Ref.Table))
			e.names[fmt.Sprintf("%s.main.%s", aliases[i], t.Ref.Table)] = t
			e.sources[t.Ref] = source
			if !schemas[t.Ref.Workbook] {
				schemas[t.Ref.Workbook] = true
				stmts = append(stmts, fmt.Sprintf("CREATE SCHEMA IF NOT EXISTS %s.%s", scope, ident(t.Ref.Workbook)))
			}
			body := "SELECT " + identList(t.Columns) + " FROM " + source
			if t.Filter != "" {
				body += " WHERE (\n" + t.Filter + "\n)"
			}
			stmts = append(stmts, fmt.Sprintf("CREATE VIEW %s.%s.%s AS %s", scope, ident(t.Ref.Workbook), ident(t.Ref.Table), body))
			if t.Bare && t.Ref.Workbook != "main" { // in main, the view itself answers to its bare name
				stmts = append(stmts, fmt.Sprintf("CREATE VIEW %s.main.%s AS FROM %s.%s.%s", scope, ident(t.Ref.Table),
					scope, ident(t.Ref.Workbook), ident(t.Ref.Table)))
			}
		}
	}
	for _, q := range append(stmts, "USE "+scope) {
		if err := e.exec(ctx, q); err != nil {
			return fmt.Errorf("making the scope's views: %w", err)
		}
	}
	return nil
}

func (e *engine) exec(ctx context.Context, q string) error {
	_, err := e.conn.ExecContext(ctx, q, nil)
	return err
}

// query prepares exactly one statement and runs it. Prepare refuses a text of two;
// PrepareContext would run the first.
func (e *engine) query(ctx context.Context, q string, args ...driver.NamedValue) (driver.Rows, func(), error) {
	st, err := e.conn.Prepare(q)
	if err != nil {
		return nil, nil, err
	}
	rows, err := st.(driver.StmtQueryContext).QueryContext(ctx, args)
	if err != nil {
		return nil, nil, errors.Join(err, st.Close())
	}
	return rows, func() { _ = rows.Close(); _ = st.Close() }, nil
}

// strings returns every row of a small result of text columns; NULL is "".
func (e *engine) strings(ctx context.Context, q string, args ...driver.NamedValue) ([][]string, error) {
	rows, done, err := e.query(ctx, q, args...)
	if err != nil {
		return nil, err
	}
	defer done()
	var out [][]string
	dest := make([]driver.Value, len(rows.Columns()))
	for {
		err := rows.Next(dest)
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		line := make([]string, len(dest))
		for i, v := range dest {
			if v != nil {
				line[i] = fmt.Sprint(v)
			}
		}
		out = append(out, line)
	}
}

func (e *engine) close() error {
	var parse error
	if e.parse != nil {
		parse = e.parse.Close()
	}
	return errors.Join(parse, e.conn.Close(), e.connector.Close(), os.RemoveAll(e.temp))
}

// engineCache keeps the engines used last, by the files and views they hold.
type engineCache struct {
	entries []engineEntry
}

type engineEntry struct {
	key    string
	engine *engine
	used   time.Time
}

// maxEngines bounds the open engines of a worker: each costs some 5 MB and its
// share of the block cache.
const maxEngines = 6

func (c *engineCache) get(key string) *engine {
	for i := range c.entries {
		if c.entries[i].key == key {
			c.entries[i].used = time.Now()
			return c.entries[i].engine
		}
	}
	return nil
}

func (c *engineCache) put(key string, e *engine) {
	if len(c.entries) >= maxEngines {
		oldest := 0
		for i := range c.entries {
			if c.entries[i].used.Before(c.entries[oldest].used) {
				oldest = i
			}
		}
		_ = c.entries[oldest].engine.close()
		c.entries[oldest] = engineEntry{key, e, time.Now()}
		return
	}
	c.entries = append(c.entries, engineEntry{key, e, time.Now()})
}

// only closes every engine but one.
func (c *engineCache) only(e *engine) {
	kept := c.entries[:0]
	for _, x := range c.entries {
		if x.engine == e {
			kept = append(kept, x)
			continue
		}
		_ = x.engine.close()
	}
	c.entries = kept
}

// drop closes an engine that a fatal error made unusable.
func (c *engineCache) drop(e *engine) {
	for i := range c.entries {
		if c.entries[i].engine == e {
			_ = e.close()
			c.entries = append(c.entries[:i], c.entries[i+1:]...)
			return
		}
	}
}

func randomName() string {
	b := make([]byte, 8)
	_, _ = rand.Read(b) // never fails: it ends the process instead
	return hex.EncodeToString(b)
}

// quote is a SQL string literal, ident a quoted name.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
func ident(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

func identList(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = ident(n)
	}
	return strings.Join(quoted, ", ")
}
