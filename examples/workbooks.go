package examples

import (
	"fmt"
	"strconv"
)

const dollars = `"$"#,##0`

// pricing is a price list as a sales team keeps it: discounts by region and
// tier, rebates whose printed total agrees, freight whose printed total does not.
func pricing() ([]byte, error) {
	tiers, err := table("Tiers", "pricing_tiers.csv",
		column{text, "", 12}, column{number, "0", 8}, column{percent, "0.0%", 12},
		column{number, dollars, 16}, column{date, "yyyy-mm-dd", 12})
	if err != nil {
		return nil, err
	}
	tiers.title = "Regional discount tiers"
	rebates, err := table("Rebates", "pricing_rebates.csv",
		column{text, "", 16}, column{text, "", 8}, column{number, "#,##0", 10}, column{number, dollars, 14})
	if err != nil {
		return nil, err
	}
	rebates.title = "Rebates by product family"
	rebates.footer = [][]any{{"Total", nil, 4495, 74700}}
	freight, err := table("Freight", "pricing_freight.csv",
		column{text, "", 18}, column{number, "#,##0", 12}, column{number, dollars, 12})
	if err != nil {
		return nil, err
	}
	freight.title = "Freight by lane"
	freight.footer = [][]any{{"Total", 425, 70000}} // the lanes cost $71,625
	return workbook(tiers, rebates, freight)
}

// cities is 50 cities of the United States with two sheets keyed by their id.
func cities() ([]byte, error) {
	main, err := table("cities", "cities.csv",
		column{number, "", 6}, column{text, "", 20}, column{text, "", 8}, column{number, "#,##0", 14}, column{text, "", 20})
	if err != nil {
		return nil, err
	}
	metro, err := table("metro", "cities_metro.csv",
		column{number, "", 8}, column{number, "#,##0", 24}, column{number, "0.0", 16})
	if err != nil {
		return nil, err
	}
	employers, err := table("employers", "cities_employers.csv", column{number, "", 8}, column{text, "", 20})
	if err != nil {
		return nil, err
	}
	return workbook(main, metro, employers)
}

// convenio is a Spanish pay table in which some numbers were typed as text.
func convenio() ([]byte, error) {
	pay, err := table("Tabla salarial", "convenio.csv",
		column{text, "", 20}, column{spanish, "#,##0.00", 22}, column{spanish, "#,##0.00", 22})
	if err != nil {
		return nil, err
	}
	pay.title = "Tabla salarial 2025"
	pay.footer = [][]any{{"* Incluye plus de nocturnidad"}}
	return workbook(pay)
}

// spanish leaves a number with a separator as the text that somebody typed
// ("1.790", "395,5") and makes a number of the others.
func spanish(s string) (any, error) {
	n, err := strconv.Atoi(s)
	if err != nil {
		return s, nil
	}
	return n, nil
}

// table makes a sheet of one embedded CSV file.
func table(name, file string, columns ...column) (sheet, error) {
	header, rows, err := records(file)
	if err != nil {
		return sheet{}, err
	}
	if len(header) != len(columns) {
		return sheet{}, fmt.Errorf("%s has %d columns, not %d", file, len(header), len(columns))
	}
	return sheet{name: name, header: header, columns: columns, rows: rows}, nil
}
