package guardrails_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2"

	"github.com/allrows/allrows/guardrails"
	"github.com/allrows/allrows/schema"
	"github.com/allrows/allrows/workbook"
)

// The fixture is what a worker makes of a scope: base tables in an attached file,
// views with the permitted columns in a private catalog. Beside the scope there
// are tables that it does not show (shop.payroll, hr.people) and a hidden column
// (sales.margin).
const fixtureSQL = `
ATTACH ':memory:' AS f_files;
CREATE TABLE f_files.sales AS SELECT i AS _row, ['Lyon', 'Nice', 'Paris', 'Lille'][1 + i % 4] AS city, (1000 + i * 211 % 9001)::DECIMAL(9,2) / 100 AS amount,
  DATE '2024-01-05' + (i * 12)::INTEGER AS sold, (1 + i % 5)::INTEGER AS units, CASE i % 3 WHEN 0 THEN 'note ' || i WHEN 1 THEN '' END AS note, i * 7 AS margin
  FROM range(1, 61) t(i);
CREATE TABLE f_files.cities AS SELECT * FROM (VALUES (1, 'Lyon', 'ARA', 522250), (2, 'Nice', 'PACA', 348085), (3, 'Paris', 'IDF', 2102650),
  (4, 'Lille', 'HDF', 236710), (5, 'Chambéry', 'ARA', 59183), (6, 'Antibes', 'PACA', 75820)) v(_row, city, state, population);
CREATE TABLE f_files.orders AS SELECT i AS _row, ['Lyon', 'Nice'][1 + i % 2] AS city, (i * 3)::DECIMAL(9,2) AS total FROM range(1, 9) t(i);
CREATE TABLE f_files.visits AS SELECT i AS _row, DATE '2025-01-01' + i::INTEGER AS day, i AS n FROM range(0, 40) t(i);
CREATE TABLE f_files.payroll AS SELECT 1 AS _row, 'Ann' AS name, 'hidden-salary-73110' AS salary;
ATTACH ':memory:' AS s_scope;
CREATE SCHEMA s_scope.shop; CREATE SCHEMA s_scope.archive;
CREATE VIEW s_scope.shop.sales AS SELECT _row, city, amount, sold, units, note FROM f_files.main.sales;
CREATE VIEW s_scope.shop.cities AS SELECT _row, city, state, population FROM f_files.main.cities;
CREATE VIEW s_scope.shop.orders AS SELECT _row, city, total FROM f_files.main.orders;
CREATE VIEW s_scope.archive.orders AS SELECT _row, city, total FROM f_files.main.orders;
CREATE VIEW s_scope.shop.visits AS SELECT _row, day, n FROM f_files.main.visits;
CREATE VIEW s_scope.main.sales AS FROM s_scope.shop.sales; CREATE VIEW s_scope.main.cities AS FROM s_scope.shop.cities;
CREATE VIEW s_scope.main.visits AS FROM s_scope.shop.visits;
USE s_scope;
SET enable_external_access = false; SET lock_configuration = true;`

// fixtureScope is the scope that the fixture's views show.
func fixtureScope() *guardrails.Scope {
	t := func(book, name string, columns ...*schema.Column) *schema.Table {
		return &schema.Table{Ref: schema.Ref{Workbook: book, Table: name}, Columns: columns}
	}
	s := guardrails.NewScope("corpus", &schema.Context{Tables: []*schema.Table{
		t("shop", "sales", column("city", workbook.Text), column("amount", workbook.Decimal), column("sold", workbook.Date),
			column("units", workbook.Int), column("note", workbook.Text)),
		t("shop", "cities", column("city", workbook.Text), column("state", workbook.Text), column("population", workbook.Int)),
		t("shop", "orders", column("city", workbook.Text), column("total", workbook.Decimal)),
		t("archive", "orders", column("city", workbook.Text), column("total", workbook.Decimal)),
		t("shop", "visits", column("day", workbook.Date), column("n", workbook.Int)),
	}})
	s.Tables[4].Required = []string{"day"}
	return s
}

// fixture returns a connection to a fresh fixture.
func fixture(t testing.TB) *sql.Conn {
	t.Helper()
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	conn, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(); db.Close() })
	if _, err := conn.ExecContext(context.Background(), fixtureSQL); err != nil {
		t.Fatal(err)
	}
	return conn
}

// rowsOf runs a statement and returns its rows as text, sorted where the
// statement does not order them.
func rowsOf(ctx context.Context, conn *sql.Conn, q string) ([]string, error) {
	rows, err := conn.QueryContext(ctx, q)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	var out []string
	for rows.Next() {
		dest := make([]any, len(names))
		for i := range dest {
			dest[i] = new(any)
		}
		if err := rows.Scan(dest...); err != nil {
			return nil, err
		}
		line := make([]string, len(dest))
		for i, d := range dest {
			line[i] = fmt.Sprintf("%v", *d.(*any))
		}
		out = append(out, strings.Join(line, "|"))
	}
	if !strings.Contains(strings.ToLower(q), "order by") {
		slices.Sort(out)
	}
	return out, rows.Err()
}

// entry is one line of a corpus: its fields but the statement, and the statement.
type entry struct {
	line   int
	fields []string
	sql    string
}

// corpus reads a file of testdata/corpus: tab-separated lines whose last field is
// a statement with backslash escapes.
func corpus(t testing.TB, name string, fields int) []entry {
	t.Helper()
	b, err := os.ReadFile("testdata/corpus/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var out []entry
	for i, line := range strings.Split(strings.TrimRight(string(b), "\n"), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.SplitN(line, "\t", fields+1)
		if len(f) != fields+1 {
			t.Fatalf("%s:%d: %d fields, want %d", name, i+1, len(f), fields+1)
		}
		q, err := unescape(f[fields])
		if err != nil {
			t.Fatalf("%s:%d: %v", name, i+1, err)
		}
		out = append(out, entry{line: i + 1, fields: f[:fields], sql: q})
	}
	return out
}

// unescape reads \n \t \r \\ \xNN \uNNNN, and {N*text} as N times the text.
func unescape(s string) (string, error) {
	var b strings.Builder
	for s != "" {
		if n, text, rest, ok := repetition(s); ok {
			b.WriteString(strings.Repeat(text, n))
			s = rest
			continue
		}
		if s[0] != '\\' {
			b.WriteByte(s[0])
			s = s[1:]
			continue
		}
		r, multi, rest, err := strconv.UnquoteChar(s, 0)
		if err != nil {
			return "", fmt.Errorf("escape at %.10q: %w", s, err)
		}
		if multi || r < 0x80 {
			b.WriteRune(r)
		} else {
			b.WriteByte(byte(r))
		}
		s = rest
	}
	return b.String(), nil
}

func repetition(s string) (n int, text, rest string, ok bool) {
	if !strings.HasPrefix(s, "{*") {
		return 0, "", "", false
	}
	head, tail, found := strings.Cut(s[2:], ":")
	n, err := strconv.Atoi(head)
	text, rest, closed := strings.Cut(tail, "*}")
	return n, text, rest, found && err == nil && closed
}
