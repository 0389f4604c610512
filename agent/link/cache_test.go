package link

import (
	"testing"
	"time"

	"github.com/allrows/allrows/schema"
	"github.com/allrows/allrows/workbook"
)

// shown is a scope's context of one table, made anew as for every question.
func shown(version string, columns ...string) *schema.Context {
	t := &schema.Table{Ref: schema.Ref{Workbook: "pricing", Table: "tiers"}, Version: version}
	for _, c := range columns {
		t.Columns = append(t.Columns, &schema.Column{Column: workbook.Column{Name: c, Header: c, Type: workbook.Type{Kind: workbook.Int}}})
	}
	return &schema.Context{Tables: []*schema.Table{t}}
}

func TestNamesAreKeptForEqualContextsOnly(t *testing.T) {
	l, err := New()
	if err != nil {
		t.Fatal(err)
	}
	finds := func(c *schema.Context) bool {
		q, err := l.Link(t.Context(), "average salary", c, nil, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range q.Links {
			if k.Column.Column == "salary" {
				return true
			}
		}
		return false
	}
	for _, tt := range []struct {
		name  string
		c     *schema.Context
		finds bool
		kept  int
	}{
		{"first", shown("a", "region", "salary"), true, 1},
		{"the same again", shown("a", "region", "salary"), true, 1},
		{"a scope without the column", shown("a", "region"), false, 2},
		{"another version", shown("b", "region", "rebate"), false, 3},
		{"the first once more", shown("a", "region", "salary"), true, 3},
	} {
		if got := finds(tt.c); got != tt.finds {
			t.Errorf("%s: the column is found: %v, want %v", tt.name, got, tt.finds)
		}
		if len(l.cache) != tt.kept {
			t.Errorf("%s: %d vocabularies are kept, want %d", tt.name, len(l.cache), tt.kept)
		}
	}
}
