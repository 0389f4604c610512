package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/allrows/allrows/agent"
)

// metrics are what the admin listener shows. No label holds a name, a question
// or a value: routes, statuses, outcomes and codes are closed sets.
type metrics struct {
	registry *prometheus.Registry
	seconds  *prometheus.HistogramVec
	inFlight prometheus.Gauge
	answers  *prometheus.CounterVec
}

func newMetrics(version string) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "allrows_http_request_seconds", Help: "Time of requests by route and status.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 90}}, []string{"method", "route", "status"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{Name: "allrows_http_requests_in_flight", Help: "Requests that are being answered."}),
		answers:  prometheus.NewCounterVec(prometheus.CounterOpts{Name: "allrows_answers_total", Help: "Answers by outcome, route and reason."}, []string{"outcome", "route", "reason"}),
	}
	build := prometheus.NewGauge(prometheus.GaugeOpts{Name: "allrows_build_info", Help: "The version that runs.", ConstLabels: prometheus.Labels{"version": version}})
	build.Set(1)
	m.registry.MustRegister(m.seconds, m.inFlight, m.answers, build,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// observe counts and times every request.
func (m *metrics) observe(c echo.Context, elapsed time.Duration) {
	route := c.Path()
	if route == "" {
		route = "none"
	}
	m.seconds.WithLabelValues(c.Request().Method, route, strconv.Itoa(c.Response().Status)).Observe(elapsed.Seconds())
}

func (m *metrics) answered(a *agent.Answer) {
	reason := ""
	if a.Reason != nil {
		reason = a.Reason.Code
	}
	m.answers.WithLabelValues(string(a.Outcome), string(a.Route), reason).Inc()
}

// Admin answers /livez, /readyz with the names of what fails, and /metrics. It
// is for a listener of its own, which only operators reach.
func (s *Server) Admin() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(s.metrics.registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		err := s.isReady(r.Context())
		if s.draining.Load() {
			err = errors.New("stopping")
		}
		if err != nil {
			w.WriteHeader(http.StatusServiceUnavailable)
			fmt.Fprintln(w, "not ready:", err)
			return
		}
		fmt.Fprintln(w, "ready")
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.knownHost(r.Host) || !sameOrigin(r) {
			http.Error(w, "the admin listener answers operators, not pages", http.StatusForbidden)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// ServeAdmin serves [Server.Admin] until ctx ends. It goes on while the server
// drains, so that the drain can be watched.
func (s *Server) ServeAdmin(ctx context.Context, l net.Listener) error {
	srv := &http.Server{Handler: s.Admin(), ReadHeaderTimeout: 5 * time.Second, WriteTimeout: 30 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(l) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serving the admin listener: %w", err)
	case <-ctx.Done():
	}
	err := srv.Close()
	<-ended
	return err
}
