package plan

import (
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/allrows/allrows/workbook"
)

// currency holds the symbols of codes that people write by symbol.
var currency = map[string]string{"USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥", "INR": "₹", "BRL": "R$", "KRW": "₩"}

// Format writes a value of the column as people of the language write it, with
// its unit: "12%", "$25,000", "2.150 €/mes", "January 1, 2026". The value is
// rounded to the column's decimals, halves away from zero.
func Format(value any, col Column, lang string) string {
	w := Words(lang)
	switch v := value.(type) {
	case nil:
		return w.Say("null")
	case bool:
		return w.Say(strconv.FormatBool(v))
	case []any, map[string]any:
		b, err := json.Marshal(v)
		if err != nil {
			return w.Say("null")
		}
		return string(b)
	case string:
		if col.Type.Kind == workbook.Text {
			return v
		}
		if t, ok := w.date(v, col.Grain); ok {
			return t
		}
	}
	digits, ok := exactDigits(value)
	if !ok {
		s, _ := value.(string)
		return s
	}
	return w.withUnit(w.number(digits, col), digits, col.Unit)
}

// exactDigits returns a number in plain digits.
func exactDigits(value any) (string, bool) {
	switch v := value.(type) {
	case int64:
		return strconv.FormatInt(v, 10), true
	case int:
		return strconv.Itoa(v), true
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return "", false
		}
		return strconv.FormatFloat(v, 'f', -1, 64), true
	case json.Number:
		return exactDigits(v.String())
	case string:
		return v, plainDigits.MatchString(v)
	}
	return "", false
}

// number rounds and groups the digits.
func (w *Language) number(digits string, col Column) string {
	decimals := col.Decimals
	money := currency[col.Unit.Code] != "" || len(col.Unit.Code) == 3
	if decimals < 0 {
		decimals = looseDecimals(digits)
	}
	money = money || decimals == 2 && col.Unit.Zero() && col.Type.Kind == workbook.Decimal // cents, of whatever
	whole, frac := Round(digits, decimals)
	if strings.Trim(frac, "0") == "" {
		frac = ""
	} else if !money {
		frac = strings.TrimRight(frac, "0")
	} else if len(frac) == 1 {
		frac += "0"
	}
	if !col.Plain {
		whole = w.group(whole)
	}
	if frac != "" {
		whole += w.Say("decimal") + frac
	}
	return whole
}

// looseDecimals are the decimals of a figure whose source says nothing: two, and
// for small ones as many as show three digits.
func looseDecimals(digits string) int {
	whole, frac, _ := strings.Cut(strings.TrimPrefix(digits, "-"), ".")
	if strings.Trim(whole, "0") != "" {
		return 2
	}
	zeros := len(frac) - len(strings.TrimLeft(frac, "0"))
	if zeros == len(frac) {
		return 0
	}
	return max(2, min(zeros+3, 12))
}

// Round cuts plain digits to so many decimals, halves away from zero, and
// returns the parts before and after the point. Minus zero is zero.
func Round(digits string, decimals int) (whole, frac string) {
	r, ok := new(big.Rat).SetString(digits)
	if !ok {
		return digits, ""
	}
	text := r.FloatString(decimals)
	if strings.Trim(text, "-0.") == "" {
		text = strings.TrimPrefix(text, "-")
	}
	whole, frac, _ = strings.Cut(text, ".")
	return whole, frac
}

// group puts the language's separator between thousands.
func (w *Language) group(whole string) string {
	sign := ""
	if rest, ok := strings.CutPrefix(whole, "-"); ok {
		sign, whole = "-", rest
	}
	var b strings.Builder
	for i, r := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteString(w.Say("thousands"))
		}
		b.WriteRune(r)
	}
	return sign + b.String()
}

// withUnit adds the unit where people of the language write it.
func (w *Language) withUnit(text, digits string, u workbook.Unit) string {
	switch {
	case u.Zero() || len(u.Mixed) > 0:
		return text
	case u.Code == "percent":
		return text + w.Say("percent")
	case u.Code == points.Code:
		if strings.TrimLeft(digits, "-") == "1" {
			return text + " " + w.Say("point")
		}
		return text + " " + w.Say("points")
	}
	symbol := u.Symbol
	scale := w.scale(u.Scale)
	if money := currency[u.Code]; money != "" || len(u.Code) == 3 && u.Code == strings.ToUpper(u.Code) && u.Code != "" {
		if symbol = money; symbol == "" {
			symbol = u.Code
		}
		text = w.money(text, symbol, scale, money != "")
	} else {
		if symbol == "" {
			symbol = strings.TrimSpace(scale)
		} else if scale != "" && !strings.Contains(strings.ToLower(symbol), strings.TrimSpace(scale)) {
			text += scale
		}
		text += " " + symbol
	}
	if u.Per != "" && !strings.Contains(text, "/") {
		text += "/" + u.Per
	}
	return text
}

// money places a currency: before the figure where the language does so.
func (w *Language) money(text, symbol, scale string, isSymbol bool) string {
	sign := ""
	if rest, ok := strings.CutPrefix(text, "-"); ok && w.Say("money") == "before" {
		sign, text = "-", rest
	}
	switch {
	case w.Say("money") == "before" && isSymbol:
		return sign + symbol + text + scale
	case w.Say("money") == "before":
		return sign + symbol + " " + text + scale
	case symbol == "R$":
		return sign + symbol + " " + text + scale
	case scale != "" && w.Say("of") != "":
		return text + scale + " " + w.Say("of") + " " + symbol
	}
	return text + scale + " " + symbol
}

func (w *Language) scale(n int64) string {
	if n <= 1 {
		return ""
	}
	if s := w.text["scale_"+strconv.FormatInt(n, 10)]; s != "" {
		return " " + s
	}
	return " × " + w.group(strconv.FormatInt(n, 10))
}

// date writes an ISO date or timestamp out.
func (w *Language) date(iso, grain string) (string, bool) {
	day, clock, _ := strings.Cut(strings.Replace(iso, "T", " ", 1), " ")
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return "", false
	}
	month := strings.Fields(w.Say("months"))[t.Month()-1]
	year := strconv.Itoa(t.Year())
	switch grain {
	case "year":
		return year, true
	case "quarter":
		return w.Say("date_quarter", "q", strconv.Itoa(int(t.Month()-1)/3+1), "y", year), true
	case "month":
		return w.Say("date_month", "m", month, "y", year), true
	}
	text := w.Say("date_day", "d", strconv.Itoa(t.Day()), "m", month, "y", year)
	clock, _, _ = strings.Cut(clock, ".")
	clock = strings.TrimSuffix(clock, "Z")
	if short, ok := strings.CutSuffix(clock, ":00"); ok && len(clock) == 8 {
		clock = short
	}
	if clock != "" && clock != "00:00" {
		text += " " + clock
	}
	return text, true
}
