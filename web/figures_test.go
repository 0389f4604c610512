package web

import (
	"testing"

	"github.com/allrows/allrows/agent"
	"github.com/allrows/allrows/agent/plan"
	"github.com/allrows/allrows/workbook"
)

// A table of figures reads as the text above it does: 1.300 is not the same
// figure in every language.
func TestFormatInTheLanguageOfTheQuestion(t *testing.T) {
	euros := plan.Column{Type: workbook.Type{Kind: workbook.Decimal}, Unit: workbook.Unit{Code: "EUR", Symbol: "€"}, Decimals: 2}
	year := plan.Column{Type: workbook.Type{Kind: workbook.Int}, Plain: true}
	for _, tt := range []struct {
		lang string
		col  plan.Column
		typ  string
		v    any
		want string
	}{
		{"es", euros, "DECIMAL(38,2)", "1300.1", "1.300,10 €"},
		{"de", euros, "DECIMAL(38,2)", "-1300.1", "-1.300,10 €"},
		{"en", euros, "DECIMAL(38,2)", "1300.1", "€1,300.10"},
		{"es", year, "BIGINT", int64(2024), "2024"},
		{"en", plan.Column{Type: workbook.Type{Kind: workbook.Float}, Decimals: -1}, "DOUBLE", "NaN", "NaN"},
	} {
		col := agent.Column{Type: tt.typ, Role: "measure", Figures: &agent.Figures{Column: tt.col, Language: tt.lang}}
		if got := Format(tt.v, col); got.Text != tt.want || !got.Right {
			t.Errorf("%s: Format(%v) = %q, want %q", tt.lang, tt.v, got.Text, tt.want)
		}
	}
}
