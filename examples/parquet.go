package examples

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
)

// This is as much of the Parquet format as the samples need: required columns
// of three physical types, plain encoding, gzip. The two libraries that write
// Parquet would add 16 and 40 MB to the program for one sample file.

// Numbers of the Parquet format.
const (
	typeInt32     = 1
	typeInt64     = 2
	typeBytes     = 6
	convertedUTF8 = 0
	convertedDec  = 5
	convertedDate = 6
	plain         = 0
	rle           = 3
	codecGzip     = 2

	rowGroup = 50_000 // rows that readers may take at once
)

// parquetColumn is one column with all of its values, of which one slice is set.
type parquetColumn struct {
	name             string
	converted        int // one of the converted numbers, or -1
	precision, scale int // of a decimal
	int32s           []int32
	int64s           []int64
	strings          []string
}

func (c parquetColumn) physical() int {
	switch {
	case c.int32s != nil:
		return typeInt32
	case c.int64s != nil:
		return typeInt64
	}
	return typeBytes
}

// plain encodes the rows [from, to).
func (c parquetColumn) plain(from, to int) []byte {
	var b []byte
	switch c.physical() {
	case typeInt32:
		for _, v := range c.int32s[from:to] {
			b = binary.LittleEndian.AppendUint32(b, uint32(v))
		}
	case typeInt64:
		for _, v := range c.int64s[from:to] {
			b = binary.LittleEndian.AppendUint64(b, uint64(v))
		}
	default:
		for _, v := range c.strings[from:to] {
			b = binary.LittleEndian.AppendUint32(b, uint32(len(v)))
			b = append(b, v...)
		}
	}
	return b
}

// schemaElement describes the column in the file's footer.
func (c parquetColumn) schemaElement() *thrift {
	e := new(thrift).i32(1, c.physical()).i32(3, 0).str(4, c.name)
	if c.converted >= 0 {
		e.i32(6, c.converted)
	}
	if c.converted == convertedDec {
		e.i32(7, c.scale).i32(8, c.precision)
	}
	return e
}

// parquet writes a file of that many rows.
func parquet(rows int, columns []parquetColumn) ([]byte, error) {
	var file bytes.Buffer
	file.WriteString("PAR1")
	var groups []*thrift
	for from := 0; from < rows; from += rowGroup {
		to := min(from+rowGroup, rows)
		start := file.Len()
		var chunks []*thrift
		for _, c := range columns {
			meta, err := chunk(&file, c, from, to)
			if err != nil {
				return nil, fmt.Errorf("column %s: %w", c.name, err)
			}
			chunks = append(chunks, meta)
		}
		groups = append(groups, new(thrift).structs(1, chunks).i64(2, file.Len()-start).i64(3, to-from))
	}
	elements := []*thrift{new(thrift).str(4, "schema").i32(5, len(columns))}
	for _, c := range columns {
		elements = append(elements, c.schemaElement())
	}
	footer := new(thrift).i32(1, 1).structs(2, elements).i64(3, rows).structs(4, groups).str(6, "allrows examples").end()
	file.Write(footer)
	file.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(footer))))
	file.WriteString("PAR1")
	return file.Bytes(), nil
}

// chunk writes one page with the rows [from, to) of a column and returns what
// the footer says of it.
func chunk(file *bytes.Buffer, c parquetColumn, from, to int) (*thrift, error) {
	body := c.plain(from, to)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(body); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	page := new(thrift).i32(1, to-from).i32(2, plain).i32(3, rle).i32(4, rle)
	header := new(thrift).i32(1, 0).i32(2, len(body)).i32(3, packed.Len()).strct(5, page).end()
	offset := file.Len()
	file.Write(header)
	file.Write(packed.Bytes())
	meta := new(thrift).i32(1, c.physical()).i32s(2, plain, rle).strs(3, c.name).i32(4, codecGzip).
		i64(5, to-from).i64(6, len(header)+len(body)).i64(7, len(header)+packed.Len()).i64(9, offset)
	return new(thrift).i64(2, offset).strct(3, meta), nil
}

// thrift is one struct in Thrift's compact protocol, in which Parquet keeps its
// metadata. Fields are added in the order of their ids.
type thrift struct {
	b    []byte
	last int
}

// Types of the compact protocol.
const (
	thriftI32, thriftI64, thriftBinary = 5, 6, 8
	thriftList, thriftStruct           = 9, 12
)

func (t *thrift) field(id, kind int) {
	t.b = append(t.b, byte((id-t.last)<<4|kind))
	t.last = id
}

func (t *thrift) i32(id, v int) *thrift {
	t.field(id, thriftI32)
	t.b = binary.AppendVarint(t.b, int64(v))
	return t
}

func (t *thrift) i64(id, v int) *thrift {
	t.field(id, thriftI64)
	t.b = binary.AppendVarint(t.b, int64(v))
	return t
}

func (t *thrift) str(id int, s string) *thrift {
	t.field(id, thriftBinary)
	t.b = append(binary.AppendUvarint(t.b, uint64(len(s))), s...)
	return t
}

func (t *thrift) strct(id int, s *thrift) *thrift {
	t.field(id, thriftStruct)
	t.b = append(t.b, s.end()...)
	return t
}

func (t *thrift) list(id, kind, n int) {
	t.field(id, thriftList)
	if n < 15 {
		t.b = append(t.b, byte(n<<4|kind))
		return
	}
	t.b = binary.AppendUvarint(append(t.b, byte(0xf0|kind)), uint64(n))
}

func (t *thrift) structs(id int, list []*thrift) *thrift {
	t.list(id, thriftStruct, len(list))
	for _, s := range list {
		t.b = append(t.b, s.end()...)
	}
	return t
}

func (t *thrift) i32s(id int, list ...int64) *thrift {
	t.list(id, thriftI32, len(list))
	for _, v := range list {
		t.b = binary.AppendVarint(t.b, v)
	}
	return t
}

func (t *thrift) strs(id int, list ...string) *thrift {
	t.list(id, thriftBinary, len(list))
	for _, s := range list {
		t.b = append(binary.AppendUvarint(t.b, uint64(len(s))), s...)
	}
	return t
}

// end returns the struct's bytes with the stop mark.
func (t *thrift) end() []byte { return append(t.b, 0) }
