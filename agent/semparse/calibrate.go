package semparse

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
)

// errRefused is a candidate that the guard or the engine would not run.
var errRefused = errors.New("semparse: the candidate was refused")

// Facts are what decides how sure an answer is: the share of the best reading and
// of its rival, the words left over, the look of the result.
type Facts struct {
	Shape   string
	Share   float64 // of the probability, of all readings with the best one's result
	Rival   float64 // of the likeliest reading with another result
	Unused  int     // content words that the reading leaves unexplained
	Unknown int     // of them, those that mean nothing here
	Words   int     // content words in all
	Result  map[string]float64
	Tables  int // tables that the schema has
	Joined  int // tables of the reading beside its first
	Floats  int // columns of the reading that no word names
	Partly  int // columns that words name in part, or alike
	Loose   int // conditions on cells that words name in part, or alike
	Conds   int
}

// Named returns the facts by name, for the calibration's weights.
func (f Facts) Named() map[string]float64 {
	logit := func(p float64) float64 { return math.Log(max(p, 1e-4) / max(1-p, 1e-4)) }
	m := map[string]float64{
		"bias":         1,
		"share":        f.Share,
		"share logit":  logit(f.Share) / 4,
		"rival":        f.Rival,
		"unused share": float64(f.Unused) / float64(max(1, f.Words)),
	}
	flag := func(name string, on bool) {
		if on {
			m[name] = 1
		}
	}
	flag("unused one", f.Unused == 1)
	flag("unused more", f.Unused > 1)
	flag("unknown one", f.Unknown == 1)
	flag("unknown more", f.Unknown > 1)
	flag("many tables", f.Tables > 1)
	flag("joins", f.Joined > 0)
	flag("joins more", f.Joined > 1)
	flag("floats", f.Floats > 0)
	flag("floats more", f.Floats > 1)
	flag("named partly", f.Partly > 0)
	flag("cells loose", f.Loose > 0)
	flag("no conditions", f.Conds == 0)
	if f.Tables > 1 {
		m["share of many tables"] = f.Share
		flag("floats of many tables", f.Floats > 0)
		flag("named partly of many tables", f.Partly > 0)
		flag("unused of many tables", f.Unused > 0)
	}
	shape, _, _ := strings.Cut(f.Shape, "_")
	m["shape "+shape] = 1
	for k, v := range f.Result {
		if k == "result empty" && f.Unused == 0 {
			continue // every word is used: that no row matches is an answer
		}
		m[k] = v
		m[k+" "+shape] = v
	}
	return m
}

// leftOver are the facts that a reading shows by itself.
func (a *asked) leftOver(c *cand) Facts {
	f := Facts{Shape: c.shape, Words: a.content.count(), Tables: len(a.v.tables), Unused: len(a.unused(c)), Unknown: len(a.unexplained(c)), Conds: len(c.atoms())}
	tables := map[int]bool{c.base: true}
	for _, i := range c.columns() {
		tables[a.v.cols[i].table] = true
	}
	f.Joined = len(tables) - 1
	for _, it := range c.asks() {
		switch {
		case it.m.span.empty():
			f.Floats++
		case it.m.how != "name" && it.m.how != "synonym" && !a.namesRows(it):
			f.Partly++
		}
	}
	for _, at := range c.atoms() {
		if at.kind == "value" && at.score < 0.9 {
			f.Loose++
		}
	}
	return f
}

// namesRows reports whether the words name the rows of a table by its own name,
// and the column is what the rows are called: "cities" for city_name.
func (a *asked) namesRows(it item) bool {
	t := a.v.cols[it.col].table
	return a.v.label(t) == it.col && slices.ContainsFunc(a.tables, func(m mention) bool { return m.col == t && m.how == "name" && m.span == it.m.span })
}

// asks returns the columns that the reading shows, computes or orders by.
func (c *cand) asks() []item {
	var out []item
	for _, it := range c.items {
		if !it.context && it.col >= 0 {
			out = append(out, it)
		}
	}
	if o := c.order; o != nil && o.col >= 0 && o.m.how != "dim" &&
		!slices.ContainsFunc(c.items, func(it item) bool { return it.col == o.col && !it.m.span.empty() }) {
		out = append(out, o.item)
	}
	return out
}

// facts are the facts of ranked candidates.
func (a *asked) facts(cands []*cand) Facts {
	best := cands[0]
	f := a.leftOver(best)
	if best.ran {
		f.Result = ResultFeatures(best.rows, best.err)
	}
	all := 0.0
	for _, c := range cands {
		if f.Unused == 0 && c.left > 0 {
			continue // a reading that passes words over is no rival of one that does not
		}
		all += c.prob
		if c == best || c.result != "" && c.result == best.result || best.within(c) {
			f.Share += c.prob
		} else if f.Rival == 0 {
			f.Rival = c.prob
		}
	}
	f.Share, f.Rival = f.Share/all, f.Rival/all
	return f
}

// within reports whether another reading only shows more of the same rows.
func (c *cand) within(o *cand) bool {
	if c.shape != "list" || o.shape != "list" || c.base != o.base || len(c.conds) == 0 || len(c.conds) != len(o.conds) || len(o.items) <= len(c.items) {
		return false
	}
	for i := range c.conds {
		if c.conds[i] != o.conds[i] {
			return false
		}
	}
	return !slices.ContainsFunc(c.items, func(a item) bool {
		return !slices.ContainsFunc(o.items, func(b item) bool { return a.col == b.col })
	})
}

// sure is the probability that the best reading is what was asked.
func (m *Model) sure(f Facts) float64 {
	z := 0.0
	for name, v := range f.Named() {
		z += m.Calibrate[name] * v
	}
	return 1 / (1 + math.Exp(-z))
}

// resultKey tells results apart: two readings of one result are one answer.
func resultKey(rows [][]any) string {
	b, err := json.Marshal(rows)
	if err != nil {
		return ""
	}
	return string(b)
}
