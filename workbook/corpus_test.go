package workbook

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// locale is how a country writes numbers.
type locale struct {
	name, group, point string
	indian             bool
	money              []string // "$ %s" around a figure
}

var locales = []locale{
	{"en", ",", ".", false, []string{"$%s", "USD %s", "%s USD", "£%s"}},
	{"es", ".", ",", false, []string{"%s €", "€ %s", "EUR %s"}},
	{"de", ".", ",", false, []string{"%s €", "%s EUR"}},
	{"fr", "\u202f", ",", false, []string{"%s €", "%s\u00a0€"}},
	{"fr-nbsp", "\u00a0", ",", false, []string{"%s EUR"}},
	{"ch", "'", ".", false, []string{"CHF %s", "%s CHF"}},
	{"ch-curly", "’", ".", false, []string{"Fr. %s"}},
	{"in", ",", ".", true, []string{"₹%s", "Rs. %s", "INR %s"}},
}

// write prints mant with so many decimals as the locale does.
func (l locale) write(mant int64, decimals int) string {
	s := strconv.FormatInt(mant, 10)
	for len(s) <= decimals {
		s = "0" + s
	}
	whole, frac := s[:len(s)-decimals], s[len(s)-decimals:]
	var groups []string
	size := 3
	for len(whole) > size {
		groups = append([]string{whole[len(whole)-size:]}, groups...)
		whole = whole[:len(whole)-size]
		if l.indian {
			size = 2
		}
	}
	s = strings.Join(append([]string{whole}, groups...), l.group)
	if decimals > 0 {
		s += l.point + frac
	}
	return s
}

// corpusColumn is one generated column with its true values.
type corpusColumn struct {
	cells []string
	truth []string
}

// column generates cells of one kind: money, percent, accounting or plain.
func (l locale) column(r *rand.Rand, n, decimals int) corpusColumn {
	var c corpusColumn
	style := r.IntN(5)
	money := l.money[r.IntN(len(l.money))]
	for range n {
		mant := r.Int64N(100_000)
		if r.IntN(3) > 0 {
			mant = r.Int64N(9_000_000_000)
		}
		s, d := l.write(mant, decimals), dec{mant: mant, scale: decimals}
		neg := mant != 0 && r.IntN(6) == 0
		switch {
		case style == 1:
			s = fmt.Sprintf(money, s)
		case style == 2:
			s += "%"
		case style == 3:
			s += " %"
		case style == 4 && neg:
			s, d.mant, neg = "("+s+")", -d.mant, false
		}
		if neg {
			s, d.mant = "-"+s, -d.mant
		}
		c.cells, c.truth = append(c.cells, s), append(c.truth, d.plain())
	}
	return c
}

// TestNumberCorpus reads generated columns of eight ways to write numbers: no
// value may be wrong.
func TestNumberCorpus(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	cells, wrong := 0, 0
	for _, l := range locales {
		for round := range 30 {
			c := l.column(r, 40, r.IntN(4))
			tb := readColumn(t, c.cells)
			k := 0
			for _, vals := range tb.Rows {
				cells++
				got := trimZeros(vals[1].Text(tb.Columns[1].Type))
				if got != trimZeros(c.truth[k]) {
					if wrong++; wrong < 20 {
						t.Errorf("%s round %d: %q read as %q (%s), want %q; %v", l.name, round, c.cells[k], got, tb.Columns[1].Type.SQL(), c.truth[k], tb.Questions)
					}
				}
				k++
			}
			if k != len(c.cells) {
				t.Errorf("%s round %d: %d rows of %d: %v %q", l.name, round, k, len(c.cells), tb.HeaderRows, c.cells[:2])
			}
		}
	}
	t.Logf("%d cells in %d locales, %d wrong", cells, len(locales), wrong)
	if cells < 5000 {
		t.Errorf("only %d cells", cells)
	}
}

// readColumn reads cells as the second column of a text file.
func readColumn(t *testing.T, cells []string) *Table {
	t.Helper()
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Comma = ';'
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	must(w.Write([]string{"name", "value"}))
	for i, c := range cells {
		must(w.Write([]string{fmt.Sprintf("item %c%c", 'a'+i/26%26, 'a'+i%26), c}))
	}
	w.Flush()
	return openFile(t, write(t, "c.csv", b.Bytes())).Tables[0]
}

// TestAmbiguousNumbers holds that columns which can be read in two ways are
// questions.
func TestAmbiguousNumbers(t *testing.T) {
	for _, cells := range [][]string{
		{"1.234", "2.345", "3.456"}, {"1,234", "2,345", "9,999"}, {"1.790"}, {"12.345", "1.001"},
		{"1,234 €", "5,678 €"}, {"1.234", "1,234"}, {"1,5", "2.5", "1.234"},
	} {
		if tb := readColumn(t, cells); len(tb.Questions) == 0 {
			t.Errorf("%q read without a question as %s", cells, tb.Columns[1].Type.SQL())
		}
	}
}

// TestAmbiguousDates does the same for days and months.
func TestAmbiguousDates(t *testing.T) {
	for _, tt := range []struct {
		cells    []string
		question bool
		first    string
	}{
		{[]string{"01/02/2025", "03/04/2025"}, true, ""},
		{[]string{"01/02/2025", "25/04/2025"}, false, "2025-02-01"},
		{[]string{"01/02/2025", "04/25/2025"}, false, "2025-01-02"},
		{[]string{"13/02/2025", "02/13/2025", "01/02/2025"}, true, ""},
		{[]string{"1. März 2024", "5. Mai 2024"}, false, "2024-03-01"},
		{[]string{"5 de enero de 2024", "6 de agosto de 2025"}, false, "2024-01-05"},
		{[]string{"14 juillet 1989", "1er août 2001"}, false, "1989-07-14"},
		{[]string{"Jan 5, 2024", "March 3rd, 2025"}, false, "2024-01-05"},
		{[]string{"2024-03-01", "2024/04/02"}, false, "2024-03-01"},
		{[]string{"ene-24", "feb-24", "dic-24"}, false, "2024-01-01"},
		{[]string{"31.12.2024", "1.1.2025"}, false, "2024-12-31"},
	} {
		tb := readColumn(t, tt.cells)
		if (len(tb.Questions) > 0) != tt.question {
			t.Errorf("%q: questions %q", tt.cells, tb.Questions)
		}
		for _, vals := range tb.Rows {
			if got := vals[1].Text(tb.Columns[1].Type); tt.first != "" && got != tt.first {
				t.Errorf("%q: first is %q (%s), want %q", tt.cells, got, tb.Columns[1].Type.SQL(), tt.first)
			}
			break
		}
	}
}
