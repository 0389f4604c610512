package workbook

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Options bound what is read. Zero values have defaults.
type Options struct {
	Name      string // of the workbook; default from the file's name
	MaxCells  int64  // of one workbook in memory; default 20,000,000
	ScanBytes int64  // text files larger than this are left to DuckDB; default 64 MiB

	Overrides *Overrides // default: those of the file beside it, see [OverrideSuffix]
}

// extensions that a workbook's name may end with, and the format each means.
var extensions = map[string]string{
	".xlsx": "xlsx", ".xlsm": "xlsx", ".xltx": "xlsx", ".xltm": "xlsx",
	".csv": "csv", ".tsv": "csv", ".tab": "csv", ".txt": "csv", ".psv": "csv",
	".parquet": "parquet", ".json": "json", ".ndjson": "json", ".jsonl": "json",
	".xls": "xls", ".ods": "ods", ".xlsb": "xlsb",
	".md": "markdown", ".markdown": "markdown", ".html": "html", ".htm": "html", ".xhtml": "html", ".docx": "docx", ".docm": "docx", ".gz": "", ".zst": "", ".zip": "",
}

func knownExtension(ext string) bool { _, ok := extensions[strings.ToLower(ext)]; return ok }

// opening is one file while it is opened.
type opening struct {
	path string
	opt  Options
	f    *os.File
	size int64
	head []byte
	ext  string
	wb   *Workbook

	layouts   []*layout // of the sheets, for those who draw them
	overrides *Overrides
}

// Open reads one file and returns its tables. What is no workbook is a
// [*FileError]. Tables with a Scan are read later by DuckDB; all others hold
// their rows in memory.
func Open(ctx context.Context, path string, opt Options) (*Workbook, error) {
	o, err := open(ctx, path, opt)
	if err != nil {
		return nil, err
	}
	return o.wb, nil
}

func open(ctx context.Context, path string, opt Options) (*opening, error) {
	o, err := startOpening(path, opt)
	if err != nil {
		return nil, err
	}
	defer o.f.Close()
	if o.overrides == nil {
		if o.overrides, err = LoadOverrides(path); err != nil {
			return nil, err
		}
	}
	if err := o.read(ctx); err != nil {
		return nil, o.fileError(err)
	}
	if err := o.hash(ctx); err != nil {
		return nil, err
	}
	o.name()
	return o, nil
}

// startOpening opens the file and looks at its first bytes.
func startOpening(path string, opt Options) (*opening, error) {
	if opt.MaxCells <= 0 {
		opt.MaxCells = 20_000_000
	}
	if opt.ScanBytes <= 0 {
		opt.ScanBytes = 64 << 20
	}
	f, err := os.Open(path)
	if err != nil {
		text := "the file cannot be read; check its permissions"
		if errors.Is(err, fs.ErrNotExist) {
			text = "there is no such file; check the path"
		}
		return nil, &FileError{Path: path, Code: CodeNotFound, Text: text, Err: err}
	}
	o := &opening{path: path, opt: opt, ext: strings.ToLower(filepath.Ext(path)), f: f, overrides: opt.Overrides}
	if err := o.start(); err != nil {
		f.Close()
		return nil, err
	}
	return o, nil
}

// start looks at size and first bytes.
func (o *opening) start() error {
	st, err := o.f.Stat()
	if err != nil {
		return fmt.Errorf("workbook: looking at %s: %w", o.path, err)
	}
	if st.IsDir() {
		return &FileError{Path: o.path, Code: CodeUnsupported, Text: "this is a folder; name the files in it"}
	}
	o.size = st.Size()
	if o.size == 0 {
		return &FileError{Path: o.path, Code: CodeEmpty, Text: "the file is empty (0 bytes); export or copy it again"}
	}
	o.head = make([]byte, min(o.size, 64<<10))
	if _, err := o.f.ReadAt(o.head, 0); err != nil && err != io.EOF {
		return &FileError{Path: o.path, Code: CodeNotFound, Text: "the file cannot be read; check the disk", Err: err}
	}
	o.wb = &Workbook{Name: o.opt.Name, Ledger: &Ledger{File: filepath.Base(o.path), Bytes: o.size}}
	if o.wb.Name == "" {
		o.wb.Name = FileName(o.path)
	}
	return nil
}

var (
	magicZip     = []byte("PK\x03\x04")
	magicOLE     = []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
	magicParquet = []byte("PAR1")
	magicPDF     = []byte("%PDF-")
)

// read reads the file by what its first bytes are.
func (o *opening) read(ctx context.Context) error {
	want := extensions[o.ext]
	switch {
	case bytes.HasPrefix(o.head, magicZip):
		return o.readZip(ctx)
	case bytes.HasPrefix(o.head, magicOLE):
		return o.readOLE(ctx)
	case bytes.HasPrefix(o.head, magicGzip) || bytes.HasPrefix(o.head, magicZstd):
		return o.readCompressed(ctx)
	case bytes.HasPrefix(o.head, magicParquet):
		return o.readParquet()
	case bytes.HasPrefix(o.head, magicPDF):
		return &FileError{Code: CodeUnsupported, Text: "this is a PDF, whose tables are lines and letters at places and no cells; load the spreadsheet they came from, or save the document as docx or html"}
	case allZero(o.head):
		return &FileError{Code: CodeCorrupt, Text: "the file begins with nothing but zero bytes; it is damaged, copy it again"}
	case want == "html" || want != "csv" && want != "markdown" && want != "json" && looksHTML(o.head):
		return o.readHTML(ctx)
	case want == "markdown":
		return o.readMarkdown(ctx)
	case want == "xlsx" || want == "xls" || want == "ods" || want == "docx" || want == "xlsb" || want == "parquet":
		return &FileError{Code: CodeExtension, Text: fmt.Sprintf("the name ends with %s, but the content is no %s file; if it is a text file, name it .csv", o.ext, want)}
	case want == "json":
		return o.readJSON()
	}
	return o.readCSV(ctx)
}

func allZero(b []byte) bool { return len(bytes.Trim(b, "\x00")) == 0 }

// readOLE reads an xls file, or names what else an OLE container holds.
func (o *opening) readOLE(ctx context.Context) error {
	if bytes.Contains(o.head, utf16Name("EncryptedPackage")) || bytes.Contains(o.head, utf16Name("EncryptionInfo")) || extensions[o.ext] == "xlsx" || extensions[o.ext] == "docx" {
		return errEncryptedPart
	}
	sheets, date1904, err := readXLS(ctx, o.f, o.opt.MaxCells)
	if errors.Is(err, errNoWorkbook) {
		return &FileError{Code: CodeUnsupported, Text: "this is an old Office document that holds no workbook; save its table as xlsx or csv"}
	}
	if err != nil {
		return err
	}
	o.wb.Format, o.wb.Ledger.Format = "xls", "xls"
	if date1904 {
		o.wb.Ledger.Details = append(o.wb.Ledger.Details, "dates count from 1904")
	}
	return o.buildAll(ctx, sheets)
}

func utf16Name(s string) []byte {
	b := make([]byte, 0, 2*len(s))
	for i := range len(s) {
		b = append(b, s[i], 0)
	}
	return b
}

func (o *opening) readParquet() error {
	tail := make([]byte, 4)
	if _, err := o.f.ReadAt(tail, o.size-4); err != nil || !bytes.Equal(tail, magicParquet) {
		return &FileError{Code: CodeTruncated, Text: "the parquet file ends too early; copy or export it again", Err: err}
	}
	o.scan("parquet", "read_parquet", nil)
	return nil
}

func (o *opening) readJSON() error {
	b := bytes.TrimLeft(bytes.TrimPrefix(o.head, []byte("\xef\xbb\xbf")), " \t\r\n")
	if len(b) == 0 || (b[0] != '{' && b[0] != '[') {
		return &FileError{Code: CodeExtension, Text: "the name says json, but the content begins neither with { nor with ["}
	}
	format := "auto"
	if b[0] == '{' && o.ext != ".json" {
		format = "newline_delimited"
	}
	o.scan("json", "read_json", map[string]any{"format": format})
	return nil
}

// scan makes the workbook one table that DuckDB reads itself.
func (o *opening) scan(format, reader string, options map[string]any) {
	o.wb.Format = format
	o.wb.Ledger.Format = format
	o.wb.Tables = []*Table{{Scan: &Scan{Reader: reader, Options: options}}}
}

// hash fills in the checksum of the source.
func (o *opening) hash(ctx context.Context) error {
	if _, err := o.f.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("workbook: reading %s again: %w", o.path, err)
	}
	h := sha256.New()
	buf := make([]byte, 1<<20)
	for {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		n, err := o.f.Read(buf)
		h.Write(buf[:n])
		if err == io.EOF {
			break
		}
		if err != nil {
			return fmt.Errorf("workbook: reading %s: %w", o.path, err)
		}
	}
	o.wb.Ledger.SHA256 = hex.EncodeToString(h.Sum(nil))
	return nil
}

// fileError gives every failure of a reader the form that people can use.
func (o *opening) fileError(err error) error {
	if fe, ok := errors.AsType[*FileError](err); ok {
		fe.Path = o.path
		return fe
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	fe := &FileError{Path: o.path, Code: CodeCorrupt, Text: "the file is damaged (" + err.Error() + "); open it in a spreadsheet program and save it again", Err: err}
	if le, ok := errors.AsType[*limitError](err); ok {
		fe.Code, fe.Text = CodeLimit, le.Error()+"; split the workbook or export its tables as csv"
	} else if errors.Is(err, errNoWorkbook) {
		fe.Code, fe.Text = CodeExtension, "the file is a zip archive that holds no workbook; unpack it and load what is in it"
	} else if errors.Is(err, errEncryptedPart) {
		fe.Code, fe.Text = CodeEncrypted, "the file is protected by a password; remove the password and save it again"
	} else if errors.Is(err, io.ErrUnexpectedEOF) {
		fe.Code, fe.Text = CodeTruncated, "the file ends too early; copy or export it again"
	}
	return fe
}
