package semparse

import "math/bits"

// mask is a set of token positions of a question (at most 128).
type mask [2]uint64

func spanMask(first, last int) mask {
	var m mask
	for i := first; i <= last; i++ {
		m[i>>6] |= 1 << (i & 63)
	}
	return m
}

func (m mask) or(o mask) mask       { return mask{m[0] | o[0], m[1] | o[1]} }
func (m mask) minus(o mask) mask    { return mask{m[0] &^ o[0], m[1] &^ o[1]} }
func (m mask) overlaps(o mask) bool { return m[0]&o[0] != 0 || m[1]&o[1] != 0 }
func (m mask) covers(o mask) bool   { return o.minus(m) == mask{} }
func (m mask) has(i int) bool       { return m[i>>6]&(1<<(i&63)) != 0 }
func (m mask) count() int           { return bits.OnesCount64(m[0]) + bits.OnesCount64(m[1]) }
func (m mask) empty() bool          { return m == mask{} }

func (m mask) overlap(o mask) int { return mask{m[0] & o[0], m[1] & o[1]}.count() }
