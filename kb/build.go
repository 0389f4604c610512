package kb

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/allrows/allrows/schema"
)

// Stats says what a build made.
type Stats struct {
	Rows    int64 // rows read
	Chunks  int   // chunks of every kind
	Reused  int   // chunks that kept the vector of the version before
	Tokens  int   // words embedded
	Elapsed time.Duration
	Kinds   map[Kind]int
}

// Build makes the index of one table and writes it, atomically, in place of any
// of the same version and fingerprint. The rows come with their _row and one
// value a column, "" for NULL; when fewer or more come than the table has,
// nothing is written.
func (s *Store) Build(ctx context.Context, t *schema.Table, rows iter.Seq2[int64, []string]) (Stats, error) {
	start := time.Now()
	b := s.newBuilder(t)
	for row, values := range rows {
		if err := ctx.Err(); err != nil {
			return Stats{}, fmt.Errorf("kb: indexing %s: %w", t.Ref, err)
		}
		if len(values) != len(t.Columns) {
			return Stats{}, fmt.Errorf("kb: indexing %s: row %d has %d values for %d columns", t.Ref, row, len(values), len(t.Columns))
		}
		if err := b.row(ctx, row, values); err != nil {
			return Stats{}, fmt.Errorf("kb: indexing %s, row %d: %w", t.Ref, row, err)
		}
	}
	if b.stats.Rows != t.Rows {
		return Stats{}, fmt.Errorf("kb: indexing %s: %d rows came of %d; load the workbook again", t.Ref, b.stats.Rows, t.Rows)
	}
	x, err := b.finish(ctx)
	if err != nil {
		return Stats{}, fmt.Errorf("kb: indexing %s: %w", t.Ref, err)
	}
	if err := s.write(t, x, b.values.done()); err != nil {
		return Stats{}, fmt.Errorf("kb: writing the index of %s: %w", t.Ref, err)
	}
	b.stats.Elapsed = time.Since(start)
	return b.stats, nil
}

func (s *Store) newBuilder(t *schema.Table) *builder {
	b := &builder{store: s, table: t, plan: s.Plan(t), values: newValuesBuilder(t), stats: Stats{Kinds: map[Kind]int{}}, before: s.vectorsBefore(t)}
	b.rowChunks = slices.Contains(b.plan.Kinds, Row)
	b.keepRows = b.rowChunks || b.plan.GroupBy != "" || b.plan.Partition != ""
	for _, c := range t.Columns {
		b.headers = append(b.headers, Phrase(header(c)))
	}
	return b
}

// embedBatch is how many texts go to the embedder at once.
const embedBatch = 128

// builder gathers one table's index.
type builder struct {
	store               *Store
	table               *schema.Table
	plan                TablePlan
	rowChunks, keepRows bool
	before              map[uint64][]float32 // vectors of the version before, by content
	rowNumbers          []int64
	headers             []string // as phrases
	values              *valuesBuilder
	lex                 lexiconBuilder
	seg                 segment
	cells               cellStore
	text                strings.Builder
	pending             []string
	stats               Stats
}

func (b *builder) row(ctx context.Context, row int64, values []string) error {
	b.stats.Rows++
	if b.stats.Rows > b.table.Rows {
		return fmt.Errorf("more rows than the table's %d", b.table.Rows)
	}
	b.values.row(values)
	if !b.keepRows {
		return nil
	}
	if b.rowChunks {
		b.lex.startDoc()
	}
	for c, v := range values {
		// A cell that repeats its header says nothing that the others do not.
		if b.rowChunks {
			if ls := Lexemes(v); phraseOf(ls) != b.headers[c] {
				b.lex.add(c, ls)
			}
		}
		b.text.WriteString(v)
		b.cells.ends = append(b.cells.ends, uint32(b.text.Len()))
	}
	if b.text.Len() > 1<<31 {
		return fmt.Errorf("the rows hold more than 2 GiB of text")
	}
	b.rowNumbers = append(b.rowNumbers, row)
	if !b.rowChunks {
		return nil
	}
	b.seg.first, b.seg.last = append(b.seg.first, row), append(b.seg.last, row)
	return b.embed(ctx, &b.seg, embeddedRow(b.table, values))
}

// embed queues a chunk's text for the embedder.
func (b *builder) embed(ctx context.Context, s *segment, text string) error {
	b.stats.Tokens += len(strings.Fields(text))
	if b.pending = append(b.pending, text); len(b.pending) < embedBatch {
		return nil
	}
	return b.flush(ctx, s)
}

func (b *builder) flush(ctx context.Context, s *segment) error {
	if len(b.pending) == 0 {
		return nil
	}
	vecs, err := b.vectors(ctx, b.pending, s)
	if err != nil {
		return err
	}
	for _, v := range vecs {
		if err := s.vectors.add(v); err != nil {
			return err
		}
	}
	b.pending = b.pending[:0]
	return nil
}

// vectors embeds texts; those of the version before keep the vectors that they had.
func (b *builder) vectors(ctx context.Context, texts []string, s *segment) ([][]float32, error) {
	out := make([][]float32, len(texts))
	var fresh []string
	var at []int
	for i, text := range texts {
		h := hash64(text, 0)
		s.hashes = append(s.hashes, h)
		if out[i] = b.before[h]; out[i] == nil {
			fresh, at = append(fresh, text), append(at, i)
		}
	}
	b.stats.Reused += len(texts) - len(fresh)
	if len(fresh) == 0 {
		return out, nil
	}
	e := b.store.cfg.Embedder
	vecs, err := e.Embed(ctx, fresh)
	if err != nil {
		return nil, fmt.Errorf("embedding %d chunks: %w", len(fresh), err)
	}
	if len(vecs) != len(fresh) {
		return nil, fmt.Errorf("embedder %s returned %d vectors for %d texts", e.Name(), len(vecs), len(fresh))
	}
	for i, v := range vecs {
		// Mixed dimensions would break every later query.
		if len(v) != e.Dim() {
			return nil, fmt.Errorf("embedder %s returned %d dimensions, not %d", e.Name(), len(v), e.Dim())
		}
		out[at[i]] = v
	}
	return out, nil
}

func (b *builder) finish(ctx context.Context) (*tableIndex, error) {
	t := b.table
	x := &tableIndex{ref: t.Ref, version: t.Version, titles: titleTexts(t), headers: headerTexts(t), columns: columnNames(t)}
	if b.rowChunks {
		if err := b.flush(ctx, &b.seg); err != nil {
			return nil, err
		}
		rows := b.seg
		rows.kind = Row
		rows.lex = b.lex.build()
		x.segments = append(x.segments, &rows)
	}
	if b.keepRows {
		b.cells.width, b.cells.text = len(t.Columns), b.text.String()
		x.cells, x.numbers = b.cells, b.rowNumbers
		if err := b.addFamilies(ctx, x); err != nil {
			return nil, err
		}
	}
	for _, doc := range []struct {
		kind Kind
		text string
	}{{Schema, schemaText(t)}, {Summary, summaryText(t)}} {
		s := &segment{kind: doc.kind, first: []int64{0}, last: []int64{0}}
		var lex lexiconBuilder
		lex.startDoc()
		lex.add(anyColumn, Lexemes(doc.text))
		s.lex = lex.build()
		if err := b.embed(ctx, s, doc.text); err != nil {
			return nil, err
		}
		if err := b.flush(ctx, s); err != nil {
			return nil, err
		}
		x.segments = append(x.segments, s)
	}
	for _, s := range x.segments {
		b.stats.Kinds[s.kind] = s.lex.docs
		b.stats.Chunks += s.lex.docs
	}
	return x, nil
}
