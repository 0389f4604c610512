package kb

import (
	"context"
	"fmt"
	"math"
	"strconv"

	chromem "github.com/philippgille/chromem-go"
)

// segment is the chunks of one table and one kind: a lexicon and a chromem
// collection over the same chunks. It is immutable once built.
type segment struct {
	kind     Kind
	columns  []string // the table's columns, as postings number them
	first    []int64  // _row that each chunk begins with, 0 where it has none
	last     []int64
	by       int        // of groups and parents: the column whose value their rows share
	members  [][]uint32 // … and those rows, as row chunks are numbered
	facts    string     // of parents: what each column holds there, chunk by chunk
	factEnds []uint32
	hashes   []uint64 // of each chunk's embedded text, so that unchanged ones keep their vectors
	lex      *lexicon
	vectors  quantized
	vecs     []float32 // the vectors as chromem holds them, dim a chunk
	dim      int
	coll     *chromem.Collection
}

func (s *segment) column(c int) string {
	if c < len(s.columns) {
		return s.columns[c]
	}
	return ""
}

// quantized is a list of unit vectors in one byte a dimension.
type quantized struct {
	scales []float32
	codes  []byte
}

// add appends a vector. A zero vector would become NaN in chromem and is an error.
func (q *quantized) add(v []float32) error {
	peak := float32(0)
	for _, x := range v {
		if x != x || math.IsInf(float64(x), 0) {
			return fmt.Errorf("the embedder returned a vector with %v in it", x)
		}
		peak = max(peak, x, -x)
	}
	if peak == 0 {
		return fmt.Errorf("the embedder returned a zero vector")
	}
	for _, x := range v {
		q.codes = append(q.codes, byte(int8(math.Round(float64(x/peak)*127))))
	}
	q.scales = append(q.scales, peak/127)
	return nil
}

// unit writes vector i, normalized, to out.
func (q *quantized) unit(i int, out []float32) {
	codes := q.codes[i*len(out) : (i+1)*len(out)]
	sum := 0.0
	for _, c := range codes {
		x := float64(int8(c))
		sum += x * x
	}
	norm := 1 / math.Sqrt(sum)
	for j, c := range codes {
		out[j] = float32(float64(int8(c)) * norm)
	}
}

// fill makes the segment's collection. Its chunks have ids that number them and
// no content: text is rendered from cells, as the caller may see them.
func (s *segment) fill(ctx context.Context, db *chromem.DB, name string, meta map[string]string) error {
	n := len(s.vectors.scales)
	if n == 0 {
		return nil
	}
	coll, err := db.CreateCollection(name+"/"+string(s.kind), meta, refuseToEmbed)
	if err != nil {
		return fmt.Errorf("making the collection of %s chunks: %w", s.kind, err)
	}
	s.vecs = make([]float32, n*s.dim)
	for i := range n {
		v := s.vecs[i*s.dim : (i+1)*s.dim : (i+1)*s.dim]
		s.vectors.unit(i, v)
		if err := coll.AddDocument(ctx, chromem.Document{ID: strconv.Itoa(i), Metadata: meta, Embedding: v}); err != nil {
			return fmt.Errorf("adding %s chunk %d: %w", s.kind, i, err)
		}
	}
	s.vectors = quantized{} // from here on the collection holds them
	s.coll = coll
	return nil
}

// refuseToEmbed keeps chromem from calling its default embedder over the network.
func refuseToEmbed(context.Context, string) ([]float32, error) {
	return nil, fmt.Errorf("kb embeds before it stores")
}

// nearest returns the k chunks of highest cosine.
func (s *segment) nearest(ctx context.Context, query []float32, k int) ([]scored, error) {
	if s.coll == nil {
		return nil, nil
	}
	// chromem refuses to be asked for more than there is.
	res, err := s.coll.QueryEmbedding(ctx, query, min(k, s.coll.Count()), nil, nil)
	if err != nil {
		return nil, fmt.Errorf("searching %s vectors: %w", s.kind, err)
	}
	out := make([]scored, len(res))
	for i, r := range res {
		doc, err := strconv.Atoi(r.ID)
		if err != nil {
			return nil, fmt.Errorf("reading chunk id %q: %w", r.ID, err)
		}
		out[i] = scored{doc: uint32(doc), cosine: float64(r.Similarity)}
	}
	return out, nil
}

// cosine returns the similarity of one chunk.
func (s *segment) cosine(doc uint32, query []float32) float64 {
	if s.coll == nil {
		return 0
	}
	v := s.vecs[int(doc)*s.dim : (int(doc)+1)*s.dim]
	sum := float32(0)
	for i := range v {
		sum += v[i] * query[i]
	}
	return float64(sum)
}

func (s *segment) encode(e *encoder) {
	e.str(string(s.kind))
	e.i64s(s.first)
	e.i64s(s.last)
	e.num(s.by)
	e.num(len(s.members))
	for _, m := range s.members {
		e.u32s(m)
	}
	e.str(s.facts)
	e.u32s(s.factEnds)
	e.u64s(s.hashes)
	e.num(len(s.vectors.scales))
	for _, x := range s.vectors.scales {
		e.f32(x)
	}
	e.str(string(s.vectors.codes))
	e.u16s(s.lex.lengths)
	e.u64s(s.lex.keys)
	e.u32s(s.lex.offs)
	e.posts(s.lex.posts)
	e.strs(s.lex.words)
}

func decodeSegment(d *decoder, dim int) *segment {
	s := &segment{kind: Kind(d.str()), dim: dim, first: d.i64s(), last: d.i64s(), by: d.num()}
	for n := d.num(); n > 0 && d.err == nil; n-- {
		s.members = append(s.members, d.u32s())
	}
	s.facts, s.factEnds, s.hashes = d.str(), d.u32s(), d.u64s()
	n := d.num()
	for i := 0; i < n && d.err == nil; i++ {
		s.vectors.scales = append(s.vectors.scales, d.f32())
	}
	s.vectors.codes = d.take(d.num(), 1)
	s.lex = &lexicon{lengths: d.u16s(), keys: d.u64s(), offs: d.u32s(), posts: d.posts(), words: d.strs()}
	s.lex.finish()
	if d.err == nil && (len(s.lex.offs) != len(s.lex.keys)+1 || len(s.vectors.codes) != n*dim || n != s.lex.docs || len(s.first) != n || len(s.last) != n || len(s.hashes) != n) {
		d.err = errCorrupt
	}
	return s
}
