package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/allrows/allrows/eval"
)

// TestFirstCases asks the first case file of the whole program, and our own of
// groupings, over the sample workbooks. Every case is a test of its own.
func TestFirstCases(t *testing.T) {
	own := filepath.Join("..", "..", "eval", "testdata", "cases")
	askCases(t, filepath.Join(cmp.Or(os.Getenv("ALLROWS_CASES"), own), "first.yaml"))
	askCases(t, filepath.Join(own, "grouping.yaml"))
}

func askCases(t *testing.T, file string) {
	t.Helper()
	var out, errs bytes.Buffer
	a := &app{stdout: &out, stderr: &errs, now: time.Now}
	code := a.run(t.Context(), []string{"eval", "--json", file})
	var report struct{ Cases []eval.Outcome }
	if err := json.Unmarshal(out.Bytes(), &report); err != nil || len(report.Cases) == 0 {
		t.Fatalf("gateway eval = exit code %d, %d cases, %v\n%s", code, len(report.Cases), err, errs.String())
	}
	for _, c := range report.Cases {
		t.Run(c.ID, func(t *testing.T) {
			if c.Pass {
				return
			}
			t.Errorf("%s\n%s", c.Question, strings.Join(c.Faults, "\n"))
			if c.Answer != nil {
				t.Logf("reading: %s\nSQL: %s", c.Answer.Receipt.Reading, c.Answer.Receipt.SQL)
			}
		})
	}
}
