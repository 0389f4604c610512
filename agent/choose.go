package agent

import (
	"context"
	"strings"

	"github.com/allrows/allrows/agent/plan"
)

// offer is a choice as the journal keeps it, so that the next question of the
// conversation may pick it.
type offer struct {
	Reading string     `json:"reading"`
	Route   plan.Route `json:"route"`
	Plan    *plan.Plan `json:"plan"`
}

// offers are the choices of an answer that can be picked: those with a plan.
func offers(choices []plan.Choice) []offer {
	var out []offer
	for _, c := range choices {
		if c.Plan == nil {
			return nil // their numbers would not be those that the reader sees
		}
		out = append(out, offer{c.Reading, c.Route, c.Plan})
	}
	return out
}

// picked returns the reading that a question picks from those offered before it:
// by its number, by an ordinal or in its own words; nil where it picks none.
func picked(question string, list []offer) *offer {
	said := plainWords(question)
	for i := range list {
		if said == plainWords(list[i].Reading) {
			return &list[i]
		}
	}
	var left []string
	for _, w := range strings.Fields(said) {
		if !pickFillers[w] {
			left = append(left, w)
		}
	}
	if len(left) != 1 {
		return nil
	}
	n, ok := ordinals[left[0]]
	if !ok {
		n = len(list) + 1
		if len(left[0]) == 1 && left[0][0] >= '1' && left[0][0] <= '9' {
			n = int(left[0][0] - '0')
		}
	}
	if n > len(list) {
		return nil
	}
	return &list[n-1]
}

func plainWords(s string) string {
	return strings.Join(strings.Fields(strings.ToLower(strings.Trim(s, " \t\n.?!#()"))), " ")
}

// pickFillers are the words around a choice's number, ordinals the words for it.
var (
	pickFillers = wordSet("the one please option choice number no. reading i mean la el lo opción número lectura o a opção leitura die der das nummer lesart")
	ordinals    = map[string]int{
		"first": 1, "primera": 1, "primero": 1, "primeira": 1, "primeiro": 1, "erste": 1, "1st": 1,
		"second": 2, "segunda": 2, "segundo": 2, "zweite": 2, "2nd": 2,
		"third": 3, "tercera": 3, "tercero": 3, "terceira": 3, "terceiro": 3, "dritte": 3, "3rd": 3,
	}
)

func wordSet(list string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(list) {
		out[w] = true
	}
	return out
}

// answerPicked answers by the reading that the asker picked. What the plan may
// read is decided anew, by the scope and the guard of this question.
func (r *run) answerPicked(ctx context.Context, o *offer) error {
	step := plan.Step{Route: o.Route, Confidence: 1, Reading: o.Reading, Call: &plan.Call{Tool: "run_sql", Plan: o.Plan}}
	if why := r.mixedUnits(&step); why != nil {
		r.decline(*why)
		return nil
	}
	if err := r.take(ctx, step); err != nil {
		return err
	}
	r.compose()
	return nil
}
