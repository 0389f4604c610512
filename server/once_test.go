package server

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/allrows/allrows/agent"
)

func TestOnce(t *testing.T) {
	var ran atomic.Int64
	f := &fake{ask: func(_ context.Context, r agent.Request) (*agent.Answer, error) {
		n := ran.Add(1)
		if r.Question == "fail" {
			return nil, fmt.Errorf("failure %d", n)
		}
		time.Sleep(20 * time.Millisecond)
		return &agent.Answer{ID: fmt.Sprint(n), Outcome: agent.Answered, Text: r.Question}, nil
	}}
	now := time.Now()
	s, _ := newTestServer(t, f, func(c *Config) { c.Now = func() time.Time { return now } })
	send := func(question, key string, header ...string) (int, string) {
		w := serve(s, request("POST", "/v1/ask", `{"question":"`+question+`"}`, append(header, onceHeader, key)...))
		return w.Code, w.Body.String()
	}
	var wg sync.WaitGroup
	bodies := make([]string, 100)
	for i := range bodies {
		wg.Go(func() { _, bodies[i] = send("x", "k1") })
	}
	wg.Wait()
	for i, b := range bodies {
		if b != bodies[0] || b == "" {
			t.Fatalf("duplicate %d got %q, the first %q", i, b, bodies[0])
		}
	}
	if ran.Load() != 1 {
		t.Errorf("100 duplicates ran %d times, want once", ran.Load())
	}
	if code, body := send("y", "k1"); code != 422 || !strings.Contains(body, "AR-REQ-422") {
		t.Errorf("another request under the key = %d %s, want 422", code, body)
	}
	// The journal remembers over a restart: a second server over the same one.
	other, err := New(s.cfg)
	if err != nil {
		t.Fatal(err)
	}
	w := serve(other, request("POST", "/v1/ask", `{"question":"x"}`, onceHeader, "k1"))
	if w.Body.String() != bodies[0] || w.Header().Get("Idempotency-Replayed") != "true" {
		t.Errorf("after a restart = %s, want the first response", w.Body)
	}
	send("fail", "k2")
	send("fail", "k2")
	if ran.Load() != 3 {
		t.Errorf("failures are remembered: ran %d times, want 3", ran.Load())
	}
	now = now.Add(onceKept + time.Minute)
	if _, body := send("x", "k1"); body == bodies[0] {
		t.Error("a response is replayed after its day")
	}
	if code, _ := send("x", strings.Repeat("k", onceLength+1)); code != 400 {
		t.Errorf("a long key = %d, want 400", code)
	}
	if code, _ := send("x", "k3", "Accept", "text/event-stream"); code != 400 {
		t.Errorf("a key with a stream = %d, want 400", code)
	}
	if len(s.turns.held) != 0 {
		t.Errorf("%d turns are still held", len(s.turns.held))
	}
}
