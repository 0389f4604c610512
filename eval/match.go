package eval

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/allrows/allrows/agent"
)

// Match holds an answer against an expectation and returns what is wrong with
// it, one line a fault; none means that it passes.
func Match(e *Expect, a *agent.Answer) []string {
	var faults []string
	add := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	matchOutcome(e, a, add)
	if e.Route != "" && e.Route != string(a.Route) {
		add("route %q, want %q", a.Route, e.Route)
	}
	if e.Complete != nil && *e.Complete != a.Receipt.Complete {
		add("complete %v, want %v", a.Receipt.Complete, *e.Complete)
	}
	for _, s := range e.MustContain {
		if !strings.Contains(Fold(a.Text), Fold(s)) {
			add("the text does not contain %q: %q", s, a.Text)
		}
	}
	for _, tool := range e.MustCallTool {
		if !slices.ContainsFunc(a.Receipt.Steps, func(s agent.StepMade) bool { return s.Tool == tool }) {
			add("tool %s was not called", tool)
		}
	}
	for _, c := range e.Cites {
		if !slices.ContainsFunc(a.Receipt.Citations, c.covers) {
			add("no citation of %v among %v", c, a.Receipt.Citations)
		}
	}
	matchFigures(e, a, add)
	if e.OneOf != nil {
		var all []string
		for i := range e.OneOf {
			inherited := e.OneOf[i]
			if inherited.Tolerance == 0 {
				inherited.Tolerance = e.Tolerance
			}
			wrong := Match(&inherited, a)
			if len(wrong) == 0 {
				return faults
			}
			all = append(all, fmt.Sprintf("(%d) %s", i+1, strings.Join(wrong, ", ")))
		}
		add("none of the alternatives: %s", strings.Join(all, "; "))
	}
	return faults
}

// matchOutcome compares how the question ended. An expectation that names no
// other end wants an answer: a decline never stands in for one.
func matchOutcome(e *Expect, a *agent.Answer, add func(string, ...any)) {
	if e.Abstains != nil && *e.Abstains != (a.Outcome == agent.Declined) {
		add("outcome %q, abstains: %v", a.Outcome, *e.Abstains)
	}
	if e.Clarifies != nil {
		if e.Clarifies.asks != (a.Outcome == agent.Clarify) {
			add("outcome %q, clarifies: %v", a.Outcome, e.Clarifies.asks)
		}
		for _, want := range e.Clarifies.readings {
			named := false
			for _, c := range a.Choices {
				named = named || strings.Contains(Fold(c.Reading+"\n"+c.Ask), Fold(want))
			}
			if !named {
				add("no choice names %q: %v", want, a.Choices)
			}
		}
	}
	code, words := "", ""
	if a.Reason != nil {
		code, words = a.Reason.Code, strings.Join(append(a.Reason.Words, a.Reason.Text), "\n")
	}
	if e.Empty != "" && (a.Outcome != agent.Empty || code != e.Empty) {
		add("outcome %q (%s), want empty (%s)", a.Outcome, code, e.Empty)
	}
	if e.BecauseContains != "" && !strings.Contains(Fold(words), Fold(e.BecauseContains)) {
		add("the reason does not contain %q: %q", e.BecauseContains, words)
	}
	if e.Abstains == nil && e.Clarifies == nil && e.Empty == "" && e.OneOf == nil && a.Outcome != agent.Answered {
		add("outcome %q (%s %q), want an answer", a.Outcome, code, words)
	}
}

// matchFigures compares value, values and rows with the key and measure columns.
func matchFigures(e *Expect, a *agent.Answer, add func(string, ...any)) {
	if e.Value == nil && e.Values == nil && e.Rows == nil {
		return
	}
	g := gridOf(a)
	if g == nil {
		add("outcome %q without a result", a.Outcome)
		return
	}
	if g.truncated {
		add("the result is cut")
	}
	if e.Value != nil && !g.hasValue(e.Value, e.Tolerance) {
		add("value %s, want %s", g, Text(e.Value))
	}
	if e.Values != nil && !g.hasValues(e) {
		add("values %s, want %s", g, show([][]any{e.Values}))
	}
	if e.Rows != nil && !g.hasRows(e) {
		add("rows %s, want %s", g, show(e.Rows))
	}
}

// cellRange is an A1 range, columns and rows from 1; a whole column has no rows.
type cellRange struct{ left, top, right, bottom int }

var a1 = regexp.MustCompile(`^\$?([A-Za-z]{1,3})\$?([0-9]{1,7})?$`)

func parseRange(s string) (cellRange, error) {
	from, to, two := strings.Cut(strings.TrimSpace(s), ":")
	if !two {
		to = from
	}
	var c [2][2]int
	for i, cell := range []string{from, to} {
		m := a1.FindStringSubmatch(cell)
		if m == nil {
			return cellRange{}, fmt.Errorf("range %q is not of the form B2 or B2:D9", s)
		}
		for _, r := range strings.ToUpper(m[1]) {
			c[i][0] = c[i][0]*26 + int(r-'A') + 1
		}
		c[i][1], _ = strconv.Atoi(m[2]) // "" is a whole column: 0
	}
	return cellRange{min(c[0][0], c[1][0]), min(c[0][1], c[1][1]), max(c[0][0], c[1][0]), max(c[0][1], c[1][1])}, nil
}

// covers reports whether a citation is the one wanted: its workbook, with or
// without extension, its sheet, and a range of the same rows that holds at least
// the wanted columns. A citation of a whole table is none of one cell.
func (c Cite) covers(got agent.Citation) bool {
	if c.Workbook != "" && !sameWorkbook(c.Workbook, got.Workbook) {
		return false
	}
	if c.Sheet != "" && Fold(c.Sheet) != Fold(got.Sheet) {
		return false
	}
	if c.Range == "" {
		return true
	}
	want, err := parseRange(c.Range)
	if err != nil {
		return false
	}
	for part := range strings.SplitSeq(got.Range, ",") {
		r, err := parseRange(part)
		if err == nil && r.top == want.top && r.bottom == want.bottom && r.left <= want.left && r.right >= want.right {
			return true
		}
	}
	return false
}

func sameWorkbook(want, got string) bool {
	want, got = Fold(want), Fold(got)
	stem, _, _ := strings.Cut(got, ".")
	return want == got || want == stem
}
