package workbook

import (
	"context"
	"path/filepath"
	"slices"
	"testing"
)

// truth is what people marked in a statistical table; rows count from 0 in the
// csv file.
type truth struct {
	CSV       string `json:"csv"`
	XLSX      string `json:"xlsx"`
	Preamble  int    `json:"preamble_rows"`
	Headers   []int  `json:"header_rows"`
	FirstData int    `json:"first_data_row"`
	LastData  int    `json:"last_data_row"`
	Footer    []int  `json:"footer_rows"`
}

// found is the same as read.
type found struct {
	headers     []int
	first, last int
}

// TestSAUS measures headers and ranges against the truth of saus.dev.
func TestSAUS(t *testing.T) {
	dir := benchDir(t, "saus.dev")
	cases := benchCases[truth](t, dir)
	for _, format := range []string{"csv", "xlsx"} {
		all, around, headers, firsts, lasts := 0, 0, 0, 0, 0
		for _, c := range cases {
			path := filepath.Join(dir, c.CSV)
			if format == "xlsx" {
				path = filepath.Join(dir, c.XLSX)
			}
			f := layoutOf(t, path)
			h, first, last := slices.Equal(f.headers, c.Headers), f.first == c.FirstData, f.last == c.LastData
			sep := f.separates(c)
			count := func(n *int, ok bool) {
				if ok {
					*n++
				}
			}
			count(&all, h && first && last)
			count(&around, sep)
			count(&headers, h)
			count(&firsts, first)
			count(&lasts, last)
			if !h || !first || !last || !sep {
				t.Logf("%s: headers %v want %v, first %d want %d, last %d want %d, separated %v", filepath.Base(path), f.headers, c.Headers, f.first, c.FirstData, f.last, c.LastData, sep)
			}
		}
		n := len(cases)
		t.Logf("%s: all right %d/%d (%.1f%%), preamble and footer separated %d (%.1f%%); headers %d, first row %d, last row %d",
			format, all, n, 100*float64(all)/float64(n), around, 100*float64(around)/float64(n), headers, firsts, lasts)
		if all*100 < n*85 || around*100 < n*95 {
			t.Errorf("%s: below 85%% and 95%%", format)
		}
	}
}

// separates reports whether no preamble row is in header or rows, and no
// footer row in the rows.
func (f found) separates(c truth) bool {
	if f.first < 0 {
		return false
	}
	top := f.first
	if len(f.headers) > 0 {
		top = f.headers[0]
	}
	want := c.FirstData
	if len(c.Headers) > 0 {
		want = c.Headers[0]
	}
	return top >= c.Preamble && top <= want && (len(c.Footer) == 0 || f.last < c.Footer[0] && f.last >= c.LastData)
}

// layoutOf reads a file and returns where its first table stands, rows counted
// from 0.
func layoutOf(t *testing.T, path string) found {
	t.Helper()
	o, err := startOpening(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer o.f.Close()
	if err := o.read(context.Background()); err != nil {
		t.Fatal(err)
	}
	f := found{first: -1, last: -1}
	for i, role := range o.layouts[0].roles {
		num := int(o.layouts[0].s.grid.rows[i].num) - 1
		switch role {
		case roleHeader:
			f.headers = append(f.headers, num)
		case roleBody, roleTotal:
			if f.first < 0 {
				f.first = num
			}
			f.last = num
		}
	}
	return f
}
