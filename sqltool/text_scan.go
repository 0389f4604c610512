package sqltool

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/allrows/allrows/schema"
	"github.com/allrows/allrows/workbook"
	"github.com/duckdb/duckdb-go/v2"
)

// listedCells is how many rejected cells a ledger lists of one table.
const listedCells = 1000

func isConversion(err error) bool {
	de, ok := errors.AsType[*duckdb.Error](err)
	return ok && (de.Type == duckdb.ErrorTypeConversion || de.Type == duckdb.ErrorTypeInvalidInput || de.Type == duckdb.ErrorTypeOutOfRange)
}

// writeOddCSV reads a large text file in which a cell does not fit the type that
// its column has in the part that was sniffed: every cell is read as text, those
// that fit become values, the others NULL, and the ledger keeps their text.
func (d *tablesDB) writeOddCSV(ctx context.Context, source string, t *workbook.Table) error {
	options := maps.Clone(t.Scan.Options)
	options["ignore_errors"] = true
	formats, err := d.dateFormats(ctx, source, options)
	if err != nil {
		return err
	}
	options["ignore_errors"] = false
	options["all_varchar"] = true
	args, err := readerOptions(options)
	if err != nil {
		return err
	}
	columns, odd, counts := []string{}, []string{}, []string{}
	for i, c := range t.Columns {
		text, value := ident(c.Header), formats.cast(c)
		columns = append(columns, value+" AS "+ident(c.Name), fmt.Sprintf("CASE WHEN trim(%s) <> '' AND %s IS NULL THEN %s END AS odd_%d", text, value, text, i))
		odd = append(odd, fmt.Sprintf("odd_%d", i))
		counts = append(counts, fmt.Sprintf("count(odd_%d)", i))
	}
	raw := "raw_" + randomName()
	_, err = d.conn.ExecContext(ctx, fmt.Sprintf("CREATE TEMP TABLE %s AS SELECT CAST(%s AS BIGINT) AS %s, %s FROM read_csv(%s%s)",
		raw, rowNumber(t.Scan), schema.RowColumn, strings.Join(columns, ", "), quote(source), args))
	if err != nil {
		return err
	}
	if err := d.keepOdd(ctx, t, raw, odd, counts); err != nil {
		return err
	}
	_, err = d.conn.ExecContext(ctx, fmt.Sprintf("CREATE TABLE %s AS SELECT * EXCLUDE (%s) FROM %s; DROP TABLE %s",
		ident(t.Name), strings.Join(odd, ", "), raw, raw))
	return err
}

// csvFormats are how a text file writes its dates, "" where DuckDB reads them
// without being told.
type csvFormats struct{ date, timestamp string }

func (d *tablesDB) dateFormats(ctx context.Context, source string, options map[string]any) (csvFormats, error) {
	args, err := readerOptions(options)
	if err != nil {
		return csvFormats{}, err
	}
	res, err := d.ask(ctx, "SELECT DateFormat, TimestampFormat FROM sniff_csv("+quote(source)+args+")")
	if err != nil {
		return csvFormats{}, err
	}
	return csvFormats{text(res.Rows[0][0]), text(res.Rows[0][1])}, nil
}

// cast is the expression that reads a cell's text as its column's type.
func (f csvFormats) cast(c workbook.Column) string {
	name := "trim(" + ident(c.Header) + ")"
	switch {
	case c.Type.Kind == workbook.Text:
		return ident(c.Header)
	case c.Type.Kind == workbook.Date && f.date != "":
		return fmt.Sprintf("CAST(try_strptime(%s, %s) AS DATE)", name, quote(f.date))
	case c.Type.Kind == workbook.Timestamp && f.timestamp != "" && c.Type.Name == "":
		return fmt.Sprintf("try_strptime(%s, %s)", name, quote(f.timestamp))
	}
	return fmt.Sprintf("TRY_CAST(%s AS %s)", name, c.Type.SQL())
}

// keepOdd counts the rejected cells of every column and lists the first of them.
func (d *tablesDB) keepOdd(ctx context.Context, t *workbook.Table, raw string, odd, counts []string) error {
	res, err := d.ask(ctx, "SELECT "+strings.Join(counts, ", ")+" FROM "+raw)
	if err != nil {
		return err
	}
	d.odd = &workbook.TableLedger{Table: t.Name}
	for i := range t.Columns {
		c := &t.Columns[i]
		c.Rejected, _ = res.Rows[0][i].(int64)
		d.odd.RejectedCells += c.Rejected
		left := listedCells - len(d.odd.Rejected)
		if c.Rejected == 0 || left <= 0 {
			continue
		}
		cells, err := d.ask(ctx, fmt.Sprintf("SELECT %s, %s FROM %s WHERE %s IS NOT NULL ORDER BY 1 LIMIT %d", schema.RowColumn, odd[i], raw, odd[i], left))
		if err != nil {
			return err
		}
		for _, r := range cells.Rows {
			d.odd.Rejected = append(d.odd.Rejected, workbook.RejectedCell{
				Cell: "row " + text(r[0]), Column: c.Name, Text: text(r[1]), Reason: "does not read as " + c.Type.SQL(),
			})
		}
	}
	return nil
}

// decimals that [tablesDB.exactDecimals] tries.
var decimals = []int{1, 2, 3, 4, 6}

// exactDecimals turns a column of floating point numbers that came from text into
// decimals, where every one of them is a decimal of few digits: 0.1 is then 0.1.
func (d *tablesDB) exactDecimals(ctx context.Context, t *workbook.Table) error {
	var parts []string
	var floats []*workbook.Column
	for i := range t.Columns {
		c := &t.Columns[i]
		if c.Type.Kind != workbook.Float || c.Type.Name != "" {
			continue
		}
		floats = append(floats, c)
		for _, n := range decimals {
			parts = append(parts, fmt.Sprintf("coalesce(bool_and(abs(%[1]s) < 1e9 AND %[1]s = round(%[1]s, %[2]d)), false)", ident(c.Name), n))
		}
	}
	if len(floats) == 0 {
		return nil
	}
	res, err := d.ask(ctx, "SELECT "+strings.Join(parts, ", ")+" FROM "+ident(t.Name))
	if err != nil {
		return err
	}
	for i, c := range floats {
		for j, n := range decimals {
			if res.Rows[0][i*len(decimals)+j] != true {
				continue
			}
			c.Type, c.Decimals = workbook.Type{Kind: workbook.Decimal, Width: 18, Scale: n}, n
			c.Evidence = fmt.Sprintf("every value has at most %d decimals", n)
			if _, err := d.conn.ExecContext(ctx, fmt.Sprintf("ALTER TABLE %s ALTER COLUMN %s TYPE %s", ident(t.Name), ident(c.Name), c.Type.SQL())); err != nil {
				return fmt.Errorf("storing column %s as %s: %w", c.Header, c.Type.SQL(), err)
			}
			break
		}
	}
	return nil
}
