package kb

import (
	"cmp"
	"slices"
	"sort"
	"sync"
)

// anyColumn is the column of words that stand in no column: of prose and summaries.
const anyColumn = 1<<16 - 1

// posting says that a term stands in a column of a chunk, so many times.
type posting struct {
	doc   uint32
	col   uint16
	count uint16
}

// lexicon is the inverted index of one segment: chunks that share a table and a
// kind. It is built once and then only read.
//
// Rows are fields, not prose, so a posting knows its column: words of that
// column's header in the question raise it (the header:value pair), and words
// of a column that the caller may not see do not exist. A whole cell is a term
// of its own. Header and title words are the same for all chunks of a segment
// and are kept once.
type lexicon struct {
	docs    int
	size    int      // words of all chunks
	lengths []uint16 // words of each chunk
	keys    []uint64 // hashed terms, ascending
	offs    []uint32 // postings of keys[i] are posts[offs[i]:offs[i+1]]
	posts   []posting
	words   []string // the terms that can be found by a misspelling, ascending

	title   map[uint64]bool     // words of title, sheet and file
	headers map[uint64][]uint16 // words of the headers, with their columns
	widths  []int               // words in each column's header

	fuzzyOnce sync.Once
	fuzzy     *trigrams
}

// Term hashes: the word itself and the whole cell live in one key space.
func termKey(term string) uint64     { return hash64(term, 0x9e3779b97f4a7c15) }
func phraseKey(phrase string) uint64 { return hash64(phrase, 0xc2b2ae3d27d4eb4f) }

// hash64 is FNV-1a with a seed and a final mix: stable across processes, as it
// is stored.
func hash64(s string, seed uint64) uint64 {
	h := 14695981039346656037 ^ seed
	for i := range len(s) {
		h ^= uint64(s[i])
		h *= 1099511628211
	}
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	return h
}

type rawPosting struct {
	key uint64
	posting
}

// lexiconBuilder gathers postings chunk by chunk.
type lexiconBuilder struct {
	raw     []rawPosting
	lengths []uint16
	words   map[string]bool
}

// maxPhraseWords bounds the cells that are a term of their own; longer ones are prose.
const maxPhraseWords = 12

// startDoc begins the next chunk.
func (b *lexiconBuilder) startDoc() { b.lengths = append(b.lengths, 0) }

// add indexes a text under a column of the current chunk.
func (b *lexiconBuilder) add(col int, ls []Lexeme) {
	if b.words == nil {
		b.words = map[string]bool{}
	}
	doc := uint32(len(b.lengths) - 1)
	b.lengths[doc] = uint16(min(int(b.lengths[doc])+len(ls), 1<<16-1))
	for i := range ls {
		b.put(termKey(ls[i].Term), doc, col)
		if !hasDigit(ls[i].Term) {
			b.words[ls[i].Term] = true
		}
		for _, a := range ls[i].Also {
			if a != ls[i].Term {
				b.put(termKey(a), doc, col)
			}
		}
	}
	if col != anyColumn && len(ls) > 0 && len(ls) <= maxPhraseWords {
		b.put(phraseKey(phraseOf(ls)), doc, col)
	}
}

func (b *lexiconBuilder) put(key uint64, doc uint32, col int) {
	b.raw = append(b.raw, rawPosting{key, posting{doc, uint16(min(col, anyColumn)), 1}})
}

// build sorts the postings into a lexicon; the builder is spent.
func (b *lexiconBuilder) build() *lexicon {
	slices.SortFunc(b.raw, func(x, y rawPosting) int {
		return cmp.Or(cmp.Compare(x.key, y.key), cmp.Compare(x.doc, y.doc), cmp.Compare(x.col, y.col))
	})
	l := &lexicon{lengths: b.lengths, posts: make([]posting, 0, len(b.raw))}
	for i, p := range b.raw {
		if i > 0 && p.key == b.raw[i-1].key {
			if last := &l.posts[len(l.posts)-1]; last.doc == p.doc && last.col == p.col {
				if last.count < 1<<16-1 {
					last.count++
				}
				continue
			}
		} else {
			l.keys = append(l.keys, p.key)
			l.offs = append(l.offs, uint32(len(l.posts)))
		}
		l.posts = append(l.posts, p.posting)
	}
	l.offs = append(l.offs, uint32(len(l.posts)))
	l.posts = slices.Clip(l.posts)
	l.words = make([]string, 0, len(b.words))
	for w := range b.words {
		l.words = append(l.words, w)
	}
	sort.Strings(l.words)
	b.raw, b.words = nil, nil
	return l.finish()
}

// setContext gives the lexicon the words that all its chunks share.
func (l *lexicon) setContext(title []string, headers []string) {
	l.title, l.headers, l.widths = map[uint64]bool{}, map[uint64][]uint16{}, make([]int, len(headers))
	for _, t := range title {
		for _, lx := range Lexemes(t) {
			for _, k := range lexemeKeys(lx) {
				l.title[k] = true
			}
		}
	}
	for c, h := range headers {
		ls := Lexemes(h)
		l.widths[c] = len(ls)
		for _, lx := range ls {
			for _, k := range lexemeKeys(lx) {
				if cols := l.headers[k]; !slices.Contains(cols, uint16(c)) {
					l.headers[k] = append(cols, uint16(c))
				}
			}
		}
	}
}

func lexemeKeys(l Lexeme) []uint64 {
	keys := []uint64{termKey(l.Term)}
	for _, a := range l.Also {
		keys = append(keys, termKey(a))
	}
	return keys
}

// find returns the postings of a key.
func (l *lexicon) find(key uint64) []posting {
	i, ok := slices.BinarySearch(l.keys, key)
	if !ok {
		return nil
	}
	return l.posts[l.offs[i]:l.offs[i+1]]
}

// context reports whether the word stands in the title, or in the header of a
// column that is visible.
func (l *lexicon) context(key uint64, hidden columnSet) bool {
	if l.title[key] {
		return true
	}
	for _, c := range l.headers[key] {
		if !hidden.has(int(c)) {
			return true
		}
	}
	return false
}

// finish counts what the decoder and the builder leave to be counted.
func (l *lexicon) finish() *lexicon {
	l.docs = len(l.lengths)
	for _, n := range l.lengths {
		l.size += int(n)
	}
	return l
}

// near returns the words of the lexicon that look like the word, best first.
func (l *lexicon) near(word string, dice float64, limit int) []nearWord {
	l.fuzzyOnce.Do(func() { l.fuzzy = newTrigrams(l.words) })
	return l.fuzzy.near(word, dice, limit)
}

// columnSet is a small set of column numbers.
type columnSet []bool

func (s columnSet) has(c int) bool { return c < len(s) && s[c] }

func (s columnSet) any() bool { return slices.Contains(s, true) }
