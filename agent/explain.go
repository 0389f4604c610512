package agent

import (
	"strings"

	"github.com/allrows/allrows/agent/plan"
)

// whyPhrases ask where the figure before came from, in the languages that have
// templates.
var whyPhrases = []string{
	"why that number", "why this number", "why that figure", "why this figure", "why that result", "why that answer", "how did you get that", "how did you get this",
	"how was that computed", "how was this computed", "how was that calculated", "how was this calculated", "how did you calculate that", "explain that number", "explain that answer",
	"explain that", "explain this", "explain the answer", "where does that number come from", "where does this number come from", "where does that come from", "show me the sql", "show the sql",
	"por qué ese número", "por que ese numero", "por qué esa cifra", "por que esa cifra", "cómo lo has calculado", "cómo se ha calculado", "cómo se calculó", "como se calculo", "de dónde sale ese número", "de dónde sale esa cifra", "explica ese número", "explica esa cifra", "explícalo",
	"warum diese zahl", "wie wurde das berechnet", "wie hast du das berechnet", "woher kommt diese zahl", "erkläre diese zahl", "erkläre das",
	"por que esse número", "por quê esse número", "porquê esse número", "como foi calculado", "de onde vem esse número", "explica esse número",
}

// asksWhy reports whether the question is one for the answer before it.
func asksWhy(question string) bool {
	q := strings.ToLower(strings.Trim(strings.TrimSpace(question), "¿?!. "))
	for _, p := range whyPhrases {
		if q == p || strings.TrimSuffix(q, " please") == p {
			return true
		}
	}
	return false
}

// explain answers where the figure before came from: its reading, its statement,
// the rows behind it.
func (r *run) explain() {
	if r.prev == nil || r.prev.Answer.Receipt.SQL == "" {
		r.decline(plan.Reason{Code: "unsupported", Text: r.say("explain_none")})
		return
	}
	before := r.prev.Answer
	reading := before.Receipt.Reading
	if r.prev.Plan != nil {
		reading = r.prev.Plan.Reading(r.env.Schema, r.lang)
	}
	lines := []string{r.say("explain", "r", reading, "s", before.Receipt.SQL)}
	for _, t := range before.Receipt.Tables {
		lines = append(lines, r.say("explain_rows", "t", t.Name, "m", count(t.RowsMatched, r.lang), "n", count(t.Rows, r.lang), "v", t.Version, "d", t.LoadedAt))
	}
	for _, c := range before.Receipt.Checks {
		if c.Result == failed {
			lines = append(lines, c.Name+": "+c.Detail)
		}
	}
	r.ans.Outcome, r.ans.Route = Answered, before.Route
	r.ans.Result, r.ans.Chart, r.ans.Warnings = before.Result, before.Chart, before.Warnings
	steps := r.ans.Receipt.Steps
	r.ans.Receipt = before.Receipt
	r.ans.Receipt.Steps = steps
	r.ans.Text = strings.Join(lines, "\n")
}
