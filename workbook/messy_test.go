package workbook

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// benchDir returns an unpacked set of development data, or skips the test.
func benchDir(t testing.TB, set string) string {
	t.Helper()
	root := os.Getenv("ALLROWS_BENCH")
	if root == "" {
		t.Skip("ALLROWS_BENCH is not set: " + set + " is not measured")
	}
	return filepath.Join(root, set)
}

// benchCases reads cases.jsonl of a set.
func benchCases[T any](t testing.TB, dir string) []T {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, "cases.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []T
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 16<<20)
	for sc.Scan() {
		var c T
		if err := json.Unmarshal(sc.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		out = append(out, c)
	}
	return out
}

// TestMessy opens every file of the messy set: each loads with a ledger that
// balances, or is refused by a typed error, within ten seconds.
func TestMessy(t *testing.T) {
	dir := benchDir(t, "messy.dev")
	codes := map[string]int{}
	for _, c := range benchCases[struct{ Path string }](t, dir) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := time.Now()
		wb, err := Open(context.Background(), filepath.Join(dir, c.Path), Options{})
		if d := time.Since(start); d > 10*time.Second {
			t.Errorf("%s took %s", c.Path, d)
		}
		runtime.ReadMemStats(&after)
		if n := (after.TotalAlloc - before.TotalAlloc) >> 20; n > 500 {
			t.Errorf("%s took %d MB in all", c.Path, n)
		}
		if err != nil {
			fe, ok := errors.AsType[*FileError](err)
			if !ok {
				t.Errorf("%s: no FileError: %v", c.Path, err)
				continue
			}
			codes[fe.Code]++
			t.Logf("%-60s %s: %s", c.Path, fe.Code, fe.Text)
			continue
		}
		codes["loaded"]++
		for _, s := range wb.Ledger.Sheets {
			if !s.Balanced() {
				t.Errorf("%s: ledger of %q does not balance", c.Path, s.Name)
			}
		}
		for _, tb := range wb.Tables {
			if tb.Rows != nil {
				for range tb.Rows {
				}
			}
		}
	}
	t.Logf("%v", codes)
}
