package workbook

import (
	"path/filepath"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// reserved are the words that DuckDB does not take as a bare name.
var reserved = wordSet(`all analyse analyze and any array as asc asymmetric both case cast check
	collate column constraint create default deferrable desc describe distinct do else end except false fetch
	for foreign from grant group having in initially intersect into lambda lateral leading limit not null offset
	on only or order pivot pivot_longer pivot_wider placing primary qualify references returning select show some
	summarize symmetric table then to trailing true union unique unpivot using variadic when where window with
	left right full inner outer cross join natural positional semi anti asof like ilike between is values set`)

// wordSet makes a set of words separated by blanks.
func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		set[w] = true
	}
	return set
}

// SafeName makes a readable SQL name of what people wrote: lower case, letters,
// digits and single underscores, no reserved word. A name for which taken
// reports true gets a number; taken may be nil.
func SafeName(s string, taken func(string) bool) string {
	var b strings.Builder
	gap := false
	for _, r := range norm.NFKD.String(s) {
		switch {
		case unicode.Is(unicode.Mn, r):
			continue
		case r == '%':
			writeWord(&b, "pct")
			gap = true
		case r == 'ß':
			writeGap(&b, gap, "ss")
			gap = false
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			writeGap(&b, gap, string(unicode.ToLower(r)))
			gap = false
		default:
			gap = b.Len() > 0
		}
	}
	name := norm.NFC.String(b.String())
	if r := []rune(name); len(r) > 60 {
		name = strings.TrimRight(string(r[:60]), "_")
	}
	return freeName(name, taken)
}

// freeName turns a folded name into a free, legal one.
func freeName(name string, taken func(string) bool) string {
	switch {
	case name == "":
		name = "column"
	case name[0] >= '0' && name[0] <= '9':
		name = "n" + name
		if len(name) == 5 && (strings.HasPrefix(name, "n19") || strings.HasPrefix(name, "n20")) {
			name = "y" + name[1:]
		}
	}
	if reserved[name] {
		name += "_"
	}
	if taken == nil || !taken(name) {
		return name
	}
	for i := 2; ; i++ {
		if n := strings.TrimRight(name, "_") + "_" + strconv.Itoa(i); !taken(n) {
			return n
		}
	}
}

func writeGap(b *strings.Builder, gap bool, s string) {
	if gap && b.Len() > 0 {
		b.WriteByte('_')
	}
	b.WriteString(s)
}

func writeWord(b *strings.Builder, s string) {
	if b.Len() > 0 && !strings.HasSuffix(b.String(), "_") {
		b.WriteByte('_')
	}
	b.WriteString(s)
}

// Readable reports whether a file's name is one of those that [Open] reads.
func Readable(path string) bool {
	format := extensions[strings.ToLower(filepath.Ext(path))]
	if format == "" { // packed: the name inside counts
		format = extensions[strings.ToLower(filepath.Ext(strings.TrimSuffix(path, filepath.Ext(path))))]
	}
	return format != "" && format != "xlsb" && strings.ToLower(filepath.Ext(path)) != ".txt"
}

// FileName returns the safe name of the workbook in a file, its base name without
// the extensions that say a format or a compression: "pricing" for
// /data/Pricing.xlsx or pricing.csv.gz.
func FileName(path string) string {
	base := filepath.Base(path)
	for {
		ext := filepath.Ext(base)
		if ext == "" || ext == base || !knownExtension(ext) {
			break
		}
		base = strings.TrimSuffix(base, ext)
	}
	name := SafeName(base, nil)
	if name == "column" && !strings.EqualFold(base, "column") {
		return "workbook"
	}
	return name
}

// ColumnLetter returns the letters of a sheet's column, counted from 0: 27 is
// "AB".
func ColumnLetter(col int) string {
	var b [8]byte
	i := len(b)
	for col >= 0 {
		i--
		b[i] = byte('A' + col%26)
		col = col/26 - 1
	}
	return string(b[i:])
}

// CellName returns the A1 name of a cell; col counts from 0, row from 1 as
// sheets print it.
func CellName(col, row int) string { return ColumnLetter(col) + strconv.Itoa(row) }

// RangeName returns an A1 range; columns count from 0, rows from 1.
func RangeName(col1, row1, col2, row2 int) string {
	if col1 == col2 && row1 == row2 {
		return CellName(col1, row1)
	}
	return CellName(col1, row1) + ":" + CellName(col2, row2)
}

// ParseCell reads an A1 name, with or without $: col counts from 0, row from 1.
func ParseCell(s string) (col, row int, ok bool) {
	i := 0
	col = -1
	for i < len(s) && s[i] == '$' {
		i++
	}
	n := 0
	for ; i < len(s); i++ {
		c := s[i] | 0x20
		if c < 'a' || c > 'z' {
			break
		}
		n = n*26 + int(c-'a') + 1
		if n > 16384 {
			return 0, 0, false
		}
	}
	if n == 0 {
		return 0, 0, false
	}
	if i < len(s) && s[i] == '$' {
		i++
	}
	start := i
	for ; i < len(s) && s[i] >= '0' && s[i] <= '9' && row <= maxSheetRow; i++ {
		row = row*10 + int(s[i]-'0')
	}
	return n - 1, row, i == len(s) && i > start && row >= 1 && row <= maxSheetRow
}

// ParseRange reads an A1 range such as "B2:D9"; a single cell is a range too.
func ParseRange(s string) (r Rect, ok bool) {
	a, b, two := strings.Cut(s, ":")
	c1, r1, ok1 := ParseCell(a)
	if !two {
		return Rect{c1, r1, c1, r1}, ok1
	}
	c2, r2, ok2 := ParseCell(b)
	return Rect{min(c1, c2), min(r1, r2), max(c1, c2), max(r1, r2)}, ok1 && ok2
}

// Rect is a rectangle of cells; columns count from 0, rows from 1, both ends
// belong to it.
type Rect struct{ Col1, Row1, Col2, Row2 int }

// String returns the A1 range.
func (r Rect) String() string { return RangeName(r.Col1, r.Row1, r.Col2, r.Row2) }
