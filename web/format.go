package web

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/allrows/allrows/agent"
)

// Cell is one value of a result as people read it.
type Cell struct {
	Text  string
	Null  bool
	Right bool // numbers stand to the right
}

// Format writes one value of a result: numbers grouped and with their unit,
// keys and dates as they are. The exact value stays in the result.
func Format(v any, col agent.Column) Cell {
	right := numeric(col.Type)
	if v == nil {
		return Cell{Text: "null", Null: true, Right: right}
	}
	switch v := v.(type) {
	case string:
		if right {
			return Cell{Text: number(v, col), Right: true}
		}
		return Cell{Text: v}
	case bool:
		return Cell{Text: strconv.FormatBool(v)}
	case int64:
		return Cell{Text: number(strconv.FormatInt(v, 10), col), Right: right}
	case int:
		return Cell{Text: number(strconv.Itoa(v), col), Right: right}
	case float64:
		return Cell{Text: number(strconv.FormatFloat(v, 'f', -1, 64), col), Right: right}
	case json.Number:
		return Cell{Text: number(v.String(), col), Right: right}
	}
	data, err := json.Marshal(v)
	if err != nil {
		return Cell{Text: fmt.Sprint(v)}
	}
	return Cell{Text: string(data)}
}

func numeric(sqlType string) bool {
	name, _, _ := strings.Cut(strings.ToUpper(sqlType), "(")
	switch name {
	case "DECIMAL", "DOUBLE", "FLOAT", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT",
		"UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT":
		return true
	}
	return false
}

// number groups the digits of a measure and adds its unit. Keys (years, ids)
// are not grouped. Figures that SQL computed as floats get two decimals, small
// ones three significant digits.
func number(digits string, col agent.Column) string {
	if col.Figures != nil { // the table says a figure as the text does
		if said := col.Figures.Format(json.Number(digits)); said != "" {
			return said
		}
	}
	if col.Role == "key" || col.Role == "context" && col.Unit == "" {
		return shorten(digits, col.Type)
	}
	return withUnit(group(shorten(digits, col.Type)), col.Unit)
}

func shorten(digits, sqlType string) string {
	whole, frac, found := strings.Cut(digits, ".")
	if !found || strings.HasPrefix(strings.ToUpper(sqlType), "DECIMAL") && len(frac) <= 2 {
		return digits
	}
	keep := 2
	if strings.Trim(whole, "-0") == "" {
		keep = len(frac) - len(strings.TrimLeft(frac, "0")) + 3
	}
	if len(frac) > keep {
		if r, ok := new(big.Rat).SetString(digits); ok {
			digits = r.FloatString(keep)
		}
	}
	if strings.Contains(digits, ".") && !strings.HasPrefix(strings.ToUpper(sqlType), "DECIMAL") {
		digits = strings.TrimRight(strings.TrimRight(digits, "0"), ".")
	}
	return digits
}

func group(digits string) string {
	sign := ""
	if strings.HasPrefix(digits, "-") {
		sign, digits = "-", digits[1:]
	}
	whole, frac, found := strings.Cut(digits, ".")
	if strings.Trim(whole, "0123456789") != "" {
		return sign + digits // NaN, Infinity
	}
	var b strings.Builder
	for i, c := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(c)
	}
	if found {
		b.WriteString("." + frac)
	}
	return sign + b.String()
}

func withUnit(figure, unit string) string {
	switch unit {
	case "":
		return figure
	case "%":
		return figure + "%"
	case "$", "£", "¥", "€":
		if rest, negative := strings.CutPrefix(figure, "-"); negative {
			return "-" + unit + rest
		}
		return unit + figure
	}
	return figure + " " + unit
}

// Count groups the digits of a whole number.
func Count(n int64) string { return group(strconv.FormatInt(n, 10)) }

// Plural is the number with its noun: "1 row", "42 rows", "3 entries".
func Plural(n int64, one string) string {
	switch {
	case n == 1:
		return "1 " + one
	case strings.HasSuffix(one, "y"):
		return Count(n) + " " + strings.TrimSuffix(one, "y") + "ies"
	}
	return Count(n) + " " + one + "s"
}

// whole lets templates count what is int or int64.
func whole(n any) int64 {
	switch n := n.(type) {
	case int:
		return int64(n)
	case int64:
		return n
	}
	return 0
}

func countAny(n any) string              { return Count(whole(n)) }
func pluralAny(n any, one string) string { return Plural(whole(n), one) }
