package kb_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/allrows/allrows/kb"
	"github.com/allrows/allrows/kb/embed"
	"github.com/allrows/allrows/schema"
)

func search(t testing.TB, s *kb.Store, q kb.Query) []kb.Hit {
	t.Helper()
	hits, err := s.Search(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return hits
}

func TestPlanGroupsBySharedAttribute(t *testing.T) {
	s := newStore(t, kb.Config{})
	table, rows := tiers()
	p := s.Plan(table)
	if p.GroupBy != "region" || !slices.Contains(p.Kinds, kb.Row) || slices.Contains(p.Kinds, kb.Parent) {
		t.Errorf("Plan = %+v, want rows, and groups by region", p)
	}
	build(t, s, table, rows)
	hits := search(t, s, kb.Query{Text: "all tiers of the coastal region", Tables: []*schema.Table{table}, Kinds: []kb.Kind{kb.Group}, K: 2})
	if len(hits) == 0 || len(hits[0].Rows) != 7 || !strings.Contains(hits[0].Text, "7 rows with Region Coastal") {
		t.Fatalf("group search = %+v", hits)
	}
	scoped := *table
	scoped.Columns = table.Columns[1:]
	if hits := search(t, s, kb.Query{Text: "tiers discount", Tables: []*schema.Table{&scoped}, Kinds: []kb.Kind{kb.Group}}); len(hits) > 0 {
		t.Errorf("groups by a hidden column are shown: %+v", hits[0])
	}
}

func TestLargeTablesHaveNoRowChunks(t *testing.T) {
	s := newStore(t, kb.Config{RowChunks: 41})
	table, rows := tiers()
	build(t, s, table, rows)
	if hits := search(t, s, kb.Query{Text: "North tier 3", Tables: []*schema.Table{table}, Kinds: []kb.Kind{kb.Row}}); len(hits) != 0 {
		t.Errorf("a table of 42 rows with at most 41 row chunks has %d", len(hits))
	}
	if hits := search(t, s, kb.Query{Text: "North tier 3", Tables: []*schema.Table{table}}); len(hits) == 0 || hits[0].Kind != kb.Group {
		t.Errorf("its groups are not found: %v", ids(hits))
	}
}

// sales is a table that splits into few big partitions.
func sales() (*schema.Table, [][]string) {
	t := &schema.Table{Ref: schema.Ref{Workbook: "sales", Table: "sales"}, Version: "v1", File: "sales.csv",
		Columns: []*schema.Column{column("country", "Country", text), column("product", "Product", text), column("amount", "Amount", whole)}}
	var rows [][]string
	for i := range 120 {
		rows = append(rows, []string{[]string{"France", "Japan", "Peru"}[i%3], fmt.Sprintf("Widget %d", i/3), fmt.Sprint(100*(i%3+1) + i)})
	}
	return profiled(t, rows), rows
}

func TestTwoPass(t *testing.T) {
	s := newStore(t, kb.Config{})
	table, rows := sales()
	build(t, s, table, rows)
	parents := search(t, s, kb.Query{Text: "sales in Japan", Tables: []*schema.Table{table}, Kinds: []kb.Kind{kb.Parent}, K: 1})
	if len(parents) != 1 || !strings.Contains(parents[0].Text, "Country Japan: 40 rows") || !strings.Contains(parents[0].Text, "Amount 201–318") {
		t.Fatalf("parents = %+v", parents)
	}
	for _, h := range search(t, s, kb.Query{Text: "Widget 7 in Japan", Tables: []*schema.Table{table}, Kinds: []kb.Kind{kb.Row}, TwoPass: true, K: 1}) {
		if !strings.Contains(h.Text, "Japan") || !strings.Contains(h.Text, "Widget 7\n") {
			t.Errorf("two passes found\n%s", h.Text)
		}
	}
}

func TestConditionsHoldBeforeScoring(t *testing.T) {
	s := newStore(t, kb.Config{})
	table, rows := sales()
	build(t, s, table, rows)
	hits := search(t, s, kb.Query{Text: "France widget", Tables: []*schema.Table{table}, Kinds: []kb.Kind{kb.Row}, K: 100,
		Where: []kb.Condition{{Column: "country", Value: "peru"}}})
	if len(hits) != 40 {
		t.Errorf("%d hits of the 40 rows of Peru", len(hits))
	}
	for _, h := range hits {
		if !strings.Contains(h.Text, "Peru") {
			t.Errorf("a row outside the condition: %s", h.Text)
		}
	}
	few := search(t, s, kb.Query{Text: "France widget", Tables: []*schema.Table{table}, K: 50, Tokens: 60})
	if len(few) == 0 || len(few) > 5 {
		t.Errorf("a budget of 60 words let %d hits through", len(few))
	}
	filtered := search(t, s, kb.Query{Text: "France widget", Tables: []*schema.Table{table}, K: 100, Filtered: []schema.Ref{table.Ref},
		Kinds: []kb.Kind{kb.Summary, kb.Parent, kb.Group}})
	if len(filtered) != 0 {
		t.Errorf("chunks that speak of filtered rows: %v", ids(filtered))
	}
}

func TestEntity(t *testing.T) {
	s := newStore(t, kb.Config{})
	cities := &schema.Table{Ref: schema.Ref{Workbook: "cities", Table: "cities"}, Version: "v1", File: "cities.xlsx", Sheet: "Cities",
		Columns: []*schema.Column{column("id", "id", whole), column("city_name", "city_name", text)}}
	employers := &schema.Table{Ref: schema.Ref{Workbook: "cities", Table: "employers"}, Version: "v1", File: "cities.xlsx", Sheet: "Employers",
		Columns: []*schema.Column{column("city_id", "city_id", whole), column("employer", "Employer", text)}}
	cityRows := [][]string{{"5", "Seattle"}, {"8", "Portland"}}
	employerRows := [][]string{{"5", "Amazon"}, {"5", "Boeing"}, {"8", "Intel"}}
	build(t, s, profiled(cities, cityRows), cityRows)
	build(t, s, profiled(employers, employerRows), employerRows)
	c := &schema.Context{Tables: []*schema.Table{cities, employers}, Relationships: []schema.Relationship{{
		From: schema.ColumnRef{Ref: employers.Ref, Column: "city_id"}, To: schema.ColumnRef{Ref: cities.Ref, Column: "id"}}}}
	e, err := s.Entity(t.Context(), c, cities.Ref, 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"city_name: Seattle", "Employers (cities.xlsx · Employers), 2 rows:", "Employer: Amazon", "Employer: Boeing"} {
		if !strings.Contains(e.Text, want) {
			t.Errorf("the entity lacks %q:\n%s", want, e.Text)
		}
	}
	if strings.Contains(e.Text, "Intel") {
		t.Errorf("the entity has another's rows:\n%s", e.Text)
	}
	c.Tables = c.Tables[:1]
	if e, err = s.Entity(t.Context(), c, cities.Ref, 2); err != nil || strings.Contains(e.Text, "Amazon") {
		t.Errorf("a table out of scope is shown: %v\n%s", err, e.Text)
	}
}

func TestUnchangedRowsKeepTheirVectors(t *testing.T) {
	s := newStore(t, kb.Config{})
	table, rows := tiers()
	build(t, s, table, rows)
	next := *table
	next.Version = "v2"
	rows[3] = []string{"North", "4", "99.0", "1", "2027-01-01"}
	stats, err := s.Build(t.Context(), &next, seq(rows))
	if err != nil {
		t.Fatal(err)
	}
	// The changed row, its group, and nothing else is embedded: the profile did not change.
	if want := stats.Chunks - 2; stats.Reused != want {
		t.Errorf("%d of %d chunks kept their vector, want %d", stats.Reused, stats.Chunks, want)
	}
}

func TestAnotherEmbedderHasItsOwnIndex(t *testing.T) {
	dir := t.TempDir()
	s := newStore(t, kb.Config{Dir: dir})
	table, rows := tiers()
	build(t, s, table, rows)
	other := newStore(t, kb.Config{Dir: dir, Embedder: renamed{embed.Static()}})
	_, err := other.Search(t.Context(), kb.Query{Text: "North", Tables: []*schema.Table{table}})
	if _, ok := err.(*kb.MissingError); !ok {
		t.Errorf("Search with another embedder = %v, want a MissingError", err)
	}
}

type renamed struct{ *embed.Composite }

func (renamed) Name() string { return "another" }

// A version that readers were moved to is the only one they find, however many
// read while it is built.
func TestFreshAfterSwap(t *testing.T) {
	s := newStore(t, kb.Config{CacheBytes: 1})
	table, rows := tiers()
	build(t, s, table, rows)
	var mu sync.RWMutex
	current := table
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				mu.RLock()
				now := current
				mu.RUnlock()
				hits, err := s.Search(t.Context(), kb.Query{Text: "edition of North tier 1", Tables: []*schema.Table{now}, Kinds: []kb.Kind{kb.Row}})
				if err != nil {
					t.Error(err)
					return
				}
				for _, h := range hits {
					if edition := "edition " + now.Version; !strings.Contains(h.Text, edition) && now.Version != "v1" {
						t.Errorf("a chunk of another version than %s: %s", now.Version, h.Text)
					}
				}
				if _, err := s.Values([]*schema.Table{now}).FindValues(t.Context(), "north", 3); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for v := 2; v <= 6; v++ {
		next := *table
		next.Version = fmt.Sprintf("v%d", v)
		fresh := make([][]string, len(rows))
		for i, r := range rows {
			fresh[i] = slices.Clone(r)
			fresh[i][0] += " edition " + next.Version
		}
		build(t, s, &next, fresh)
		mu.Lock()
		current = &next
		mu.Unlock()
		s.Forget("pricing", fmt.Sprintf("v%d", v-1))
	}
	close(stop)
	wg.Wait()
}
