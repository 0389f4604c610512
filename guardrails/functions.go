package guardrails

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
)

//go:embed functions_1.5.6.tsv
var functionsTSV string

// functionRule is what the policy says of one function.
type functionRule struct {
	class string // allow, bounded, never
	rule  string // bounded: what its arguments must keep; never: the reason
}

// functions is the reviewed list. Names are folded; what it lacks is refused.
var functions = readFunctions(functionsTSV)

func readFunctions(text string) map[string]functionRule {
	out := map[string]functionRule{}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(strings.TrimRight(line, "\n"), "\t")
		out[strings.ToLower(f[0])] = functionRule{class: f[1], rule: f[2]}
	}
	return out
}

// callable checks one call of a function against the policy.
func callable(name string, args []node) *Violation {
	f, ok := functions[strings.ToLower(name)]
	switch {
	case !ok:
		return &Violation{Rule: "function", What: fmt.Sprintf("function %q is not on the list of functions that a query may call", name)}
	case f.class == "never":
		return &Violation{Rule: "function", What: fmt.Sprintf("function %q may not be called: %s", name, f.rule)}
	case f.class == "bounded":
		for rule := range strings.FieldsSeq(f.rule) {
			if why := keeps(rule, args); why != "" {
				return &Violation{Rule: "limit", What: fmt.Sprintf("function %q: %s", name, why)}
			}
		}
	}
	return nil
}

// keeps says why a call breaks a rule of the list, or "".
func keeps(rule string, args []node) string {
	kind, limit := rule, 0
	if head, tail, ok := strings.Cut(rule, "<="); ok {
		kind = head
		limit, _ = strconv.Atoi(tail)
	}
	switch {
	case kind == "any":
		for _, a := range args {
			if s, ok := a.text(); ok && len([]rune(s)) <= limit {
				return ""
			}
		}
		return fmt.Sprintf("one argument must be a constant text of up to %d characters", limit)
	case kind == "series":
		return keepsSeries(args)
	}
	i, _ := strconv.Atoi(strings.TrimLeft(kind, "nsfag"))
	if i > len(args) {
		return "" // the argument is left out: its default is small
	}
	return keepsArgument(strings.TrimRight(kind, "0123456789"), i, limit, args[i-1])
}

func keepsArgument(kind string, i, limit int, arg node) string {
	switch kind {
	case "n":
		if n, ok := arg.number(); !ok || n < -float64(limit) || n > float64(limit) {
			return fmt.Sprintf("argument %d must be a constant number of up to %d", i, limit)
		}
	case "s":
		if s, ok := arg.text(); !ok || len([]rune(s)) > limit {
			return fmt.Sprintf("argument %d must be a constant text of up to %d characters", i, limit)
		}
	case "f":
		if s, ok := arg.text(); !ok || len(s) > 1024 || longDigits(s) || strings.Contains(s, "*") {
			return fmt.Sprintf("argument %d must be a constant format with widths of up to three digits", i)
		}
	case "agg":
		s, ok := arg.text()
		if f := functions[strings.ToLower(s)]; !ok || f.class != "allow" {
			return fmt.Sprintf("argument %d must be the constant name of an allowed aggregate", i)
		}
	default:
		return "its rule is not understood" // a new kind of rule fails closed
	}
	return ""
}

// longDigits reports a run of more than three digits.
func longDigits(s string) bool {
	run := 0
	for _, r := range s {
		if r < '0' || r > '9' {
			run = 0
			continue
		}
		if run++; run > 3 {
			return true
		}
	}
	return false
}

// maxSeries is how many values range and generate_series may give.
const maxSeries = 1_000_000

func keepsSeries(args []node) string {
	const why = "its bounds must be constant numbers of at most 1,000,000 steps"
	var v []float64
	for _, a := range args {
		n, ok := a.number()
		if !ok {
			return why
		}
		v = append(v, n)
	}
	from, to, step := 0.0, 0.0, 1.0
	switch len(v) {
	case 1:
		to = v[0]
	case 2:
		from, to = v[0], v[1]
	case 3:
		from, to, step = v[0], v[1], v[2]
	default:
		return why
	}
	if step == 0 || (to-from)/step > maxSeries {
		return why
	}
	return ""
}

// Reviewed reports whether the policy says anything of a function.
func Reviewed(name string) bool {
	_, ok := functions[strings.ToLower(name)]
	return ok
}
