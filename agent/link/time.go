package link

import (
	"strconv"
	"strings"
	"time"
)

// times links every span of dates: "2024", "March 2024", "3 March 2024", "Q2
// 2024", "2026-01-01", "the 1990s", "FY24", "last quarter", "today".
func (w *work) times() {
	for i := 0; i < len(w.tokens); {
		tr, last := w.timeAt(i)
		if tr == nil {
			i++
			continue
		}
		tr.Words = w.q.Text[w.tokens[i].Start:w.tokens[last].End]
		w.add(Link{First: i, Last: last, Kind: Time, Time: tr, Score: 1, How: tr.Grain})
		i = last + 1
	}
}

func day(y, m, d int) time.Time { return time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC) }

func span(from time.Time, grain string) *TimeRange {
	tr := &TimeRange{From: from, Grain: grain}
	switch grain {
	case "year":
		tr.To = from.AddDate(1, 0, 0)
	case "quarter":
		tr.To = from.AddDate(0, 3, 0)
	case "month":
		tr.To = from.AddDate(0, 1, 0)
	case "week":
		tr.To = from.AddDate(0, 0, 7)
	default:
		tr.To = from.AddDate(0, 0, 1)
	}
	return tr
}

func (w *work) timeAt(i int) (*TimeRange, int) {
	t := w.tokens[i].Norm
	if tr, last := w.isoDate(i); tr != nil {
		return tr, last
	}
	if m := w.month(t); m > 0 {
		return w.monthFirst(i, m)
	}
	if y, ok := year(t); ok {
		return span(day(y, 1, 1), "year"), i
	}
	if d, ok := strings.CutSuffix(t, "s"); ok && len(d) == 4 {
		if y, ok := year(d); ok && y%10 == 0 {
			return &TimeRange{From: day(y, 1, 1), To: day(y+10, 1, 1), Grain: "range"}, i
		}
	}
	if d, ok := strings.CutPrefix(t, "fy"); ok {
		if y, ok := shortYear(d); ok {
			return span(day(y, 1, 1), "year"), i
		}
	}
	if len(t) == 2 && t[0] == 'q' && t[1] >= '1' && t[1] <= '4' && i+1 < len(w.tokens) {
		if y, ok := year(w.tokens[i+1].Norm); ok {
			return span(day(y, int(t[1]-'1')*3+1, 1), "quarter"), i + 1
		}
	}
	if d := dayNumber(t); d > 0 {
		if tr, last := w.dayFirst(i, d); tr != nil {
			return tr, last
		}
	}
	return w.relative(i)
}

func year(s string) (int, bool) {
	if len(s) != 4 {
		return 0, false
	}
	y, err := strconv.Atoi(s)
	return y, err == nil && y >= 1200 && y < 2200
}

func shortYear(s string) (int, bool) {
	if y, ok := year(s); ok {
		return y, true
	}
	y, err := strconv.Atoi(s)
	return 2000 + y, err == nil && len(s) == 2
}

// isoDate reads 2026-01-01, which is three tokens.
func (w *work) isoDate(i int) (*TimeRange, int) {
	if i+2 >= len(w.tokens) || w.tokens[i+2].End-w.tokens[i].Start != 10 {
		return nil, i
	}
	d, err := time.Parse("2006-01-02", w.q.Text[w.tokens[i].Start:w.tokens[i+2].End])
	if err != nil {
		return nil, i
	}
	return span(d, "day"), i + 2
}

func (w *work) month(word string) int {
	for _, e := range w.lex.Meanings(word) {
		if d, ok := strings.CutPrefix(e.Class, "month."); ok {
			m, err := strconv.Atoi(d)
			if err == nil {
				return m
			}
		}
	}
	return 0
}

func dayNumber(s string) int {
	for _, end := range []string{"st", "nd", "rd", "th"} {
		s = strings.TrimSuffix(s, end)
	}
	d, err := strconv.Atoi(s)
	if err != nil || d < 1 || d > 31 || len(s) > 2 {
		return 0
	}
	return d
}

// monthFirst reads "March 2024" and "March 3, 2024". A month alone has no
// year: it is no range of dates.
func (w *work) monthFirst(i, m int) (*TimeRange, int) {
	j := w.skip(i + 1)
	if j >= len(w.tokens) {
		return nil, i
	}
	if y, ok := year(w.tokens[j].Norm); ok {
		return span(day(y, m, 1), "month"), j
	}
	if d := dayNumber(w.tokens[j].Norm); d > 0 && j+1 < len(w.tokens) {
		if y, ok := year(w.tokens[j+1].Norm); ok {
			return span(day(y, m, d), "day"), j + 1
		}
	}
	return nil, i
}

// skip passes the small words inside a date ("of", "de").
func (w *work) skip(i int) int {
	for i < len(w.tokens) && len(w.tokens[i].Norm) <= 3 && w.lex.Is("filler", w.tokens[i].Norm) {
		i++
	}
	return i
}

// dayFirst reads "3 March 2024", "3 de marzo de 2024".
func (w *work) dayFirst(i, d int) (*TimeRange, int) {
	j := w.skip(i + 1)
	if j >= len(w.tokens) {
		return nil, i
	}
	m := w.month(w.tokens[j].Norm)
	if m == 0 {
		return nil, i
	}
	j = w.skip(j + 1)
	if j >= len(w.tokens) {
		return nil, i
	}
	if y, ok := year(w.tokens[j].Norm); ok {
		return span(day(y, m, d), "day"), j
	}
	return nil, i
}

// relative reads "last year", "this month", "today", "last 3 months".
func (w *work) relative(i int) (*TimeRange, int) {
	now := w.q.Now
	if now.IsZero() {
		return nil, i
	}
	today := day(now.Year(), int(now.Month()), now.Day())
	word := w.tokens[i].Norm
	switch {
	case w.lex.Is("time.today", word):
		return span(today, "day"), i
	case w.lex.Is("time.yesterday", word):
		return span(today.AddDate(0, 0, -1), "day"), i
	}
	shift := 0
	switch {
	case w.lex.Is("time.last", word):
		shift = -1
	case w.lex.Is("time.next", word):
		shift = 1
	case !w.lex.Is("time.this", word):
		return nil, i
	}
	j, count := i+1, 0
	if j < len(w.tokens) {
		if n, err := strconv.Atoi(w.tokens[j].Norm); err == nil && shift < 0 && n < 1000 {
			count, j = n, j+1
		}
	}
	if j >= len(w.tokens) {
		return nil, i
	}
	for _, grain := range []string{"year", "quarter", "month", "week", "day"} {
		if !w.lex.Is("time."+grain, w.tokens[j].Norm) {
			continue
		}
		if count > 0 {
			return &TimeRange{From: move(today, grain, -count), To: today.AddDate(0, 0, 1), Grain: "range"}, j
		}
		return span(move(begin(today, grain), grain, shift), grain), j
	}
	return nil, i
}

// begin returns the first day of the period that holds d.
func begin(d time.Time, grain string) time.Time {
	switch grain {
	case "year":
		return day(d.Year(), 1, 1)
	case "quarter":
		return day(d.Year(), (int(d.Month())-1)/3*3+1, 1)
	case "month":
		return day(d.Year(), int(d.Month()), 1)
	case "week":
		return d.AddDate(0, 0, -(int(d.Weekday())+6)%7)
	}
	return d
}

func move(d time.Time, grain string, n int) time.Time {
	switch grain {
	case "year":
		return d.AddDate(n, 0, 0)
	case "quarter":
		return d.AddDate(0, 3*n, 0)
	case "month":
		return d.AddDate(0, n, 0)
	case "week":
		return d.AddDate(0, 0, 7*n)
	}
	return d.AddDate(0, 0, n)
}
