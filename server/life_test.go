package server

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/allrows/allrows/agent"
	"github.com/allrows/allrows/ingest"
	"github.com/allrows/allrows/workbook"
)

// start serves on a free port and returns the address and what stops it.
func start(t *testing.T, s *Server) (url string, stop context.CancelFunc, ended <-chan error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	l, err := s.Listen(ctx, "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, l) }()
	t.Cleanup(cancel)
	return "http://" + l.Addr().String(), cancel, done
}

func TestShutdownFinishesWhatIsInFlight(t *testing.T) {
	asked, release := make(chan struct{}), make(chan struct{})
	f := &fake{ask: func(ctx context.Context, r agent.Request) (*agent.Answer, error) {
		close(asked)
		select {
		case <-release:
			return &agent.Answer{ID: "late", Outcome: agent.Answered}, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}}
	s, _ := newTestServer(t, f, func(c *Config) { c.Announce = 50 * time.Millisecond })
	url, stop, ended := start(t, s)
	body := make(chan string, 1)
	go func() {
		r, err := http.Post(url+"/v1/ask", "application/json", strings.NewReader(`{"question":"x"}`))
		if err != nil {
			body <- err.Error()
			return
		}
		defer r.Body.Close()
		data, _ := io.ReadAll(r.Body)
		body <- string(data)
	}()
	<-asked
	stop()
	for i := 0; !s.draining.Load() && i < 100; i++ {
		time.Sleep(time.Millisecond)
	}
	r, err := http.Get(url + "/readyz")
	if err != nil || r.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("/readyz while stopping = %v, %v, want 503", r, err)
	}
	close(release)
	if got := <-body; !strings.Contains(got, `"late"`) {
		t.Errorf("the answer in flight = %s, want it whole", got)
	}
	if err := <-ended; err != nil {
		t.Errorf("Serve = %v, want nil", err)
	}
}

func TestShutdownCancelsAfterGrace(t *testing.T) {
	asked := make(chan struct{})
	f := &fake{ask: func(ctx context.Context, r agent.Request) (*agent.Answer, error) {
		close(asked)
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	s, _ := newTestServer(t, f, func(c *Config) { c.Grace = 50 * time.Millisecond })
	url, stop, ended := start(t, s)
	stream := make(chan string, 1)
	go func() {
		r, err := http.NewRequest("POST", url+"/v1/ask", strings.NewReader(`{"question":"x"}`))
		if err != nil {
			stream <- err.Error()
			return
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "text/event-stream")
		got, err := http.DefaultClient.Do(r)
		if err != nil {
			stream <- err.Error()
			return
		}
		defer got.Body.Close()
		data, _ := io.ReadAll(got.Body)
		stream <- string(data)
	}()
	<-asked
	stop()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("Serve = %v, want nil", err)
		}
	case <-time.After(5 * time.Second):
		t.Fatal("Serve did not end after the grace period")
	}
	if got := <-stream; !strings.Contains(got, "event: error") || !strings.HasSuffix(got, "event: done\ndata: {}\n\n") {
		t.Errorf("the stream ended in %q, want error and done events", got)
	}
}

func TestStream(t *testing.T) {
	f := &fake{ask: func(_ context.Context, r agent.Request) (*agent.Answer, error) {
		r.Observe(agent.Event{})
		r.Observe(agent.Event{})
		return &agent.Answer{ID: "a1", Text: "line one\nline two", Outcome: agent.Answered}, nil
	}}
	s, _ := newTestServer(t, f, nil)
	w := serve(s, request("POST", "/v1/ask", `{"question":"x"}`, "Accept", "text/event-stream"))
	var names []string
	var answer agent.Answer
	lines := bufio.NewScanner(w.Body)
	for lines.Scan() {
		if name, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
			names = append(names, name)
		}
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok && names[len(names)-1] == "answer" {
			if err := json.Unmarshal([]byte(data), &answer); err != nil {
				t.Errorf("the answer event holds %q: %v", data, err)
			}
		}
	}
	if got := strings.Join(names, " "); got != "step step answer done" || answer.ID != "a1" {
		t.Errorf("events = %q with answer %q, want step step answer done with a1", got, answer.ID)
	}
}

// A gone client frees its question: the context of the agent ends.
func TestClientGone(t *testing.T) {
	asked, freed := make(chan struct{}), make(chan struct{})
	f := &fake{ask: func(ctx context.Context, r agent.Request) (*agent.Answer, error) {
		close(asked)
		<-ctx.Done()
		close(freed)
		return nil, ctx.Err()
	}}
	s, _ := newTestServer(t, f, nil)
	url, _, _ := start(t, s)
	ctx, leave := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, "POST", url+"/v1/ask", strings.NewReader(`{"question":"x"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	go func() {
		if got, err := http.DefaultClient.Do(r); err == nil {
			got.Body.Close()
		}
	}()
	<-asked
	leave()
	select {
	case <-freed:
	case <-time.After(time.Second):
		t.Error("the question still runs a second after its client left")
	}
}

// loads records what it was asked to load.
type loads struct {
	fake
	got  []ingest.Request
	data []string
}

func (l *loads) Load(_ context.Context, r ingest.Request) (*ingest.Report, error) {
	data, err := os.ReadFile(r.Path)
	if err != nil {
		return nil, err
	}
	l.got, l.data = append(l.got, r), append(l.data, string(data))
	return &ingest.Report{Workbook: "w", Ledger: &workbook.Ledger{File: filepath.Base(r.Path)}}, l.err
}

func TestUpload(t *testing.T) {
	l := &loads{}
	s, _ := newTestServer(t, &fake{}, func(c *Config) { c.Front.Loader = l })
	post := func(fill func(*multipart.Writer)) (int, string) {
		var body bytes.Buffer
		m := multipart.NewWriter(&body)
		fill(m)
		m.Close()
		w := serve(s, request("POST", "/v1/workbooks", body.String(), "Content-Type", m.FormDataContentType()))
		return w.Code, w.Body.String()
	}
	file := func(m *multipart.Writer, name, data string) {
		part, err := m.CreateFormFile("file", name)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(part, data)
	}
	code, body := post(func(m *multipart.Writer) { file(m, "sales.csv", "a,b\n1,2\n"); m.WriteField("replace", "true") })
	if code != 201 || !strings.Contains(body, `"file":"sales.csv"`) {
		t.Errorf("an upload = %d %s, want 201 and its ledger", code, body)
	}
	if len(l.got) != 1 || filepath.Base(l.got[0].Path) != "sales.csv" || !l.got[0].Replace || l.data[0] != "a,b\n1,2\n" {
		t.Errorf("the loader got %+v %q, want sales.csv whole, to replace", l.got, l.data)
	}
	if left, _ := filepath.Glob(filepath.Join(s.cfg.Uploads, "*")); len(left) != 0 {
		t.Errorf("the upload left %v", left)
	}
	code, _ = post(func(m *multipart.Writer) { file(m, `..\..\evil/../x.csv`, "a") })
	if code != 201 || filepath.Base(l.got[1].Path) != "x.csv" || filepath.Dir(filepath.Dir(l.got[1].Path)) != s.cfg.Uploads {
		t.Errorf("a name with a path = %d to %q, want its base in the folder of uploads", code, l.got[1].Path)
	}
	for _, name := range []string{".hidden", "a\x01b.csv", strings.Repeat("x", 201)} {
		if code, body := post(func(m *multipart.Writer) { file(m, name, "a") }); code != 400 {
			t.Errorf("a file named %q = %d %s, want 400", name, code, body)
		}
	}
	if code, _ := post(func(m *multipart.Writer) { m.WriteField("other", "x") }); code != 400 {
		t.Errorf("an unknown field = %d, want 400", code)
	}
	if code, _ := post(func(m *multipart.Writer) {}); code != 400 {
		t.Errorf("no file = %d, want 400", code)
	}
	l.err = &workbook.FileError{Path: "x", Text: "it is not a workbook"}
	if code, body := post(func(m *multipart.Writer) { file(m, "x.xlsx", "no") }); code != 422 || !strings.Contains(body, "AR-FIL-422") {
		t.Errorf("a file that is no workbook = %d %s, want 422 AR-FIL-422", code, body)
	}
}

// A client that stops in the middle is told so and let go, at every stage.
func TestSlowClients(t *testing.T) {
	s, _ := newTestServer(t, &fake{}, nil)
	s.bodyIdle = 50 * time.Millisecond
	url, _, _ := start(t, s)
	c, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	io.WriteString(c, "POST /v1/ask HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"question\"")
	c.SetReadDeadline(time.Now().Add(5 * time.Second))
	r, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil || r.StatusCode != http.StatusRequestTimeout {
		t.Errorf("a body that stands still = %v, %v, want 408", r, err)
	}
}

// What a killed server left of an upload goes with the next start; what another
// is receiving stays.
func TestOldUploadsAreSwept(t *testing.T) {
	s, _ := newTestServer(t, &fake{}, nil)
	old, fresh := filepath.Join(s.cfg.Uploads, "up-old"), filepath.Join(s.cfg.Uploads, "up-fresh")
	for _, dir := range []string{old, fresh} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	long := time.Now().Add(-3 * uploadTime)
	if err := os.Chtimes(old, long, long); err != nil {
		t.Fatal(err)
	}
	_, stop, ended := start(t, s)
	stop()
	<-ended
	if _, err := os.Stat(old); !os.IsNotExist(err) {
		t.Errorf("the old upload is still there: %v", err)
	}
	if _, err := os.Stat(fresh); err != nil {
		t.Errorf("the fresh upload is gone: %v", err)
	}
}
