package workbook

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// dialect is how a text file is written.
type dialect struct {
	delimiter byte
	quote     byte // 0: none
}

// delimiters that are tried, in the order of preference where all is equal.
var delimiters = []byte{',', ';', '\t', '|'}

// decodeText turns the bytes of a text file into UTF-8 and names the encoding.
func decodeText(b []byte) (text []byte, encoding string) {
	switch {
	case bytes.HasPrefix(b, []byte("\xef\xbb\xbf")):
		return b[3:], "UTF-8 with byte order mark"
	case bytes.HasPrefix(b, []byte("\xff\xfe")):
		return decodeUTF16(b[2:], binary.LittleEndian), "UTF-16 little endian"
	case bytes.HasPrefix(b, []byte("\xfe\xff")):
		return decodeUTF16(b[2:], binary.BigEndian), "UTF-16 big endian"
	}
	if e := guessUTF16(b); e != nil {
		return decodeUTF16(b, e), "UTF-16 without byte order mark"
	}
	if utf8.Valid(b) {
		return b, "UTF-8"
	}
	out, err := charmap.Windows1252.NewDecoder().Bytes(b)
	if err != nil {
		return bytes.ToValidUTF8(b, []byte("\ufffd")), "UTF-8 with broken characters"
	}
	return out, "Windows-1252"
}

// guessUTF16 recognises UTF-16 without a mark by its zero bytes.
func guessUTF16(b []byte) binary.ByteOrder {
	n := min(len(b), 4096) &^ 1
	if n < 4 {
		return nil
	}
	even, odd := 0, 0
	for i := 0; i < n; i += 2 {
		if b[i] == 0 {
			even++
		}
		if b[i+1] == 0 {
			odd++
		}
	}
	switch half := n / 2; {
	case odd*10 > half*7 && even*10 < half:
		return binary.LittleEndian
	case even*10 > half*7 && odd*10 < half:
		return binary.BigEndian
	}
	return nil
}

func decodeUTF16(b []byte, order binary.ByteOrder) []byte {
	units := make([]uint16, 0, len(b)/2)
	for ; len(b) >= 2; b = b[2:] {
		units = append(units, order.Uint16(b))
	}
	out := make([]byte, 0, len(units))
	for i := 0; i < len(units); i++ {
		r := rune(units[i])
		if utf16.IsSurrogate(r) && i+1 < len(units) {
			r = utf16.DecodeRune(r, rune(units[i+1]))
			i++
		}
		out = utf8.AppendRune(out, r)
	}
	return out
}

// sniffDialect finds delimiter and quote by what makes the rows of a sample
// most alike.
func sniffDialect(sample []byte, prefer byte) dialect {
	best, bestScore := dialect{delimiter: ',', quote: '"'}, -1.0
	for _, d := range delimiters {
		for _, q := range []byte{'"', '\''} {
			if q == '\'' && bytes.Count(sample, []byte{d, '\''}) < 2 {
				continue
			}
			score := dialectScore(sample, d, q)
			if d == prefer {
				score *= 1.1
			}
			if q == '\'' {
				score *= 0.9
			}
			if score > bestScore+1e-9 {
				best, bestScore = dialect{delimiter: d, quote: q}, score
			}
		}
	}
	return best
}

// dialectScore is high when many rows have the same number of fields, and more
// than one.
func dialectScore(sample []byte, delim, quote byte) float64 {
	counts := map[int]int{}
	rows, unquoted, top, others := 0, 0, 0, 0
	r := textRows{b: sample, delim: delim, quote: quote}
	for rows < 200 {
		other := false
		n, ok := r.next(func(f []byte) {
			if len(f) > 0 && (f[0] == quote) {
				unquoted++
			}
			other = other || delim == ',' && bytes.ContainsAny(f, ";\t|")
		})
		if !ok {
			break
		}
		if n == 1 && len(bytes.TrimSpace(r.first)) == 0 {
			continue
		}
		if rows++; rows == 1 {
			top = n
		}
		counts[n]++
		if other {
			others++
		}
	}
	if rows == 0 {
		return 0
	}
	score := 0.0
	for n, c := range counts {
		if n < 2 {
			continue
		}
		share := float64(c) / float64(rows)
		if n != top {
			share *= 0.9 // the first line is a header more often than not
		}
		score = max(score, share*share*(1+float64(min(n, 12))/24))
	}
	if others*2 > rows { // commas of decimals between the true delimiters
		score *= 0.7
	}
	return score / (1 + float64(unquoted)/float64(rows))
}

// textRows cuts a text into rows and fields.
type textRows struct {
	b     []byte
	delim byte
	quote byte
	line  int // of the last row's first line, from 1
	lines int // lines seen
	first []byte
	buf   []byte
}

// next reads one row and calls field with every field; the slices are good
// until the next call. It returns the number of fields.
func (r *textRows) next(field func([]byte)) (int, bool) {
	if len(r.b) == 0 {
		return 0, false
	}
	r.line = r.lines + 1
	n := 0
	for {
		f, end := r.field()
		if n == 0 {
			r.first = f
		}
		n++
		field(f)
		if end {
			r.lines++
			return n, true
		}
	}
}

// field reads one field; end reports that the row ends with it.
func (r *textRows) field() (f []byte, end bool) {
	b := r.b
	i := 0
	for i < len(b) && (b[i] == ' ' && r.delim != ' ') {
		i++
	}
	if i < len(b) && r.quote != 0 && b[i] == r.quote {
		if f, rest, end, ok := r.quoted(b[i+1:]); ok {
			r.b = rest
			return f, end
		}
	}
	for i = 0; i < len(b); i++ {
		switch b[i] {
		case r.delim:
			r.b = b[i+1:]
			return b[:i], false
		case '\n':
			r.b = b[i+1:]
			return b[:i], true
		case '\r':
			r.b = b[i+1:]
			if i+1 < len(b) && b[i+1] == '\n' {
				r.b = b[i+2:]
			}
			return b[:i], true
		}
	}
	r.b = nil
	return b, true
}

// quoted reads a quoted field from behind its opening quote; ok is false when
// it does not end as such fields do.
func (r *textRows) quoted(b []byte) (f, rest []byte, end, ok bool) {
	r.buf = r.buf[:0]
	copied := false
	start, lines := 0, 0
	for i := 0; i < len(b); i++ {
		switch {
		case b[i] == '\n':
			lines++
		case b[i] == '\\' && i+1 < len(b) && b[i+1] == r.quote && (i+2 >= len(b) || (b[i+2] != r.delim && b[i+2] != '\n' && b[i+2] != '\r')):
			r.buf = append(append(r.buf, b[start:i]...), r.quote)
			copied, start = true, i+2
			i++
		case b[i] == r.quote && i+1 < len(b) && b[i+1] == r.quote:
			r.buf = append(append(r.buf, b[start:i]...), r.quote)
			copied, start = true, i+2
			i++
		case b[i] == r.quote:
			f = b[start:i]
			if copied {
				r.buf = append(r.buf, f...)
				f = r.buf
			}
			rest, end, ok = r.afterQuote(b[i+1:])
			if ok {
				r.lines += lines
			}
			return f, rest, end, ok
		}
	}
	return nil, nil, false, false
}

// afterQuote reads what follows a closing quote.
func (r *textRows) afterQuote(b []byte) (rest []byte, end, ok bool) {
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case r.delim:
			return b[i+1:], false, true
		case '\n':
			return b[i+1:], true, true
		case '\r':
			if i+1 < len(b) && b[i+1] == '\n' {
				i++
			}
			return b[i+1:], true, true
		case ' ', '\t':
		default:
			return nil, false, false
		}
	}
	return nil, true, true
}

// readText fills a grid from a text file.
func readText(text []byte, d dialect, maxCells int64) (*sheet, error) {
	s := &sheet{text: true, formats: []numFormat{{decimals: -1}}, grid: &grid{arena: &arena{buf: make([]byte, 0, len(text))}}, semicolons: d.delimiter == ';'}
	lines := bytes.Count(text, []byte{'\n'}) + 1
	s.grid.rows = make([]gridRow, 0, lines)
	s.grid.cells = make([]cell, 0, min(int64(lines+bytes.Count(text, []byte{d.delimiter})), maxCells+1))
	r := textRows{b: text, delim: d.delimiter, quote: d.quote}
	row := 0
	for {
		row++
		s.grid.startRow(row)
		col := 0
		_, ok := r.next(func(f []byte) {
			if len(f) > 0 && col < 1<<14 && !isBlankBytes(f) {
				s.grid.put(cell{bits: s.grid.arena.add(f), col: uint16(col), kind: kindText})
			}
			col++
		})
		if !ok {
			s.grid.endRow()
			return s, nil
		}
		s.grid.endRow()
		if n := int64(len(s.grid.cells)); n > maxCells {
			return nil, &limitError{"the file has too many cells", maxCells, n, "cells or more"}
		}
	}
}

func isBlankBytes(b []byte) bool {
	for _, c := range b {
		if c > ' ' && c < 0x7f {
			return false
		}
	}
	return isBlank(string(b))
}

// delimiterName names a delimiter in words.
func delimiterName(d byte) string {
	switch d {
	case ',':
		return "comma"
	case ';':
		return "semicolon"
	case '\t':
		return "tab"
	case '|':
		return "bar"
	}
	return strings.TrimSpace(string(d))
}
