// Package server is the gateway over HTTP: the REST API, its event stream, the
// page, and the doors that every request passes.
//
// A [Server] decodes, calls a [Front], encodes, and nothing else. No web page of
// another site can drive it: every door checks Host and Origin and demands the
// content type that only a program, or its own page, can send. Without API keys
// it serves the loopback address only.
package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/allrows/allrows/access"
	"github.com/allrows/allrows/web"
)

// Config configures a [Server]. Front, Keys, Memory, Uploads and NewID are required.
type Config struct {
	Front    *Front
	Keys     *access.Keys
	Memory   Memory                          // of chats
	Ready    func(ctx context.Context) error // what readiness asks beside the store; nil is nothing
	Version  string
	Hosts    []string      // host names that are served, beside IP addresses and localhost
	Uploads  string        // folder of uploads under way
	Announce time.Duration // how long a stopping server says "not ready" before it stops listening
	Grace    time.Duration // what requests in flight get at shutdown; default 30s
	NewID    func() string // request ids
	Now      func() time.Time
	Logger   *slog.Logger
}

// Server serves HTTP.
type Server struct {
	cfg      Config
	log      *slog.Logger
	pages    *web.Pages
	echo     *echo.Echo
	sessions *sessions
	chats    chats
	turns    turns
	mcp      http.Handler
	metrics  *metrics
	ready    readiness
	bodyIdle time.Duration
	draining atomic.Bool
	loopback atomic.Bool // whether the listener can be reached from this machine only
}

// New builds the routes.
func New(cfg Config) (*Server, error) {
	if err := cfg.Front.check(); err != nil {
		return nil, err
	}
	if cfg.Keys == nil || cfg.Memory == nil || cfg.NewID == nil || cfg.Uploads == "" {
		return nil, errors.New("server: Config lacks Keys, Memory, NewID or Uploads")
	}
	if cfg.Grace == 0 {
		cfg.Grace = 30 * time.Second
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	pages, err := web.New()
	if err != nil {
		return nil, err
	}
	s := &Server{cfg: cfg, log: cfg.Logger, pages: pages, echo: echo.New(), sessions: newSessions(cfg.Now), chats: chats{cfg.Memory}, bodyIdle: bodyIdle}
	s.loopback.Store(true)
	s.echo.HideBanner, s.echo.HidePort = true, true
	s.echo.HTTPErrorHandler = s.fail
	s.echo.IPExtractor = echo.ExtractIPDirect()
	s.mcp, s.metrics = s.newMCPHandler(), newMetrics(cfg.Version)
	front := *cfg.Front
	front.Answered, s.cfg.Front = s.metrics.answered, &front
	s.routes()
	return s, nil
}

func (s *Server) routes() {
	e := s.echo
	e.Use(s.identify, s.record, s.recoverPanic, s.guardHost, s.guardOrigin)
	e.GET("/livez", func(c echo.Context) error { return c.JSON(http.StatusOK, map[string]string{"status": "ok"}) })
	e.GET("/readyz", s.getReady)
	e.GET("/openapi.yaml", getOpenAPI)
	e.GET("/assets/*", echo.WrapHandler(web.Assets()))
	e.GET("/signin", s.getSignin)
	e.POST("/signin", s.postSignin, s.accept(echo.MIMEApplicationForm, maxForm))
	e.POST("/signout", s.postSignout)

	// The doors are named one by one rather than by groups: a group of echo
	// answers 404 where 405 is true.
	who, short := s.authenticate, within(requestTime)
	json := s.accept(echo.MIMEApplicationJSON, maxJSON)
	files := s.accept(echo.MIMEMultipartForm, maxUpload)
	e.POST("/v1/ask", s.postAsk, who, json, short, s.once)
	e.POST("/v1/sql", s.postSQL, who, json, short, s.once)
	e.POST("/v1/search", s.postSearch, who, json, short, s.once)
	e.POST("/v1/chat/completions", s.postChat, who, json, short)
	e.GET("/v1/models", s.getModels, who)
	e.GET("/v1/tables", s.getTables, who)
	e.GET("/v1/workbooks", s.getWorkbooks, who)
	e.POST("/v1/workbooks", s.postWorkbooks, who, files, within(uploadTime))
	e.GET("/v1/conversations", s.getConversations, who, short)
	e.GET("/v1/conversations/:id", s.getConversation, who, short)
	e.GET("/v1/answers/:id", s.getAnswer, who)
	e.POST("/v1/answers/:id/verify", s.postVerify, who, short)

	e.POST("/mcp", s.postMCP, who, json, short)

	form := s.accept(echo.MIMEApplicationForm, maxForm)
	e.GET("/", s.pageHome, who)
	e.GET("/docs", s.pageDocs, who)
	e.POST("/ask", s.pageAsk, who, form, short)
	e.POST("/workbooks", s.pageWorkbooks, who, files, within(uploadTime))
	e.POST("/answers/:id/verify", s.pageVerify, who, form, short)
}

// Handler returns the doors, for tests and for other listeners.
func (s *Server) Handler() http.Handler { return s.echo }

// Listen opens the address. Other machines may reach it only if there are keys:
// else the error is a [*BindError].
func (s *Server) Listen(ctx context.Context, address string) (net.Listener, error) {
	local, err := loopbackOnly(ctx, address)
	if err != nil {
		return nil, &BindError{Address: address, Why: err.Error(), Fix: "give an address such as 127.0.0.1:8080"}
	}
	if !local {
		guarded, err := s.cfg.Keys.Any()
		if err != nil {
			return nil, err
		}
		if !guarded {
			return nil, &BindError{Address: address, Why: "other machines could reach it and there are no API keys",
				Fix: "make one with `gateway key create NAME`, or listen on 127.0.0.1"}
		}
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, &BindError{Address: address, Why: err.Error(), Fix: "is another server running there? choose another port with --listen"}
	}
	s.loopback.Store(local)
	return l, nil
}

// BindError is an address that cannot be listened on.
type BindError struct{ Address, Why, Fix string }

// Error names the address, the reason and the fix.
func (e *BindError) Error() string {
	return fmt.Sprintf("cannot listen on %s: %s; %s", e.Address, e.Why, e.Fix)
}

// loopbackOnly reports whether every address that the host stands for is this
// machine's own.
func loopbackOnly(ctx context.Context, address string) (bool, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false, err
	}
	if host == "" {
		return false, nil
	}
	ips, err := net.DefaultResolver.LookupIPAddr(ctx, host)
	if err != nil {
		return false, err
	}
	for _, ip := range ips {
		if !ip.IP.IsLoopback() {
			return false, nil
		}
	}
	return len(ips) > 0, nil
}

// Serve answers until ctx ends, then stops in order: not ready at once, no new
// connections after Announce, requests in flight get Grace, and what is left is
// cancelled and told so.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	s.sweepUploads()
	base, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	srv := &http.Server{
		Handler:           s.echo,
		BaseContext:       func(net.Listener) context.Context { return base },
		ReadHeaderTimeout: 5 * time.Second,
		IdleTimeout:       120 * time.Second,
		MaxHeaderBytes:    32 << 10,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
	}
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(l) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serving: %w", err)
	case <-ctx.Done():
	}
	s.draining.Store(true)
	s.log.Info("stopping", "announce", s.cfg.Announce.String(), "grace", s.cfg.Grace.String())
	time.Sleep(s.cfg.Announce)
	grace, stop := context.WithTimeout(base, s.cfg.Grace)
	defer stop()
	err := srv.Shutdown(grace)
	if errors.Is(err, context.DeadlineExceeded) {
		s.log.Warn("requests in flight are cancelled after the grace period")
		cancel() // their handlers end with an answer that says so
		last, done := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer done()
		if err = srv.Shutdown(last); err != nil {
			err = srv.Close()
		}
	}
	<-ended
	return err
}
