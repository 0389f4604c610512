package guardrails

import (
	"strconv"
	"strings"
	"time"
)

// maxSeries is how many values range and generate_series may give.
const maxSeries = 1_000_000

// keepsSeries says why a series is not bounded by constants, or "".
func keepsSeries(args []node) string {
	const why = "its bounds must be constant numbers or dates of at most 1,000,000 steps"
	from, to, step := 0.0, 0.0, 1.0
	var ok1, ok2, ok3 bool
	switch len(args) {
	case 1:
		to, ok2 = args[0].number()
		ok1, ok3 = true, true
	case 2, 3:
		from, ok1 = args[0].seriesBound()
		to, ok2 = args[1].seriesBound()
		ok3 = true
		if len(args) == 3 {
			step, ok3 = args[2].seriesStep()
		}
	}
	if !ok1 || !ok2 || !ok3 || step == 0 || (to-from)/step > maxSeries {
		return why
	}
	return ""
}

// seriesBound is a constant number, or a constant date or time in seconds.
func (n node) seriesBound() (float64, bool) {
	if n.string("class") == "CAST" {
		if s, ok := n.node("child").text(); ok {
			for _, layout := range []string{time.DateOnly, time.DateTime, "2006-01-02 15:04"} {
				if t, err := time.Parse(layout, s); err == nil {
					return float64(t.Unix()), true
				}
			}
			return 0, false
		}
	}
	return n.number()
}

// unitSeconds are the shortest lengths of the units of intervals.
var unitSeconds = map[string]float64{"microsecond": 1e-6, "millisecond": 1e-3, "second": 1, "minute": 60, "hour": 3600, "day": 86400,
	"week": 7 * 86400, "month": 28 * 86400, "quarter": 90 * 86400, "year": 365 * 86400, "decade": 3650 * 86400, "centurie": 36500 * 86400,
	"millennia": 365000 * 86400}

// seriesStep is a constant number, or a constant interval in seconds.
func (n node) seriesStep() (float64, bool) {
	if n.string("class") == "CAST" {
		if s, ok := n.node("child").text(); ok {
			return intervalSeconds(s)
		}
	}
	kids := n.list("children")
	unit, isUnit := strings.CutPrefix(n.string("function_name"), "to_")
	seconds := unitSeconds[strings.TrimSuffix(unit, "s")]
	if !isUnit || seconds == 0 || len(kids) != 1 {
		return n.number()
	}
	x, ok := kids[0].amount()
	return x * seconds, ok
}

// amount is the number inside an interval, which DuckDB's parser wraps in casts
// and trunc.
func (n node) amount() (float64, bool) {
	for {
		kids := n.list("children")
		switch {
		case n.string("class") == "CAST":
			n = n.node("child")
		case n.string("function_name") == "trunc" && len(kids) == 1:
			n = kids[0]
		default:
			if s, ok := n.text(); ok {
				f, err := strconv.ParseFloat(s, 64)
				return f, err == nil
			}
			return n.number()
		}
	}
}

// intervalSeconds reads "1 month".
func intervalSeconds(s string) (float64, bool) {
	amount, unit, _ := strings.Cut(strings.TrimSpace(s), " ")
	x, err := strconv.ParseFloat(amount, 64)
	seconds := unitSeconds[strings.TrimSuffix(fold(strings.TrimSpace(unit)), "s")]
	return x * seconds, err == nil && seconds != 0
}
