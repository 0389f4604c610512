package eval_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/allrows/allrows/eval"
)

// published is the table that came with the lesson.
const published = `
mode                  recall  answerable  chunks  stored tokens  tokens per request
row                   0.0000  0.0000      693     3815           17.0
block                 0.9500  0.9500      200     5702           88.7
row + header          0.9500  0.9500      693     8634           38.5
visual                0.0000  0.0000      200     0              0.0
visual + description  0.9500  0.0000      200     1194           18.7
`

func TestLessonIsReproduced(t *testing.T) {
	dir := os.Getenv("ALLROWS_LESSON")
	if dir == "" {
		t.Skip("ALLROWS_LESSON is not set: no folder with the lesson.json of the published chunking experiment")
	}
	f, err := os.Open(filepath.Join(dir, "lesson.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	l, err := eval.ReadLesson(f)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := eval.PrintChunking(&b, l.Run()); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.TrimSpace(b.String()), strings.TrimSpace(published); got != want {
		t.Errorf("the lesson comes to\n%s\npublished:\n%s", got, want)
	}
}
