package server

import (
	"context"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/allrows/allrows/agent"
	"github.com/allrows/allrows/agent/plan"
)

func TestAdmin(t *testing.T) {
	f := &fake{ask: func(_ context.Context, r agent.Request) (*agent.Answer, error) {
		return &agent.Answer{Question: r.Question, Outcome: agent.Declined, Reason: &plan.Reason{Code: "unknown_word"}}, nil
	}}
	s, _ := newTestServer(t, f, func(c *Config) { c.Ready = func(context.Context) error { return errors.New("no worker") } })
	serve(s, request("POST", "/v1/ask", `{"question":"the secret question"}`))
	serve(s, request("GET", "/v1/nothing-secret", ""))
	get := func(path, host string) (int, string) {
		r := httptest.NewRequest("GET", "http://127.0.0.1:9090"+path, nil)
		if host != "" {
			r.Host = host
		}
		w := httptest.NewRecorder()
		s.Admin().ServeHTTP(w, r)
		return w.Code, w.Body.String()
	}
	code, body := get("/metrics", "")
	for _, want := range []string{`allrows_http_request_seconds_count{method="POST",route="/v1/ask",status="200"} 1`,
		`allrows_answers_total{outcome="declined",reason="unknown_word",route=""} 1`, "allrows_build_info", "go_goroutines"} {
		if code != 200 || !strings.Contains(body, want) {
			t.Errorf("/metrics = %d without %s", code, want)
		}
	}
	if strings.Contains(body, "secret") {
		t.Error("/metrics shows a question or a path that a caller made up")
	}
	if code, body := get("/readyz", ""); code != 503 || !strings.Contains(body, "no workbook") {
		t.Errorf("/readyz = %d %s, want 503 and what fails", code, body)
	}
	if code, _ := get("/metrics", "evil.example"); code != 403 {
		t.Errorf("/metrics under a rebound name = %d, want 403", code)
	}
	if w := serve(s, request("GET", "/metrics", "")); w.Code != 404 {
		t.Errorf("/metrics on the public listener = %d, want 404", w.Code)
	}
}
