package workbook

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// biff writes records of a workbook stream.
type biff struct{ bytes.Buffer }

func (b *biff) rec(id int, parts ...any) {
	var d bytes.Buffer
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			d.WriteString(p)
		case int:
			binary.Write(&d, binary.LittleEndian, uint16(p))
		case byte:
			d.WriteByte(p)
		case uint32:
			binary.Write(&d, binary.LittleEndian, p)
		case float64:
			binary.Write(&d, binary.LittleEndian, math.Float64bits(p))
		}
	}
	binary.Write(b, binary.LittleEndian, uint16(id))
	binary.Write(b, binary.LittleEndian, uint16(d.Len()))
	b.Write(d.Bytes())
}

// smallBIFF is a sheet with a text, numbers in every form, a percent, a date
// and a string that runs over into the next record.
func smallBIFF() []byte {
	sheetAt := func(pos uint32) []byte {
		b := &biff{}
		b.rec(recBOF, 0x600, 5, 0, 0)
		b.rec(recFormat, 164, 4, byte(0), "0.0%")
		for _, format := range []int{0, 164, 14} {
			b.rec(recXF, 0, format, 0, 0, 0, 0, 0, 0, 0, 0)
		}
		b.rec(recSheet, pos, 0, byte(1), byte(0), "S")
		b.rec(recSST, uint32(4), uint32(4), 4, byte(0), "Name", 5, byte(0), "Share", 4, byte(1), "D\x00a\x00", "y\x00")
		b.rec(recContinue, byte(0), "s", 2, byte(0), "ab")
		b.rec(recEOF)
		return b.Bytes()
	}
	pos := uint32(len(sheetAt(0)))
	b := &biff{}
	b.Write(sheetAt(pos))
	b.rec(recBOF, 0x600, 16, 0, 0)
	for col := range 3 {
		b.rec(recLabelSST, 0, col, 0, uint32(col))
	}
	b.rec(recLabelSST, 1, 0, 0, uint32(3))
	b.rec(recNumber, 1, 1, 1, 0.125)
	b.rec(recRK, 1, 2, 2, uint32(45292<<2|2))
	b.rec(recFormula, 2, 0, 0, byte(0), byte(0), 0, 0, 0xffff, 0, uint32(0))
	b.rec(recString, 2, byte(0), "cd")
	b.rec(recMulRK, 2, 1, 1, uint32(25<<2|3), 2, uint32(45293<<2|2), 2)
	b.rec(recEOF)
	return b.Bytes()
}

func TestXLS(t *testing.T) {
	sheets, _, err := readBIFF(context.Background(), smallBIFF(), 1000)
	if err != nil {
		t.Fatal(err)
	}
	b, err := buildSheet(context.Background(), sheets[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"ab | 12.5 | 2024-01-01", "cd | 25.0 | 2024-01-02"}, text(b.tables[0])); d != "" {
		t.Error(d)
	}
	if got := names(b.tables[0]); got != "Name | Share | Days" {
		t.Errorf("headers %q", got)
	}
}

func FuzzXLS(f *testing.F) {
	f.Add(smallBIFF())
	f.Fuzz(func(t *testing.T, stream []byte) {
		sheets, _, err := readBIFF(context.Background(), stream, 100_000)
		if err != nil {
			return
		}
		for _, s := range sheets {
			holdsTrue(t, s)
		}
	})
}

// TestTwins holds that the same workbook in two formats reads the same.
func TestTwins(t *testing.T) {
	dir := benchDir(t, "messy.dev")
	paths := map[string]string{}
	cases := benchCases[struct{ Path string }](t, dir)
	for _, c := range cases {
		paths[c.Path] = filepath.Join(dir, c.Path)
	}
	n, same := 0, 0
	for p, path := range paths {
		ext := filepath.Ext(p)
		twin, ok := paths[strings.TrimSuffix(p, ext)+".xlsx"]
		if !ok || ext != ".xls" && ext != ".ods" {
			continue
		}
		a, errA := Open(context.Background(), path, Options{})
		b, errB := Open(context.Background(), twin, Options{})
		if errA != nil || errB != nil {
			continue
		}
		n++
		var rows [2][]string
		for i, wb := range []*Workbook{a, b} {
			for _, tb := range wb.Tables {
				rows[i] = append(rows[i], tb.Name+": "+names(tb))
				rows[i] = append(rows[i], text(tb)...)
			}
		}
		if d := cmp.Diff(rows[1], rows[0]); d != "" {
			t.Logf("%s differs from its xlsx:\n%.1500s", p, d)
			continue
		}
		same++
	}
	t.Logf("%d of %d workbooks read the same as their xlsx", same, n)
}
