package train

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"slices"

	"github.com/allrows/allrows/agent/link"
	"github.com/allrows/allrows/agent/semparse"
)

// Config are the settings of one training.
type Config struct {
	Sets  []string  // unpacked folders of development questions
	Each  int       // questions taken of each set; 0 is all
	Out   io.Writer // the weights file
	Print io.Writer // what was measured
}

// Part of the questions: what they are used for. Questions about one database
// are all in one part.
type part int

const (
	toRank part = iota
	toCalibrate
	toTest
)

// Run trains the ranker on one part of the questions, its calibration on a
// second, and measures both on a third. Its result depends on its input alone.
func Run(ctx context.Context, cfg Config) error {
	lk, err := link.New()
	if err != nil {
		return err
	}
	pl, err := semparse.New(semparse.Config{})
	if err != nil {
		return err
	}
	b := &Builder{Planner: pl, Linker: lk, Index: semparse.NewIndex(), Cache: NewCache()}
	parts := map[part][]*Example{}
	for _, dir := range cfg.Sets {
		cases, err := Load(dir)
		if err != nil {
			return err
		}
		use, left := sample(cases, cfg.Each), 0
		for _, ex := range b.Build(ctx, append(use, b.synthetic(ctx, use)...), nil) {
			if ex.Case.AnswerType == "unanswerable" {
				ex.Right = 0
			}
			if ex.Err != nil {
				left++
				continue
			}
			p := partOf(ex.Case)
			if p == toCalibrate && ex.Case.Set == "synthetic" && hash(ex.Case.ID)%4 > 0 {
				continue // the planner is as sure as people's own questions let it be
			}
			parts[p] = append(parts[p], ex)
		}
		fmt.Fprintf(cfg.Print, "%s: %d questions, %d left out for the size of their tables\n", dir, len(use), left)
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("train: stopped before the weights were fitted: %w", err)
	}
	weights := Fit(parts[toRank], b.Index, FitConfig{})
	dense := Dense(weights, b.Index)
	calibrate := Calibrate(parts[toCalibrate], dense)
	report(cfg.Print, parts[toTest], dense, calibrate)
	enc := json.NewEncoder(cfg.Out)
	enc.SetIndent("", " ")
	return enc.Encode(semparse.Model{Note: "trained by gateway train", Weights: weights, Calibrate: calibrate})
}

// synthetic makes questions over the single tables of the cases.
func (b *Builder) synthetic(ctx context.Context, cases []*Case) []*Case {
	var out []*Case
	seen := map[string]bool{}
	for _, c := range cases {
		if seen[c.Group()] {
			continue
		}
		seen[c.Group()] = true
		if db, err := b.Cache.Get(ctx, c); err == nil {
			out = append(out, Synthesize(c, db, 2)...)
		}
	}
	return out
}

// sample takes about n questions, always the same, in the order of their tables.
func sample(cases []*Case, n int) []*Case {
	var out []*Case
	for _, c := range cases {
		if n == 0 || int(hash(c.ID)%uint32(len(cases))) < n {
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b *Case) int {
		if a.Group() < b.Group() {
			return -1
		}
		if a.Group() > b.Group() {
			return 1
		}
		return 0
	})
	return out
}

func hash(s string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(s))
	return h.Sum32() >> 3
}

func partOf(c *Case) part {
	switch h := hash(c.Group()) % 20; {
	case h < 13:
		return toRank
	case h < 17:
		return toCalibrate
	}
	return toTest
}

func report(w io.Writer, test []*Example, dense []float64, calibrate map[string]float64) {
	bySet := map[string][]*Example{}
	var sets []string
	for _, ex := range test {
		name := ex.Case.Set
		if name == "spider.train" {
			name += map[bool]string{true: " one table", false: " joins"}[ex.Case.Meta.SingleTable]
		}
		if bySet[name] == nil {
			sets = append(sets, name)
		}
		bySet[name] = append(bySet[name], ex)
	}
	for _, name := range sets {
		Print(w, name, Measure(bySet[name], dense))
		for _, th := range []float64{0.3, 0.5, 0.6, 0.7, 0.8, 0.9} {
			all := Trade{}
			for _, t := range Trades(bySet[name], dense, calibrate, th) {
				all.Questions, all.Answered, all.Right = all.Questions+t.Questions, all.Answered+t.Answered, all.Right+t.Right
			}
			fmt.Fprintf(w, "  threshold %.1f  answered %5.1f%%  precision %5.1f%%\n", th,
				100*float64(all.Answered)/float64(max(1, all.Questions)), 100*float64(all.Right)/float64(max(1, all.Answered)))
		}
	}
}
