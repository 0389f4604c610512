package sqltool

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
)

// pool hands out worker processes, each to one request at a time. Where it has
// more than one, no holder gets the last: whoever asks for much leaves a worker
// for the others.
type pool struct {
	start  func() (*process, error)
	size   int
	share  int // workers that one holder may have at a time
	logger *slog.Logger

	mu      sync.Mutex
	idle    []*process
	live    int // idle, handed out or being started
	held    map[string]int
	waiting []*waiter
	closed  bool
	tasks   int        // goroutines of the pool
	quiet   *sync.Cond // a task or a worker ended
	stats   Stats
}

// Stats counts what the worker processes of a [Runner] did since it began.
type Stats struct {
	Workers  int // processes now
	Busy     int // of them, at work
	Waiting  int // requests that wait for one
	Requests int64
	Killed   int64 // at their deadline, or when their caller left
	Crashed  int64 // ended by themselves during a request
	Alarms   int64 // plans that read more than the guard saw, or texts of another tree
}

var errClosed = errors.New("sqltool: the runner is closed")

// waiter is a request that waits for a worker. It gets one, or an error.
type waiter struct {
	holder string
	ready  chan grant
}

type grant struct {
	p   *process
	err error
}

func newPool(size int, logger *slog.Logger, start func() (*process, error)) *pool {
	p := &pool{start: start, size: size, share: max(1, size-1), logger: logger, held: map[string]int{}}
	p.quiet = sync.NewCond(&p.mu)
	return p
}

// spawn runs a task that close waits for. The caller holds the lock.
func (p *pool) spawn(task func()) {
	p.tasks++
	go func() {
		task()
		p.mu.Lock()
		defer p.mu.Unlock()
		p.tasks--
		p.quiet.Broadcast()
	}()
}

// acquire waits for a worker, which the caller gives back by release.
func (p *pool) acquire(ctx context.Context, holder string) (*process, error) {
	w := &waiter{holder: holder, ready: make(chan grant, 1)}
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, errClosed
	}
	p.stats.Requests++
	p.waiting = append(p.waiting, w)
	p.dispatch()
	p.mu.Unlock()
	select {
	case g := <-w.ready:
		return g.p, g.err
	case <-ctx.Done():
		p.abandon(w)
		return nil, context.Cause(ctx)
	}
}

// abandon takes a waiter out of the line. A worker that it was given meanwhile
// goes back.
func (p *pool) abandon(w *waiter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range p.waiting {
		if p.waiting[i] == w {
			p.waiting = append(p.waiting[:i], p.waiting[i+1:]...)
			return
		}
	}
	p.spawn(func() {
		if g := <-w.ready; g.p != nil {
			p.release(g.p, w.holder)
		}
	})
}

// dispatch hands free workers to those who wait, the first come first, and starts
// workers where there are too few. The caller holds the lock.
func (p *pool) dispatch() {
	for i := 0; i < len(p.waiting); {
		w := p.waiting[i]
		for n := len(p.idle); n > 0 && !p.idle[n-1].alive(); n = len(p.idle) { // ended in its sleep
			p.idle, p.live = p.idle[:n-1], p.live-1
		}
		if p.held[w.holder] >= p.share || len(p.idle) == 0 && p.live >= p.size {
			i++
			continue
		}
		p.waiting = append(p.waiting[:i], p.waiting[i+1:]...)
		p.held[w.holder]++
		if n := len(p.idle); n > 0 {
			w.ready <- grant{p: p.idle[n-1]}
			p.idle = p.idle[:n-1]
			continue
		}
		p.live++
		p.spawn(func() { p.begin(w) })
	}
}

// begin starts a worker for a waiter, or a spare one where there is none.
func (p *pool) begin(w *waiter) {
	fresh, err := p.start()
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case err != nil:
		p.live--
		p.logger.Error("a worker did not start", "error", err)
		if w != nil {
			p.drop(w.holder)
			w.ready <- grant{err: fmt.Errorf("sqltool: %w", err)}
		}
	case p.closed:
		p.live--
		fresh.kill()
		if w != nil {
			p.drop(w.holder)
			w.ready <- grant{err: errClosed}
		}
	case w != nil:
		w.ready <- grant{p: fresh}
	default:
		p.idle = append(p.idle, fresh)
	}
	p.dispatch()
}

// release gives a worker back. One that ended is replaced at once, so that the
// next query does not pay for its start.
func (p *pool) release(w *process, holder string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.drop(holder)
	switch {
	case p.closed:
		p.end(w)
	case w.alive():
		p.idle = append(p.idle, w)
	default:
		p.spawn(func() { p.begin(nil) })
	}
	p.dispatch()
}

// drop takes one worker off a holder's account. The caller holds the lock.
func (p *pool) drop(holder string) {
	if p.held[holder]--; p.held[holder] <= 0 {
		delete(p.held, holder)
	}
}

// warm starts the workers that do not run yet, without waiting for them.
func (p *pool) warm() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for ; p.live < p.size && !p.closed; p.live++ {
		p.spawn(func() { p.begin(nil) })
	}
}

// count changes the statistics.
func (p *pool) count(change func(*Stats)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change(&p.stats)
}

func (p *pool) snapshot() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.stats
	s.Workers, s.Waiting = p.live, len(p.waiting)
	s.Busy = p.live - len(p.idle)
	return s
}

// end kills a worker that is not needed any more. The caller holds the lock.
func (p *pool) end(w *process) {
	p.spawn(func() {
		w.kill()
		p.mu.Lock()
		defer p.mu.Unlock()
		p.live--
	})
}

// close ends the workers: the idle ones at once, the others when their requests
// end, for which it waits.
func (p *pool) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for _, w := range p.waiting {
		w.ready <- grant{err: errClosed}
	}
	for _, w := range p.idle {
		p.end(w)
	}
	p.waiting, p.idle = nil, nil
	for p.live > 0 || p.tasks > 0 {
		p.quiet.Wait()
	}
}
