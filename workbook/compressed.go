package workbook

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"
)

var (
	magicGzip = []byte("\x1f\x8b")
	magicZstd = []byte("\x28\xb5\x2f\xfd")
)

// readCompressed reads a text file that gzip or zstd packed.
func (o *opening) readCompressed(ctx context.Context) error {
	file := io.NewSectionReader(o.f, 0, o.size)
	var r io.Reader
	if bytes.HasPrefix(o.head, magicGzip) {
		z, err := gzip.NewReader(file)
		if err != nil {
			return fmt.Errorf("unpacking gzip: %w", err)
		}
		r = z
	} else {
		z, err := zstd.NewReader(file, zstd.WithDecoderMaxMemory(256<<20), zstd.WithDecoderConcurrency(1))
		if err != nil {
			return fmt.Errorf("unpacking zstd: %w", err)
		}
		defer z.Close()
		r = z
	}
	o.ext = strings.ToLower(filepath.Ext(strings.TrimSuffix(strings.ToLower(o.path), o.ext)))
	return o.readPacked(ctx, r)
}

// readPacked reads unpacked text into memory, within the limit for that.
func (o *opening) readPacked(ctx context.Context, r io.Reader) error {
	raw, err := io.ReadAll(io.LimitReader(r, o.opt.ScanBytes+1))
	if err != nil {
		return fmt.Errorf("unpacking: %w", err)
	}
	if n := int64(len(raw)); n > o.opt.ScanBytes {
		return &limitError{"the packed text is too large to be read packed; unpack it", o.opt.ScanBytes, n, "bytes or more"}
	}
	if o.ext == ".json" || o.ext == ".ndjson" || o.ext == ".jsonl" {
		return &FileError{Code: CodeUnsupported, Text: "packed json is not read; unpack it"}
	}
	return o.readText(ctx, raw)
}

// onlyText returns the only text file of a zip archive, or nil.
func (c *container) onlyText() *zip.File {
	var found *zip.File
	for _, f := range c.zr.File {
		if strings.HasSuffix(f.Name, "/") || strings.HasPrefix(f.Name, "__MACOSX/") {
			continue
		}
		if found != nil || extensions[strings.ToLower(filepath.Ext(f.Name))] != "csv" {
			return nil
		}
		found = f
	}
	return found
}
