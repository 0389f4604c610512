package kb_test

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/allrows/allrows/kb"
	"github.com/allrows/allrows/schema"
)

// benchCase is a question of a benchmark set, as far as look-ups need it.
type benchCase struct {
	ID       string          `json:"id"`
	Question string          `json:"question"`
	Tables   []string        `json:"tables"`
	Answer   json.RawMessage `json:"answer"`
	Meta     struct {
		Kind    string `json:"kind"`
		Page    string `json:"page"`
		Suspect bool   `json:"suspect"`
		Struct  struct {
			Sel   int     `json:"sel"`
			Agg   string  `json:"agg"`
			Conds [][]any `json:"conds"`
		} `json:"struct"`
	} `json:"meta"`
}

// lookup is a question with the rows that answer it.
type lookup struct {
	question string
	table    int
	rows     map[int64]bool
	conds    string // the gold condition, as goldConds has it
}

// corpus is many tables with look-up questions over them.
type corpus struct {
	tables  []*schema.Table
	data    [][][]string
	lookups []lookup
	rows    int
}

func benchDir(t testing.TB, set string) string {
	t.Helper()
	dir := os.Getenv("ALLROWS_BENCH")
	if dir == "" {
		t.Skip("ALLROWS_BENCH is not set: no benchmark data to measure retrieval on")
	}
	return filepath.Join(dir, set)
}

func readCases(t testing.TB, dir string) []benchCase {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, "cases.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []benchCase
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<24)
	for sc.Scan() {
		var c benchCase
		if err := json.Unmarshal(sc.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		out = append(out, c)
	}
	if err := sc.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// addTable reads a CSV file as a table of text columns without a title, which
// is the hard case: nothing but cells and headers tells tables apart.
func (c *corpus) addTable(t testing.TB, path string) (int, bool) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		return 0, false
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.FieldsPerRecord, r.LazyQuotes = -1, true
	all, err := r.ReadAll()
	if err != nil || len(all) < 2 {
		return 0, false
	}
	table := &schema.Table{Ref: schema.Ref{Workbook: fmt.Sprintf("t%d", len(c.tables)), Table: fmt.Sprintf("t%d", len(c.tables))}, Version: "v"}
	for i, h := range all[0] {
		table.Columns = append(table.Columns, column(fmt.Sprintf("c%d", i), h, text))
	}
	rows := all[1:]
	for i, r := range rows {
		for len(r) < len(all[0]) {
			r = append(r, "")
		}
		rows[i] = r[:len(all[0])]
	}
	table.Rows = int64(len(rows))
	c.tables, c.data, c.rows = append(c.tables, table), append(c.data, rows), c.rows+len(rows)
	return len(c.tables) - 1, true
}

// wikisql makes look-up questions whose gold condition names one row of its
// table and, with identified, one row of all tables: "the record of September
// 21" names a row in dozens of seasons, and nothing in it says which.
func wikisql(t testing.TB, questions, tables int, identified bool) *corpus {
	dir := benchDir(t, "wikisql.train")
	c := &corpus{}
	at := map[string]int{}
	for _, k := range readCases(t, dir) {
		if k.Meta.Kind != "lookup" || k.Meta.Suspect || len(c.lookups) == 4*questions {
			continue
		}
		n, ok := at[k.Tables[0]]
		if !ok {
			if n, ok = c.addTable(t, filepath.Join(dir, k.Tables[0])); !ok {
				continue
			}
			at[k.Tables[0]] = n
		}
		if rows := goldRows(c.data[n], k.Meta.Struct.Conds); len(rows) == 1 {
			c.lookups = append(c.lookups, lookup{k.Question, n, rows, c.condition(n, k.Meta.Struct.Conds)})
		}
	}
	c.fillUp(t, dir, at, tables)
	if identified {
		c.keepIdentified()
	}
	c.lookups = c.lookups[:min(questions, len(c.lookups))]
	return c
}

// condition writes a gold condition so that it can be held against any table.
func (c *corpus) condition(n int, conds [][]any) string {
	var parts []string
	for _, cond := range conds {
		parts = append(parts, c.tables[n].Columns[int(cond[0].(float64))].Header+"\x00"+strings.ToLower(strings.TrimSpace(fmt.Sprint(cond[2]))))
	}
	return strings.Join(parts, "\x01")
}

// keepIdentified drops the questions whose condition holds in another table, too.
func (c *corpus) keepIdentified() {
	cells := map[string]map[[2]int]bool{} // header and value -> table and row
	for n, rows := range c.data {
		for i, r := range rows {
			for j, v := range r {
				k := c.tables[n].Columns[j].Header + "\x00" + strings.ToLower(strings.TrimSpace(v))
				if cells[k] == nil {
					cells[k] = map[[2]int]bool{}
				}
				cells[k][[2]int{n, i}] = true
			}
		}
	}
	c.lookups = slices.DeleteFunc(c.lookups, func(l lookup) bool {
		parts := strings.Split(l.conds, "\x01")
		n := 0
		for at := range cells[parts[0]] {
			all := true
			for _, p := range parts[1:] {
				all = all && cells[p][at]
			}
			if all {
				n++
			}
		}
		return n != 1
	})
}

// fillUp adds tables that no question is about.
func (c *corpus) fillUp(t testing.TB, dir string, at map[string]int, tables int) {
	files, err := filepath.Glob(filepath.Join(dir, "tables", "*.csv"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if name := "tables/" + filepath.Base(f); len(c.tables) < tables {
			if _, ok := at[name]; !ok {
				c.addTable(t, f)
			}
		}
	}
}

func goldRows(rows [][]string, conds [][]any) map[int64]bool {
	out := map[int64]bool{}
	for i, r := range rows {
		ok := len(conds) > 0
		for _, cond := range conds {
			col, op, want := int(cond[0].(float64)), cond[1].(string), fmt.Sprint(cond[2])
			ok = ok && op == "=" && col < len(r) && strings.EqualFold(strings.TrimSpace(r[col]), strings.TrimSpace(want))
		}
		if ok {
			out[int64(i+2)] = true
		}
	}
	return out
}

// wtq makes look-up questions of those that quote one cell of a row and ask
// for another cell of it.
func wtq(t testing.TB, tables int) *corpus {
	dir := benchDir(t, "wtq.train")
	c := &corpus{}
	at := map[string]int{}
	for _, k := range readCases(t, dir) {
		var answer []string
		if k.Meta.Kind != "lookup" || json.Unmarshal(k.Answer, &answer) != nil || len(answer) != 1 {
			continue
		}
		n, ok := at[k.Tables[0]]
		if !ok {
			if n, ok = c.addTable(t, filepath.Join(dir, k.Tables[0])); !ok {
				continue
			}
			at[k.Tables[0]] = n
		}
		if rows := quoted(c.data[n], k.Question, answer[0]); len(rows) == 1 {
			c.lookups = append(c.lookups, lookup{question: k.Question, table: n, rows: rows})
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "tables", "*", "*.csv"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		name, _ := filepath.Rel(dir, f)
		if _, ok := at[name]; !ok && len(c.tables) < tables {
			c.addTable(t, f)
		}
	}
	return c
}

// quoted returns the rows that hold the answer in one cell and have another
// cell that only they hold and that the question quotes.
func quoted(rows [][]string, question, answer string) map[int64]bool {
	q := " " + kb.Phrase(question) + " "
	out := map[int64]bool{}
	seen := map[string]int{}
	for _, r := range rows {
		for _, v := range r {
			seen[v]++
		}
	}
	for i, r := range rows {
		has := slices.ContainsFunc(r, func(v string) bool { return strings.EqualFold(v, answer) })
		for _, v := range r {
			if p := kb.Phrase(v); has && len(p) > 3 && seen[v] == 1 && !strings.EqualFold(v, answer) && strings.Contains(q, " "+p+" ") {
				out[int64(i+2)] = true
			}
		}
	}
	return out
}

func (c *corpus) build(t testing.TB, s *kb.Store) {
	for i, table := range c.tables {
		build(t, s, table, c.data[i])
	}
}

// recall counts how high the right row ranks.
type recall struct{ n, at1, at5, at10, mrr float64 }

func (r *recall) add(hits []kb.Hit, ref schema.Ref, rows map[int64]bool) int {
	r.n++
	for i, h := range hits {
		if h.Ref == ref && rows[h.FirstRow] {
			r.mrr += 1 / float64(i+1)
			if i < 1 {
				r.at1++
			}
			if i < 5 {
				r.at5++
			}
			if i < 10 {
				r.at10++
			}
			return i + 1
		}
	}
	return 0
}

func (r *recall) String() string {
	return fmt.Sprintf("recall@1 %.3f  @5 %.3f  @10 %.3f  MRR %.3f  (%.0f questions)", r.at1/r.n, r.at5/r.n, r.at10/r.n, r.mrr/r.n, r.n)
}

// measure searches every look-up in all tables and in the right one.
func (c *corpus) measure(t testing.TB, s *kb.Store) (everywhere, known recall) {
	for _, l := range c.lookups {
		ref := c.tables[l.table].Ref
		hits, err := s.Search(t.Context(), kb.Query{Text: l.question, Tables: c.tables, Kinds: []kb.Kind{kb.Row}})
		if err != nil {
			t.Fatal(err)
		}
		if everywhere.add(hits, ref, l.rows) != 1 && testing.Verbose() && os.Getenv("ALLROWS_BENCH_MISSES") != "" {
			t.Logf("MISS %q\n  want %v %v\n  got %v", l.question, ref, c.row(l), ids(hits[:min(3, len(hits))]))
		}
		hits, err = s.Search(t.Context(), kb.Query{Text: l.question, Tables: c.tables[l.table : l.table+1], Kinds: []kb.Kind{kb.Row}})
		if err != nil {
			t.Fatal(err)
		}
		if known.add(hits, ref, l.rows) != 1 && testing.Verbose() && os.Getenv("ALLROWS_BENCH_MISSES") == "known" {
			t.Logf("MISS KNOWN %q\n  want %v %v\n  got %v", l.question, ref, c.row(l), ids(hits[:min(3, len(hits))]))
		}
	}
	return everywhere, known
}

func (c *corpus) row(l lookup) []string {
	for r := range l.rows {
		return c.data[l.table][r-2]
	}
	return nil
}

func TestLookupRecall(t *testing.T) {
	for _, set := range []struct {
		name                  string
		make                  func(t testing.TB) *corpus
		first, fifth, inTable float64 // what must hold: recall@1, recall@5, recall@1 with the table known
	}{
		{"wikisql", func(t testing.TB) *corpus { return wikisql(t, 1000, 5000, false) }, 0.65, 0.80, 0.95},
		{"wikisql-identified", func(t testing.TB) *corpus { return wikisql(t, 1000, 5000, true) }, 0.85, 0.95, 0.95},
		{"wtq", func(t testing.TB) *corpus { return wtq(t, 1600) }, 0.78, 0.88, 0.95},
	} {
		t.Run(set.name, func(t *testing.T) {
			c := set.make(t)
			s := newStore(t, kb.Config{CacheBytes: 8 << 30})
			c.build(t, s)
			everywhere, known := c.measure(t, s)
			t.Logf("%d tables, %d rows\n  table unknown: %s\n  table known:   %s", len(c.tables), c.rows, &everywhere, &known)
			if r := everywhere; r.at1/r.n < set.first || r.at5/r.n < set.fifth || known.at1/known.n < set.inTable {
				t.Errorf("recall fell below @1 %.2f, @5 %.2f, with the table known @1 %.2f", set.first, set.fifth, set.inTable)
			}
		})
	}
}
