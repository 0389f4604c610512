package plan_test

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2"

	"github.com/allrows/allrows/schema"
	"github.com/allrows/allrows/workbook"
)

// world is a few tables in a real DuckDB, with the schema context that fits them.
type world struct {
	db  *sql.DB
	ctx *schema.Context
}

type fixtureColumn struct {
	name, header string
	kind         workbook.Kind
	unit         workbook.Unit
	decimals     int
}

var fixtures = []struct {
	ref    schema.Ref
	title  string
	cols   []fixtureColumn
	values string
}{
	{schema.Ref{Workbook: "pricing", Table: "tiers"}, "Regional discount tiers", []fixtureColumn{
		{"region", "Region", workbook.Text, workbook.Unit{}, 0},
		{"tier", "Tier", workbook.Int, workbook.Unit{}, 0},
		{"discount", "Discount %", workbook.Decimal, workbook.Unit{Symbol: "%", Code: "percent"}, 1},
		{"min_order_usd", "Min order USD", workbook.Int, workbook.Unit{Symbol: "USD", Code: "USD", Prefix: true}, 0},
		{"effective", "Effective", workbook.Date, workbook.Unit{}, 0},
	}, `(2,'North',1,6.5,10000,DATE '2025-07-01'),(3,'North',2,9.0,17000,DATE '2026-01-01'),(4,'North',3,12.0,25000,DATE '2026-01-01'),
	(5,'South',1,1.5,11000,DATE '2025-07-01'),(6,'South',2,NULL,18000,DATE '2026-04-01'),(7,'South',3,6.0,24000,DATE '2026-01-01'),
	(8,'West',1,2.5,11000,DATE '2025-07-01'),(9,'West',3,12.0,26500,DATE '2026-01-01')`},
	{schema.Ref{Workbook: "cities", Table: "cities"}, "", []fixtureColumn{
		{"id", "id", workbook.Int, workbook.Unit{}, 0},
		{"city_name", "city_name", workbook.Text, workbook.Unit{}, 0},
		{"state", "state", workbook.Text, workbook.Unit{}, 0},
		{"population", "population", workbook.Int, workbook.Unit{}, 0},
	}, `(2,1,'New York','NY',8336817),(3,5,'Seattle','WA',737015),(4,8,'Portland','OR',652503),(5,12,'Boise','ID',235684),(6,13,'Tacoma','WA',219346)`},
	{schema.Ref{Workbook: "cities", Table: "metro"}, "", []fixtureColumn{
		{"city_id", "city_id", workbook.Int, workbook.Unit{}, 0},
		{"metro_gdp", "Metro GDP (USD billion)", workbook.Int, workbook.Unit{Symbol: "USD billion", Code: "USD", Scale: 1000000000}, 0},
	}, `(2,5,413),(3,8,197),(4,12,47)`},
	{schema.Ref{Workbook: "cities", Table: "employers"}, "", []fixtureColumn{
		{"city_id", "city_id", workbook.Int, workbook.Unit{}, 0},
		{"employer", "Employer", workbook.Text, workbook.Unit{}, 0},
		{"jobs", "Jobs", workbook.Int, workbook.Unit{}, 0},
	}, `(2,5,'Amazon',50),(3,5,'Boeing',60),(4,5,'Nike',5),(5,8,'Nike',12),(6,8,'Intel',20),(7,1,'Amazon',9)`},
	{schema.Ref{Workbook: "shop", Table: "order"}, "Orders", []fixtureColumn{
		{"group", "Group", workbook.Text, workbook.Unit{}, 0},
		{"placed", "Placed at", workbook.Timestamp, workbook.Unit{}, 0},
		{"amount", "Amount (€)", workbook.Decimal, workbook.Unit{Symbol: "€", Code: "EUR"}, 2},
		{"paid", "Paid", workbook.Bool, workbook.Unit{}, 0},
	}, `(1,'50% off_er',TIMESTAMP '2025-01-31 23:30:00',10.10,TRUE),(2,'plain',TIMESTAMP '2025-02-01 00:00:00',0.05,FALSE),(3,NULL,TIMESTAMP '2025-04-02 10:00:00',NULL,TRUE)`},
}

func newWorld(t testing.TB) *world {
	t.Helper()
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatalf("opening DuckDB: %v", err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	w := &world{db: db, ctx: &schema.Context{}}
	for _, f := range fixtures {
		tab := &schema.Table{Ref: f.ref, Title: f.title, File: f.ref.Workbook + ".xlsx"}
		defs := []string{"_row BIGINT"}
		for i, c := range f.cols {
			typ := workbook.Type{Kind: c.kind}
			if c.kind == workbook.Decimal {
				typ.Width, typ.Scale = 6, c.decimals
			}
			defs = append(defs, `"`+c.name+`" `+typ.SQL())
			tab.Columns = append(tab.Columns, &schema.Column{Column: workbook.Column{Name: c.name, Header: c.header, Type: typ, Unit: c.unit,
				Decimals: c.decimals, Letter: string(rune('A' + i))}})
		}
		name := f.ref.Workbook + `."` + f.ref.Table + `"`
		w.exec(t, "CREATE SCHEMA IF NOT EXISTS "+f.ref.Workbook)
		w.exec(t, "CREATE TABLE "+name+" ("+strings.Join(defs, ", ")+")")
		w.exec(t, "INSERT INTO "+name+" VALUES "+f.values)
		w.measure(t, tab, name)
		w.ctx.Tables = append(w.ctx.Tables, tab)
	}
	return w
}

func (w *world) measure(t testing.TB, tab *schema.Table, name string) {
	t.Helper()
	if err := w.db.QueryRow("SELECT COUNT(*) FROM " + name).Scan(&tab.Rows); err != nil {
		t.Fatal(err)
	}
	for _, c := range tab.Columns {
		p := &c.Profile
		q := fmt.Sprintf(`SELECT COUNT(*) - COUNT("%[1]s"), COUNT(DISTINCT "%[1]s"), CAST(MIN("%[1]s") AS VARCHAR), CAST(MAX("%[1]s") AS VARCHAR) FROM %[2]s`, c.Name, name)
		if err := w.db.QueryRow(q).Scan(&p.Nulls, &p.Distinct, &p.Min, &p.Max); err != nil {
			t.Fatal(err)
		}
		p.Unique = p.Nulls == 0 && p.Distinct == tab.Rows
	}
}

func (w *world) exec(t testing.TB, q string) {
	t.Helper()
	if _, err := w.db.Exec(q); err != nil {
		t.Fatalf("%s: %v", q, err)
	}
}

// rows runs a statement and returns its rows as text.
func (w *world) rows(q string) ([]string, error) {
	rs, err := w.db.Query(q)
	if err != nil {
		return nil, err
	}
	defer rs.Close()
	cols, err := rs.Columns()
	if err != nil {
		return nil, err
	}
	var out []string
	for rs.Next() {
		vals := make([]any, len(cols))
		for i := range vals {
			vals[i] = new(any)
		}
		if err := rs.Scan(vals...); err != nil {
			return nil, err
		}
		cells := make([]string, len(cols))
		for i := range vals {
			cells[i] = fmt.Sprint(*vals[i].(*any))
		}
		out = append(out, strings.Join(cells, " | "))
	}
	return out, rs.Err()
}
