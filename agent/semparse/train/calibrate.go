package train

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/allrows/allrows/agent/semparse"
)

// verdict is the best reading of one question: what is known of it, and whether
// it is right.
type verdict struct {
	facts map[string]float64
	right bool
	set   string
}

// verdicts ranks the examples as the planner does: of the readings, the best and
// its rival are run.
func verdicts(examples []*Example, w []float64) []verdict {
	var out []verdict
	for _, ex := range examples {
		if len(ex.Cands) == 0 {
			continue
		}
		order, probs := ranked(ex, w)
		best := ex.Cands[order[0]]
		f := best.Facts
		all := 0.0
		for i, at := range order {
			if f.Unused == 0 && ex.Cands[at].Facts.Unused > 0 {
				continue
			}
			all += probs[i]
			switch {
			case i == 0, i == 1 && ex.Cands[at].Result == best.Result:
				f.Share += probs[i]
			case f.Rival == 0:
				f.Rival = probs[i]
			}
		}
		f.Share, f.Rival = f.Share/all, f.Rival/all
		out = append(out, verdict{f.Named(), best.Right, ex.Case.Set})
	}
	return out
}

func ranked(ex *Example, w []float64) (order []int, probs []float64) {
	scores := make([]float64, len(ex.Cands))
	for i, c := range ex.Cands {
		order = append(order, i)
		for _, f := range c.Feats {
			if f.ID < len(w) {
				scores[i] += w[f.ID] * f.Value
			}
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	sum := 0.0
	for _, i := range order {
		p := math.Exp(scores[i] - scores[order[0]])
		probs = append(probs, p)
		sum += p
	}
	for i := range probs {
		probs[i] /= sum
	}
	return order, probs
}

// Calibrate learns how sure the planner may be of its best reading.
func Calibrate(examples []*Example, w []float64) map[string]float64 {
	vs := verdicts(examples, w)
	out, sq := map[string]float64{}, map[string]float64{}
	for epoch := range 30 {
		rng := rand.New(rand.NewPCG(11, uint64(epoch)))
		for _, i := range rng.Perm(len(vs)) {
			v := vs[i]
			y := 0.0
			if v.right {
				y = 1
			}
			d := y - sure(out, v.facts)
			for _, name := range semparse.SortedNames(v.facts) {
				g := d*v.facts[name] - 1e-4*out[name]
				sq[name] += g * g
				out[name] += 0.1 * g / (1e-6 + math.Sqrt(sq[name]))
			}
		}
	}
	for name, x := range out {
		out[name] = math.Round(x*1000) / 1000
	}
	return out
}

func sure(w, facts map[string]float64) float64 {
	z := 0.0
	for _, name := range semparse.SortedNames(facts) {
		z += w[name] * facts[name]
	}
	return 1 / (1 + math.Exp(-z))
}

// Trade is what a threshold gives on one set: how many of the questions are
// answered, and how many of the answers are right.
type Trade struct {
	Questions, Answered, Right int
}

// Trades measures a threshold by set. A question with a word that means nothing
// is not answered.
func Trades(examples []*Example, w []float64, calibrate map[string]float64, threshold float64) map[string]Trade {
	out := map[string]Trade{}
	for _, v := range verdicts(examples, w) {
		t := out[v.set]
		t.Questions++
		if sure(calibrate, v.facts) >= threshold && v.facts["unknown one"]+v.facts["unknown more"] == 0 {
			t.Answered++
			if v.right {
				t.Right++
			}
		}
		out[v.set] = t
	}
	return out
}
