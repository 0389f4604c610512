package kb

import (
	"cmp"
	"slices"
	"sync"
)

// trigrams finds strings that look alike: an inverted index from three bytes in
// a row to the strings that hold them. It is built once and then only read.
type trigrams struct {
	items []string
	grams []uint16 // distinct trigrams of each item
	keys  []uint32
	offs  []uint32
	ids   []uint32
	pool  sync.Pool // of *gramCount
}

// nearWord is an item with how much it looks like what was asked, 0 to 1.
type nearWord struct {
	id   int
	word string
	dice float64
}

type gramCount struct {
	count   []uint16
	touched []uint32
	grams   []uint32
}

// gramsOf returns the distinct trigrams of a word with its borders.
func gramsOf(w string, out []uint32) []uint32 {
	out = out[:0]
	var window uint32 = 2 // a border
	window = window<<8 | 2
	for i := 0; i <= len(w); i++ {
		c := byte(3)
		if i < len(w) {
			c = w[i]
		}
		window = (window<<8 | uint32(c)) & 0xffffff
		out = append(out, window)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func newTrigrams(items []string) *trigrams {
	t := &trigrams{items: items, grams: make([]uint16, len(items))}
	t.pool.New = func() any { return &gramCount{count: make([]uint16, len(items))} }
	type pair struct{ key, id uint32 }
	var pairs []pair
	var buf []uint32
	for id, w := range items {
		buf = gramsOf(w, buf)
		t.grams[id] = uint16(min(len(buf), 1<<16-1))
		for _, g := range buf {
			pairs = append(pairs, pair{g, uint32(id)})
		}
	}
	slices.SortFunc(pairs, func(a, b pair) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.id, b.id)) })
	t.ids = make([]uint32, len(pairs))
	for i, p := range pairs {
		if i == 0 || p.key != pairs[i-1].key {
			t.keys, t.offs = append(t.keys, p.key), append(t.offs, uint32(i))
		}
		t.ids[i] = p.id
	}
	t.offs = append(t.offs, uint32(len(pairs)))
	return t
}

// near returns the items whose trigrams overlap by at least dice, best first.
func (t *trigrams) near(word string, dice float64, limit int) []nearWord {
	if len(t.items) == 0 {
		return nil
	}
	c := t.pool.Get().(*gramCount)
	defer t.pool.Put(c)
	c.grams = gramsOf(word, c.grams)
	for _, g := range c.grams {
		i, ok := slices.BinarySearch(t.keys, g)
		if !ok {
			continue
		}
		for _, id := range t.ids[t.offs[i]:t.offs[i+1]] {
			if c.count[id] == 0 {
				c.touched = append(c.touched, id)
			}
			c.count[id]++
		}
	}
	var out []nearWord
	for _, id := range c.touched {
		d := 2 * float64(c.count[id]) / float64(len(c.grams)+int(t.grams[id]))
		c.count[id] = 0
		if d >= dice {
			out = append(out, nearWord{int(id), t.items[id], d})
		}
	}
	c.touched = c.touched[:0]
	slices.SortFunc(out, func(a, b nearWord) int { return cmp.Or(cmp.Compare(b.dice, a.dice), cmp.Compare(a.word, b.word)) })
	return out[:min(limit, len(out))]
}

// editDistance returns the number of letters to insert, drop, change or swap
// with a neighbour, or limit+1 where it is more than limit.
func editDistance(a, b string, limit int) int {
	if d := len(a) - len(b); d > limit || -d > limit {
		return limit + 1
	}
	var two, one, row [130]int
	if len(b) >= len(row) {
		return limit + 1
	}
	for j := range len(b) + 1 {
		one[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		best := i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d := min(one[j]+1, row[j-1]+1, one[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, two[j-2]+1)
			}
			row[j] = d
			best = min(best, d)
		}
		if best > limit {
			return limit + 1
		}
		two, one = one, row
	}
	return min(one[len(b)], limit+1)
}
