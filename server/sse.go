package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/allrows/allrows/agent"
)

const (
	eventWrite = 10 * time.Second // a reader slower than this is dropped
	eventBeat  = 15 * time.Second // a comment, so that proxies keep the line open
)

// streamAsk answers a question as a stream of events: step as steps happen,
// then answer or error, then done. A stream that was not broken by the network
// always ends in done.
func (s *Server) streamAsk(c echo.Context, q Question) error {
	w := &events{w: c.Response(), control: http.NewResponseController(c.Response().Writer)}
	h := c.Response().Header()
	h.Set(echo.HeaderContentType, "text/event-stream")
	h.Set("X-Accel-Buffering", "no")
	c.Response().WriteHeader(http.StatusOK)
	q.Observe = func(e agent.Event) {
		if e.Answer == nil { // the answer has an event of its own
			w.send("step", e)
		}
	}
	stop := w.beat()
	a, err := s.cfg.Front.Ask(c.Request().Context(), q)
	stop()
	if err != nil {
		p := Explain(err)
		p.RequestID = requestID(c)
		if p.Status >= 500 {
			s.log.Error("request failed", "route", c.Path(), "request_id", p.RequestID, "error", err)
		}
		w.send("error", p)
	} else {
		w.send("answer", a)
	}
	w.send("done", struct{}{})
	return nil
}

// events writes server-sent events. Its methods may be called from several
// goroutines; after a failed write they do nothing.
type events struct {
	mu      sync.Mutex
	w       http.ResponseWriter
	control *http.ResponseController
	broken  bool
}

func (e *events) send(name string, value any) {
	data, err := json.Marshal(value)
	if err != nil {
		data, name = []byte(`{"code":"AR-SRV-500","what":"an event could not be written"}`), "error"
	}
	e.write(fmt.Sprintf("event: %s\ndata: %s\n\n", name, data))
}

func (e *events) write(text string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.broken {
		return
	}
	// Each write has its own deadline: one for the whole stream would cut a
	// long answer. Writers of tests know no deadlines.
	_ = e.control.SetWriteDeadline(time.Now().Add(eventWrite))
	_, err := e.w.Write([]byte(text))
	if err == nil {
		err = e.control.Flush()
	}
	e.broken = err != nil
	_ = e.control.SetWriteDeadline(time.Time{})
}

// beat writes comments until the returned function is called.
func (e *events) beat() (stop func()) {
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(eventBeat)
		defer tick.Stop()
		for {
			select {
			case <-end:
				return
			case <-tick.C:
				e.write(": working\n\n")
			}
		}
	}()
	return func() { close(end); <-ended }
}
