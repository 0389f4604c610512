package workbook

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"context"
	"errors"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func write(t testing.TB, name string, b []byte) string {
	t.Helper()
	p := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(p, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return p
}

// zipWith returns an xlsx whose named parts are replaced or added.
func zipWith(t testing.TB, base string, parts map[string]io.Reader) []byte {
	t.Helper()
	zr, err := zip.OpenReader(base)
	if err != nil {
		t.Fatal(err)
	}
	defer zr.Close()
	var out bytes.Buffer
	zw := zip.NewWriter(&out)
	for _, f := range zr.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		var src io.Reader = r
		if p, ok := parts[f.Name]; ok {
			src = p
		}
		w, err := zw.Create(f.Name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(w, src); err != nil {
			t.Fatal(err)
		}
		r.Close()
	}
	if err := zw.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func simple(t testing.TB) string {
	x := newFixture(t)
	x.sheet("S", []any{"a", "b"}, []any{"x", 1}, []any{"y", 2})
	return x.save("simple.xlsx")
}

// lying returns a zip with a part that holds more than its directory claims.
func lying(t testing.TB) []byte {
	var out bytes.Buffer
	zw := zip.NewWriter(&out)
	var deflated bytes.Buffer
	inner := zip.NewWriter(&deflated)
	w, _ := inner.CreateHeader(&zip.FileHeader{Name: "x", Method: zip.Deflate})
	if _, err := io.Copy(w, io.LimitReader(zeros{}, 64<<20)); err != nil {
		t.Fatal(err)
	}
	inner.Close()
	zr, err := zip.NewReader(bytes.NewReader(deflated.Bytes()), int64(deflated.Len()))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := zr.File[0].OpenRaw()
	if err != nil {
		t.Fatal(err)
	}
	data, _ := io.ReadAll(raw)
	rw, err := zw.CreateRaw(&zip.FileHeader{Name: "xl/workbook.xml", Method: zip.Deflate, UncompressedSize64: 1000,
		CompressedSize64: uint64(len(data)), CRC32: crc32.ChecksumIEEE(nil)})
	if err != nil {
		t.Fatal(err)
	}
	rw.Write(data)
	zw.Close()
	return out.Bytes()
}

func TestRefused(t *testing.T) {
	base := simple(t)
	good, err := os.ReadFile(base)
	if err != nil {
		t.Fatal(err)
	}
	deep := `<worksheet><sheetData>` + strings.Repeat("<row>", 200) + `</sheetData></worksheet>`
	entities := `<!DOCTYPE a [<!ENTITY b "bbbb">]><worksheet><sheetData/></worksheet>`
	for _, tt := range []struct {
		name, file, code, text string
		data                   []byte
	}{
		{"empty", "e.xlsx", CodeEmpty, "0 bytes", nil},
		{"truncated zip", "t.xlsx", CodeTruncated, "directory", good[:len(good)/2]},
		{"text named xlsx", "t.xlsx", CodeExtension, ".csv", []byte("a,b\n1,2\n")},
		{"password", "p.xlsx", CodeEncrypted, "password", append([]byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), make([]byte, 600)...)},
		{"zip without workbook", "z.xlsx", CodeExtension, "no workbook", emptyZip(t)},
		{"zeros named csv", "z.csv", CodeCorrupt, "zero bytes", make([]byte, 1000)},
		{"deep", "d.xlsx", CodeLimit, "129", zipWith(t, base, map[string]io.Reader{"xl/worksheets/sheet1.xml": strings.NewReader(deep)})},
		{"entities", "e.xlsx", CodeCorrupt, "document type", zipWith(t, base, map[string]io.Reader{"xl/worksheets/sheet1.xml": strings.NewReader(entities)})},
		{"lying size", "l.xlsx", CodeLimit, "more than it claims", lying(t)},
		{"white space", "w.csv", CodeEmpty, "white space", []byte(" \n \n")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Open(context.Background(), write(t, tt.file, tt.data), Options{})
			fe, ok := errors.AsType[*FileError](err)
			if !ok || fe.Code != tt.code || !strings.Contains(fe.Text, tt.text) {
				t.Errorf("Open = %v, want code %s with %q", err, tt.code, tt.text)
			}
		})
	}
}

func emptyZip(t testing.TB) []byte {
	var out bytes.Buffer
	zw := zip.NewWriter(&out)
	if _, err := zw.Create("picture.png"); err != nil {
		t.Fatal(err)
	}
	zw.Close()
	return out.Bytes()
}

// zeroBomb returns an xlsx whose sheet unpacks to two gigabytes of zeros: one
// deflated megabyte, repeated.
func zeroBomb(t testing.TB) []byte {
	t.Helper()
	var mega bytes.Buffer
	fw, err := flate.NewWriter(&mega, flate.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fw.Write(make([]byte, 1<<20)); err != nil {
		t.Fatal(err)
	}
	fw.Flush()
	data := append(bytes.Repeat(mega.Bytes(), 2048), 3, 0) // and an empty last block
	var out bytes.Buffer
	zw := zip.NewWriter(&out)
	for name, text := range map[string]string{"xl/workbook.xml": fuzzBook, "xl/_rels/workbook.xml.rels": fuzzRels} {
		w, err := zw.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(w, text)
	}
	w, err := zw.CreateRaw(&zip.FileHeader{Name: "xl/worksheets/sheet1.xml", Method: zip.Deflate, UncompressedSize64: 2 << 30, CompressedSize64: uint64(len(data))})
	if err != nil {
		t.Fatal(err)
	}
	w.Write(data)
	zw.Close()
	return out.Bytes()
}

// TestZeros refuses two gigabytes of zeros inside a sheet at once.
func TestZeros(t *testing.T) {
	path := write(t, "bomb.xlsx", zeroBomb(t))
	start := time.Now()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := Open(context.Background(), path, Options{})
	runtime.ReadMemStats(&after)
	if fe, ok := errors.AsType[*FileError](err); !ok || fe.Code != CodeLimit {
		t.Errorf("Open = %v, want a limit", err)
	}
	if d := time.Since(start); d > 2*time.Second {
		t.Errorf("refused after %s", d)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 300<<20 {
		t.Errorf("allocated %d bytes", n)
	}
}

func TestCSV(t *testing.T) {
	for _, tt := range []struct{ name, data, cols, first string }{
		{"comma", "name,n\nAda,1\nBob,2\n", "name n", "Ada | 1"},
		{"semicolon, decimal comma", "Stadt;Wert\nUlm;1,5\nBonn;2.000,25\n", "stadt wert", "Ulm | 1.50"},
		{"tab", "a\tb\n1\tx\n2\ty\n", "a b", "1 | x"},
		{"bom", "\xef\xbb\xbfa,b\n1,x\n", "a b", "1 | x"},
		{"utf-16", "\xff\xfea\x00,\x00b\x00\n\x001\x00,\x00\xe9\x00\n\x00", "a b", "1 | é"},
		{"windows-1252", "a,b\n1,caf\xe9\n", "a b", "1 | café"},
		{"quotes and newlines", "a,b\n1,\"x, \"\"y\"\"\nz\"\n", "a b", "1 | x, \"y\"\nz"},
		{"title above", "Report 2024\n\nname,n\nAda,1\nBob,2\n", "name n", "Ada | 1"},
		{"codes", "zip,n\n01234,1\n98765,2\n", "zip n", "01234 | 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			wb := openFile(t, write(t, "data.csv", []byte(tt.data)))
			tb := wb.Tables[0]
			var names []string
			for _, c := range tb.Columns {
				names = append(names, c.Name)
			}
			rows := text(tb)
			if got := strings.Join(names, " "); got != tt.cols || len(rows) == 0 || rows[0] != tt.first {
				t.Errorf("columns %q rows %q, want %q and %q", got, rows, tt.cols, tt.first)
			}
		})
	}
}
