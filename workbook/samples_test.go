package workbook

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func day(s string) time.Time {
	t, err := time.Parse("2006-01-02", s)
	if err != nil {
		panic(err)
	}
	return t
}

// pricing is a workbook like the pricing sample: a title above, percent, money
// and date formats, one total that agrees and one that does not.
func pricing(t *testing.T) *Workbook {
	x := newFixture(t)
	x.sheet("Tiers", []any{"Regional discount tiers"}, nil,
		[]any{"Region", "Tier", "Discount %", "Min order USD", "Effective"},
		[]any{"North", 1, 0.065, 10000, day("2025-07-01")},
		[]any{"North", 2, 0.09, 17000, day("2026-01-01")},
		[]any{"South", 3, 0.12, 25000, day("2026-01-01")})
	x.format("Tiers", "C4:C6", "0.0%")
	x.format("Tiers", "D4:D6", `"$"#,##0`)
	x.format("Tiers", "E4:E6", "yyyy-mm-dd")
	x.sheet("Rebates", []any{"Product family", "SKU", "Units", "Rebate USD"},
		[]any{"Pumps", "A1", 1200, 18000}, []any{"Pumps", "A2", 800, 9500}, []any{"Valves", "B1", 450, 7200},
		[]any{"Total", nil, 2450, 34700})
	x.sheet("Freight", []any{"Lane", "Shipments", "Cost USD"},
		[]any{"North-South", 120, 18400}, []any{"East-West", 95, 22150}, []any{"Total", 215, 40000})
	return x.open("pricing.xlsx")
}

func TestPricing(t *testing.T) {
	wb := pricing(t)
	tiers := table(t, wb, "tiers")
	if tiers.Title != "Regional discount tiers" || tiers.Range != "A3:E6" {
		t.Errorf("title %q range %q", tiers.Title, tiers.Range)
	}
	want := []string{"North | 1 | 6.5 | 10000 | 2025-07-01", "North | 2 | 9.0 | 17000 | 2026-01-01", "South | 3 | 12.0 | 25000 | 2026-01-01"}
	if d := cmp.Diff(want, text(tiers)); d != "" {
		t.Error(d)
	}
	if u := tiers.Columns[2].Unit; u.Symbol != "%" || u.Code != "percent" {
		t.Errorf("discount unit %+v", u)
	}
	if u := tiers.Columns[3].Unit; u.Symbol != "$" || u.Code != "USD" || !u.Prefix {
		t.Errorf("min order unit %+v", u)
	}
	if c := tiers.Columns[2]; c.Type != (Type{Kind: Decimal, Width: 3, Scale: 1}) || c.Decimals != 1 || c.Name != "discount_pct" {
		t.Errorf("discount %+v", c)
	}
	if k := tiers.Columns[4].Type.Kind; k != Date {
		t.Errorf("effective is %s", k)
	}
	for _, c := range table(t, wb, "rebates").Checks {
		if !c.Agrees {
			t.Errorf("rebates: %+v", c)
		}
	}
	checks := table(t, wb, "freight").Checks
	if len(checks) != 2 || !checks[0].Agrees || checks[1].Agrees || checks[1].Printed != "40000" || checks[1].Computed != "40550" {
		t.Errorf("freight: %+v", checks)
	}
}

func TestConvenio(t *testing.T) {
	x := newFixture(t)
	x.sheet("Tabla", []any{"Tabla salarial 2025"},
		[]any{"Categoría", "Sueldo base (€/mes)", "Complemento (€/mes)"},
		[]any{"Auxiliar", "1.790", 120}, []any{"Oficial de 2ª", 1890, 165}, []any{"Oficial de 1ª*", "2.150", 210},
		[]any{"Encargado*", "2.480,50", 260}, []any{"Jefe de sección", 3120, "395,5"},
		[]any{"* Incluye plus de nocturnidad"})
	wb := x.open("convenio.xlsx")
	tb := table(t, wb, "convenio")
	if tb.Title != "Tabla salarial 2025" {
		t.Errorf("title %q", tb.Title)
	}
	got := text(tb)
	want := []string{"Auxiliar | 1790.00 | 120.0 | ", "Oficial de 2ª | 1890.00 | 165.0 | ",
		"Oficial de 1ª | 2150.00 | 210.0 | Incluye plus de nocturnidad", "Encargado | 2480.50 | 260.0 | Incluye plus de nocturnidad", "Jefe de sección | 3120.00 | 395.5 | "}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if u := tb.Columns[1].Unit; u.Code != "EUR" || u.Symbol != "€" || u.Per != "mes" {
		t.Errorf("unit %+v", u)
	}
	if len(tb.Notes) != 1 || tb.Notes[0].Row != 8 {
		t.Errorf("notes %+v", tb.Notes)
	}
}

func TestCities(t *testing.T) {
	x := newFixture(t)
	x.sheet("cities", []any{"id", "city_name", "state", "population"}, []any{5, "Seattle", "WA", 737015}, []any{8, "Portland", "OR", 652503})
	x.sheet("metro", []any{"city_id", "Metro GDP (USD billion)", "Growth (% YoY)"}, []any{5, 413, 4.2}, []any{8, 197, 2.9})
	wb := x.open("cities.xlsx")
	m := table(t, wb, "metro")
	if u := m.Columns[1].Unit; u.Code != "USD" || u.Scale != 1e9 {
		t.Errorf("GDP unit %+v", u)
	}
	if u := m.Columns[2].Unit; u.Code != "percent" {
		t.Errorf("growth unit %+v", u)
	}
	if d := cmp.Diff([]string{"5 | 413 | 4.2", "8 | 197 | 2.9"}, text(m)); d != "" {
		t.Error(d)
	}
}
