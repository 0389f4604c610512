package workbook

import "strings"

// currency is how a kind of money is written.
type currency struct {
	code   string
	symbol string
	prefix bool
}

// currencies are found by symbol or code, lower case.
var currencies = map[string]currency{
	"$": {"USD", "$", true}, "us$": {"USD", "US$", true}, "usd": {"USD", "USD", true}, "€": {"EUR", "€", false}, "eur": {"EUR", "EUR", false},
	"euro": {"EUR", "€", false}, "euros": {"EUR", "€", false}, "£": {"GBP", "£", true}, "gbp": {"GBP", "GBP", true},
	"¥": {"JPY", "¥", true}, "jpy": {"JPY", "JPY", true}, "chf": {"CHF", "CHF", true}, "sfr": {"CHF", "SFr", true}, "fr.": {"CHF", "Fr.", true},
	"₹": {"INR", "₹", true}, "inr": {"INR", "INR", true}, "rs.": {"INR", "Rs.", true}, "rs": {"INR", "Rs", true}, "cad": {"CAD", "CAD", true},
	"c$": {"CAD", "C$", true}, "aud": {"AUD", "AUD", true}, "a$": {"AUD", "A$", true}, "nz$": {"NZD", "NZ$", true}, "nzd": {"NZD", "NZD", true},
	"cny": {"CNY", "CNY", true}, "rmb": {"CNY", "RMB", true}, "元": {"CNY", "元", false}, "krw": {"KRW", "KRW", true}, "₩": {"KRW", "₩", true},
	"brl": {"BRL", "BRL", true}, "r$": {"BRL", "R$", true}, "mxn": {"MXN", "MXN", true}, "mx$": {"MXN", "MX$", true}, "ars": {"ARS", "ARS", true},
	"sek": {"SEK", "SEK", false}, "nok": {"NOK", "NOK", false}, "dkk": {"DKK", "DKK", false}, "pln": {"PLN", "PLN", false}, "zł": {"PLN", "zł", false},
	"czk": {"CZK", "CZK", false}, "kč": {"CZK", "Kč", false}, "huf": {"HUF", "HUF", false}, "rub": {"RUB", "RUB", false}, "₽": {"RUB", "₽", false},
	"try": {"TRY", "TRY", false}, "₺": {"TRY", "₺", true}, "sgd": {"SGD", "SGD", true}, "s$": {"SGD", "S$", true}, "hkd": {"HKD", "HKD", true},
	"hk$": {"HKD", "HK$", true}, "zar": {"ZAR", "ZAR", true}, "ils": {"ILS", "ILS", true}, "₪": {"ILS", "₪", true}, "฿": {"THB", "฿", true},
	"dollars": {"USD", "$", true}, "dollar": {"USD", "$", true},
}

func currencyOf(s string) (currency, bool) {
	if s == "" || len(s) > 8 {
		return currency{}, false
	}
	return folded(currencies, strings.TrimSpace(s))
}

// scaleWords say how many one stored unit stands for.
var scaleWords = map[string]int64{
	"thousand": 1e3, "thousands": 1e3, "000s": 1e3, "'000": 1e3, "1,000": 1e3, "1,000,000": 1e6, "1.000": 1e3, "’000": 1e3, "000": 1e3, "miles": 1e3, "tausend": 1e3, "tsd": 1e3, "tsd.": 1e3, "milliers": 1e3,
	"million": 1e6, "millions": 1e6, "mln": 1e6, "mio": 1e6, "mio.": 1e6, "mill": 1e6, "mill.": 1e6, "mm": 1e6, "millones": 1e6, "millón": 1e6, "millionen": 1e6,
	"billion": 1e9, "billions": 1e9, "bn": 1e9, "milliarden": 1e9, "mrd": 1e9, "mrd.": 1e9, "milliards": 1e9, "milliard": 1e9,
	"trillion": 1e12, "trillions": 1e12, "k": 1e3, "m": 1e6, "b": 1e9,
}

// measureWords are units other than money.
var measureWords = wordSet(`% ‰ pct percent percentage prozent pourcentage porcentaje kg g mg t tonnes tonne tons ton lb lbs oz km m cm mm mi ft in
	yd miles metres meters feet inches km² km2 m² m2 mi² mi2 ha acres acre sq l ml hl gal gallons m³ m3 kwh mwh gwh twh wh kw mw gw w v a hz
	khz mhz ghz °c °f ℃ k s sec seconds min minutes h hr hrs hours d days weeks months years gb mb kb tb bytes kbps mbps
	people persons personas personen units kcal kj j btu pa bar psi ppm bps dpi px pp points mph km/h kmh m/s rpm cases
	días horas meses años stunden tage jahre jours heures ans mois stück index`)

// perWords introduce the "per" of a unit.
var perWords = map[string]bool{"per": true, "por": true, "pro": true, "par": true, "/": true, "a": false}

// HeaderUnit reads the unit that a header names, for columns of numbers that
// came without a workbook: "Price (EUR)", "growth %".
func HeaderUnit(header string) Unit { return headerUnit(header) }

// pathUnit reads the unit of a header of several rows, one piece of which may be
// nothing but a unit.
func pathUnit(header string, path []string) Unit {
	if u := headerUnit(header); !u.Zero() {
		return u
	}
	for i := len(path) - 1; i >= 0; i-- {
		if u, ok := parseUnit(path[i]); ok {
			return u
		}
	}
	return Unit{}
}

// headerUnit reads the unit that a header names, in parentheses, brackets,
// after a comma or as its last word: "Min order USD", "Sueldo base (€/mes)",
// "Metro GDP (USD billion)", "Growth (% YoY)".
func headerUnit(header string) Unit {
	for _, part := range parenthesised(header) {
		if u, ok := parseUnit(part); ok {
			return u
		}
	}
	if i := strings.LastIndexAny(header, ",:"); i >= 0 && i+1 < len(header) {
		if u, ok := parseUnit(strings.TrimPrefix(strings.TrimSpace(header[i+1:]), "in ")); ok {
			return u
		}
	}
	words := strings.Fields(header)
	if n := len(words); n > 1 {
		if n > 2 && strings.EqualFold(words[n-2], "in") {
			if u, ok := parseUnit(words[n-1]); ok {
				return u
			}
		}
		if u, ok := trailingUnit(words); ok {
			return u
		}
	}
	if i := strings.IndexByte(header, '%'); i >= 0 && (i == 0 || header[i-1] < '0' || header[i-1] > '9') {
		return Unit{Symbol: "%", Code: "percent"}
	}
	return Unit{}
}

// trailingUnit reads a currency or a percent sign at the end or start of a
// header; other units need parentheses, for "in" and "m" are words as well.
func trailingUnit(words []string) (Unit, bool) {
	n := len(words)
	if _, scaled := scaleWords[strings.ToLower(words[n-1])]; scaled && n > 2 && len(words[n-1]) > 1 {
		if c, ok := currencyWord(words[n-2]); ok {
			return Unit{Symbol: words[n-2] + " " + words[n-1], Code: c.code, Scale: scaleWords[strings.ToLower(words[n-1])], Prefix: c.prefix}, true
		}
	}
	for _, w := range []string{words[n-1], words[0]} {
		if w == "%" || strings.EqualFold(w, "pct") {
			return Unit{Symbol: "%", Code: "percent"}, true
		}
		base, per, _ := strings.Cut(w, "/")
		if c, ok := currencyWord(base); ok {
			return moneyUnit(c, base, per), true
		}
	}
	return Unit{}, false
}

// currencyWord takes symbols and upper-case codes, so that "try" is a word.
func currencyWord(w string) (currency, bool) {
	c, ok := currencyOf(w)
	if !ok || (w != strings.ToUpper(w) && len(w) == 3 && w[0] < 0x80) || strings.EqualFold(w, "rs") {
		return currency{}, false
	}
	return c, ok
}

func moneyUnit(c currency, written, per string) Unit {
	sym := written
	if plain, ok := plainSymbol[c.code]; ok && strings.EqualFold(written, c.code) {
		sym = plain
	}
	return Unit{Symbol: sym, Code: c.code, Per: per, Prefix: c.prefix}
}

// plainSymbol is the symbol that people expect for a code.
var plainSymbol = map[string]string{"USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥", "INR": "₹"}

// parenthesised returns what stands in (…) or […], last first.
func parenthesised(s string) []string {
	var out []string
	for end := len(s); ; {
		j := strings.LastIndexAny(s[:end], ")]")
		if j < 0 {
			return out
		}
		open := byte('(')
		if s[j] == ']' {
			open = '['
		}
		i := strings.LastIndexByte(s[:j], open)
		if i < 0 {
			return out
		}
		out = append(out, strings.TrimSpace(s[i+1:j]))
		end = i
	}
}

// parseUnit reads a whole phrase as a unit: "€/mes", "USD billion", "% YoY",
// "in EUR millions", "thousands", "kg".
func parseUnit(s string) (Unit, bool) {
	s = strings.TrimSpace(strings.Trim(s, "()[]"))
	low := strings.ToLower(s)
	for _, p := range []string{"in ", "en ", "im ", "dollars in "} {
		if strings.HasPrefix(low, p) {
			s, low = s[len(p):], low[len(p):]
		}
	}
	if s == "" || len(s) > 40 {
		return Unit{}, false
	}
	u := Unit{Symbol: s}
	words := strings.Fields(strings.ReplaceAll(low, "/", " / "))
	for i := 0; i < len(words); i++ {
		w := strings.Trim(words[i], ",;")
		if perWords[w] && i > 0 && i+1 < len(words) {
			u.Per = strings.Join(words[i+1:], " ")
			break
		}
		if !u.takeWord(w, i, words) {
			return Unit{}, false
		}
	}
	if u.Code == "percent" {
		u.Symbol = "%"
		return u, true
	}
	if u.Code != "" && u.Scale == 0 {
		base, _, _ := strings.Cut(s, "/")
		base, _, _ = strings.Cut(strings.TrimSpace(base), " ")
		c, _ := currencyOf(base)
		return moneyUnit(currency{u.Code, base, c.prefix}, base, u.Per), true
	}
	return u, true
}

// takeWord adds one word of a unit phrase; false means that it is none.
func (u *Unit) takeWord(w string, i int, words []string) bool {
	if c, ok := currencyOf(w); ok {
		u.Code, u.Prefix = c.code, c.prefix
		return true
	}
	if n, ok := scaleWords[w]; ok && (u.Code != "" || (len(w) > 2 && w != "miles") || (i+1 < len(words) && isCurrency(words[i+1]))) {
		u.Scale = max(u.Scale, 1) * n
		return true
	}
	if u.Code == "percent" && i > 0 { // "% YoY", "% of GDP"
		return true
	}
	if w == "of" || w == "de" || w == "von" || w == "in" || w == "en" {
		return i > 0
	}
	if w == "%" || w == "percent" || w == "pct" || w == "prozent" {
		u.Code = "percent"
		return true
	}
	return measureWords[w] || strings.HasPrefix(w, "%")
}

func isCurrency(w string) bool { _, ok := currencyOf(w); return ok }
