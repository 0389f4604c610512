package workbook

import (
	"encoding/binary"
	"io"
)

// sstReader reads the shared strings, which run over from record to record.
type sstReader struct {
	b    *xlsBook
	d    []byte // what is left of this record
	next int    // the record after it
}

// more moves to the record that continues this one.
func (r *sstReader) more() bool {
	id, d, next, ok := r.b.record(r.next)
	if !ok || id != recContinue {
		return false
	}
	r.d, r.next = d, next
	return true
}

// take returns n bytes that do not run over, or fails.
func (r *sstReader) take(n int) ([]byte, bool) {
	if len(r.d) == 0 && !r.more() || len(r.d) < n {
		return nil, false
	}
	out := r.d[:n]
	r.d = r.d[n:]
	return out, true
}

// skip drops n bytes, over records.
func (r *sstReader) skip(n int) bool {
	for n > 0 {
		if len(r.d) == 0 && !r.more() {
			return false
		}
		k := min(n, len(r.d))
		if r.d = r.d[k:]; k == 0 {
			continue
		}
		n -= k
	}
	return true
}

// readSST reads the table of shared strings whose record is at pos.
func (b *xlsBook) readSST(pos int) error {
	_, d, next, _ := b.record(pos)
	if len(d) < 8 {
		return io.ErrUnexpectedEOF
	}
	count := int64(binary.LittleEndian.Uint32(d[4:]))
	if count > b.maxCells {
		return &limitError{"the workbook has too many texts", b.maxCells, count, "texts"}
	}
	r := &sstReader{b: b, d: d[8:], next: next}
	for range count {
		if !r.readString() {
			return nil // what is missing shows where a cell refers to it
		}
	}
	return nil
}

// readString reads one string: length, flags, characters, then runs of fonts
// and phonetic hints, which are skipped.
func (r *sstReader) readString() bool {
	h, ok := r.take(3)
	if !ok {
		return false
	}
	n, flags := u16(h), h[2]
	runs, ext := 0, 0
	if flags&8 != 0 {
		if h, ok = r.take(2); !ok {
			return false
		}
		runs = u16(h)
	}
	if flags&4 != 0 {
		if h, ok = r.take(4); !ok {
			return false
		}
		ext = int(binary.LittleEndian.Uint32(h) & 0x7fffffff)
	}
	text, ok := r.chars(n, flags&1 != 0)
	if !ok {
		return false
	}
	r.b.strings = append(r.b.strings, r.b.arena.add(text))
	return r.skip(4*runs) && r.skip(min(ext, maxXLSStream))
}

// chars reads n characters; every record that they run over into begins with a
// new flag byte.
func (r *sstReader) chars(n int, wide bool) ([]byte, bool) {
	var units []byte
	for n > 0 {
		if len(r.d) == 0 {
			if !r.more() || len(r.d) == 0 {
				return nil, false
			}
			wide = r.d[0]&1 != 0
			r.d = r.d[1:]
			continue
		}
		if !wide {
			k := min(n, len(r.d))
			for _, c := range r.d[:k] {
				units = append(units, c, 0)
			}
			r.d, n = r.d[k:], n-k
			continue
		}
		k := min(n, len(r.d)/2)
		if k == 0 {
			return nil, false
		}
		units = append(units, r.d[:2*k]...)
		r.d, n = r.d[2*k:], n-k
	}
	return decodeUTF16(units, binary.LittleEndian), true
}
