package plan

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/allrows/allrows/schema"
)

var plainName = regexp.MustCompile(`^[a-z_][a-z0-9_]*$`)

// reserved are the words that DuckDB, PostgreSQL or Trino do not take as a bare
// name of a column or table.
var reserved = wordSet(`all analyse analyze and anti any array as asc asof asymmetric at authorization between bigint
binary bit boolean both by case cast char character check coalesce collate collation column columns concurrently constraint
create cross cube current_catalog current_date current_path current_role current_schema current_time current_timestamp
current_user deallocate dec decimal default deferrable delete desc describe distinct do drop else end escape except execute
exists extract false fetch float for foreign freeze from full generated glob grant group grouping grouping_id having ilike in
initially inner inout insert int integer intersect interval into is isnull join json_array json_exists json_object json_query
json_table json_value lambda lateral leading left like limit listagg localtime localtimestamp map national natural nchar none
normalize not notnull null nullif numeric offset on only or order out outer overlaps overlay pivot pivot_longer pivot_wider
placing position positional precision prepare primary qualify real recursive references returning right rollup row select
semi session_user setof show similar skip smallint some struct substring summarize symmetric system_user table tablesample then time
timestamp to trailing treat trim true try_cast uescape union unique unnest unpack unpivot user using values varchar variadic
verbose when where window with xmltable`)

func wordSet(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(s) {
		m[w] = true
	}
	return m
}

// Quote returns a name as SQL takes it, in double quotes only where it needs them.
func Quote(name string) string {
	if plainName.MatchString(name) && !reserved[name] {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

// QuoteText returns a text literal.
func QuoteText(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// TableName returns the table as SQL names it: workbook.table.
func TableName(r schema.Ref) string { return Quote(r.Workbook) + "." + Quote(r.Table) }

// namer hands out names of result columns, each once.
type namer map[string]bool

func (n namer) take(want string) string {
	name := want
	for i := 2; n[strings.ToLower(name)]; i++ {
		name = want + "_" + strconv.Itoa(i)
	}
	n[strings.ToLower(name)] = true
	return name
}

// qualifiers names the tables of one FROM: nothing where there is one table, its
// own name where that is unique, else workbook_table.
func qualifiers(tables []schema.Ref) map[schema.Ref]string {
	q := map[schema.Ref]string{}
	if len(tables) == 1 {
		q[tables[0]] = ""
		return q
	}
	seen := map[string]int{}
	for _, t := range tables {
		seen[t.Table]++
	}
	for _, t := range tables {
		if q[t] = t.Table; seen[t.Table] > 1 {
			q[t] = t.Workbook + "_" + t.Table
		}
	}
	return q
}
