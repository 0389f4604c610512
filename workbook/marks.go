package workbook

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// noteColumn is the place of the column that says what footnote marks say.
const noteColumn = -2

// fact is what a footnote says of what bears its mark.
type fact struct{ mark, text string }

// facts reads the notes that begin with a mark: "* Includes night work",
// "\1 Preliminary", "(r) revised", "¹ At current prices".
func facts(notes []Note) []fact {
	var out []fact
	for i, n := range notes {
		mark, text := noteMark(n.Text)
		if mark == "" || text == "" || known(out, mark) {
			continue
		}
		for k := i + 1; k < len(notes) && notes[k].Row == notes[k-1].Row+1; k++ {
			if r, _ := utf8.DecodeRuneInString(notes[k].Text); !unicode.IsLower(r) {
				break
			}
			text += " " + notes[k].Text
		}
		out = append(out, fact{mark, strings.TrimRight(strings.Clone(text), ".")})
	}
	return out
}

func known(fs []fact, mark string) bool {
	for _, f := range fs {
		if f.mark == mark {
			return true
		}
	}
	return false
}

// noteMark cuts the mark off a note.
func noteMark(t string) (mark, text string) {
	n := 0
	switch {
	case t == "":
		return "", ""
	case t[0] == '\\':
		for n = 1; n < len(t) && t[n] >= '0' && t[n] <= '9'; n++ {
		}
		if n == 1 {
			return "", ""
		}
	case t[0] == '(' || t[0] == '[':
		end := strings.IndexAny(t, ")]")
		if end < 2 || end > 4 || strings.ContainsAny(t[1:end], " %$€") {
			return "", ""
		}
		n = end + 1
	default:
		n = symbolLen(t)
	}
	return t[:n], strings.TrimLeft(t[n:], " :=.\u00a0")
}

// symbolLen is the length of the symbols of footnotes that t begins with.
func symbolLen(t string) int {
	for i, r := range t {
		if !strings.ContainsRune("*†‡§¹²³⁴⁵⁶⁷⁸⁹⁰", r) {
			return i
		}
	}
	return len(t)
}

// cutMarks cuts known marks off the end of a text and returns the facts.
func cutMarks(fs []fact, t string) (rest string, found []string) {
again:
	for _, f := range fs {
		if len(t) > len(f.mark) && strings.HasSuffix(t, f.mark) && markEnds(t[:len(t)-len(f.mark)], f.mark) {
			t = strings.TrimRight(t[:len(t)-len(f.mark)], " ,\u00a0")
			found = append(found, f.text)
			goto again
		}
	}
	return t, found
}

// markEnds reports whether a mark stands by itself behind what is left: "**" is
// another mark than "*".
func markEnds(left, mark string) bool {
	last, _ := utf8.DecodeLastRuneInString(left)
	first, _ := utf8.DecodeRuneInString(mark)
	return last != first && strings.Trim(left, " ") != ""
}

// useMarks finds the marks that the notes of a table explain, cuts them off the
// headers and adds a column for them when rows bear them.
func (tb *tableBuild) useMarks() {
	tb.facts = facts(tb.r.notes)
	if len(tb.facts) == 0 {
		return
	}
	for j := range tb.columns {
		c := &tb.columns[j]
		for i := range c.Path {
			c.Path[i], _ = cutMarks(tb.facts, c.Path[i])
		}
		header, found := cutMarks(tb.facts, c.Header)
		if len(c.Path) > 0 {
			header = strings.Join(c.Path, " / ")
		}
		c.Header = header
		if len(found) > 0 {
			c.Evidence = "note: " + strings.Join(found, "; ")
		}
	}
	for k := range tb.r.body {
		if tb.noteOf(k) != "" {
			tb.addColumn(noteColumn, []headerCell{{text: noteHeader(tb.facts)}})
			tb.fills = append(tb.fills, nil)
			return
		}
	}
}

// noteHeader names the column of notes in the language of the notes.
func noteHeader(fs []fact) string {
	for _, f := range fs {
		for w := range strings.FieldsSeq(strings.ToLower(f.text)) {
			switch w {
			case "de", "incluye", "los", "las", "según", "el":
				return "Nota"
			case "der", "die", "und", "einschließlich", "ohne":
				return "Anmerkung"
			case "le", "les", "des", "et":
				return "Remarque"
			}
		}
	}
	return "Note"
}

// noteOf is what the marks in the k-th row say, "" when it bears none.
func (tb *tableBuild) noteOf(k int) string {
	var out []string
	for j, col := range tb.cols {
		if col < 0 {
			continue
		}
		c := tb.cellAt(k, j)
		if c == nil || c.kind != kindText {
			continue
		}
		t := trimText(tb.s.grid.text(c))
		if _, found := cutMarks(tb.facts, t); len(found) > 0 {
			if n, ok := parseNumText(t); ok && n.mark != "" {
				for i := range found {
					found[i] = tb.columns[j].Header + ": " + found[i]
				}
			}
			out = append(out, found...)
		}
	}
	return strings.Join(out, "; ")
}
