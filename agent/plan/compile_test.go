package plan_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/allrows/allrows/agent/plan"
)

var update = flag.Bool("update", false, "rewrite golden files")

// TestCompile holds plans against the SQL, the readings and the result that they
// give over the fixture's tables.
func TestCompile(t *testing.T) {
	w := newWorld(t)
	files, err := filepath.Glob("testdata/compile/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var p plan.Plan
			dec := json.NewDecoder(strings.NewReader(string(a.Files[0].Data)))
			dec.DisallowUnknownFields()
			if err := dec.Decode(&p); err != nil {
				t.Fatalf("reading the plan: %v", err)
			}
			got := &txtar.Archive{Comment: a.Comment, Files: append(a.Files[:1:1], w.golden(t, &p)...)}
			if *update {
				if err := os.WriteFile(file, txtar.Format(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if d := cmp.Diff(string(txtar.Format(a)), string(txtar.Format(got))); d != "" {
				t.Errorf("Compile differs (-want +got):\n%s", d)
			}
		})
	}
}

func (w *world) golden(t *testing.T, p *plan.Plan) []txtar.File {
	t.Helper()
	before := p.Key()
	c, err := plan.Compile(p, w.ctx)
	if p.Key() != before {
		t.Errorf("Compile changed its plan: %s, was %s", p.Key(), before)
	}
	if err != nil {
		return []txtar.File{{Name: "error", Data: []byte(err.Error() + "\n")}}
	}
	out := []txtar.File{{Name: "sql", Data: []byte(c.SQL + "\n")}, w.result(t, "result", c.SQL)}
	var cols []string
	for _, col := range c.Columns {
		cols = append(cols, strings.Join([]string{col.Name, col.Label, col.Role, string(col.Type.Kind), col.Unit.Symbol}, " | "))
	}
	out = append(out, txtar.File{Name: "columns", Data: []byte(strings.Join(cols, "\n") + "\n")})
	for _, q := range []struct{ name, sql string }{{"matched", c.Matched}, {"rows", c.Rows}} {
		if q.sql != "" {
			r := w.result(t, q.name, q.sql)
			r.Data = []byte(q.sql + "\n" + string(r.Data))
			out = append(out, r)
		}
	}
	var readings []string
	for _, lang := range []string{"en", "es", "de", "pt"} {
		readings = append(readings, p.Reading(w.ctx, lang))
	}
	return append(out, txtar.File{Name: "reading", Data: []byte(strings.Join(readings, "\n") + "\n")})
}

func (w *world) result(t *testing.T, name, q string) txtar.File {
	t.Helper()
	rows, err := w.rows(q)
	if err != nil {
		t.Errorf("running %s: %v", q, err)
	}
	return txtar.File{Name: name, Data: []byte(strings.Join(rows, "\n") + "\n")}
}
