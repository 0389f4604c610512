package semparse

import (
	"context"
	"slices"

	"github.com/allrows/allrows/agent/link"
	"github.com/allrows/allrows/agent/plan"
)

// maxRuns bounds the candidates that are run to rank one question.
const maxRuns = 6

// maxRefused bounds the plans that may be refused before the question is declined.
const maxRefused = 3

// Next proposes one step: an answer's call, a question back, or a decline. After
// its call came back it has nothing to add; after one that was refused it
// proposes its next reading.
func (p *Planner) Next(ctx context.Context, q *link.Question, turn plan.Turn) (plan.Step, error) {
	refused := map[string]bool{}
	for _, ob := range turn.Observations {
		if ob.Refusal == "" {
			return plan.Step{}, nil
		}
		if ob.Call == nil || ob.Call.Plan == nil || len(turn.Observations) > maxRefused {
			return plan.Step{Decline: &plan.Reason{Code: "unsupported"}}, nil
		}
		refused[ob.Call.Plan.Key()] = true
	}
	a, err := p.prepare(q)
	if err != nil {
		return plan.Step{}, err
	}
	if step := p.talk(a, turn); step != nil {
		return *step, nil
	}
	if follow := p.follow(a, turn); follow != nil && !refused[follow.Key()] {
		return step(follow, sureFollow), nil
	}
	r, err := p.read(ctx, a, turn, refused)
	if err != nil {
		return plan.Step{}, err
	}
	return p.decide(a, r, turn), nil
}

// readings are the ranked candidates of one question, the best of them run.
type readings struct {
	cands []*cand
	sure  float64 // calibrated probability that the first is what was asked
}

// read ranks the candidates. The best are run, as far as the turn allows, and
// ranked again by what their results show.
func (p *Planner) read(ctx context.Context, a *asked, turn plan.Turn, refused map[string]bool) (*readings, error) {
	cands := a.propose()
	x := newExtractor(a, p.model.index)
	for _, c := range cands {
		x.extract(c)
		c.plan, c.left = a.v.build(c), len(a.unused(c))
	}
	cands = slices.DeleteFunc(cands, func(c *cand) bool { return c.plan == nil || refused[c.plan.Key()] })
	cands = a.asSaid(cands)
	r := &readings{cands: cands}
	if len(cands) == 0 {
		return r, nil
	}
	p.model.rank(cands)
	if turn.Run != nil {
		if err := p.try(ctx, cands, turn); err != nil {
			return nil, err
		}
	}
	if !turn.Best {
		whole(cands)
	}
	r.sure = p.model.sure(a.facts(cands))
	return r, nil
}

// try runs candidates from the best down until the best one has been run, and its
// rival as well where it is close.
func (p *Planner) try(ctx context.Context, cands []*cand, turn plan.Turn) error {
	for range maxRuns {
		next := slices.IndexFunc(cands, func(c *cand) bool { return !c.ran })
		if next < 0 || next > 1 || next == 1 && cands[1].prob < 0.05 {
			return nil
		}
		c := cands[next]
		ob, err := turn.Run(ctx, c.plan)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		c.observe(ob, err)
		for name, v := range ResultFeatures(c.rows, c.err) {
			if id := p.model.index.ID(name); id >= 0 {
				c.feats = append(c.feats, feat{id, v})
			}
		}
		p.model.rank(cands)
	}
	return nil
}

// whole puts a likely reading that uses every word before one that does not.
func whole(cands []*cand) {
	if cands[0].left == 0 {
		return
	}
	for i, c := range cands {
		if c.prob < 0.1*cands[0].prob {
			return
		}
		if c.left == 0 {
			copy(cands[1:i+1], cands[:i])
			cands[0] = c
			return
		}
	}
}

// observe keeps what running a candidate gave.
func (c *cand) observe(ob *plan.Observation, err error) {
	c.ran, c.err = true, err
	switch {
	case err != nil:
	case ob == nil || ob.Refusal != "":
		c.err = errRefused
	default:
		c.rows, c.result = ob.Rows, resultKey(ob.Rows)
	}
}

// decide turns the readings into a step: the best where it is sure enough, else a
// question back or a decline that names the words in the way.
func (p *Planner) decide(a *asked, r *readings, turn plan.Turn) plan.Step {
	if len(r.cands) == 0 {
		return decline(a.unread())
	}
	best := r.cands[0]
	s := step(best.plan, r.sure)
	if turn.Best {
		return s
	}
	if words := a.unexplained(best); len(words) > 0 {
		return decline(&plan.Reason{Code: "unknown_word", Words: words})
	}
	if r.sure >= p.threshold {
		return s
	}
	if rival := r.rival(); rival != nil {
		return plan.Step{Confidence: r.sure, Clarify: []plan.Choice{p.choice(a, best), p.choice(a, rival)}}
	}
	return decline(a.unread())
}

// rival returns another reading with another result that is nearly as likely.
func (r *readings) rival() *cand {
	best := r.cands[0]
	for _, c := range r.cands[1:min(len(r.cands), maxRuns)] {
		if c.prob < 0.4*best.prob {
			return nil
		}
		if best.left == 0 && c.left > 0 {
			continue
		}
		if c.err == nil && (c.result == "" || c.result != best.result) && !best.within(c) {
			return c
		}
	}
	return nil
}

// choice offers a reading to the asker.
func (p *Planner) choice(a *asked, c *cand) plan.Choice {
	reading := c.plan.Reading(a.q.Schema, a.q.Language)
	return plan.Choice{Reading: reading, Ask: reading, Route: step(c.plan, 1).Route, Plan: c.plan}
}

// unexplained returns the words that mean nothing here, and which the reading
// would therefore ignore.
func (a *asked) unexplained(c *cand) []string {
	var out []string
	for i, t := range a.q.Tokens {
		if slices.Contains(a.q.Unknown, t.Text) && !a.compound(i, c) {
			out = append(out, t.Text)
		}
	}
	return out
}

// compound reports whether a word is part of a term of the language ("volume
// discount") whose last word the reading uses.
func (a *asked) compound(i int, c *cand) bool {
	return slices.ContainsFunc(a.ops, func(k link.Link) bool {
		return k.Op == "op.compound" && k.First <= i && i < k.Last && c.used.has(k.Last)
	})
}

// unread says why no reading was found.
func (a *asked) unread() *plan.Reason {
	if len(a.q.Unknown) > 0 {
		return &plan.Reason{Code: "unknown_word", Words: a.q.Unknown}
	}
	return &plan.Reason{Code: "ambiguous"}
}

func decline(r *plan.Reason) plan.Step { return plan.Step{Decline: r} }

// step calls a plan: plain cells of named rows are looked up, all else is computed.
func step(p *plan.Plan, sure float64) plan.Step {
	s := plan.Step{Route: plan.Aggregate, Confidence: sure, Call: &plan.Call{Tool: "run_sql", Plan: p}}
	if p.Combine == nil && !p.Aggregates() && len(p.GroupBy) == 0 && len(p.Order) == 0 && p.Limit == 0 && !p.Distinct {
		s.Route, s.Call.Tool = plan.Lookup, "lookup"
	}
	return s
}
