// Package embed turns texts into vectors: the one door to embedding models.
//
// [Static] is the default and needs nothing: it ships in the binary, is
// deterministic, and never returns a zero vector.
package embed

import (
	"context"
	"fmt"
	"math"

	"github.com/allrows/allrows/kb"
)

// The composite's parts.
const (
	wordDims = 96
	hashDims = 288
	dims     = wordDims + hashDims
)

// Composite is the built-in embedder: the sense of the words, from a static
// table, beside their letters, as hashed stems and trigrams.
type Composite struct{}

// Static returns the embedded default.
func Static() *Composite { return &Composite{} }

// Name returns the embedder's name with the version of what it computes.
func (c *Composite) Name() string { return "composite-2" }

// Dim returns the number of dimensions.
func (c *Composite) Dim() int { return dims }

// Embed returns one unit vector a text, in order.
func (c *Composite) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	all := make([]float32, len(texts)*dims)
	for i, t := range texts {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("embedding: %w", err)
		}
		out[i] = all[i*dims : (i+1)*dims : (i+1)*dims]
		c.embed(t, out[i])
	}
	return out, nil
}

// How the parts weigh, as measured on look-ups.
const (
	senseShare = 0.7  // the words' senses, beside their letters
	gramWeight = 0.35 // three letters of a word, beside its stem
)

func (c *Composite) embed(text string, v []float32) {
	words, letters := v[:wordDims], v[wordDims:]
	table := loadWords()
	for _, l := range kb.Lexemes(text) {
		table.add(words, l.Key)
		say := table.weight(l.Key)
		addHashed(letters, l.Term, say)
		for i := 0; i+3 <= len(l.Term) && len(l.Term) > 3; i++ {
			addHashed(letters, l.Term[i:i+3], gramWeight*say)
		}
	}
	if !normalize(letters) {
		letters[0] = 1 // a text without words is like no other
	}
	if normalize(words) {
		for i := range words {
			words[i] *= senseShare
		}
	}
	normalize(v)
}

// addHashed adds a feature at the place and with the sign that its hash gives.
func addHashed(v []float32, feature string, weight float32) {
	h := uint64(14695981039346656037)
	for i := range len(feature) {
		h ^= uint64(feature[i])
		h *= 1099511628211
	}
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	if h>>63 == 1 {
		weight = -weight
	}
	v[h%uint64(len(v))] += weight
}

// normalize brings v to length one and reports whether it had a length.
func normalize(v []float32) bool {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		return false
	}
	norm := 1 / math.Sqrt(sum)
	for i := range v {
		v[i] = float32(float64(v[i]) * norm)
	}
	return true
}
