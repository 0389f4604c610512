package sqltool

import (
	"context"
	"fmt"
	"iter"
	"math/big"
	"time"

	"github.com/allrows/allrows/schema"
	"github.com/allrows/allrows/workbook"
	"github.com/duckdb/duckdb-go/v2"
)

// writeRows copies a table that the reading holds in memory, a chunk at a time,
// through a table function of this process.
func (d *tablesDB) writeRows(ctx context.Context, t *workbook.Table, progress func(Progress)) error {
	next, stop := iter.Pull2(t.Rows)
	defer stop()
	src := &rowSource{table: t, next: next, progress: progress, said: time.Now(), ctx: ctx}
	if err := src.setters(); err != nil {
		return err
	}
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

// rowSource hands a table's rows to DuckDB.
type rowSource struct {
	ctx      context.Context
	table    *workbook.Table
	next     func() (int, []workbook.Value, bool)
	columns  []duckdb.ColumnInfo
	set      []func(c duckdb.DataChunk, col, row int, v *workbook.Value) error
	progress func(Progress)
	said     time.Time
	rows     int64
}

// Init does nothing: the rows are at hand.
func (s *rowSource) Init() {}

// ColumnInfos returns the row number and the table's columns.
func (s *rowSource) ColumnInfos() []duckdb.ColumnInfo { return s.columns }

// Cardinality is not known before the rows were read.
func (s *rowSource) Cardinality() *duckdb.CardinalityInfo { return nil }

// FillChunk hands over the next rows.
func (s *rowSource) FillChunk(c duckdb.DataChunk) error {
	n, size := 0, duckdb.GetDataChunkCapacity()
	for ; n < size; n++ {
		number, values, ok := s.next()
		if !ok {
			break
		}
		if err := duckdb.SetChunkValue(c, 0, n, int64(number)); err != nil {
			return err
		}
		for i := range values {
			if values[i].Null {
				if err := duckdb.SetChunkValue[any](c, i+1, n, nil); err != nil {
					return err
				}
				continue
			}
			if err := s.set[i](c, i+1, n, &values[i]); err != nil {
				return fmt.Errorf("row %d, column %s: %w", number, s.table.Columns[i].Header, err)
			}
		}
	}
	s.rows += int64(n)
	if time.Since(s.said) > progressEvery {
		s.said = time.Now()
		s.progress(Progress{Phase: "writing", Table: s.table.Name, Rows: s.rows})
	}
	if err := s.ctx.Err(); err != nil {
		return err
	}
	return c.SetSize(n)
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
