package guardrails

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
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

// callables are the names that a refusal may offer: plain words of the list.
var callables = plainNames(functions)

func plainNames(list map[string]functionRule) []string {
	var out []string
	for name, f := range list {
		if f.class != "never" && name[0] >= 'a' && name[0] <= 'z' && !strings.HasPrefix(name, "icu_") {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

func readFunctions(text string) map[string]functionRule {
	out := map[string]functionRule{}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(strings.TrimRight(line, "\n"), "\t")
		out[fold(f[0])] = functionRule{class: f[1], rule: f[2]}
	}
	return out
}

// callable checks one call of a function against the policy.
func callable(name string, args []node) *Violation {
	f, ok := functions[fold(name)]
	switch {
	case !ok:
		v := &Violation{Rule: "function", What: fmt.Sprintf("function %q is not on the list of functions that a query may call", name)}
		if strings.ContainsFunc(name, unicode.IsLetter) {
			v.Fix = "nearest: " + strings.Join(nearest(name, callables, 3), ", ")
		}
		return v
	case f.class == "never":
		v := &Violation{Rule: "function", What: fmt.Sprintf("function %q may not be called: %s", name, f.rule)}
		if strings.Contains(f.rule, "write the date") {
			v.Fix = "write the date itself, such as DATE '2025-12-31'"
		}
		return v
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
		if s, ok := arg.text(); !ok || len(s) > 1024 || longDigits(s) || strings.Contains(s, "*") || nestedFields.MatchString(doubledBraces.Replace(s)) {
			return fmt.Sprintf("argument %d must be a constant format with widths of up to three digits", i)
		}
	case "agg":
		s, ok := arg.text()
		if f := functions[fold(s)]; !ok || f.class != "allow" {
			return fmt.Sprintf("argument %d must be the constant name of an allowed aggregate", i)
		}
	default:
		return "its rule is not understood" // a new kind of rule fails closed
	}
	return ""
}

// A field inside a field, as in {:{}}, takes its width from an argument.
var (
	nestedFields  = regexp.MustCompile(`\{[^}]*\{`)
	doubledBraces = strings.NewReplacer("{{", "", "}}", "")
)

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

// Reviewed reports whether the policy says anything of a function.
func Reviewed(name string) bool {
	_, ok := functions[fold(name)]
	return ok
}
