package agent

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/allrows/allrows/agent/link"
	"github.com/allrows/allrows/agent/plan"
	"github.com/allrows/allrows/schema"
	"github.com/allrows/allrows/workbook"
)

const (
	passed        = "pass"
	failed        = "fail"
	notApplicable = "not_applicable"
)

// objection is why a step may not be answered, nil for none: words of the
// question that it would pass over, units that it would mix, too little
// confidence.
func (r *run) objection(s *plan.Step) *plan.Reason {
	tool := s.Call.Tool
	if tool == "search_rows" || tool == "overview" || tool == "describe_table" || tool == "list_tables" {
		return nil
	}
	if len(r.q.Unknown) > 0 && !r.req.Best {
		return &plan.Reason{Code: "unknown_word", Words: r.q.Unknown}
	}
	if s.Confidence > 0 && s.Confidence < r.a.cfg.Threshold && !r.req.Best {
		return &plan.Reason{Code: "ambiguous", Text: r.say("unsure_reading", "a", s.Reading)}
	}
	if s.Call.Plan == nil {
		return nil
	}
	if unused := unusedWords(r.q, s.Call.Plan); len(unused) > 0 && !r.req.Best {
		return &plan.Reason{Code: "unsupported", Words: unused}
	}
	return r.mixedUnits(s)
}

// mixedUnits is why a step's figures may not be computed: they are in several
// units. It is nil where they may.
func (r *run) mixedUnits(s *plan.Step) *plan.Reason {
	for _, c := range s.Call.Plan.Measured() {
		if col := r.column(c); col != nil && len(col.Unit.Mixed) > 1 && sums(s.Call.Plan, c) && !bindsUnit(s.Call.Plan, col) {
			return &plan.Reason{Code: "unsupported", Text: r.say("mixed_units", "l", plan.ColumnLabel(col), "u", strings.Join(col.Unit.Mixed, ", "))}
		}
	}
	return nil
}

// sums reports whether the plan adds, averages or compares the column's figures.
func sums(p *plan.Plan, c schema.ColumnRef) bool {
	return slices.ContainsFunc(p.AggregatesOf(c), func(agg string) bool { return agg != "count" && agg != "count_distinct" })
}

// bindsUnit reports whether a condition of the plan names one of the column's
// units, so that only figures of that one are left.
func bindsUnit(p *plan.Plan, col *schema.Column) bool {
	for _, c := range p.Where.Conditions() {
		for _, x := range c.Right {
			if c.Op == "=" && x.Literal != nil && slices.ContainsFunc(col.Unit.Mixed, func(u string) bool { return strings.EqualFold(u, x.Literal.Text) }) {
				return true
			}
		}
	}
	return false
}

// unusedWords are the cells and numbers that the question names outright and the
// plan does not: every meaning of the word is a value or a number, and none is in
// the plan.
func unusedWords(q *link.Question, p *plan.Plan) []string {
	uses := p.Uses()
	realised := func(l link.Link) bool {
		switch l.Kind {
		case link.Value:
			return uses.Text[strings.ToLower(l.Value)] || uses.Columns[l.Column] && !uses.Bound
		case link.Numeric:
			return l.Number == nil || uses.Number(l.Number.Digits)
		}
		return true
	}
	var out []string
	for i := range q.Links {
		l := &q.Links[i]
		if l.Kind != link.Value && l.Kind != link.Numeric || l.Score < 0.99 || realised(*l) {
			continue
		}
		if slices.ContainsFunc(q.Links, func(o link.Link) bool { return o.First <= l.Last && o.Last >= l.First && realised(o) }) {
			continue
		}
		w := q.Text[q.Tokens[l.First].Start:q.Tokens[l.Last].End]
		if !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return append(out, ungrouped(q, uses)...)
}

// splitting are the words after which a column's name says what the answer is
// split by or compared by. "Across regions" is not among them: it may say no more
// than all of them.
var splitting = []string{"by", "per", "each", "por", "cada", "nach", "je", "pro"}

// ungrouped are names of columns, said in full right after such a word, that the
// plan does not use.
func ungrouped(q *link.Question, uses *plan.Uses) []string {
	for _, k := range q.Links {
		if k.Kind != link.Operator || k.Op != "op.group" || !slices.Contains(splitting, q.Tokens[k.Last].Norm) {
			continue
		}
		var said []link.Link
		for _, l := range q.Links {
			if l.Kind == link.Column && l.First == k.Last+1 && l.Score >= 0.9 {
				said = append(said, l)
			}
		}
		if len(said) > 0 && !slices.ContainsFunc(said, func(l link.Link) bool { return uses.Columns[l.Column] }) {
			return []string{q.Text[q.Tokens[said[0].First].Start:q.Tokens[said[0].Last].End]}
		}
	}
	return nil
}

// check makes the semantic checks of a computed answer.
func (r *run) check() {
	rc := &r.ans.Receipt
	add := func(name, res, detail string) {
		rc.Checks = append(rc.Checks, CheckMade{Name: name, Result: res, Detail: detail})
	}
	if len(r.out.Facts) > 0 || len(r.out.Parts) == 0 || r.out.Parts[0].Plan == nil {
		return
	}
	p := r.out.Parts[0].Plan
	add("words", passed, "")
	if len(p.Tables()) > 1 {
		add("fan_out", passed, "each row counts once: "+joinedText(p))
	} else {
		add("fan_out", notApplicable, "")
	}
	aggregated := p.Measured()
	if len(aggregated) == 0 {
		add("units", notApplicable, "")
	} else {
		add("units", passed, "")
	}
	res, detail := notApplicable, ""
	for _, c := range r.totals() {
		if res != failed {
			res = passed
		}
		if !c.check.Agrees {
			res = failed
		}
		detail = strings.TrimPrefix(detail+"; "+fmt.Sprintf("%s!%s prints %s, the rows sum to %s", c.table.Sheet, c.check.Cell, c.check.Printed, c.check.Computed), "; ")
	}
	add("totals", res, detail)
	if len(r.out.Hits) > 0 && r.out.Route == plan.Lookup && r.call.Tool != "search_rows" {
		r.checkRetrieval(add)
	}
}

// checkRetrieval says whether the rows that the conditions name are among those
// that retrieval found by the words alone.
func (r *run) checkRetrieval(add func(name, result, detail string)) {
	p := r.out.Parts[0]
	n := 0
	for _, ids := range p.RowIDs {
		for _, h := range r.out.Hits {
			if len(ids) > 0 && h.Ref == p.Plan.From && h.FirstRow == ids[0] {
				n++
				break
			}
		}
	}
	if n == len(p.RowIDs) && n > 0 {
		add("retrieval", passed, "")
		return
	}
	add("retrieval", notApplicable, fmt.Sprintf("%d of %d rows were found by words; the conditions decide", n, len(p.RowIDs)))
}

func joinedText(p *plan.Plan) string {
	var out []string
	for _, t := range p.Tables() {
		out = append(out, t.String())
	}
	return strings.Join(out, ", ")
}

// printed is a total of a sheet that bears on the answer.
type printed struct {
	table  *schema.Table
	column *schema.Column
	check  workbook.Check
	summed bool // the answer is the sum of the very column, over all rows
}

// totals are the printed totals of the columns that the answer computes with.
func (r *run) totals() []printed {
	var out []printed
	if len(r.out.Parts) == 0 || r.out.Parts[0].Plan == nil || r.out.Parts[0].Plan.Combine != nil {
		return nil
	}
	p := r.out.Parts[0].Plan
	for _, ref := range p.Measured() {
		t := r.env.Schema.Table(ref.Ref)
		col := r.column(ref)
		if t == nil || col == nil || r.hidesRows(ref.Ref) {
			continue
		}
		for _, c := range t.Checks {
			if c.Column == ref.Column {
				whole := p.Where == nil && len(p.Joins) == 0 && len(p.GroupBy) == 0 && slices.Contains(p.AggregatesOf(ref), "sum")
				out = append(out, printed{t, col, c, whole})
			}
		}
	}
	return out
}

// withTotals says in the text that a printed total differs from what its rows
// sum to.
func (r *run) withTotals(text string) string {
	for _, c := range r.totals() {
		if c.check.Agrees {
			continue
		}
		m := plan.SourceColumn(c.column)
		key := "total_elsewhere"
		if c.summed {
			key = "total_differs"
		}
		said := r.say(key, "t", c.table.Label(), "c", c.check.Cell, "a", plan.Format(c.check.Printed, m, r.lang), "b", plan.Format(c.check.Computed, m, r.lang))
		text += " " + said
		r.ans.Warnings = append(r.ans.Warnings, Warning{Code: "total", Text: said})
	}
	return text
}

// lessNumber compares plain digits.
func lessNumber(a, b string) (bool, bool) {
	x, ok1 := new(big.Rat).SetString(a)
	y, ok2 := new(big.Rat).SetString(b)
	return ok1 && ok2 && x.Cmp(y) < 0, ok1 && ok2
}
