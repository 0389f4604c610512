package train

import (
	"math"
	"math/rand/v2"

	"github.com/allrows/allrows/agent/semparse"
)

// FitConfig are the settings of one training.
type FitConfig struct {
	Epochs int     // default 6
	Rate   float64 // default 0.1
	Decay  float64 // L2; default 1e-5
	Least  float64 // weights nearer to 0 are dropped; default 0.01
}

// honest bounds the weights of readings that pass words over: whatever the
// questions teach, a reading that uses more of the words is to be preferred.
var honest = map[string]float64{
	"unused": -2, "unused name": -0.8, "unused value": -1, "unused number": -2, "unused operator": -0.3,
	"unclaimed op.group": -1.5, "unclaimed op.neg": -1, "unclaimed agg.avg": -1.5, "unclaimed agg.median": -1.5, "unclaimed op.share": -1,
}

// fair bounds the weights from below: a condition that the words state is no
// burden, and an empty result may be the true answer.
var fair = map[string]float64{
	"conditions": -0.1, "cond number": -0.1, "cond number number": -0.1, "cond value": -0.1, "cond value exact": 0, "cond value folded": 0,
	"cond time": 0, "cond value words": 0, "cond same column": -0.1, "result empty": -1,
}

// Fit learns the weights that give most of the probability to right readings.
// The same examples give the same weights.
func Fit(examples []*Example, index *semparse.Index, cfg FitConfig) map[string]float64 {
	if cfg.Epochs == 0 {
		cfg = FitConfig{Epochs: 6, Rate: 0.1, Decay: 1e-5, Least: 0.01}
	}
	w, sq := make([]float64, index.Len()), make([]float64, index.Len())
	var use []*Example
	for _, ex := range examples {
		if ex.Right > 0 && ex.Right < len(ex.Cands) {
			use = append(use, ex)
		}
	}
	bounds := map[int]float64{}
	for name, most := range honest {
		if id := index.ID(name); id < len(w) {
			bounds[id], w[id] = most, most
		}
	}
	floors := map[int]float64{}
	for name, least := range fair {
		floors[index.ID(name)] = least
	}
	grad := map[int]float64{}
	for epoch := range cfg.Epochs {
		rng := rand.New(rand.NewPCG(7, uint64(epoch)))
		for _, i := range rng.Perm(len(use)) {
			clear(grad)
			gradient(use[i], w, grad)
			for id, g := range grad {
				g -= cfg.Decay * w[id]
				sq[id] += g * g
				w[id] += cfg.Rate * g / (1e-6 + math.Sqrt(sq[id]))
				if most, ok := bounds[id]; ok {
					w[id] = min(w[id], most)
				}
				if least, ok := floors[id]; ok {
					w[id] = max(w[id], least)
				}
			}
		}
	}
	out := map[string]float64{}
	for id, v := range w {
		if math.Abs(v) >= cfg.Least {
			out[index.Name(id)] = math.Round(v*1000) / 1000
		}
	}
	return out
}

// gradient adds d log(sum of p over the right) / dw.
func gradient(ex *Example, w []float64, grad map[int]float64) {
	scores := make([]float64, len(ex.Cands))
	best := math.Inf(-1)
	for i, c := range ex.Cands {
		for _, f := range c.Feats {
			scores[i] += w[f.ID] * f.Value
		}
		best = max(best, scores[i])
	}
	all, right := 0.0, 0.0
	for i, c := range ex.Cands {
		scores[i] = math.Exp(scores[i] - best)
		all += scores[i]
		if c.Right {
			right += scores[i]
		}
	}
	for i, c := range ex.Cands {
		d := -scores[i] / all
		if c.Right && right > 0 {
			d += scores[i] / right
		}
		if math.Abs(d) < 1e-5 {
			continue
		}
		for _, f := range c.Feats {
			grad[f.ID] += d * f.Value
		}
	}
}
