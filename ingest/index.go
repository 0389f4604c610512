package ingest

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/allrows/allrows/schema"
	"github.com/allrows/allrows/sqltool"
)

// index builds the index of every table of a staged version.
func (l *Loader) index(ctx context.Context, v sqltool.Version, progress func(Progress)) (int, error) {
	chunks := 0
	for _, t := range v.Tables {
		rows, ended := Rows(ctx, l.cfg.Runner, v, t, func(n int64) {
			progress(Progress{Phase: "indexing", Table: t.Table, Done: n, Total: t.Rows})
		})
		stats, err := l.cfg.Index.Build(ctx, t, rows)
		if readErr := ended(); readErr != nil {
			return 0, fmt.Errorf("indexing table %s: %w", t.Ref, readErr)
		}
		if err != nil {
			return 0, err
		}
		chunks += stats.Chunks
	}
	return chunks, nil
}

var errStopped = errors.New("the reader of the rows stopped")

// Rows reads every row of a version's table in the form that the index takes: the
// row's number and one text a column, "" for NULL. The second result gives the
// error that ended the rows, once they have ended.
func Rows(ctx context.Context, r *sqltool.Runner, v sqltool.Version, t *schema.Table, each func(n int64)) (iter.Seq2[int64, []string], func() error) {
	var err error
	seq := func(yield func(int64, []string) bool) {
		var n int64
		err = r.ScanTable(ctx, v, t.Table, func(row int64, values []string, _ []bool) error {
			if n++; each != nil && n%1024 == 0 {
				each(n)
			}
			if !yield(row, values) {
				return errStopped
			}
			return nil
		})
		if errors.Is(err, errStopped) {
			err = nil
		}
	}
	return seq, func() error { return err }
}
