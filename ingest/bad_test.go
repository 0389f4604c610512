package ingest_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/allrows/allrows/examples"
	"github.com/allrows/allrows/ingest"
	"github.com/allrows/allrows/workbook"
)

// What is no workbook is refused within two seconds, in words, and the workbook
// that was there before serves on.
func TestBadFiles(t *testing.T) {
	dir := t.TempDir()
	if err := examples.Write(dir); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(filepath.Join(dir, "pricing.xlsx"))
	if err != nil {
		t.Fatal(err)
	}
	parquet, err := os.ReadFile(filepath.Join(dir, "orders.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	flipped := append([]byte{}, parquet...)
	for i := 1000; i < 20_000; i += 7 {
		flipped[i] ^= 0x55
	}
	store, l := folder(t)
	first, err := l.Load(t.Context(), ingest.Request{Path: filepath.Join(dir, "pricing.xlsx")})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, file string
		content    []byte
	}{
		{"cut off", "pricing.xlsx", whole[:len(whole)/2]},
		{"not what it says", "pricing.xlsx", []byte("region,tier\nNorth,1\n")},
		{"protected", "pricing.xlsx", append([]byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), make([]byte, 4096)...)},
		{"empty", "pricing.xlsx", nil},
		{"zeros", "pricing.csv", make([]byte, 1<<20)},
		{"cut parquet", "pricing.parquet", parquet[:len(parquet)/2]},
		{"damaged parquet", "pricing.parquet", flipped},
		{"2 GB inside", "pricing.xlsx", zeros(t, whole)},
		{"broken json", "pricing.json", []byte(`[{"a": 1}, {"a": `)},
		{"too many columns", "pricing.csv", wideCSV(2001)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), tt.file)
			if err := os.WriteFile(path, tt.content, 0o644); err != nil {
				t.Fatal(err)
			}
			begun := time.Now()
			_, err := l.Load(t.Context(), ingest.Request{Path: path, Replace: true})
			took := time.Since(begun)
			e, ok := errors.AsType[*workbook.FileError](err)
			if !ok || e.Text == "" {
				t.Fatalf("%v, want a FileError", err)
			}
			if strings.Contains(e.Text, filepath.Dir(path)) || strings.Contains(e.Text, "Error:") {
				t.Errorf("%q quotes the engine or a folder of this machine", e.Text)
			}
			if took > 2*time.Second {
				t.Errorf("refused after %s", took)
			}
			t.Logf("%s: %v", took.Round(time.Millisecond), err)
			if v, err := store.Current("pricing"); err != nil || v.ID != first.Version {
				t.Errorf("version %s serves, %v; want %s", v.ID, err, first.Version)
			}
		})
	}
}

// The widest table that is accepted is loaded and measured in the memory of a load.
func TestWideTable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wide.csv")
	if err := os.WriteFile(path, wideCSV(2000), 0o644); err != nil {
		t.Fatal(err)
	}
	_, l := folder(t)
	r, err := l.Load(t.Context(), ingest.Request{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	cols := r.Tables[0].Columns
	if len(cols) != 2000 || cols[1999].Profile.Max != "2999" {
		t.Errorf("%d columns, the last up to %s; want 2000 up to 2999", len(cols), cols[len(cols)-1].Profile.Max)
	}
}

// wideCSV is a text table of n columns and two rows.
func wideCSV(n int) []byte {
	var b bytes.Buffer
	for row := range 3 {
		for i := range n {
			switch {
			case row == 0:
				fmt.Fprintf(&b, "c%d", i)
			default:
				fmt.Fprint(&b, i+row*500)
			}
			b.WriteByte(",\n"[min(1, (i+1)/n)])
		}
	}
	return b.Bytes()
}

// zeros is a workbook whose first sheet unpacks to two gigabytes of nothing.
func zeros(t *testing.T, whole []byte) []byte {
	t.Helper()
	const block, blocks = 1 << 20, 2048
	nothing := make([]byte, block)
	var packed bytes.Buffer
	f, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.Write(nothing)
	if err := errors.Join(err, f.Flush()); err != nil { // a block on its own, that may be repeated
		t.Fatal(err)
	}
	stream := append(bytes.Repeat(packed.Bytes(), blocks), 0x01, 0, 0, 0xff, 0xff) // and an empty last one
	sum := uint32(0)
	for range blocks {
		sum = crc32.Update(sum, crc32.IEEETable, nothing)
	}
	r, err := zip.NewReader(bytes.NewReader(whole), int64(len(whole)))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, part := range r.File {
		if part.Name != "xl/worksheets/sheet1.xml" {
			err = w.Copy(part)
		} else {
			var raw io.Writer
			raw, err = w.CreateRaw(&zip.FileHeader{Name: part.Name, Method: zip.Deflate, CRC32: sum,
				CompressedSize64: uint64(len(stream)), UncompressedSize64: block * blocks})
			if err == nil {
				_, err = raw.Write(stream)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
