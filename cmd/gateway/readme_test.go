package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/allrows/allrows/examples"
)

// changing is what differs between two runs of a command: ids, times, versions.
var changing = regexp.MustCompile(`[0-9a-f]{24}|version [0-9a-f]{12}|\d{4}-\d\d-\d\d \d\d:\d\d|\d+ ms|in \d+\.\d s`)

// TestReadme runs the commands of the README's transcript over the sample that
// they name: what the README shows is what a reader gets.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, after, ok := strings.Cut(string(readme), "```console\n")
	transcript, _, closed := strings.Cut(after, "\n```")
	if !ok || !closed {
		t.Fatal("the README has no transcript")
	}
	dir := t.TempDir()
	if err := examples.WriteFile(dir, "pricing.xlsx"); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for _, part := range strings.Split(transcript, "$ gateway ")[1:] {
		command, want, _ := strings.Cut(part, "\n")
		var out, errs bytes.Buffer
		a := &app{stdout: &out, stderr: &errs, environ: []string{"ALLROWS_DATA=" + filepath.Join(dir, "data")}, now: time.Now}
		a.run(t.Context(), words(command))
		got := changing.ReplaceAllString(strings.TrimSpace(out.String()), "…")
		if diff := cmp.Diff(changing.ReplaceAllString(strings.TrimSpace(want), "…"), got); diff != "" {
			t.Errorf("gateway %s (-README +now):\n%s%s", command, diff, errs.String())
		}
	}
}

// words cuts a command line at spaces outside quotes.
func words(line string) []string {
	var out []string
	for i, part := range strings.Split(line, `"`) {
		if i%2 == 1 {
			out = append(out, part)
			continue
		}
		out = append(out, strings.Fields(part)...)
	}
	return out
}
