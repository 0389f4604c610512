package eval

import (
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Number is a figure and how many decimals it was written with.
type Number struct {
	Rat      *big.Rat
	Decimals int
}

var figure = regexp.MustCompile(`^([-+−]?)\s*(?:[$€£¥]\s*)?([-+−]?)(\d{1,3}(?:,\d{3})+|\d+|)(?:\.(\d+))?([eE][-+]?\d{1,3})?\s*(?:%|[$€£¥])?$`)

// ParseNumber reads a figure as people and databases write it: with thousands
// separators, a currency sign, a percent sign, or parentheses for a negative.
func ParseNumber(s string) (Number, bool) {
	s = strings.TrimSpace(s)
	negative := false
	if in, ok := strings.CutPrefix(s, "("); ok {
		if in, ok = strings.CutSuffix(in, ")"); ok {
			s, negative = strings.TrimSpace(in), true
		}
	}
	m := figure.FindStringSubmatch(s)
	if m == nil || m[3]+m[4] == "" || m[1] != "" && m[2] != "" {
		return Number{}, false
	}
	digits := strings.ReplaceAll(m[3], ",", "")
	if digits == "" {
		digits = "0"
	}
	if m[4] != "" {
		digits += "." + m[4]
	}
	r, ok := new(big.Rat).SetString(digits + m[5])
	if !ok {
		return Number{}, false
	}
	if sign := m[1] + m[2]; (sign == "-" || sign == "−") != negative {
		r.Neg(r)
	}
	return Number{Rat: r, Decimals: len(m[4])}, true
}

// Text is the text form of a value of a case, a gold answer or a result.
func Text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case json.Number:
		return v.String()
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case time.Time:
		return v.Format(time.RFC3339)
	}
	return fmt.Sprint(v)
}

// Fold is text without what a comparison passes over: case, outer and repeated
// space, and the ways in which Unicode spells one letter.
func Fold(s string) string {
	return cases.Fold().String(norm.NFC.String(strings.Join(strings.Fields(s), " ")))
}

var dateLayouts = []string{
	time.DateOnly, time.DateTime, "2006-01-02T15:04:05", time.RFC3339, "2006/01/02", "2006-01",
	"2 January 2006", "2 Jan 2006", "January 2, 2006", "Jan 2, 2006", "January 2 2006", "Jan 2 2006",
	"January 2006", "Jan 2006", "1/2/2006", "2/1/2006", "2.1.2006", "2-Jan-2006",
}

// Dates are the days or moments that a text may name, none if it is no date. A
// month is its first day; 03/04/2025 is two days.
func Dates(s string) []time.Time {
	s = strings.TrimSpace(s)
	var all []time.Time
	for _, layout := range dateLayouts {
		if t, err := time.Parse(layout, s); err == nil {
			all = append(all, t.UTC())
		}
	}
	return all
}

// SameDate reports whether two texts may name the same day or moment.
func SameDate(a, b string) bool {
	for _, x := range Dates(a) {
		for _, y := range Dates(b) {
			if x.Equal(y) {
				return true
			}
		}
	}
	return false
}

// Truth reads yes and no in the forms that answers have them.
func Truth(s string) (yes, ok bool) {
	switch Fold(s) {
	case "true", "yes", "sí", "si", "ja", "sim":
		return true, true
	case "false", "no", "nein", "não":
		return false, true
	}
	return false, false
}

// equal reports whether a result's value is the one that a case expects. Unit is
// that of the result's column: only it can make a fraction of a percentage.
func equal(want, got any, unit string, tolerance float64) bool {
	if want == nil || got == nil {
		return want == nil && got == nil
	}
	w, g := Text(want), Text(got)
	if wn, ok := ParseNumber(w); ok {
		gn, ok := ParseNumber(g)
		return ok && equalNumbers(wn.Rat, gn.Rat, unit, tolerance)
	}
	if Fold(w) == Fold(g) || SameDate(w, g) {
		return true
	}
	wt, wok := Truth(w)
	gt, gok := Truth(g)
	return wok && gok && wt == gt
}

func equalNumbers(want, got *big.Rat, unit string, tolerance float64) bool {
	if near(want, got, tolerance) {
		return true
	}
	switch unit {
	case "fraction", "ratio", "share": // 0.12 is the 12% that the case expects
		return near(want, new(big.Rat).Mul(got, big.NewRat(100, 1)), tolerance)
	}
	return false
}

// near is exact but for what a float of 64 bits cannot hold.
func near(want, got *big.Rat, tolerance float64) bool {
	limit := new(big.Rat).Abs(want)
	limit.Mul(limit, big.NewRat(1, 1e12))
	if t := new(big.Rat).SetFloat64(tolerance); t != nil {
		limit.Add(limit, t)
	}
	diff := new(big.Rat).Sub(want, got)
	return diff.Abs(diff).Cmp(limit) <= 0
}
