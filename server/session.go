package server

import (
	"crypto/rand"
	"encoding/base64"
	"net/http"
	"sync"
	"time"

	"github.com/labstack/echo/v4"
)

const (
	sessionCookie = "allrows_session"
	sessionTime   = 12 * time.Hour
	maxSessions   = 10_000
)

// sessions are the page's log-ins: they live in memory, so that a restart ends
// them, and each request asks the keys again, so that a revocation does too.
type sessions struct {
	now  func() time.Time
	mu   sync.Mutex
	open map[string]session
}

type session struct {
	secret string
	ends   time.Time
}

func newSessions(now func() time.Time) *sessions {
	return &sessions{now: now, open: map[string]session{}}
}

// start opens a session for a key and returns its cookie.
func (s *sessions) start(secret string, secure bool) *http.Cookie {
	raw := make([]byte, 32)
	rand.Read(raw) // never fails
	id := base64.RawURLEncoding.EncodeToString(raw)
	s.mu.Lock()
	defer s.mu.Unlock()
	for k, v := range s.open {
		if v.ends.Before(s.now()) || len(s.open) >= maxSessions {
			delete(s.open, k)
		}
	}
	s.open[id] = session{secret, s.now().Add(sessionTime)}
	return &http.Cookie{Name: sessionCookie, Value: id, Path: "/", HttpOnly: true, Secure: secure,
		SameSite: http.SameSiteStrictMode, MaxAge: int(sessionTime.Seconds())}
}

func (s *sessions) secret(id string) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.open[id]
	if !ok || v.ends.Before(s.now()) {
		return "", false
	}
	return v.secret, true
}

// end closes a session and returns the cookie that makes the browser forget it.
func (s *sessions) end(c echo.Context) *http.Cookie {
	if cookie, err := c.Cookie(sessionCookie); err == nil {
		s.mu.Lock()
		delete(s.open, cookie.Value)
		s.mu.Unlock()
	}
	return &http.Cookie{Name: sessionCookie, Path: "/", MaxAge: -1, HttpOnly: true, SameSite: http.SameSiteStrictMode}
}
