package guardrails

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of a text before any parser sees it.
const (
	maxSQL     = 16 << 10 // bytes
	maxDepth   = 64       // brackets inside brackets
	maxComment = 2        // block comments inside block comments
	maxSets    = 200      // UNION, INTERSECT, EXCEPT and JOIN words
)

// gate checks a text before any parser sees it, and returns it without its
// comments and its closing semicolon. It knows DuckDB's strings and comments, so
// that no quote or comment hides a statement from it.
func gate(sql string) (string, *Violation) {
	text, first, v := strip(sql)
	if v != nil {
		return "", v
	}
	switch first {
	case "select", "with", "from", "values", "(":
		return text, nil
	}
	return "", &Violation{Rule: "read-only", What: fmt.Sprintf("a statement that begins with %q", first), Fix: "only one SELECT may run"}
}

// strip returns a text without comments and closing semicolon, and its first word.
func strip(sql string) (text, first string, v *Violation) {
	if len(sql) > maxSQL {
		return "", "", &Violation{Rule: "limit", What: fmt.Sprintf("the statement has %d bytes, the limit is %d", len(sql), maxSQL)}
	}
	if !utf8.ValidString(sql) {
		return "", "", &Violation{Rule: "text", What: "the statement is not valid UTF-8"}
	}
	for _, r := range sql {
		if r != '\n' && r != '\t' && r != '\r' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\ufeff' {
			return "", "", &Violation{Rule: "text", What: fmt.Sprintf("the control character U+%04X", r), Fix: "take it out"}
		}
	}
	l := &lexer{in: sql}
	if v := l.run(); v != nil {
		return "", "", v
	}
	text = strings.TrimSpace(l.out.String())
	if text == "" {
		return "", "", &Violation{Rule: "one-statement", What: "there is no statement", Fix: "write one SELECT"}
	}
	return text, l.first, nil
}

// lexer copies a text to out without its comments.
type lexer struct {
	in    string
	pos   int
	out   strings.Builder
	open  []byte // brackets that wait for their end
	first string // first word, folded, or "("
	ended bool   // a semicolon was seen
	sets  int
}

func (l *lexer) run() *Violation {
	for l.pos < len(l.in) {
		if v := l.step(); v != nil {
			return v
		}
	}
	if len(l.open) > 0 {
		return &Violation{Rule: "syntax", unread: true, What: fmt.Sprintf("a %q is never closed", string(l.open[len(l.open)-1]))}
	}
	return nil
}

// step takes one token.
func (l *lexer) step() *Violation {
	rest := l.in[l.pos:]
	r, size := utf8.DecodeRuneInString(rest)
	switch {
	case strings.HasPrefix(rest, "--"):
		return l.lineComment()
	case strings.HasPrefix(rest, "/*"):
		return l.blockComment()
	case r == ' ' || r == '\t' || r == '\n' || r == '\r':
		l.copy(1)
		return nil
	case r == ';':
		l.ended = true
		l.pos++
		return nil
	}
	if l.ended {
		return &Violation{Rule: "one-statement", What: "there is text after the first statement's semicolon", Fix: "send one statement"}
	}
	switch {
	case r == '\'':
		return l.quoted('\'', false)
	case r == '"':
		return l.quoted('"', false)
	case (r == 'e' || r == 'E') && len(rest) > 1 && rest[1] == '\'':
		l.copy(1)
		return l.quoted('\'', true)
	case r == '$':
		return l.dollar()
	case strings.ContainsRune("([{", r):
		return l.opening(byte(r))
	case strings.ContainsRune(")]}", r):
		return l.closing(byte(r))
	case r == '_' || unicode.IsLetter(r):
		return l.word()
	case r > 0x7f:
		return &Violation{Rule: "text", What: fmt.Sprintf("the character U+%04X outside a string", r), Fix: "only letters of names may be other than ASCII"}
	case r == '`':
		return &Violation{Rule: "syntax", unread: true, What: "a backtick", Fix: `names are quoted with "`}
	}
	if l.first == "" {
		l.first = string(r)
	}
	l.copy(size)
	return nil
}

func (l *lexer) copy(n int) {
	l.out.WriteString(l.in[l.pos : l.pos+n])
	l.pos += n
}

func (l *lexer) lineComment() *Violation {
	end := strings.IndexAny(l.in[l.pos:], "\r\n")
	if end < 0 {
		end = len(l.in) - l.pos
	}
	l.pos += end
	l.out.WriteByte(' ')
	return nil
}

func (l *lexer) blockComment() *Violation {
	depth := 0
	for l.pos < len(l.in) {
		switch {
		case strings.HasPrefix(l.in[l.pos:], "/*"):
			if depth++; depth > maxComment {
				return &Violation{Rule: "limit", What: "comments nested too deep"}
			}
			l.pos += 2
		case strings.HasPrefix(l.in[l.pos:], "*/"):
			l.pos += 2
			if depth--; depth == 0 {
				l.out.WriteByte(' ')
				return nil
			}
		default:
			l.pos++
		}
	}
	return &Violation{Rule: "syntax", unread: true, What: "a comment is never closed"}
}

// quoted copies a string or a quoted name. A doubled quote is a quote; a backslash
// escapes in strings that begin with E.
func (l *lexer) quoted(q byte, escapes bool) *Violation {
	if l.first == "" {
		l.first = string(q)
	}
	for i := l.pos + 1; i < len(l.in); i++ {
		switch c := l.in[i]; {
		case c == '\\' && escapes:
			i++
		case c == q && i+1 < len(l.in) && l.in[i+1] == q:
			i++
		case c == q:
			l.copy(i + 1 - l.pos)
			return nil
		}
	}
	return &Violation{Rule: "syntax", unread: true, What: fmt.Sprintf("a %c is never closed", q)}
}

// dollar copies a $tag$ string $tag$, or refuses a parameter.
func (l *lexer) dollar() *Violation {
	rest := l.in[l.pos:]
	end := strings.IndexByte(rest[1:], '$')
	if end < 0 || strings.ContainsFunc(rest[1:end+1], func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) ||
		end > 0 && unicode.IsDigit(rune(rest[1])) {
		return &Violation{Rule: "parameter", What: "a $ outside a string", Fix: "write the value into the statement"}
	}
	tag := rest[:end+2]
	stop := strings.Index(rest[len(tag):], tag)
	if stop < 0 {
		return &Violation{Rule: "syntax", unread: true, What: fmt.Sprintf("the string %s is never closed", tag)}
	}
	if l.first == "" {
		l.first = "$"
	}
	l.copy(2*len(tag) + stop)
	return nil
}

func (l *lexer) word() *Violation {
	rest := l.in[l.pos:]
	n := strings.IndexFunc(rest, func(r rune) bool {
		return r != '_' && r != '$' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.Mn, r)
	})
	if n < 0 {
		n = len(rest)
	}
	w := strings.ToLower(rest[:n])
	if l.first == "" {
		l.first = w
	}
	switch w {
	case "union", "intersect", "except", "join":
		if l.sets++; l.sets > maxSets {
			return &Violation{Rule: "limit", What: fmt.Sprintf("more than %d unions and joins", maxSets)}
		}
	}
	l.copy(n)
	return nil
}

func (l *lexer) opening(b byte) *Violation {
	if l.first == "" {
		l.first = string(b)
	}
	if l.open = append(l.open, b); len(l.open) > maxDepth {
		return &Violation{Rule: "limit", What: fmt.Sprintf("brackets nested more than %d deep", maxDepth)}
	}
	l.copy(1)
	return nil
}

func (l *lexer) closing(b byte) *Violation {
	want := map[byte]byte{')': '(', ']': '[', '}': '{'}[b]
	if n := len(l.open); n == 0 || l.open[n-1] != want {
		return &Violation{Rule: "syntax", unread: true, What: fmt.Sprintf("a %q without its beginning", string(b))}
	}
	l.open = l.open[:len(l.open)-1]
	l.copy(1)
	return nil
}
