package semparse

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sync"
)

//go:embed weights.json
var embeddedWeights []byte

// feat is one inspectable fact of a candidate, by number.
type feat struct {
	id  int
	val float64
}

// Model holds the weights of the ranker and of its calibration: one JSON file,
// trained deterministically by `gateway train`.
type Model struct {
	Note      string             `json:"note,omitempty"` // what it was trained on
	Weights   map[string]float64 `json:"weights"`        // of a candidate's features
	Calibrate map[string]float64 `json:"calibrate"`      // of the facts that decide how sure an answer is

	index *Index
	dense []float64
}

// Index numbers the names of features.
type Index struct {
	mu    sync.Mutex
	ids   map[string]int
	names []string
	grow  bool
}

// NewIndex returns an index that learns new names.
func NewIndex() *Index { return &Index{ids: map[string]int{}, grow: true} }

// ID returns the number of a name, or -1 where the index does not grow.
func (x *Index) ID(name string) int {
	if x.grow {
		x.mu.Lock()
		defer x.mu.Unlock()
	}
	id, ok := x.ids[name]
	if !ok {
		if !x.grow {
			return -1
		}
		id = len(x.names)
		x.ids[name] = id
		x.names = append(x.names, name)
	}
	return id
}

// Name returns the name of a number.
func (x *Index) Name(id int) string { return x.names[id] }

// Len returns how many names there are.
func (x *Index) Len() int { return len(x.names) }

// LoadModel reads a model file.
func LoadModel(data []byte) (*Model, error) {
	m := &Model{}
	if err := json.Unmarshal(data, m); err != nil {
		return nil, fmt.Errorf("semparse: reading the ranker's weights: %w", err)
	}
	m.freeze()
	return m, nil
}

// Freeze makes the model ready to rank after its weights were set.
func (m *Model) Freeze() { m.freeze() }

func (m *Model) freeze() {
	names := make([]string, 0, len(m.Weights))
	for n := range m.Weights {
		names = append(names, n)
	}
	slices.Sort(names)
	m.index = NewIndex()
	m.dense = make([]float64, 0, len(names))
	for _, n := range names {
		m.index.ID(n)
		m.dense = append(m.dense, m.Weights[n])
	}
	m.index.grow = false
}

func (m *Model) score(feats []feat) float64 {
	s := 0.0
	for _, f := range feats {
		if f.id < len(m.dense) {
			s += m.dense[f.id] * f.val
		}
	}
	return s
}

// rank scores the candidates, sorts them best first and gives each its share of
// the probability.
func (m *Model) rank(cands []*cand) {
	for _, c := range cands {
		c.score = m.score(c.feats)
	}
	slices.SortStableFunc(cands, func(a, b *cand) int { return cmp.Compare(b.score, a.score) })
	sum := 0.0
	for _, c := range cands {
		c.prob = math.Exp(c.score - cands[0].score)
		sum += c.prob
	}
	for _, c := range cands {
		c.prob /= sum
	}
}

// SortedNames returns the names of a set of facts in order.
func SortedNames(m map[string]float64) []string {
	out := make([]string, 0, len(m))
	for n := range m {
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}
