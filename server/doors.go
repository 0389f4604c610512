package server

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net"
	"net/http"
	"net/url"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/allrows/allrows/access"
)

// Limits of what comes in. They are part of the API and documented there.
const (
	maxJSON     = 1 << 20
	maxUpload   = 100 << 20
	maxQuestion = 8 << 10
	maxSQL      = 16 << 10
	maxForm     = 64 << 10
	bodyIdle    = 10 * time.Second
	requestTime = 90 * time.Second
	uploadTime  = 10 * time.Minute
	writeTime   = 30 * time.Second
)

// csp lets a page load what this server serves and nothing else.
const csp = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

type ctxKey int

const principalKey ctxKey = iota

// principalOf returns who asks; set by the authenticate door.
func principalOf(c echo.Context) access.Principal {
	p, _ := c.Request().Context().Value(principalKey).(access.Principal)
	return p
}

// identify gives every request an id and every response the headers that
// browsers need to keep other pages out.
func (s *Server) identify(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		h := c.Response().Header()
		h.Set(echo.HeaderXRequestID, s.cfg.NewID())
		writeBy(c, requestTime+writeTime)
		h.Set("Content-Security-Policy", csp)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		if !strings.HasPrefix(c.Request().URL.Path, "/assets/") {
			h.Set("Cache-Control", "no-store")
		}
		return next(c)
	}
}

// record writes one line a request: who, what, how long. Never a question, a
// value, or a query string.
func (s *Server) record(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		start := s.cfg.Now()
		s.metrics.inFlight.Inc()
		defer s.metrics.inFlight.Dec()
		err := next(c)
		if err != nil {
			c.Error(err) // writes the response, so that its status is known
		}
		elapsed := s.cfg.Now().Sub(start)
		s.metrics.observe(c, elapsed)
		level := slog.LevelInfo
		switch path := c.Request().URL.Path; {
		case c.Response().Status >= 500:
			level = slog.LevelError
		case strings.HasPrefix(path, "/assets/"), path == "/livez", path == "/readyz":
			level = slog.LevelDebug
		}
		s.log.LogAttrs(c.Request().Context(), level, "request",
			slog.String("method", c.Request().Method), slog.String("route", c.Path()),
			slog.Int("status", c.Response().Status), slog.Int64("bytes", c.Response().Size),
			slog.Float64("duration_ms", float64(elapsed.Microseconds())/1000),
			slog.String("principal", principalOf(c).Name), slog.String("request_id", requestID(c)))
		return nil
	}
}

// recoverPanic turns a panic into a 500 that hides its text.
func (s *Server) recoverPanic(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) (err error) {
		defer func() {
			if p := recover(); p != nil {
				if p == http.ErrAbortHandler {
					panic(p)
				}
				s.log.Error("panic", "route", c.Path(), "request_id", requestID(c), "panic", fmt.Sprintf("%T", p), "stack", string(debug.Stack()))
				err = errPanic
			}
		}()
		return next(c)
	}
}

// guardHost refuses a Host that another name may have been rebound to. A DNS
// name can be pointed at this machine by anyone, an IP address cannot.
func (s *Server) guardHost(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if !s.knownHost(c.Request().Host) {
			return refuse("AR-REQ-421", http.StatusMisdirectedRequest, "the host name of the request is not served here",
				"a page of another site may have pointed its name at this machine",
				"use an IP address or localhost, or add the name to server.hosts")
		}
		return next(c)
	}
}

func (s *Server) knownHost(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	if net.ParseIP(host) != nil || host == "localhost" {
		return true
	}
	return slices.ContainsFunc(s.cfg.Hosts, func(h string) bool { return strings.EqualFold(h, host) })
}

// guardOrigin refuses what a browser sends on behalf of another site's page.
// Programs that are no browser send none of these headers.
func (s *Server) guardOrigin(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		safe := r.Method == http.MethodGet || r.Method == http.MethodHead
		// Following a link to the page is all that another site may do.
		link := safe && r.Header.Get("Sec-Fetch-Mode") == "navigate" && !strings.HasPrefix(r.URL.Path, "/v1/")
		if sameOrigin(r) || link {
			return next(c)
		}
		return refuse("AR-REQ-403", http.StatusForbidden, "requests from other sites' pages are refused",
			"the browser says that the request comes from another origin", "call the API from a program, or open Allrows' own page")
	}
}

func sameOrigin(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
	default:
		return false
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && strings.EqualFold(u.Host, r.Host)
}

// accept demands a media type, a size and a pace of what a door takes. A page
// of another site can post a form without asking; it cannot post JSON.
func (s *Server) accept(mediaType string, limit int64) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			r := c.Request()
			got, _, err := mime.ParseMediaType(r.Header.Get(echo.HeaderContentType))
			if err != nil || got != mediaType {
				return refuse("AR-REQ-415", http.StatusUnsupportedMediaType, "this door takes "+mediaType+" only",
					"", "send the header Content-Type: "+mediaType)
			}
			if r.ContentLength > limit {
				return tooLarge(limit)
			}
			body := http.MaxBytesReader(c.Response(), r.Body, limit)
			r.Body = &pacedBody{body, http.NewResponseController(c.Response().Writer), s.bodyIdle}
			return next(c)
		}
	}
}

// pacedBody ends a request whose body stands still.
type pacedBody struct {
	io.ReadCloser
	control *http.ResponseController
	idle    time.Duration
}

// Read gives each read its own deadline. Writers that know no deadlines, such
// as those of tests, are read without one.
func (b *pacedBody) Read(p []byte) (int, error) {
	_ = b.control.SetReadDeadline(time.Now().Add(b.idle))
	n, err := b.ReadCloser.Read(p)
	// Left in force, the deadline would end the request while it is answered.
	// After an error the connection is done for.
	if err == nil || err == io.EOF {
		_ = b.control.SetReadDeadline(time.Time{})
	}
	return n, err
}

// within bounds the whole of a request.
func within(d time.Duration) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			ctx, cancel := context.WithTimeout(c.Request().Context(), d)
			defer cancel()
			writeBy(c, d+writeTime)
			c.SetRequest(c.Request().WithContext(ctx))
			return next(c)
		}
	}
}

// writeBy bounds how long a reader may take; events have a bound of their own
// for each write. Writers of tests know no deadlines.
func writeBy(c echo.Context, d time.Duration) {
	_ = http.NewResponseController(c.Response().Writer).SetWriteDeadline(time.Now().Add(d))
}

// authenticate finds out who asks: by Bearer key, by the page's session, or,
// where there are no keys at all, anyone who reaches the loopback address.
func (s *Server) authenticate(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		p, err := s.who(c)
		if err != nil {
			return err
		}
		ctx := context.WithValue(c.Request().Context(), principalKey, p)
		c.SetRequest(c.Request().WithContext(ctx))
		return next(c)
	}
}

func (s *Server) who(c echo.Context) (access.Principal, error) {
	guarded, err := s.cfg.Keys.Any()
	if err != nil {
		return access.Principal{}, err
	}
	if !guarded && s.loopback.Load() {
		return access.Local, nil // whatever is sent: some clients cannot send nothing
	}
	if header := c.Request().Header.Get(echo.HeaderAuthorization); header != "" {
		scheme, secret, _ := strings.Cut(header, " ")
		if !strings.EqualFold(scheme, "Bearer") {
			return access.Principal{}, access.ErrKey
		}
		return s.cfg.Keys.Authenticate(strings.TrimSpace(secret))
	}
	if cookie, err := c.Cookie(sessionCookie); err == nil {
		if secret, ok := s.sessions.secret(cookie.Value); ok {
			return s.cfg.Keys.Authenticate(secret)
		}
	}
	return access.Principal{}, access.ErrKey
}

func requestID(c echo.Context) string { return c.Response().Header().Get(echo.HeaderXRequestID) }
