package sqltool

import (
	"context"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/allrows/allrows/schema"
)

// scanPage is how many rows one request of a scan reads, scanBatch how many one
// message carries.
const (
	scanPage  = 50_000
	scanBatch = 1_000
)

// ingestHolder is whose the requests of a load are, beside those of the askers.
const ingestHolder = "\x00load"

// ScanTable hands every row of a version's table to fn in order: its number, its
// values in text form and which of them are NULL. It reads in pages, so that other
// requests find a worker between them. The slices are fn's only during the call.
func (r *Runner) ScanTable(ctx context.Context, v Version, table string, fn func(row int64, values []string, nulls []bool) error) error {
	i := slices.IndexFunc(v.Tables, func(t *schema.Table) bool { return t.Table == table })
	if i < 0 {
		return &NotFoundError{What: "table", Name: v.Workbook + "." + table}
	}
	t := v.Tables[i]
	f := file{Path: filepath.Join(v.Dir, tablesFile), Tables: []fileTable{{Ref: t.Ref, Columns: viewColumns(t)}}}
	values, nulls := make([]string, len(t.Columns)), make([]bool, len(t.Columns))
	for first := int64(0); ; first += scanPage {
		read := int64(0)
		_, _, err := r.do(ctx, r.workers, ingestHolder, request{Op: opScan, Files: []file{f}, First: first}, func(m response) error {
			read += m.Rows
			return m.each(values, nulls, fn)
		})
		if err != nil {
			return err
		}
		if read < scanPage {
			return nil
		}
	}
}

// each decodes a batch of rows.
func (m response) each(values []string, nulls []bool, fn func(row int64, values []string, nulls []bool) error) error {
	b := m.body
	for range m.Rows {
		number, w := binary.Varint(b)
		if w <= 0 {
			return errShort
		}
		b = b[w:]
		for i := range values {
			var err error
			if values[i], nulls[i], b, err = cutCell(b); err != nil {
				return err
			}
		}
		if err := fn(number, values, nulls); err != nil {
			return err
		}
	}
	return nil
}

// scan sends one page of a table's rows. They stand in the file in the order of
// their numbers, so that a page is a range of the file.
func (w *worker) scan(ctx context.Context, r request) error {
	e, err := w.engine(ctx, r.Files)
	if err != nil {
		return err
	}
	t := r.Files[0].Tables[0]
	rows, done, err := e.query(ctx, fmt.Sprintf("SELECT %s FROM %s WHERE rowid >= %d AND rowid < %d ORDER BY rowid",
		identList(t.Columns), e.sources[t.Ref], r.First, r.First+scanPage))
	if err != nil {
		return w.failed(e, err)
	}
	defer done()
	typed := rows.(driver.RowsColumnTypeDatabaseTypeName)
	types := make([]string, len(t.Columns))
	for i := range types {
		types[i] = typed.ColumnTypeDatabaseTypeName(i)
	}
	dest := make([]driver.Value, len(t.Columns))
	var n int64
	var body []byte
	for {
		err := rows.Next(dest)
		if errors.Is(err, io.EOF) {
			return w.pipe.write(response{Rows: n}, body)
		}
		if err != nil {
			return w.failed(e, err)
		}
		number, _ := canonical(dest[0], "").(int64)
		body = binary.AppendVarint(body, number)
		for i, v := range dest[1:] {
			body = appendCell(body, text(canonical(v, types[i+1])), v == nil)
		}
		if n++; n == scanBatch {
			if err := w.pipe.write(response{Rows: n}, body); err != nil {
				return err
			}
			n, body = 0, body[:0]
		}
	}
}
