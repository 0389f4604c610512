package server

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/labstack/echo/v4"
)

const (
	onceHeader = "Idempotency-Key"
	onceKept   = 24 * time.Hour
	onceLength = 200 // bytes of a key
)

// once makes a request that carries an Idempotency-Key happen once: who sends
// it again within a day, to this server or after its restart, gets the first
// response. The same key with another request is refused.
func (s *Server) once(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		key := c.Request().Header.Get(onceHeader)
		switch {
		case key == "":
			return next(c)
		case len(key) > onceLength:
			return badRequest(fmt.Sprintf("%s has %d bytes, the limit is %d", onceHeader, len(key), onceLength), "")
		case strings.Contains(c.Request().Header.Get(echo.HeaderAccept), "text/event-stream"):
			return badRequest(onceHeader+" does not go with an event stream", "a stream cannot be sent twice the same")
		}
		body, err := io.ReadAll(c.Request().Body)
		if err != nil {
			return formError(err)
		}
		c.Request().Body = io.NopCloser(bytes.NewReader(body))
		id := digest("once-", principalOf(c).Name, key)
		defer s.turns.take(id)()
		return s.first(c, next, id, digest("", c.Request().Method, c.Request().URL.Path, string(body)))
	}
}

// kept is a response as the journal remembers it.
type kept struct {
	Request string    `json:"request"` // digest of the request
	Status  int       `json:"status"`
	Type    string    `json:"type"`
	Body    []byte    `json:"body"`
	At      time.Time `json:"at"`
}

// first answers from the journal, or answers and notes the response there.
func (s *Server) first(c echo.Context, next echo.HandlerFunc, id, request string) error {
	if k, ok := s.recall(id); ok {
		if k.Request != request {
			return refuse("AR-REQ-422", http.StatusUnprocessableEntity, "this "+onceHeader+" was sent before with another request", "", "use a new key for a new request")
		}
		c.Response().Header().Set("Idempotency-Replayed", "true")
		return c.Blob(k.Status, k.Type, k.Body)
	}
	w := &recorder{ResponseWriter: c.Response().Writer}
	c.Response().Writer = w
	if err := next(c); err != nil {
		c.Error(err)
	}
	status := c.Response().Status
	if status >= http.StatusInternalServerError || status == http.StatusRequestTimeout || status == http.StatusTooManyRequests || status == 499 {
		return nil // may well work the next time
	}
	k := kept{request, status, c.Response().Header().Get(echo.HeaderContentType), w.body.Bytes(), s.cfg.Now()}
	if err := s.cfg.Memory.Append("once", principalOf(c).Name, id, k); err != nil {
		s.log.Warn("noting a response: the same request will run again", "request_id", requestID(c), "error", err)
	}
	return nil
}

func (s *Server) recall(id string) (kept, bool) {
	var k kept
	r, err := s.cfg.Memory.Find(id)
	if err != nil || r.Decode(&k) != nil || s.cfg.Now().Sub(k.At) > onceKept {
		return k, false
	}
	return k, true
}

// digest is a hash of parts whose borders count.
func digest(prefix string, parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return prefix + hex.EncodeToString(h.Sum(nil)[:16])
}

// recorder keeps what it passes on.
type recorder struct {
	http.ResponseWriter
	body bytes.Buffer
}

// Write passes bytes on and keeps them.
func (r *recorder) Write(p []byte) (int, error) {
	r.body.Write(p)
	return r.ResponseWriter.Write(p)
}

// Unwrap lets controllers of the response reach the writer below.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// turns lets one holder of an id go at a time.
type turns struct {
	mu   sync.Mutex
	held map[string]*turn
}

type turn struct {
	mu      sync.Mutex
	waiting int
}

// take waits for the id's turn and returns what ends it.
func (t *turns) take(id string) (done func()) {
	t.mu.Lock()
	if t.held == nil {
		t.held = map[string]*turn{}
	}
	x := t.held[id]
	if x == nil {
		x = &turn{}
		t.held[id] = x
	}
	x.waiting++
	t.mu.Unlock()
	x.mu.Lock()
	return func() {
		x.mu.Unlock()
		t.mu.Lock()
		defer t.mu.Unlock()
		if x.waiting--; x.waiting == 0 {
			delete(t.held, id)
		}
	}
}
