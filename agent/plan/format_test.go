package plan_test

import (
	"testing"

	"github.com/allrows/allrows/agent/plan"
	"github.com/allrows/allrows/workbook"
)

func TestFormat(t *testing.T) {
	num := func(unit workbook.Unit, decimals int) plan.Column {
		return plan.Column{Type: workbook.Type{Kind: workbook.Decimal}, Unit: unit, Decimals: decimals}
	}
	pct := workbook.Unit{Symbol: "%", Code: "percent"}
	usd := workbook.Unit{Symbol: "USD", Code: "USD", Prefix: true}
	eurMonth := workbook.Unit{Symbol: "€", Code: "EUR", Per: "mes"}
	gdp := workbook.Unit{Symbol: "USD billion", Code: "USD", Scale: 1000000000}
	date := plan.Column{Type: workbook.Type{Kind: workbook.Date}}
	for _, tt := range []struct {
		name           string
		value          any
		col            plan.Column
		en, es, de, pt string
	}{
		{"percent", "12.0", num(pct, 1), "12%", "12 %", "12 %", "12%"},
		{"average percent", 9.404761904761905, num(pct, 1), "9.4%", "9,4 %", "9,4 %", "9,4%"},
		{"money", int64(25000), num(usd, 0), "$25,000", "25.000 $", "25.000 $", "25.000 $"},
		{"negative money", "-1234.5", num(usd, 2), "-$1,234.50", "-1.234,50 $", "-1.234,50 $", "-1.234,50 $"},
		{"money a month", "2150.00", num(eurMonth, 2), "€2,150/mes", "2.150 €/mes", "2.150 €/mes", "2.150 €/mes"},
		{"billions", int64(413), num(gdp, 0), "$413 billion", "413 mil millones de $", "413 Mrd. $", "413 mil milhões de $"},
		{"code without symbol", "10", num(workbook.Unit{Code: "CHF", Symbol: "CHF"}, 0), "CHF 10", "10 CHF", "10 CHF", "10 CHF"},
		{"points", 5.857142857, num(workbook.Unit{Symbol: "pp", Code: "percentage_points"}, 2), "5.86 percentage points", "5,86 puntos porcentuales", "5,86 Prozentpunkte", "5,86 pontos percentuais"},
		{"other unit", "3.50", num(workbook.Unit{Symbol: "kg"}, 2), "3.5 kg", "3,5 kg", "3,5 kg", "3,5 kg"},
		{"thousands", int64(8336817), num(workbook.Unit{}, 0), "8,336,817", "8.336.817", "8.336.817", "8.336.817"},
		{"year", int64(2026), plan.Column{Type: workbook.Type{Kind: workbook.Int}, Plain: true}, "2026", "2026", "2026", "2026"},
		{"half away from zero", "2.5", num(workbook.Unit{}, 0), "3", "3", "3", "3"},
		{"minus zero", "-0.001", num(workbook.Unit{}, 2), "0", "0", "0", "0"},
		{"small and loose", 0.00123456, num(workbook.Unit{}, -1), "0.00123", "0,00123", "0,00123", "0,00123"},
		{"beyond 2^53", "12345678901234567890", num(workbook.Unit{}, 0), "12,345,678,901,234,567,890", "12.345.678.901.234.567.890", "12.345.678.901.234.567.890", "12.345.678.901.234.567.890"},
		{"date", "2026-01-01", date, "January 1, 2026", "1 de enero de 2026", "1. Januar 2026", "1 de janeiro de 2026"},
		{"month", "2024-09-01", plan.Column{Type: date.Type, Grain: "month"}, "September 2024", "septiembre de 2024", "September 2024", "setembro de 2024"},
		{"timestamp", "2026-01-01T09:30:00", plan.Column{Type: workbook.Type{Kind: workbook.Timestamp}}, "January 1, 2026 09:30", "1 de enero de 2026 09:30", "1. Januar 2026 09:30", "1 de janeiro de 2026 09:30"},
		{"nothing", nil, date, "no value", "sin valor", "kein Wert", "sem valor"},
		{"yes", true, plan.Column{Type: workbook.Type{Kind: workbook.Bool}}, "yes", "sí", "ja", "sim"},
		{"text of digits stays", "007", plan.Column{Type: workbook.Type{Kind: workbook.Text}}, "007", "007", "007", "007"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for lang, want := range map[string]string{"en": tt.en, "es": tt.es, "de": tt.de, "pt": tt.pt} {
				if got := plan.Format(tt.value, tt.col, lang); got != want {
					t.Errorf("Format(%v, %s) = %q, want %q", tt.value, lang, got, want)
				}
			}
		})
	}
}

// TestWordsComplete holds every language file against the English one.
func TestWordsComplete(t *testing.T) {
	en := plan.Words("en").Keys()
	for _, lang := range []string{"es", "de", "pt"} {
		have := map[string]bool{}
		for _, k := range plan.Words(lang).Keys() {
			have[k] = true
		}
		for _, k := range en {
			if !have[k] {
				t.Errorf("words/%s.txt has no %q", lang, k)
			}
		}
	}
}
