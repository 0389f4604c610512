package workbook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/muktihari/xmltokenizer"
)

// xmlScan reads the large parts of an xlsx file tag by tag. It takes raw tokens
// of the tokenizer and reads names, attributes and text itself, because white
// space, entities and single quotes matter here.
type xmlScan struct {
	tok   *xmltokenizer.Tokenizer
	part  string
	raw   []byte // the tag, from < to >
	data  []byte // the text behind it, up to the next tag
	name  []byte // without prefix
	end   bool   // </name>
	empty bool   // <name/>
	depth int
	buf   []byte
}

const maxToken = 64 << 20

func newXMLScan(r io.Reader, part string) *xmlScan {
	return &xmlScan{part: part, tok: xmltokenizer.New(r,
		xmltokenizer.WithReadBufferSize(64<<10), xmltokenizer.WithAutoGrowBufferMaxLimitSize(maxToken))}
}

// each calls tag at every tag of the part, to its end.
func (s *xmlScan) each(ctx context.Context, tag func() error) error {
	for n := 0; ; n++ {
		if n&0xffff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		err := s.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := tag(); err != nil {
			return err
		}
	}
}

// next moves to the next tag; io.EOF ends the part.
func (s *xmlScan) next() error {
	for {
		b, err := s.tok.RawToken()
		if len(b) == 0 || b[0] != '<' {
			if err == nil {
				continue
			}
			return s.fail(err)
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return s.fail(err)
		}
		if len(b) > 1 && (b[1] == '?' || b[1] == '!') {
			if bytes.HasPrefix(b, []byte("<!DOCTYPE")) {
				return fmt.Errorf("part %s declares a document type, which no workbook needs", s.part)
			}
			continue
		}
		if s.split(b) {
			return s.count()
		}
		if err != nil {
			return s.fail(err)
		}
	}
}

func (s *xmlScan) fail(err error) error {
	if errors.Is(err, io.EOF) && s.depth == 0 {
		return io.EOF
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("part %s ends inside an element: %w", s.part, io.ErrUnexpectedEOF)
	}
	return fmt.Errorf("reading part %s: %w", s.part, err)
}

func (s *xmlScan) count() error {
	switch {
	case s.end:
		s.depth = max(s.depth-1, 0)
	case !s.empty:
		if s.depth++; s.depth > maxDepth {
			return &limitError{"part " + s.part + " is nested too deeply", maxDepth, int64(s.depth), "levels"}
		}
	}
	return nil
}

// split cuts a raw token into its tag and text.
func (s *xmlScan) split(b []byte) bool {
	quote, i := byte(0), 1
	for ; i < len(b); i++ {
		switch c := b[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '>':
			goto found
		}
	}
	return false
found:
	s.raw = b[:i+1]
	// The tokenizer trims white space behind the text, which belongs to it.
	whole := b[:cap(b)]
	j := len(b)
	for j < len(whole) && (whole[j] == ' ' || whole[j] == '\n' || whole[j] == '\t' || whole[j] == '\r') {
		j++
	}
	if j < len(whole) && whole[j] != '<' {
		j = len(b)
	}
	s.data = whole[i+1 : j]
	s.end, s.empty = b[1] == '/', i > 1 && b[i-1] == '/'
	start := 1
	if s.end {
		start = 2
	}
	k := start
	for k < i && b[k] != ' ' && b[k] != '/' && b[k] != '\n' && b[k] != '\t' && b[k] != '\r' {
		if b[k] == ':' {
			start = k + 1
		}
		k++
	}
	s.name = b[start:k]
	return true
}

// attr returns the raw value of an attribute of the current tag.
func (s *xmlScan) attr(name string) []byte {
	b := s.raw
	for i := 1; i < len(b); {
		for i < len(b) && b[i] != '=' {
			i++
		}
		k := i
		for k > 0 && (b[k-1] == ' ' || b[k-1] == '\n') {
			k--
		}
		i++
		for i < len(b) && b[i] != '"' && b[i] != '\'' {
			i++
		}
		if i >= len(b) {
			return nil
		}
		end := bytes.IndexByte(b[i+1:], b[i])
		if end < 0 {
			return nil
		}
		n := len(name)
		if k >= n && string(b[k-n:k]) == name && (b[k-n-1] == ' ' || b[k-n-1] == '\n' || b[k-n-1] == '\t' || b[k-n-1] == '\r') {
			return b[i+1 : i+1+end]
		}
		i += end + 2
	}
	return nil
}

// text returns the text behind the tag with entities resolved, good until the
// next call.
func (s *xmlScan) text() []byte {
	d := s.data
	if bytes.Contains(d, []byte("<![CDATA[")) {
		d = bytes.TrimSpace(d)
		d = bytes.TrimPrefix(d, []byte("<![CDATA["))
		return bytes.TrimSuffix(d, []byte("]]>"))
	}
	if bytes.IndexByte(d, '&') < 0 && bytes.IndexByte(d, '_') < 0 {
		return d
	}
	s.buf = unescape(s.buf[:0], d)
	return s.buf
}

// unescape resolves XML entities and the _xHHHH_ of xlsx strings.
func unescape(out, d []byte) []byte {
	for i := 0; i < len(d); {
		switch c := d[i]; {
		case c == '&':
			end := bytes.IndexByte(d[i:min(len(d), i+12)], ';')
			if end > 1 {
				if r, ok := entity(d[i+1 : i+end]); ok {
					out = utf8.AppendRune(out, r)
					i += end + 1
					continue
				}
			}
		case c == '_' && i+6 < len(d) && d[i+1] == 'x' && d[i+6] == '_':
			if n, err := strconv.ParseUint(string(d[i+2:i+6]), 16, 16); err == nil {
				out = utf8.AppendRune(out, rune(n))
				i += 7
				continue
			}
		}
		out = append(out, d[i])
		i++
	}
	return out
}

func entity(b []byte) (rune, bool) {
	switch string(b) {
	case "amp":
		return '&', true
	case "lt":
		return '<', true
	case "gt":
		return '>', true
	case "quot":
		return '"', true
	case "apos":
		return '\'', true
	}
	if len(b) < 2 || b[0] != '#' {
		return 0, false
	}
	base, digits := 10, string(b[1:])
	if digits[0] == 'x' || digits[0] == 'X' {
		base, digits = 16, digits[1:]
	}
	n, err := strconv.ParseInt(digits, base, 32)
	return rune(n), err == nil && n > 0
}
