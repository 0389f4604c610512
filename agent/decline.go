package agent

import (
	"context"
	"errors"
	"slices"
	"strings"
	"unicode"

	"github.com/allrows/allrows/agent/plan"
	"github.com/allrows/allrows/agent/tools"
	"github.com/allrows/allrows/guardrails"
	"github.com/allrows/allrows/schema"
	"github.com/allrows/allrows/sqltool"
	"github.com/allrows/allrows/workbook"
)

// decline ends the question without an answer, for a reason, with questions that
// can be asked.
func (r *run) decline(why plan.Reason) {
	r.ans.Outcome = Declined
	switch why.Code {
	case "no_rows", "not_permitted", "not_loaded":
		r.ans.Outcome = Empty
	case "timeout", "internal", "llm_unavailable":
		r.ans.Outcome = Failed
	}
	if why.Text == "" {
		why.Text = r.reasonText(why)
	}
	r.ans.Reason, r.ans.Text = &why, why.Text
	r.ans.Result, r.ans.Chart = nil, nil
	if r.ans.Outcome == Failed || why.Code == "no_rows" {
		return
	}
	asks := r.suggestions(2)
	var list []string
	for _, s := range asks {
		list = append(list, "“"+s+"”")
		r.ans.Choices = append(r.ans.Choices, plan.Choice{Reading: s, Ask: s})
	}
	if len(list) > 0 {
		r.ans.Text += " " + sentence(r.say("try", "a", plan.Words(r.lang).List(list, "or")))
	}
}

func (r *run) reasonText(why plan.Reason) string {
	key := why.Code
	why.Words = named(why.Words)
	switch {
	case len(why.Words) > 0 && (why.Code == "unknown_word" || why.Code == "ambiguous" || why.Code == "unsupported"):
		if key = "unknown_word"; why.Code == "unsupported" {
			key = "unused_word"
		}
		if len(why.Words) > 1 {
			key += "s"
		}
		return r.say(key, "w", quoted(why.Words, r.lang))
	case key == "ambiguous":
		key = "unread" // there is no choice to offer
	case r.say(key) == "":
		key = "unsupported"
	}
	return r.say(key, "w", quoted(why.Words, r.lang))
}

// saidWords is how many words a text names: it is no help to read them all.
const saidWords = 6

// named are the words that a text names, each once.
func named(words []string) []string {
	var out []string
	for _, w := range words {
		if !slices.ContainsFunc(out, func(o string) bool { return strings.EqualFold(o, w) }) {
			out = append(out, cut(w, 60))
		}
	}
	return out[:min(len(out), saidWords)]
}

// cut is a text of at most so many characters.
func cut(s string, limit int) string {
	if r := []rune(s); len(r) > limit {
		return string(r[:limit-1]) + "…"
	}
	return s
}

// clarify ends the question with its readings as choices.
func (r *run) clarify(choices []plan.Choice) {
	r.ans.Outcome, r.ans.Choices = Clarify, choices
	text := r.say("ambiguous")
	r.ans.Reason = &plan.Reason{Code: "ambiguous", Text: text}
	var b strings.Builder
	b.WriteString(text)
	for i, c := range choices {
		b.WriteString("\n" + itoa(i+1) + ". " + c.Reading)
	}
	r.ans.Text = b.String()
}

// fail ends the question by an error of ours or of the engine.
func (r *run) fail(err error) {
	r.decline(r.reasonOf(err))
	r.ans.Err = err
	if r.ans.Reason.Code == "internal" {
		r.ans.Outcome = Failed
		r.a.cfg.Logger.Error("question failed", "answer", r.ans.ID, "error", err)
	}
}

// reasonOf says an error as a reason, in words that are safe to show.
func (r *run) reasonOf(err error) plan.Reason {
	if v, ok := errors.AsType[*guardrails.Violation](err); ok {
		return plan.Reason{Code: violationCode(v), Text: sentence(r.say("unsafe", "a", violationText(v)))}
	}
	if e, ok := errors.AsType[*sqltool.TimeoutError](err); ok {
		return plan.Reason{Code: "timeout", Text: sentence(e.Error())}
	}
	if e, ok := errors.AsType[*sqltool.LimitError](err); ok {
		return plan.Reason{Code: "limit", Text: sentence(e.Error())}
	}
	if e, ok := errors.AsType[*sqltool.EngineError](err); ok {
		return plan.Reason{Code: "unsupported", Text: sentence(e.Error())}
	}
	if e, ok := errors.AsType[*plan.Error](err); ok {
		return plan.Reason{Code: "unsupported", Text: sentence(e.What)}
	}
	if e, ok := errors.AsType[*tools.ArgError](err); ok {
		return plan.Reason{Code: "unsupported", Text: sentence(e.Error())}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return plan.Reason{Code: "timeout", Text: r.say("timeout", "n", count(int64(r.a.cfg.Timeout.Seconds()), r.lang))}
	}
	return plan.Reason{Code: "internal", Text: r.say("internal")}
}

// violationCode is the reason's code for a guard's rule.
func violationCode(v *guardrails.Violation) string {
	switch v.Rule {
	case "table", "column":
		return "not_loaded"
	case "unscoped", "required-filter", "required":
		return "unscoped"
	case "limit":
		return "limit"
	}
	return "unsafe"
}

func violationText(v *guardrails.Violation) string {
	if v.Fix == "" {
		return v.What
	}
	return v.What + "; " + v.Fix
}

// sentence starts with a capital and ends with a stop.
func sentence(s string) string { return stopped(capitalFirst(strings.TrimSpace(s))) }

// stopped ends with a stop. Its first letter stays: it may be one of a cell.
func stopped(s string) string {
	if s != "" && !strings.ContainsAny(s[len(s)-1:], ".!?") {
		s += "."
	}
	return s
}

// suggestions are questions that the tables of the scope answer, those of the
// tables that the question named first.
func (r *run) suggestions(n int) []string {
	var out []string
	add := func(s string) {
		if len(out) < n {
			out = append(out, s)
		}
	}
	for _, t := range r.nearest() {
		measure, group := measureOf(t), groupOf(t)
		switch {
		case measure != nil && group != nil:
			add(r.say("ask_average", "a", lower(plan.ColumnLabel(measure)), "b", lower(plan.ColumnLabel(group))))
		case measure != nil:
			add(r.say("ask_total", "a", lower(plan.ColumnLabel(measure))))
		}
		switch {
		case group != nil && r.lang == "en":
			add(r.say("ask_count", "a", plural(group.Header)))
		case group != nil:
			add(r.say("ask_count", "a", lower(plan.ColumnLabel(group))))
		}
	}
	return out
}

// nearest are the tables of the scope, those that the question's words link to
// before the others.
func (r *run) nearest() []*schema.Table {
	linked := map[schema.Ref]bool{}
	if r.q != nil {
		for _, l := range r.q.Links {
			linked[l.Table], linked[l.Column.Ref] = true, true
		}
	}
	var first, rest []*schema.Table
	for _, t := range r.env.Schema.Tables {
		if linked[t.Ref] {
			first = append(first, t)
		} else {
			rest = append(rest, t)
		}
	}
	return append(first, rest...)
}

// measureOf is the table's first column that can be averaged: one with a unit
// before one without.
func measureOf(t *schema.Table) *schema.Column {
	var plain *schema.Column
	for _, c := range t.Columns {
		if strings.ContainsFunc(plan.ColumnLabel(c), func(r rune) bool { return !unicode.IsLetter(r) && r != ' ' && r != '_' }) {
			continue // a name that is said as it is read
		}
		if !c.Type.Numeric() || len(c.Unit.Mixed) > 0 || plan.SourceColumn(c).Plain || c.Profile.Unique && c.Type.Kind == workbook.Int {
			continue
		}
		if !c.Unit.Zero() {
			return c
		}
		if plain == nil {
			plain = c
		}
	}
	return plain
}

// groupOf is the table's first text column whose values repeat.
func groupOf(t *schema.Table) *schema.Column {
	for _, c := range t.Columns {
		if c.Type.Kind == workbook.Text && c.Profile.Distinct > 1 && c.Profile.Distinct < t.Rows && c.Profile.Distinct <= 50 {
			return c
		}
	}
	return nil
}

// lower writes a header inside a sentence: small, but for acronyms.
func lower(s string) string {
	ws := strings.Fields(strings.ReplaceAll(s, "_", " "))
	for i, w := range ws {
		if w != strings.ToUpper(w) {
			ws[i] = strings.ToLower(w)
		}
	}
	return strings.Join(ws, " ")
}
