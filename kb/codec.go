package kb

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
)

// errCorrupt is a derived file that is torn or of another format: it is rebuilt.
var errCorrupt = errors.New("the index file is torn or of another format")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// encoder writes the flat binary form of the index files: fixed-width little
// endian numbers, length-prefixed strings, a checksum at the end. (chromem's
// own export is gob: 20 times slower to read at 100,000 vectors.)
type encoder struct{ b []byte }

func newEncoder(magic string) *encoder { return &encoder{b: []byte(magic)} }

func (e *encoder) num(n int) { e.b = binary.LittleEndian.AppendUint64(e.b, uint64(n)) }

func (e *encoder) str(s string) {
	e.num(len(s))
	e.b = append(e.b, s...)
}

func (e *encoder) strs(ss []string) {
	e.num(len(ss))
	for _, s := range ss {
		e.str(s)
	}
}

func (e *encoder) i64s(ns []int64) {
	e.num(len(ns))
	for _, n := range ns {
		e.b = binary.LittleEndian.AppendUint64(e.b, uint64(n))
	}
}

func (e *encoder) u64s(ns []uint64) {
	e.num(len(ns))
	for _, n := range ns {
		e.b = binary.LittleEndian.AppendUint64(e.b, n)
	}
}

func (e *encoder) u32s(ns []uint32) {
	e.num(len(ns))
	for _, n := range ns {
		e.b = binary.LittleEndian.AppendUint32(e.b, n)
	}
}

func (e *encoder) u16s(ns []uint16) {
	e.num(len(ns))
	for _, n := range ns {
		e.b = binary.LittleEndian.AppendUint16(e.b, n)
	}
}

func (e *encoder) posts(ps []posting) {
	e.num(len(ps))
	for _, p := range ps {
		e.b = binary.LittleEndian.AppendUint32(e.b, p.doc)
		e.b = binary.LittleEndian.AppendUint16(e.b, p.col)
		e.b = binary.LittleEndian.AppendUint16(e.b, p.count)
	}
}

func (e *encoder) f32(f float32) { e.b = binary.LittleEndian.AppendUint32(e.b, math.Float32bits(f)) }

// finish appends the checksum and returns the file's bytes.
func (e *encoder) finish() []byte {
	return binary.LittleEndian.AppendUint32(e.b, crc32.Checksum(e.b, castagnoli))
}

// decoder reads what encoder wrote. Every length is held against what is left,
// so that a corrupt file is an error and not a big allocation; after the first
// error all reads return zero values.
type decoder struct {
	b   []byte
	err error
}

func newDecoder(file []byte, magic string) *decoder {
	d := &decoder{}
	if len(file) < len(magic)+4 || string(file[:len(magic)]) != magic {
		d.err = errCorrupt
		return d
	}
	body, sum := file[:len(file)-4], binary.LittleEndian.Uint32(file[len(file)-4:])
	if crc32.Checksum(body, castagnoli) != sum {
		d.err = errCorrupt
		return d
	}
	d.b = body[len(magic):]
	return d
}

// take returns the next n*size bytes, or nil after an error.
func (d *decoder) take(n, size int) []byte {
	if d.err != nil || n < 0 || size <= 0 || n > len(d.b)/size {
		d.err = errCorrupt
		return nil
	}
	out := d.b[:n*size]
	d.b = d.b[n*size:]
	return out
}

func (d *decoder) num() int {
	b := d.take(1, 8)
	if b == nil {
		return 0
	}
	return int(int64(binary.LittleEndian.Uint64(b)))
}

func (d *decoder) str() string { return string(d.take(d.num(), 1)) }

func (d *decoder) strs() []string {
	n := d.num()
	if d.err != nil || n < 0 || n > len(d.b)/8 {
		d.err = errCorrupt
		return nil
	}
	out := make([]string, n)
	for i := range out {
		out[i] = d.str()
	}
	return out
}

func (d *decoder) i64s() []int64 {
	b := d.take(d.num(), 8)
	out := make([]int64, len(b)/8)
	for i := range out {
		out[i] = int64(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return out
}

func (d *decoder) u64s() []uint64 {
	b := d.take(d.num(), 8)
	out := make([]uint64, len(b)/8)
	for i := range out {
		out[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return out
}

func (d *decoder) u32s() []uint32 {
	b := d.take(d.num(), 4)
	out := make([]uint32, len(b)/4)
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return out
}

func (d *decoder) u16s() []uint16 {
	b := d.take(d.num(), 2)
	out := make([]uint16, len(b)/2)
	for i := range out {
		out[i] = binary.LittleEndian.Uint16(b[2*i:])
	}
	return out
}

func (d *decoder) posts() []posting {
	b := d.take(d.num(), 8)
	out := make([]posting, len(b)/8)
	for i := range out {
		p := b[8*i:]
		out[i] = posting{binary.LittleEndian.Uint32(p), binary.LittleEndian.Uint16(p[4:]), binary.LittleEndian.Uint16(p[6:])}
	}
	return out
}

func (d *decoder) f32() float32 {
	b := d.take(1, 4)
	if b == nil {
		return 0
	}
	return math.Float32frombits(binary.LittleEndian.Uint32(b))
}
