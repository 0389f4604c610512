package main

import (
	"encoding/json"
	"io"
	"os"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/term"
)

// style paints text where the stream is a terminal that shows colours.
type style struct {
	colour bool
	width  int
}

func newStyle(w io.Writer, environ []string) style {
	s := style{width: 100}
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return s
	}
	if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 20 {
		s.width = width
	}
	no := slices.ContainsFunc(environ, func(e string) bool { return strings.HasPrefix(e, "NO_COLOR=") && e != "NO_COLOR=" })
	s.colour = !no && !slices.Contains(environ, "TERM=dumb")
	return s
}

func (s style) paint(code, text string) string {
	if !s.colour || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (s style) bold(t string) string { return s.paint("1", t) }
func (s style) dim(t string) string  { return s.paint("2", t) }
func (s style) good(t string) string { return s.paint("32", t) }
func (s style) warn(t string) string { return s.paint("33", t) }
func (s style) bad(t string) string  { return s.paint("31", t) }

// clean removes what could drive a terminal: workbooks hold any text.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		case r == '\t':
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
			return -1
		}
		return r
	}, s)
}

// oneLine is clean text on one line, cut at so many runes.
func oneLine(s string, limit int) string {
	s = strings.Join(strings.Fields(clean(s)), " ")
	if r := []rune(s); len(r) > limit {
		return string(r[:limit-1]) + "…"
	}
	return s
}

// shellWord is text as one word of a shell's command line: what is printed to be
// pasted may hold headers and sheet names of any workbook.
func shellWord(s string) string {
	s = oneLine(s, 1<<20)
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_./:@%+=,", r)
	}) {
		return s
	}
	if !strings.ContainsAny(s, "\"$`\\!") {
		return `"` + s + `"`
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// isTerminal reports whether the stream is one.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// printJSON writes a value for programs.
func (a *app) printJSON(v any) error {
	enc := json.NewEncoder(a.stdout)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
