package eval

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
)

// Lesson is a published experiment on chunking tables: small tables, questions
// in other words than the tables', and a toy embedding that knows which words
// mean the same.
type Lesson struct {
	Concepts []struct {
		Key      string `json:"key"`
		Document string `json:"document_form"`
		Query    string `json:"query_form"`
	} `json:"concepts"`
	Dim        int         `json:"dim"`
	Projection [][]float64 `json:"projection"`
	Tables     []struct {
		Head string   `json:"head"`
		Rows []string `json:"rows"`
	} `json:"tables"`
	Queries []struct {
		Text    string `json:"text"`
		Concept string `json:"concept"`
	} `json:"queries"`
}

// ReadLesson reads the experiment's file.
func ReadLesson(r io.Reader) (*Lesson, error) {
	l := &Lesson{}
	if err := json.NewDecoder(r).Decode(l); err != nil {
		return nil, fmt.Errorf("reading the lesson: %w", err)
	}
	if len(l.Projection) != len(l.Concepts) {
		return nil, fmt.Errorf("reading the lesson: %d projections for %d concepts", len(l.Projection), len(l.Concepts))
	}
	return l, nil
}

// ChunkingModes are the ways to cut a table that are compared, in print order.
var ChunkingModes = []string{"row", "block", "row + header", "visual", "visual + description"}

// ChunkingResult is what one way to cut tables comes to.
type ChunkingResult struct {
	Mode          string  `json:"mode"`
	Recall        float64 `json:"recall"`     // questions with the right subject among the chunks retrieved
	Answerable    float64 `json:"answerable"` // … in a chunk that also holds a row
	Chunks        int     `json:"chunks"`
	StoredTokens  int     `json:"stored_tokens"`
	RequestTokens float64 `json:"request_tokens"` // mean tokens of the chunks retrieved for one question
}

// lessonChunks cuts one table.
func lessonChunks(mode, head string, rows []string) []string {
	switch mode {
	case "row":
		return rows
	case "block":
		return []string{head + " ; " + strings.Join(rows, " ; ")}
	case "row + header":
		var out []string
		for _, r := range rows {
			out = append(out, head+" ; "+r)
		}
		return out
	case "visual":
		return []string{""}
	}
	return []string{head}
}

// embed is the experiment's own embedding: which concepts the text names,
// projected, at length one.
func (l *Lesson) embed(text string) []float64 {
	text = " " + strings.ToLower(text)
	v := make([]float64, l.Dim)
	for i, c := range l.Concepts {
		n := 0.0
		for _, form := range []string{c.Document, c.Query} {
			if strings.Contains(text, form) {
				n++
			}
		}
		for j := range v {
			v[j] += n * l.Projection[i][j]
		}
	}
	norm := 0.0
	for _, x := range v {
		norm += x * x
	}
	if norm > 0 {
		for j := range v {
			v[j] /= math.Sqrt(norm)
		}
	}
	return v
}

// lessonTokens counts tokens as the experiment does: runs of five characters of
// each word, commas on their own.
func lessonTokens(text string) int {
	n := 0
	for _, w := range strings.Fields(strings.ReplaceAll(strings.ToLower(text), ",", " , ")) {
		n += (len([]rune(w)) + 4) / 5
	}
	return n
}

// Run measures every way to cut the tables.
func (l *Lesson) Run() []ChunkingResult {
	var out []ChunkingResult
	for _, mode := range ChunkingModes {
		out = append(out, l.run(mode))
	}
	return out
}

func (l *Lesson) run(mode string) ChunkingResult {
	const topK = 3
	res := ChunkingResult{Mode: mode}
	var texts []string
	var vectors [][]float64
	for _, t := range l.Tables {
		for _, c := range lessonChunks(mode, t.Head, t.Rows) {
			texts, vectors = append(texts, c), append(vectors, l.embed(c))
			res.StoredTokens += lessonTokens(c)
		}
	}
	res.Chunks = len(texts)
	forms := map[string]string{}
	for _, c := range l.Concepts {
		forms[c.Key] = c.Document
	}
	found, answered, tokens := 0, 0, 0
	for _, q := range l.Queries {
		recalled, answerable := false, false
		for _, i := range nearestTo(l.embed(q.Text), vectors, topK) {
			tokens += lessonTokens(texts[i])
			has := strings.Contains(strings.ToLower(texts[i]), forms[q.Concept])
			recalled = recalled || has
			answerable = answerable || has && strings.Contains(texts[i], " | ")
		}
		if recalled {
			found++
		}
		if answerable {
			answered++
		}
	}
	n := float64(len(l.Queries))
	res.Recall, res.Answerable, res.RequestTokens = float64(found)/n, float64(answered)/n, float64(tokens)/n
	return res
}

// nearestTo returns the k vectors of highest similarity; ties keep their order.
func nearestTo(q []float64, vectors [][]float64, k int) []int {
	order := make([]int, len(vectors))
	sims := make([]float64, len(vectors))
	for i, v := range vectors {
		order[i] = i
		for j := range v {
			sims[i] += v[j] * q[j]
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case sims[a] > sims[b]:
			return -1
		case sims[a] < sims[b]:
			return 1
		}
		return 0
	})
	return order[:min(k, len(order))]
}

// PrintChunking writes the results as the table that was published.
func PrintChunking(w io.Writer, results []ChunkingResult) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "mode\trecall\tanswerable\tchunks\tstored tokens\ttokens per request")
	for _, r := range results {
		fmt.Fprintf(tw, "%s\t%.4f\t%.4f\t%d\t%d\t%.1f\n", r.Mode, r.Recall, r.Answerable, r.Chunks, r.StoredTokens, r.RequestTokens)
	}
	return tw.Flush()
}
