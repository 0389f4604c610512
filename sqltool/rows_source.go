package sqltool

import (
	"context"
	"fmt"
	"math/big"
	"sync"
	"time"

	"github.com/allrows/allrows/schema"
	"github.com/allrows/allrows/workbook"
	"github.com/duckdb/duckdb-go/v2"
)

// writeRows copies a table that the reading holds in memory, a chunk at a time,
// through a table function of this process.
func (d *tablesDB) writeRows(ctx context.Context, t *workbook.Table, progress func(Progress)) error {
	ctx, stop := context.WithCancel(ctx)
	src := &rowSource{table: t, full: make(chan *rowChunk, 2), free: make(chan *rowChunk, 3), progress: progress, said: time.Now()}
	if err := src.setters(); err != nil {
		stop()
		return err
	}
	var reading sync.WaitGroup
	reading.Go(func() { src.read(ctx) })
	defer reading.Wait()
	defer stop()
	name := "rows_of_" + randomName()
	err := duckdb.RegisterTableUDF(d.conn, name, duckdb.ChunkTableFunction{
		BindArguments: func(map[string]any, ...any) (duckdb.ChunkTableSource, error) { return src, nil },
	})
	if err != nil {
		return fmt.Errorf("handing rows to the engine: %w", err)
	}
	_, err = d.conn.ExecContext(ctx, fmt.Sprintf("CREATE TABLE %s AS FROM %s()", ident(t.Name), name))
	return err
}

// rowChunk is a run of rows on its way to DuckDB.
type rowChunk struct {
	numbers []int64
	values  []workbook.Value // rows x columns
}

// rowSource hands a table's rows to DuckDB. They are read in a goroutine of their
// own: DuckDB calls from threads of its choosing, on which an iterator cannot run.
type rowSource struct {
	table    *workbook.Table
	full     chan *rowChunk
	free     chan *rowChunk
	columns  []duckdb.ColumnInfo
	set      []setFunc
	progress func(Progress)
	said     time.Time
	rows     int64
}

// read fills chunks until the table or the context ends.
func (s *rowSource) read(ctx context.Context) {
	defer close(s.full)
	size := duckdb.GetDataChunkCapacity()
	for range cap(s.free) {
		s.free <- &rowChunk{}
	}
	send := func(c *rowChunk) bool {
		select {
		case s.full <- c:
			return true
		case <-ctx.Done():
			return false
		}
	}
	c := <-s.free
	for number, values := range s.table.Rows {
		c.numbers = append(c.numbers, int64(number))
		c.values = append(c.values, values...)
		if len(c.numbers) < size {
			continue
		}
		if !send(c) {
			return
		}
		select {
		case c = <-s.free:
			c.numbers, c.values = c.numbers[:0], c.values[:0]
		case <-ctx.Done():
			return
		}
	}
	send(c)
}

// Init does nothing: the rows are at hand.
func (s *rowSource) Init() {}

// ColumnInfos returns the row number and the table's columns.
func (s *rowSource) ColumnInfos() []duckdb.ColumnInfo { return s.columns }

// Cardinality is not known before the rows were read.
func (s *rowSource) Cardinality() *duckdb.CardinalityInfo { return nil }

// FillChunk hands over the next rows.
func (s *rowSource) FillChunk(out duckdb.DataChunk) error {
	c, ok := <-s.full
	if !ok {
		return out.SetSize(0)
	}
	width := len(s.table.Columns)
	for row, number := range c.numbers {
		if err := duckdb.SetChunkValue(out, 0, row, number); err != nil {
			return err
		}
		if err := s.fillRow(out, row, c.values[row*width:(row+1)*width]); err != nil {
			return fmt.Errorf("row %d: %w", number, err)
		}
	}
	n := len(c.numbers)
	s.rows += int64(n)
	s.free <- c
	if time.Since(s.said) > progressEvery {
		s.said = time.Now()
		s.progress(Progress{Phase: "writing", Table: s.table.Name, Rows: s.rows})
	}
	return out.SetSize(n)
}

func (s *rowSource) fillRow(out duckdb.DataChunk, row int, values []workbook.Value) error {
	for i := range values {
		if values[i].Null {
			if err := duckdb.SetChunkValue[any](out, i+1, row, nil); err != nil {
				return err
			}
			continue
		}
		if err := s.set[i](out, i+1, row, &values[i]); err != nil {
			return fmt.Errorf("column %s: %w", s.table.Columns[i].Header, err)
		}
	}
	return nil
}

// setters chooses, once a column, how its values are handed over.
func (s *rowSource) setters() error {
	info, err := duckdb.NewTypeInfo(duckdb.TYPE_BIGINT)
	if err != nil {
		return err
	}
	s.columns = []duckdb.ColumnInfo{{Name: schema.RowColumn, T: info}}
	for _, c := range s.table.Columns {
		info, set, err := setter(c.Type)
		if err != nil {
			return fmt.Errorf("column %s of type %s: %w", c.Header, c.Type.SQL(), err)
		}
		s.columns = append(s.columns, duckdb.ColumnInfo{Name: c.Name, T: info})
		s.set = append(s.set, set)
	}
	return nil
}

type setFunc = func(c duckdb.DataChunk, col, row int, v *workbook.Value) error

func setter(t workbook.Type) (duckdb.TypeInfo, setFunc, error) {
	if t.Kind == workbook.Decimal {
		info, err := duckdb.NewDecimalInfo(uint8(t.Width), uint8(t.Scale))
		return info, decimalSetter(t), err
	}
	kind, set := duckdb.TYPE_VARCHAR, setFunc(func(c duckdb.DataChunk, col, row int, v *workbook.Value) error {
		return duckdb.SetChunkValue(c, col, row, v.Str)
	})
	switch t.Kind {
	case workbook.Int:
		kind, set = duckdb.TYPE_BIGINT, func(c duckdb.DataChunk, col, row int, v *workbook.Value) error {
			return duckdb.SetChunkValue(c, col, row, v.Int)
		}
	case workbook.Bool:
		kind, set = duckdb.TYPE_BOOLEAN, func(c duckdb.DataChunk, col, row int, v *workbook.Value) error {
			return duckdb.SetChunkValue(c, col, row, v.Int != 0)
		}
	case workbook.Float:
		kind, set = duckdb.TYPE_DOUBLE, func(c duckdb.DataChunk, col, row int, v *workbook.Value) error {
			return duckdb.SetChunkValue(c, col, row, v.Float)
		}
	case workbook.Date:
		kind, set = duckdb.TYPE_DATE, func(c duckdb.DataChunk, col, row int, v *workbook.Value) error {
			return duckdb.SetChunkValue(c, col, row, time.Unix(v.Int*86400, 0).UTC())
		}
	case workbook.Timestamp:
		kind, set = duckdb.TYPE_TIMESTAMP, func(c duckdb.DataChunk, col, row int, v *workbook.Value) error {
			return duckdb.SetChunkValue(c, col, row, time.UnixMicro(v.Int).UTC())
		}
	case workbook.Time:
		kind, set = duckdb.TYPE_TIME, func(c duckdb.DataChunk, col, row int, v *workbook.Value) error {
			return duckdb.SetChunkValue(c, col, row, time.UnixMicro(v.Int).UTC())
		}
	}
	info, err := duckdb.NewTypeInfo(kind)
	return info, set, err
}

// decimalSetter hands over unscaled integers. Values wider than 18 digits come as
// plain digits.
func decimalSetter(t workbook.Type) setFunc {
	scale := uint8(t.Scale)
	return func(c duckdb.DataChunk, col, row int, v *workbook.Value) error {
		if v.Str == "" && t.Width <= 18 {
			return duckdb.SetChunkValue(c, col, row, v.Int)
		}
		n := big.NewInt(v.Int)
		if v.Str != "" {
			r, ok := new(big.Rat).SetString(v.Str)
			if !ok {
				return fmt.Errorf("%q is no number", v.Str)
			}
			r.Mul(r, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(t.Scale)), nil)))
			if !r.IsInt() {
				return fmt.Errorf("%q has more than %d decimals", v.Str, t.Scale)
			}
			n = r.Num()
		}
		return duckdb.SetChunkValue(c, col, row, duckdb.Decimal{Width: uint8(t.Width), Scale: scale, Value: n})
	}
}
