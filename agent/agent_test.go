package agent_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/allrows/allrows/agent"
)

var update = flag.Bool("update", false, "rewrite golden files")

// TestTranscripts replays questions whose steps are given, over the real engine,
// guard and index: one file a conversation, a section a question, the whole
// answer as it is said and proved.
func TestTranscripts(t *testing.T) {
	p := newParts(t)
	scope := p.load(t, "pricing.xlsx", "cities.xlsx", "convenio.xlsx", "customers.xlsx", "orders.parquet")
	files, err := filepath.Glob("testdata/transcripts/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			pl := &scripted{}
			lang := "en"
			if c := string(a.Comment); strings.Contains(c, "language: ") {
				_, after, _ := strings.Cut(c, "language: ")
				lang = after[:2]
			}
			ag := p.agent(t, pl, plainLinker{lang: lang})
			got := &txtar.Archive{Comment: a.Comment}
			conversation := ""
			for i := 0; i+1 < len(a.Files); i += 3 {
				pl.steps = nil
				if err := json.Unmarshal(a.Files[i+1].Data, &pl.steps); err != nil {
					t.Fatalf("reading %s: %v", a.Files[i+1].Name, err)
				}
				question := strings.TrimSpace(string(a.Files[i].Data))
				ans, err := ag.Ask(t.Context(), agent.Request{Question: question, Conversation: conversation, Scope: scope})
				if err != nil {
					t.Fatal(err)
				}
				conversation = ans.Conversation
				got.Files = append(got.Files, a.Files[i], a.Files[i+1], txtar.File{Name: "answer", Data: shown(t, ans)})
			}
			if *update {
				if err := os.WriteFile(file, txtar.Format(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if d := cmp.Diff(string(txtar.Format(a)), string(txtar.Format(got))); d != "" {
				t.Errorf("the transcript differs (-want +got):\n%s", d)
			}
		})
	}
}

// shown is an answer as a golden file has it: the text first, then all of it.
func shown(t *testing.T, a *agent.Answer) []byte {
	t.Helper()
	var b bytes.Buffer
	b.WriteString(a.Text + "\n")
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(a); err != nil {
		t.Fatal(err)
	}
	return hashes.ReplaceAll(b.Bytes(), []byte("HASH"))
}

// hashes are of the samples' bytes and of the loader's format: not the agent's.
var hashes = regexp.MustCompile(`\b[0-9a-f]{24}([0-9a-f]{40})?\b`)
