package workbook

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/richardlehane/mscfb"
)

// The records of BIFF8 that matter for values.
const (
	recFormula   = 0x0006
	recEOF       = 0x000a
	recDateMode  = 0x0022
	recFilePass  = 0x002f
	recFont      = 0x0031
	recContinue  = 0x003c
	recColInfo   = 0x007d
	recSheet     = 0x0085
	recMulRK     = 0x00bd
	recRString   = 0x00d6
	recXF        = 0x00e0
	recMerged    = 0x00e5
	recSST       = 0x00fc
	recLabelSST  = 0x00fd
	recNumber    = 0x0203
	recLabel     = 0x0204
	recBoolErr   = 0x0205
	recString    = 0x0207
	recRow       = 0x0208
	recRK        = 0x027e
	recFormat    = 0x041e
	recBOF       = 0x0809
	maxXLSStream = 512 << 20
)

// xlsBook is an xls file (Excel 97 to 2003) while it is read.
type xlsBook struct {
	b        []byte
	arena    *arena
	strings  []uint64
	codes    map[int]string
	fonts    []bool
	xfs      [][2]int // font and format
	formats  []numFormat
	bold     []bool
	date1904 bool
	sheets   []xlsSheet
	cells    int64
	maxCells int64
}

type xlsSheet struct {
	name   string
	pos    int
	hidden bool
	kind   byte
}

// readXLS reads the workbook stream of an OLE container.
func readXLS(ctx context.Context, r io.ReaderAt, maxCells int64) ([]*sheet, bool, error) {
	stream, err := oleStream(r)
	if err != nil {
		return nil, false, err
	}
	return readBIFF(ctx, stream, maxCells)
}

// readBIFF reads every sheet of a workbook stream.
func readBIFF(ctx context.Context, stream []byte, maxCells int64) ([]*sheet, bool, error) {
	b := &xlsBook{b: stream, arena: &arena{}, codes: map[int]string{}, maxCells: maxCells}
	if err := b.globals(); err != nil {
		return nil, false, err
	}
	var out []*sheet
	for _, xs := range b.sheets {
		s := &sheet{name: xs.name, hidden: xs.hidden, date1904: b.date1904, formats: b.formats, grid: &grid{arena: b.arena}}
		out = append(out, s)
		if xs.kind != 0 {
			s.incidents = append(s.incidents, Incident{Where: xs.name, Code: "no_cells", Text: "a chart or macro sheet holds no rows"})
			continue
		}
		if err := b.readSheet(ctx, xs, s); err != nil {
			return nil, false, fmt.Errorf("sheet %q: %w", xs.name, err)
		}
	}
	return out, b.date1904, nil
}

// oleStream returns the workbook stream, or says what the container is.
func oleStream(r io.ReaderAt) ([]byte, error) {
	doc, err := mscfb.New(r)
	if err != nil {
		return nil, fmt.Errorf("reading the container: %w", err)
	}
	for _, f := range doc.File {
		switch f.Name {
		case "EncryptedPackage", "EncryptionInfo":
			return nil, errEncryptedPart
		case "Workbook", "Book":
			if len(f.Path) > 0 {
				continue
			}
			if f.Size > maxXLSStream {
				return nil, &limitError{"the workbook is too large", maxXLSStream, f.Size, "bytes"}
			}
			b, err := io.ReadAll(io.LimitReader(f, f.Size))
			if err != nil {
				return nil, fmt.Errorf("reading the workbook stream: %w", err)
			}
			return b, nil
		}
	}
	return nil, errNoWorkbook
}

// record returns the record at pos and the place of the next.
func (b *xlsBook) record(pos int) (id int, data []byte, next int, ok bool) {
	if pos < 0 || pos+4 > len(b.b) {
		return 0, nil, 0, false
	}
	id = int(binary.LittleEndian.Uint16(b.b[pos:]))
	n := int(binary.LittleEndian.Uint16(b.b[pos+2:]))
	if pos+4+n > len(b.b) {
		return 0, nil, 0, false
	}
	return id, b.b[pos+4 : pos+4+n], pos + 4 + n, true
}

// globals reads what belongs to all sheets.
func (b *xlsBook) globals() error {
	for pos := 0; ; {
		id, d, next, ok := b.record(pos)
		if !ok {
			return io.ErrUnexpectedEOF
		}
		switch {
		case id == recBOF && (len(d) < 4 || u16(d) != 0x600):
			return &FileError{Code: CodeUnsupported, Text: "this is a workbook of Excel 95 or older; save it as xlsx"}
		case id == recFilePass:
			return errEncryptedPart
		case id == recSST:
			if err := b.readSST(pos); err != nil {
				return err
			}
		case id == recEOF:
			b.finishStyles()
			return nil
		default:
			b.global(id, d)
		}
		pos = next
	}
}

func (b *xlsBook) global(id int, d []byte) {
	switch {
	case id == recDateMode && len(d) >= 2:
		b.date1904 = u16(d) == 1
	case id == recFont && len(d) >= 8:
		b.fonts = append(b.fonts, u16(d[6:]) >= 700)
		if len(b.fonts) == 4 {
			b.fonts = append(b.fonts, false) // there is no font number 4
		}
	case id == recXF && len(d) >= 4:
		b.xfs = append(b.xfs, [2]int{u16(d), u16(d[2:])})
	case id == recFormat && len(d) > 4:
		if s, ok := biffString(d[2:], 2); ok {
			b.codes[u16(d)] = s
		}
	case id == recSheet && len(d) > 7:
		if name, ok := biffString(d[6:], 1); ok {
			b.sheets = append(b.sheets, xlsSheet{name: name, pos: int(binary.LittleEndian.Uint32(d)), hidden: d[4]&3 != 0, kind: d[5]})
		}
	}
}

func (b *xlsBook) finishStyles() {
	known := map[int]numFormat{}
	for _, xf := range b.xfs {
		f, ok := known[xf[1]]
		if !ok {
			f = formatByID(xf[1], b.codes)
			known[xf[1]] = f
		}
		b.formats = append(b.formats, f)
		b.bold = append(b.bold, xf[0] < len(b.fonts) && b.fonts[xf[0]])
	}
	if len(b.formats) == 0 {
		b.formats, b.bold = []numFormat{{decimals: -1}}, []bool{false}
	}
}

func u16(b []byte) int { return int(binary.LittleEndian.Uint16(b)) }

// biffString reads a string with a length of one or two bytes and a flag byte.
func biffString(d []byte, lenBytes int) (string, bool) {
	if len(d) < lenBytes+1 {
		return "", false
	}
	n := int(d[0])
	if lenBytes == 2 {
		n = u16(d)
	}
	flags := d[lenBytes]
	d = d[lenBytes+1:]
	if flags&8 != 0 && len(d) >= 2 {
		d = d[2:]
	}
	if flags&4 != 0 && len(d) >= 4 {
		d = d[4:]
	}
	if flags&1 == 0 {
		if len(d) < n {
			return "", false
		}
		return latin(d[:n]), true
	}
	if len(d) < 2*n {
		return "", false
	}
	return string(decodeUTF16(d[:2*n], binary.LittleEndian)), true
}

// latin decodes the compressed form of a string: the low bytes of UTF-16.
func latin(b []byte) string {
	out := make([]rune, len(b))
	for i, c := range b {
		out[i] = rune(c)
	}
	return string(out)
}

// decodeRK decodes the short form of a number.
func decodeRK(rk uint32) float64 {
	var f float64
	if rk&2 != 0 {
		f = float64(int32(rk) >> 2)
	} else {
		f = math.Float64frombits(uint64(rk&^3) << 32)
	}
	if rk&1 != 0 {
		f /= 100
	}
	return f
}
