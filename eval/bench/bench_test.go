package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/allrows/allrows/agent"
	"github.com/allrows/allrows/agent/plan"
	"github.com/allrows/allrows/eval"
	"github.com/google/go-cmp/cmp"
)

func row(v ...any) []any { return v }

// Gold answers beside rows that are right and, close to them, rows that are not.
func TestRight(t *testing.T) {
	for _, tt := range []struct {
		name, gold, meta string
		rows             [][]any
		want             bool
	}{
		{"number", `[5]`, ``, [][]any{row(int64(5))}, true},
		{"another number", `[5]`, ``, [][]any{row(int64(6))}, false},
		{"an integer gold is not rounded to", `[5]`, ``, [][]any{row("5.4")}, false},
		{"integer as decimal", `[5]`, ``, [][]any{row("5.00")}, true},
		{"decimals that the gold shows", `[34.6]`, ``, [][]any{row("34.6349")}, true},
		{"half of the last decimal", `[34.6]`, ``, [][]any{row("34.65")}, true},
		{"more than half", `[34.6]`, ``, [][]any{row("34.6501")}, false},
		{"long gold", `[1168644.0833333333]`, ``, [][]any{row(1168644.083333333)}, true},
		{"separators", `["910,000.00"]`, ``, [][]any{row("910000")}, true},
		{"percent", `["3.67%"]`, ``, [][]any{row("3.67")}, true},
		{"percent as fraction", `["3.67%"]`, ``, [][]any{row("0.0367")}, false},
		{"negative in parentheses", `["(94)"]`, ``, [][]any{row("-94")}, true},
		{"sign lost", `[-94]`, ``, [][]any{row("94")}, false},
		{"number as text", `["2004"]`, ``, [][]any{row(int64(2004))}, true},
		{"text folded and trimmed", `["Fitzroy "]`, ``, [][]any{row("FITZROY")}, true},
		{"part of a text", `["fitzroy"]`, ``, [][]any{row("fitzroy lions")}, false},
		{"date", `["04/13/2012"]`, ``, [][]any{row("2012-04-13")}, true},
		{"date in words", `["13 April 2012"]`, ``, [][]any{row("2012-04-13")}, true},
		{"another date", `["04/13/2012"]`, ``, [][]any{row("2012-04-14")}, false},
		{"yes", `["yes"]`, ``, [][]any{row(true)}, true},
		{"no", `["yes"]`, ``, [][]any{row(false)}, false},
		{"list in any order", `["a","b"]`, ``, [][]any{row("b"), row("a")}, true},
		{"ordered list", `["a","b"]`, `"ordered":true`, [][]any{row("a"), row("b")}, true},
		{"ordered list in another order", `["a","b"]`, `"ordered":true`, [][]any{row("b"), row("a")}, false},
		{"one missing", `["a","b"]`, ``, [][]any{row("a")}, false},
		{"one more", `["a"]`, ``, [][]any{row("a"), row("b")}, false},
		{"one twice", `["a","b"]`, ``, [][]any{row("a"), row("a")}, false},
		{"twice in gold", `["a","a"]`, ``, [][]any{row("a"), row("a")}, true},
		{"twice in gold, once given", `["a","a"]`, ``, [][]any{row("a")}, false},
		{"rows", `[["a",1],["b",2]]`, ``, [][]any{row("b", 2), row("a", 1)}, true},
		{"rows exchanged", `[["a",1],["b",2]]`, ``, [][]any{row("b", 1), row("a", 2)}, false},
		{"a column more", `["a"]`, ``, [][]any{row("a", 1)}, false},
		{"a column less", `[["a",1]]`, ``, [][]any{row("a")}, false},
		{"alternative", `[["a",1]]`, `"alternatives":[[[7,1]],[[8,1]]]`, [][]any{row(8, 1)}, true},
		{"no alternative", `[["a",1]]`, `"alternatives":[[[7,1]],[[8,1]]]`, [][]any{row(9, 1)}, false},
		{"no rows", `[]`, ``, [][]any{}, true},
		{"rows for none", `[]`, ``, [][]any{row(1)}, false},
		{"no rows for some", `[1]`, ``, [][]any{}, false},
		{"null", `[null]`, ``, [][]any{row(nil)}, true},
		{"no rows for null", `[null]`, ``, [][]any{}, true},
		{"zero for null", `[null]`, ``, [][]any{row(0)}, false},
		{"not answered", `[1]`, ``, nil, false},
		{"cut gold", `["a","b"]`, `"answer_truncated":true,"n_rows":3`, [][]any{row("c"), row("b"), row("a")}, true},
		{"cut gold, too few", `["a","b"]`, `"answer_truncated":true,"n_rows":3`, [][]any{row("b"), row("a")}, false},
		{"cut gold, another", `["a","b"]`, `"answer_truncated":true,"n_rows":3`, [][]any{row("c"), row("d"), row("a")}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := parseCase([]byte(`{"question":"q","tables":["t.csv"],"answer":` + tt.gold + `,"meta":{` + tt.meta + `}}`))
			if err != nil {
				t.Fatal(err)
			}
			if got := c.Right(tt.rows); got != tt.want {
				t.Errorf("Right(%v) = %v with gold %s, want %v", tt.rows, got, tt.gold, tt.want)
			}
		})
	}
	c := Case{AnswerType: Unanswerable}
	if !c.Right(nil) || c.Right([][]any{row(1)}) || c.Right([][]any{}) {
		t.Error("an unanswerable case is right exactly when nothing is answered")
	}
}

func TestParseCasesRefuses(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"empty", "\n", "no case"},
		{"no JSON", "{\"question\":\"q\",\"tables\":[\"t\"]}\n{", "line 2"},
		{"no question", `{"csv":"tables/a.csv"}`, "no question"},
		{"no tables", `{"question":"q"}`, "no tables"},
		{"outside", `{"question":"q","tables":["../x.csv"]}`, "outside"},
		{"no date", `{"question":"q","tables":["x.csv"],"meta":{"now":"soon"}}`, "meta.now"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := parseCases(strings.NewReader(tt.text))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("parseCases(%q) = %v, want an error with %q", tt.text, err, tt.want)
			}
		})
	}
}

func TestWorkbookNamesAreShortAndUnique(t *testing.T) {
	got := workbookNames([]Case{
		{Tables: []string{"tables/204-csv/590.csv", "tables/203-csv/590.csv"}},
		{Tables: []string{"tables/flights", "tables/204-csv/590.csv", "tables/a-b.csv", "tables/a_b.csv"}},
	})
	want := map[string]string{
		"tables/204-csv/590.csv": "204_csv_590", "tables/203-csv/590.csv": "203_csv_590", "tables/flights": "flights",
		"tables/a-b.csv": "tables_a_b", "tables/a_b.csv": "tables_a_b_2",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("workbookNames (-want +got):\n%s", diff)
	}
}

func TestSelect(t *testing.T) {
	s := &Set{}
	for i := range 100 {
		s.Cases = append(s.Cases, Case{ID: fmt.Sprint(i), Meta: map[string]any{
			"single_table": i%2 == 0, "kind": []string{"count", "join"}[i%2], "split": []any{json.Number(fmt.Sprint(i % 5))}}})
	}
	for _, tt := range []struct {
		where string
		want  int
	}{{"single_table", 50}, {"single_table=false", 50}, {"kind=join", 50}, {"meta.split=3", 20}, {"absent", 0}, {"absent=false", 100}} {
		w, err := ParseWhere(tt.where)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(s.Select([]Where{w}, 0, 0)); got != tt.want {
			t.Errorf("Select(%s) has %d cases, want %d", tt.where, got, tt.want)
		}
	}
	one, same, other := s.Select(nil, 10, 1), s.Select(nil, 10, 1), s.Select(nil, 10, 2)
	if diff := cmp.Diff(one, same); diff != "" || len(one) != 10 {
		t.Errorf("the same seed drew two samples:\n%s", diff)
	}
	if cmp.Equal(one, other) {
		t.Error("two seeds drew one sample")
	}
}

// fake answers by question, and by "best" after it where the threshold is off.
type fake struct {
	mu     sync.Mutex
	loads  map[string]int
	answer map[string]*agent.Answer
}

func (f *fake) Load(_ context.Context, s eval.Source) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.loads[filepath.Base(s.Path)]++
	if s.Name == "broken" {
		return "", errors.New("no table in it")
	}
	return s.Name, nil
}

func (f *fake) Ask(_ context.Context, q eval.Question) (*agent.Answer, error) {
	key := q.Text
	if q.Best {
		key += " best"
	}
	if a := f.answer[key]; a != nil {
		return a, nil
	}
	return &agent.Answer{Outcome: agent.Declined, Reason: &plan.Reason{Code: "unsupported"}}, nil
}

func answered(v any, confidence float64) *agent.Answer {
	a := &agent.Answer{Outcome: agent.Answered, Result: &agent.Result{
		Columns: []agent.Column{{Name: "x", Role: "measure"}}, Rows: [][]any{{v}}}}
	a.Receipt.Confidence, a.Receipt.SQL = confidence, "SELECT"
	return a
}

func TestRunReadsASetItHasNeverSeen(t *testing.T) {
	dir := t.TempDir()
	lines := `{"id":"1","question":"right","tables":["tables/a.csv"],"answer":[1],"meta":{"kind":"count"}}
{"id":"2","question":"wrong","tables":["tables/a.csv"],"answer":[1],"meta":{"kind":"count"}}
{"id":"3","question":"unsure","tables":["tables/a.csv","tables/b"],"answer":[1],"meta":{"kind":"lookup"}}
{"id":"4","question":"none","tables":["tables/b"],"answer":[],"answer_type":"unanswerable","meta":{}}
{"id":"5","question":"lost","tables":["tables/broken.csv"],"answer":[1],"meta":{"kind":"lookup"}}
`
	if err := os.WriteFile(filepath.Join(dir, "cases.jsonl"), []byte(lines), 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := ReadSet(dir)
	if err != nil {
		t.Fatal(err)
	}
	gw := &fake{loads: map[string]int{}, answer: map[string]*agent.Answer{
		"right": answered("1", 0.9), "wrong": answered("2", 0.8), "unsure best": answered("1", 0.3)}}
	told := 0
	results, err := Run(t.Context(), Config{Gateway: gw, Parallel: 3, Each: func(Result) { told++ }}, s, s.Cases)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]int{"a.csv": 1, "b": 1, "broken.csv": 1}, gw.loads); diff != "" || told != 5 {
		t.Errorf("%d results told, loads (-want +got):\n%s", told, diff)
	}
	sum := Summarize(results)
	got := sum.All
	got.MedianMS, got.P99MS = 0, 0
	want := Score{Kind: "all", Cases: 5, Best: 2, Answered: 2, Right: 1, Failed: 1, Accuracy: 0.5, Coverage: 0.5, Precision: 0.5}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Summarize (-want +got):\n%s", diff)
	}
	var out, line strings.Builder
	if err := errors.Join(sum.WriteTable(&out), results[2].WriteLine(&line)); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "unanswerable: 1 of 1 not answered (100.0%)") || !strings.Contains(out.String(), "failed with an error: 1") {
		t.Errorf("table lacks the unanswerable or the failed case:\n%s", out.String())
	}
	for _, want := range []string{`"id":"3","outcome":"declined","rows":null`, `"best":{"rows":[["1"]],"sql":"SELECT","right":true}`} {
		if !strings.Contains(line.String(), want) {
			t.Errorf("line lacks %s: %s", want, line.String())
		}
	}
}

func FuzzParseCases(f *testing.F) {
	f.Add([]byte(`{"id":"1","question":"q","tables":["a.csv"],"answer":[[1,null],["x"]],"meta":{"ordered":true}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		cases, err := parseCases(strings.NewReader(string(text)))
		if err != nil {
			return
		}
		names := workbookNames(cases)
		for _, c := range cases {
			if c.AnswerType != Unanswerable && c.Right(nil) {
				t.Errorf("a question that was not answered is right: %+v", c)
			}
			for _, p := range c.Tables {
				if names[p] == "" {
					t.Errorf("table %q has no workbook name", p)
				}
			}
		}
	})
}
