package kb_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/allrows/allrows/kb"
	"github.com/allrows/allrows/schema"
)

var update = flag.Bool("update", false, "rewrite golden files")

// asked is a question with the id of the chunk that answers it.
type asked struct{ question, id string }

// questions asks for chunks of every kind in words that people would use.
func questions() map[kb.Kind][]asked {
	out := map[kb.Kind][]asked{
		kb.Summary: {{"what do we have about discounts?", "pricing.tiers/summary"}, {"overview of pricing", "pricing.tiers/summary"},
			{"tell me about the sales data", "sales.sales/summary"}, {"what is known about plant parts?", "plant_Amber.parts/summary"},
			{"suppliers and stock", "plant_Amber.parts/summary"}},
		kb.Schema: {{"which columns does the tiers table have?", "pricing.tiers/schema"}, {"what columns are there for products and amounts", "sales.sales/schema"},
			{"fields of the parts list: code, supplier, unit price", "plant_Amber.parts/schema"}},
		kb.Parent: {{"sales in Japan", "sales.sales/parent/3"}, {"the Peruvian sales, Peru", "sales.sales/parent/4"}, {"France", "sales.sales/parent/2"}},
	}
	for i, region := range []string{"North", "South", "East", "West", "Coastal", "Central"} {
		out[kb.Group] = append(out[kb.Group], asked{"all discount tiers of " + region, fmt.Sprintf("pricing.tiers/group/%d", 7*i+2)})
		for tier := 1; tier <= 7; tier++ {
			id := fmt.Sprintf("pricing.tiers/row/%d", 7*i+tier+1)
			out[kb.Row] = append(out[kb.Row], asked{fmt.Sprintf("What is the discount for %s tier %d?", region, tier), id},
				asked{fmt.Sprintf("minimum order in the %s, %s tier", strings.ToLower(region), []string{"first", "second", "third", "fourth", "fifth", "sixth", "seventh"}[tier-1]), id})
		}
	}
	for i := 0; i < 120; i += 9 {
		out[kb.Row] = append(out[kb.Row], asked{fmt.Sprintf("How much did widget %d make in %s?", i/3, []string{"France", "Japan", "Peru"}[i%3]), fmt.Sprintf("sales.sales/row/%d", i+2)})
	}
	return out
}

// TestRetrievalQuality holds how well each kind is found: a change in ranking
// is a reviewed diff of the golden file.
func TestRetrievalQuality(t *testing.T) {
	s := newStore(t, kb.Config{})
	tierTable, tierRows := tiers()
	saleTable, saleRows := sales()
	build(t, s, tierTable, tierRows)
	build(t, s, saleTable, saleRows)
	parts, _, _ := filled(t, s, 2000)
	tables := append([]*schema.Table{tierTable, saleTable}, parts...)
	var b strings.Builder
	all := questions()
	for _, kind := range []kb.Kind{kb.Row, kb.Group, kb.Parent, kb.Summary, kb.Schema} {
		var r recall
		var missed []string
		for _, q := range all[kind] {
			hits := search(t, s, kb.Query{Text: q.question, Tables: tables, Kinds: []kb.Kind{kind}})
			r.n++
			rank := -1
			for i, h := range hits {
				if h.ID == q.id {
					rank = i
					break
				}
			}
			if rank != 0 {
				missed = append(missed, fmt.Sprintf("  %q: %s is at %d", q.question, q.id, rank+1))
			}
			if rank >= 0 {
				r.n--
				r.rank(rank)
			}
		}
		fmt.Fprintf(&b, "%s: %s\n", kind, &r)
		for _, m := range missed {
			b.WriteString(m + "\n")
		}
	}
	const file = "testdata/retrieval.golden"
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("retrieval is now\n%s\nit was\n%s", b.String(), want)
	}
}
