package workbook

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLong(t *testing.T) {
	for _, tt := range []struct {
		name string
		rows [][]any
		head string
		want []string
	}{
		{"years", [][]any{{"Item", 2022, 2023, 2024}, {"a", 1, 2.5, 3}, {"b", 4, nil, 6}}, "Item | year | ",
			[]string{"a | 2022 | 1.0", "a | 2023 | 2.5", "a | 2024 | 3.0", "b | 2022 | 4.0", "b | 2023 | ", "b | 2024 | 6.0"}},
		{"two figures", [][]any{{nil, "Income", nil, nil, "Cost", nil, nil}, {"Item", 2022, 2023, 2024, 2022, 2023, 2024}, {"a", 1, 2, 3, 4, 5, 6}, {"b", 1, 1, 1, 1, 1, 1}}, "Item | year | Income | Cost",
			[]string{"a | 2022 | 1 | 4", "a | 2023 | 2 | 5", "a | 2024 | 3 | 6", "b | 2022 | 1 | 1", "b | 2023 | 1 | 1", "b | 2024 | 1 | 1"}},
		{"months", [][]any{{"Shop", "ene", "feb", "mar"}, {"a", 1, 2, 3}, {"b", 4, 5, 6}}, "Shop | month | ",
			[]string{"a | ene | 1", "a | feb | 2", "a | mar | 3", "b | ene | 4", "b | feb | 5", "b | mar | 6"}},
		{"none", [][]any{{"Item", "Price", "Cost"}, {"a", 1, 2}, {"b", 4, 5}}, "", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x := newFixture(t)
			x.sheet("S", tt.rows...)
			long, ok := x.open("book.xlsx").Tables[0].Long()
			if ok != (tt.want != nil) {
				t.Fatalf("Long reports %v", ok)
			}
			if !ok {
				return
			}
			if d := cmp.Diff(tt.want, text(long)); d != "" || names(long) != tt.head {
				t.Errorf("%q %s", names(long), d)
			}
		})
	}
}
