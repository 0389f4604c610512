package server

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/labstack/echo/v4"
)

// readiness keeps the last verdict for a moment, so that asking often costs little.
type readiness struct {
	mu   sync.Mutex
	at   time.Time
	last error
}

const (
	readyKept = 500 * time.Millisecond
	readyTime = 400 * time.Millisecond
)

// getReady says whether questions can be answered. Which check fails is for the
// log: the answer names none.
func (s *Server) getReady(c echo.Context) error {
	if s.draining.Load() {
		return c.JSON(http.StatusServiceUnavailable, map[string]string{"status": "stopping"})
	}
	if err := s.isReady(c.Request().Context()); err != nil {
		return c.JSON(http.StatusServiceUnavailable, map[string]string{"status": "not ready"})
	}
	return c.JSON(http.StatusOK, map[string]string{"status": "ready"})
}

func (s *Server) isReady(ctx context.Context) error {
	s.ready.mu.Lock()
	defer s.ready.mu.Unlock()
	if !s.ready.at.IsZero() && s.cfg.Now().Sub(s.ready.at) < readyKept {
		return s.ready.last
	}
	ctx, cancel := context.WithTimeout(ctx, readyTime)
	defer cancel()
	err := s.checkReady(ctx)
	if (err == nil) != (s.ready.last == nil) || s.ready.at.IsZero() && err != nil {
		s.log.Warn("readiness changed", "ready", err == nil, "error", err)
	}
	s.ready.at, s.ready.last = s.cfg.Now(), err
	return err
}

func (s *Server) checkReady(ctx context.Context) error {
	books, err := s.cfg.Front.Store.Workbooks()
	if err != nil {
		return err
	}
	if len(books) == 0 {
		return errNoWorkbook
	}
	if s.cfg.Ready != nil {
		return s.cfg.Ready(ctx)
	}
	return nil
}
