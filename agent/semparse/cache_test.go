package semparse

import (
	"testing"

	"github.com/allrows/allrows/agent/link"
	"github.com/allrows/allrows/schema"
	"github.com/allrows/allrows/workbook"
)

func TestViewsAreKeptForEqualContextsOnly(t *testing.T) {
	p, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	shown := func(version string, columns ...string) *schema.Context {
		tab := &schema.Table{Ref: schema.Ref{Workbook: "pricing", Table: "tiers"}, Version: version}
		for _, c := range columns {
			tab.Columns = append(tab.Columns, &schema.Column{Column: workbook.Column{Name: c, Header: c, Type: workbook.Type{Kind: workbook.Int}}})
		}
		return &schema.Context{Tables: []*schema.Table{tab}}
	}
	for _, tt := range []struct {
		name string
		c    *schema.Context
		kept int
	}{
		{"first", shown("a", "region", "salary"), 1},
		{"the same again", shown("a", "region", "salary"), 1},
		{"a scope without the column", shown("a", "region"), 2},
		{"another version", shown("b", "region", "rebate"), 3},
	} {
		a, err := p.prepare(&link.Question{Language: "en", Schema: tt.c})
		if err != nil {
			t.Fatal(err)
		}
		if len(p.views) != tt.kept {
			t.Errorf("%s: %d views are kept, want %d", tt.name, len(p.views), tt.kept)
		}
		if got, want := len(a.v.cols), len(tt.c.Tables[0].Columns); got != want || a.v.tables[0].Version != tt.c.Tables[0].Version {
			t.Errorf("%s: the view has %d columns of version %s, want %d of %s", tt.name, got, a.v.tables[0].Version, want, tt.c.Tables[0].Version)
		}
	}
}
