package main

import (
	"fmt"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/allrows/allrows/ingest"
	"github.com/allrows/allrows/web"
)

// progress shows a load on stderr: a bar with rows per second on a terminal,
// plain lines at most every few seconds elsewhere.
type progress struct {
	a     *app
	file  string
	start time.Time
	said  time.Time
	phase string
	bar   *progressbar.ProgressBar
}

const (
	plainEvery = 5 * time.Second
	barAfter   = 400 * time.Millisecond
)

func newProgress(a *app, file string) *progress {
	return &progress{a: a, file: clean(file), start: a.now(), said: a.now()}
}

func (p *progress) show(s ingest.Progress) {
	if !isTerminal(p.a.stderr) {
		p.plain(s)
		return
	}
	if p.a.now().Sub(p.start) < barAfter {
		return // it may be done before anyone could read
	}
	if s.Phase != p.phase || p.bar == nil {
		p.end()
		p.phase = s.Phase
		total := s.Total
		if total <= 0 {
			total = -1
		}
		p.bar = progressbar.NewOptions64(total,
			progressbar.OptionSetWriter(p.a.stderr),
			progressbar.OptionSetDescription(fmt.Sprintf("%s: %s", p.file, s.Phase)),
			progressbar.OptionSetWidth(24),
			progressbar.OptionThrottle(65*time.Millisecond),
			progressbar.OptionSetSpinnerChangeInterval(0), // no painting behind our back
			progressbar.OptionShowIts(),
			progressbar.OptionShowCount(),
			progressbar.OptionSetItsString("rows"),
			progressbar.OptionClearOnFinish(),
			progressbar.OptionSetTheme(progressbar.Theme{Saucer: "━", SaucerHead: "━", SaucerPadding: " ", BarStart: " ", BarEnd: " "}))
	}
	if err := p.bar.Set64(s.Done); err != nil {
		p.a.log.Debug("drawing progress", "error", err)
	}
}

func (p *progress) plain(s ingest.Progress) {
	now := p.a.now()
	if now.Sub(p.said) < plainEvery {
		return
	}
	p.said = now
	if s.Phase != p.phase {
		p.phase, p.start = s.Phase, now
	}
	rate := float64(s.Done) / max(now.Sub(p.start).Seconds(), 0.001)
	fmt.Fprintf(p.a.stderr, "%s: %s, %s, %s rows/s\n", p.file, s.Phase, web.Plural(s.Done, "row"), web.Count(int64(rate)))
}

// end removes the bar.
func (p *progress) end() {
	if p.bar == nil {
		return
	}
	if err := p.bar.Clear(); err != nil {
		p.a.log.Debug("clearing progress", "error", err)
	}
	p.bar = nil
}
