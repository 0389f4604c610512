package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
)

// Score counts the results of one kind. Shares are of 1, and NaN-free: 0 where
// there is nothing to share.
type Score struct {
	Kind      string  `json:"kind"`
	Cases     int     `json:"cases"`
	Best      int     `json:"best_right"`     // right with the threshold off
	Answered  int     `json:"answered"`       // at the threshold
	Right     int     `json:"answered_right"` // of those
	Failed    int     `json:"failed"`
	Accuracy  float64 `json:"accuracy"`
	Coverage  float64 `json:"coverage"`
	Precision float64 `json:"precision"`
	MedianMS  float64 `json:"median_ms"`
	P99MS     float64 `json:"p99_ms"`
}

// Summary is the scores of a run. All holds every question; its accuracy and
// coverage are over those that have an answer, its precision over all that were
// answered, so that answering an unanswerable one costs precision.
type Summary struct {
	All   Score   `json:"all"`
	Kinds []Score `json:"kinds"`
}

// Summarize scores results by kind, the most frequent kind first.
func Summarize(results []Result) Summary {
	byKind := map[string][]Result{}
	for _, r := range results {
		byKind[r.Kind] = append(byKind[r.Kind], r)
	}
	s := Summary{All: score("all", results)}
	for kind, list := range byKind {
		s.Kinds = append(s.Kinds, score(kind, list))
	}
	slices.SortFunc(s.Kinds, func(a, b Score) int {
		if a.Cases != b.Cases {
			return b.Cases - a.Cases
		}
		if a.Kind < b.Kind {
			return -1
		}
		return 1
	})
	return s
}

func score(kind string, results []Result) Score {
	s := Score{Kind: kind, Cases: len(results)}
	var times []float64
	answerable, covered := 0, 0
	for _, r := range results {
		if r.Error != "" {
			s.Failed++
		} else {
			times = append(times, r.ElapsedMS)
		}
		if r.Answered() {
			s.Answered++
			if r.Right {
				s.Right++
			}
		}
		if r.Kind == Unanswerable {
			continue
		}
		answerable++
		if r.Answered() {
			covered++
		}
		if r.Best.Right {
			s.Best++
		}
	}
	s.Accuracy, s.Coverage, s.Precision = share(s.Best, answerable), share(covered, answerable), share(s.Right, s.Answered)
	slices.Sort(times)
	s.MedianMS, s.P99MS = quantile(times, 0.5), quantile(times, 0.99)
	return s
}

func share(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// quantile is the smallest of the sorted values that q of them do not exceed.
func quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

// WriteTable prints the scores.
func (s Summary) WriteTable(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "kind\tcases\taccuracy\tcoverage\tprecision\tmedian ms\tp99 ms\t")
	failed := 0
	for _, k := range append(slices.Clone(s.Kinds), s.All) {
		if k.Kind == Unanswerable {
			continue
		}
		fmt.Fprintf(t, "%s\t%d\t%s\t%s\t%s\t%.1f\t%.1f\t\n", k.Kind, k.Cases, percent(k.Accuracy),
			percent(k.Coverage), percent(k.Precision), k.MedianMS, k.P99MS)
		failed = k.Failed
	}
	if err := t.Flush(); err != nil {
		return fmt.Errorf("printing the scores: %w", err)
	}
	for _, k := range s.Kinds {
		if k.Kind == Unanswerable {
			fmt.Fprintf(w, "unanswerable: %d of %d not answered (%s)\n",
				k.Cases-k.Answered, k.Cases, percent(share(k.Cases-k.Answered, k.Cases)))
		}
	}
	if failed > 0 {
		fmt.Fprintf(w, "failed with an error: %d, see \"error\" in --out\n", failed)
	}
	_, err := fmt.Fprintln(w, "accuracy: best plan, threshold off; coverage and precision: at the threshold")
	return err
}

func percent(f float64) string { return fmt.Sprintf("%.1f%%", 100*f) }

// WriteLine prints a result as one line of JSON.
func (r Result) WriteLine(w io.Writer) error {
	if err := json.NewEncoder(w).Encode(r); err != nil {
		return fmt.Errorf("writing the result of %s: %w", r.ID, err)
	}
	return nil
}
