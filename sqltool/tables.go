package sqltool

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/allrows/allrows/schema"
	"github.com/allrows/allrows/workbook"
	"github.com/duckdb/duckdb-go/v2"
)

// tablesDB is tables.duckdb while a load writes it.
type tablesDB struct {
	db     *sql.DB
	conn   *sql.Conn
	engine *engine // the same connection, for small questions

	odd *workbook.TableLedger // rejected cells of the table that was written last, if any
}

// openTables makes the file of a version. The engine may read the source and
// write its own folder, and is locked before a byte of the source is read.
func openTables(ctx context.Context, s settings, r *LoadRequest) (*tablesDB, error) {
	c, err := duckdb.NewConnector(filepath.Join(r.Dir, tablesFile), nil)
	if err != nil {
		return nil, fmt.Errorf("making %s: %w", tablesFile, err)
	}
	t := &tablesDB{db: sql.OpenDB(c)}
	t.conn, err = t.db.Conn(ctx)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("making %s: %w", tablesFile, err), t.db.Close())
	}
	paths, err := literal(r.Paths)
	if err != nil {
		return nil, err
	}
	err = t.conn.Raw(func(dc any) error {
		t.engine = &engine{conn: dc.(*duckdb.Conn)}
		if err := t.engine.exec(ctx, "SET allowed_paths = "+paths); err != nil {
			return err
		}
		if r.Base != nil {
			if err := t.engine.exec(ctx, "ATTACH "+quote(r.Base.Path)+" AS "+baseAlias+" (READ_ONLY)"); err != nil {
				return err
			}
		}
		s.Threads = loadThreads()
		return t.engine.lock(ctx, s)
	})
	if err != nil {
		t.close()
		return nil, fmt.Errorf("locking the loading engine: %w", err)
	}
	return t, nil
}

func (d *tablesDB) close() {
	_ = d.conn.Close()
	_ = d.db.Close()
}

// finish folds the write-ahead log into the file.
func (d *tablesDB) finish(ctx context.Context) error {
	_, err := d.conn.ExecContext(ctx, "CHECKPOINT")
	if err != nil {
		return fmt.Errorf("closing %s: %w", tablesFile, err)
	}
	return nil
}

// write makes one table and returns its rows. Columns that only DuckDB knows are
// filled in.
func (d *tablesDB) write(ctx context.Context, source string, t *workbook.Table, progress func(Progress)) (int64, error) {
	var err error
	d.odd = nil
	if t.Scan != nil {
		progress(Progress{Phase: "writing", Table: t.Name})
		err = d.writeScan(ctx, source, t)
	} else if err = columnsFit(source, t); err == nil {
		err = d.writeRows(ctx, t, progress)
	}
	if err != nil {
		return 0, err
	}
	if err := d.comment(ctx, t); err != nil {
		return 0, err
	}
	var n int64
	err = d.conn.QueryRowContext(ctx, "SELECT count(*) FROM "+ident(t.Name)).Scan(&n)
	return n, err
}

// writeScan copies a source that DuckDB reads itself. Parquet numbers its own
// rows; other readers keep the order of the file, so that counting them numbers them.
func (d *tablesDB) writeScan(ctx context.Context, source string, t *workbook.Table) error {
	options := maps.Clone(t.Scan.Options)
	number := rowNumber(t.Scan)
	if t.Scan.Reader == "read_parquet" {
		if options == nil {
			options = map[string]any{}
		}
		options["file_row_number"] = true
		number = "file_row_number + 1"
	}
	args, err := readerOptions(options)
	if err != nil {
		return err
	}
	from := t.Scan.Reader + "(" + quote(source) + args + ")"
	if err := d.describe(ctx, source, t, from); err != nil {
		return err
	}
	if err := columnsFit(source, t); err != nil {
		return err
	}
	var columns []string
	for _, c := range t.Columns {
		columns = append(columns, fmt.Sprintf("CAST(%s AS %s) AS %s", ident(c.Header), c.Type.SQL(), ident(c.Name)))
	}
	_, err = d.conn.ExecContext(ctx, fmt.Sprintf("CREATE TABLE %s AS SELECT CAST(%s AS BIGINT) AS %s, %s FROM %s", ident(t.Name), number,
		schema.RowColumn, strings.Join(columns, ", "), from))
	if err != nil && t.Scan.Reader == "read_csv" && isConversion(err) {
		err = d.writeOddCSV(ctx, source, t)
	}
	if err != nil {
		return scanError(err, source)
	}
	if t.Scan.Reader == "read_parquet" {
		return nil
	}
	return d.exactDecimals(ctx, t)
}

// maxColumns is how many columns a table may have.
const maxColumns = 2000

// columnsFit refuses a table that is too wide to be asked about.
func columnsFit(source string, t *workbook.Table) error {
	if n := len(t.Columns); n > maxColumns {
		return &workbook.FileError{Path: source, Code: workbook.CodeLimit,
			Text: fmt.Sprintf("table %s has %d columns, the limit is %d; split it, or write what the columns repeat into rows", t.Name, n, maxColumns)}
	}
	return nil
}

// rowNumber numbers the rows of a reader that does not: from 1, or as the lines of
// a text file stand below its title and header lines.
func rowNumber(s *workbook.Scan) string {
	above := 0
	if skip, ok := s.Options["skip"].(int); ok {
		above += skip
	}
	if header, ok := s.Options["header"].(bool); ok && header {
		above++
	}
	return fmt.Sprintf("row_number() OVER () + %d", above)
}

// readerPlace is what a reader's complaint says of where the damage is. Nothing
// else of the engine's words is handed on: they quote paths and cells.
var readerPlace = regexp.MustCompile(`(?i)\bat byte \d+ in record/value \d+|\bline:? \d+|\bin record/value \d+`)

// scanError says in our words why a reader could not read the source.
func scanError(err error, source string) error {
	if err == nil {
		return nil
	}
	text := "DuckDB's reader cannot read it: the file is damaged, cut off, or not what its name says"
	if de, ok := errors.AsType[*duckdb.Error](err); ok {
		if de.Type == duckdb.ErrorTypeOutOfMemory {
			return outOfMemory(source, err)
		}
		first, _, _ := strings.Cut(de.Msg, "\n")
		if place := readerPlace.FindString(first); place != "" {
			text += " (" + strings.ToLower(place) + ")"
		}
	}
	return &workbook.FileError{Path: source, Code: workbook.CodeCorrupt, Text: text + "; export it again", Err: err}
}

// loadFailed says in our words why a table could not be written or measured.
func loadFailed(source string, err error) error {
	if de, ok := errors.AsType[*duckdb.Error](err); ok && de.Type == duckdb.ErrorTypeOutOfMemory {
		return outOfMemory(source, err)
	}
	return err
}

func outOfMemory(source string, err error) error {
	return &workbook.FileError{Path: source, Code: workbook.CodeLimit, Text: tooMuchMemory, Err: err}
}

// describe asks DuckDB for the columns of a source where the reading did not
// settle them.
func (d *tablesDB) describe(ctx context.Context, source string, t *workbook.Table, from string) error {
	if len(t.Columns) > 0 {
		return nil
	}
	var rows [][]string
	err := d.conn.Raw(func(any) (err error) {
		rows, err = d.engine.strings(ctx, "SELECT column_name, column_type FROM (DESCRIBE FROM "+from+")")
		return err
	})
	if err != nil {
		return scanError(err, source)
	}
	taken := map[string]bool{schema.RowColumn: true}
	for _, r := range rows {
		if r[0] == "file_row_number" {
			continue
		}
		name := workbook.SafeName(r[0], func(s string) bool { return taken[s] })
		taken[name] = true
		t.Columns = append(t.Columns, workbook.Column{Name: name, Header: r[0], Type: duckType(r[1])})
	}
	return nil
}

// duckType reads DuckDB's name of a type.
func duckType(name string) workbook.Type {
	var w, s int
	switch {
	case name == "VARCHAR" || strings.HasPrefix(name, "ENUM"):
		return workbook.Type{Kind: workbook.Text}
	case name == "BOOLEAN":
		return workbook.Type{Kind: workbook.Bool}
	case name == "BIGINT":
		return workbook.Type{Kind: workbook.Int}
	case slices.Contains([]string{"TINYINT", "SMALLINT", "INTEGER", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"}, name):
		return workbook.Type{Kind: workbook.Int, Name: name}
	case name == "DOUBLE":
		return workbook.Type{Kind: workbook.Float}
	case name == "FLOAT":
		return workbook.Type{Kind: workbook.Float, Name: name}
	case name == "DATE":
		return workbook.Type{Kind: workbook.Date}
	case name == "TIME":
		return workbook.Type{Kind: workbook.Time}
	case strings.HasPrefix(name, "TIMESTAMP"):
		return workbook.Type{Kind: workbook.Timestamp, Name: strings.TrimSuffix(name, "_S")}
	}
	if n, err := fmt.Sscanf(name, "DECIMAL(%d,%d)", &w, &s); err == nil && n == 2 {
		return workbook.Type{Kind: workbook.Decimal, Width: w, Scale: s}
	}
	return workbook.Type{Kind: workbook.Other, Name: name}
}

// comment keeps the headers as written beside the data.
func (d *tablesDB) comment(ctx context.Context, t *workbook.Table) error {
	var b strings.Builder
	if t.Title != "" {
		fmt.Fprintf(&b, "COMMENT ON TABLE %s IS %s;\n", ident(t.Name), quote(t.Title))
	}
	for _, c := range t.Columns {
		if c.Header != c.Name {
			fmt.Fprintf(&b, "COMMENT ON COLUMN %s.%s IS %s;\n", ident(t.Name), ident(c.Name), quote(c.Header))
		}
	}
	if b.Len() == 0 {
		return nil
	}
	_, err := d.conn.ExecContext(ctx, b.String())
	return err
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
