package server

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/allrows/allrows/access"
	"github.com/allrows/allrows/agent"
	"github.com/allrows/allrows/guardrails"
	"github.com/allrows/allrows/ingest"
	"github.com/allrows/allrows/journal"
	"github.com/allrows/allrows/sqltool"
)

// fake stands for the agent and the loader: what the doors let through ends here.
type fake struct {
	ask func(ctx context.Context, r agent.Request) (*agent.Answer, error)
	err error
}

func (f *fake) Ask(ctx context.Context, r agent.Request) (*agent.Answer, error) {
	if f.ask != nil {
		return f.ask(ctx, r)
	}
	return &agent.Answer{ID: "a1", Question: r.Question, Outcome: agent.Answered, Text: "12%"}, f.err
}

func (f *fake) SQL(context.Context, agent.SQLRequest) (*agent.Answer, error) {
	return &agent.Answer{ID: "s1", Outcome: agent.Answered}, f.err
}

func (f *fake) Search(context.Context, agent.SearchRequest) (*agent.SearchResult, error) {
	return &agent.SearchResult{}, f.err
}

func (f *fake) Answer(context.Context, string, *guardrails.Scope) (*agent.Answer, error) {
	return &agent.Answer{ID: "a1", Outcome: agent.Answered}, f.err
}

func (f *fake) Verify(context.Context, string, *guardrails.Scope) (*agent.Verification, error) {
	return &agent.Verification{}, f.err
}

func (f *fake) Conversation(context.Context, string, *guardrails.Scope) (*agent.Conversation, error) {
	return &agent.Conversation{ID: "c1", Answers: []*agent.Answer{{ID: "a1", Outcome: agent.Answered}}}, f.err
}

func (f *fake) Conversations(context.Context, int, *guardrails.Scope) ([]agent.ConversationLine, error) {
	return []agent.ConversationLine{{ID: "c1"}}, f.err
}

func (f *fake) Load(context.Context, ingest.Request) (*ingest.Report, error) {
	return &ingest.Report{Workbook: "w"}, f.err
}

func newTestServer(t *testing.T, f *fake, edit func(*Config)) (*Server, *access.Keys) {
	t.Helper()
	dir := t.TempDir()
	store, err := sqltool.OpenStore(dir)
	if err != nil {
		t.Fatal(err)
	}
	keys, err := access.New(access.Config{Path: filepath.Join(dir, "keys.json")})
	if err != nil {
		t.Fatal(err)
	}
	notes, err := journal.Open(filepath.Join(dir, "journal"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { notes.Close() })
	cfg := Config{Front: &Front{Store: store, Asker: f, Recorder: f, Historian: f, Loader: f}, Keys: keys, Memory: notes, Uploads: filepath.Join(dir, "uploads"),
		NewID: func() string { return "r1" }, Hosts: []string{"allrows.example"}, Logger: slog.New(slog.DiscardHandler)}
	if edit != nil {
		edit(&cfg)
	}
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s, keys
}

func request(method, path, body string, header ...string) *http.Request {
	r := httptest.NewRequest(method, "http://127.0.0.1:8080"+path, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			r.Host = header[i+1]
		} else {
			r.Header.Set(header[i], header[i+1])
		}
	}
	return r
}

func serve(s *Server, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	return w
}

func TestDoors(t *testing.T) {
	s, _ := newTestServer(t, &fake{}, nil)
	const ask = `{"question": "how many?"}`
	for _, tt := range []struct {
		name, method, path, body string
		header                   []string
		want                     int
	}{
		{"a program asks", "POST", "/v1/ask", ask, nil, 200},
		{"with a charset", "POST", "/v1/ask", ask, []string{"Content-Type", "application/json; charset=utf-8"}, 200},
		{"its own page asks", "POST", "/v1/ask", ask, []string{"Origin", "http://127.0.0.1:8080", "Sec-Fetch-Site", "same-origin"}, 200},
		{"localhost", "POST", "/v1/ask", ask, []string{"Host", "localhost:8080"}, 200},
		{"IPv6 loopback", "POST", "/v1/ask", ask, []string{"Host", "[::1]:8080"}, 200},
		{"a configured name", "POST", "/v1/ask", ask, []string{"Host", "allrows.example"}, 200},
		{"a rebound name", "POST", "/v1/ask", ask, []string{"Host", "evil.example:8080"}, 421},
		{"a name that starts like an address", "POST", "/v1/ask", ask, []string{"Host", "127.0.0.1.evil.example"}, 421},
		{"a name that ends like ours", "POST", "/v1/ask", ask, []string{"Host", "evil.allrows.example"}, 421},
		{"no host", "POST", "/v1/ask", ask, []string{"Host", ""}, 421},
		{"a rebound name reads", "GET", "/v1/tables", "", []string{"Host", "evil.example"}, 421},
		{"a rebound name asks for health", "GET", "/livez", "", []string{"Host", "evil.example"}, 421},
		{"another site", "POST", "/v1/ask", ask, []string{"Origin", "https://evil.example"}, 403},
		{"another port of this machine", "POST", "/v1/ask", ask, []string{"Origin", "http://127.0.0.1:3000"}, 403},
		{"a sandboxed frame", "POST", "/v1/ask", ask, []string{"Origin", "null"}, 403},
		{"cross-site by fetch metadata alone", "POST", "/v1/ask", ask, []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"another site reads", "GET", "/v1/tables", "", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"}, 403},
		{"another site links to the page", "GET", "/signin", "", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"}, 200},
		{"another site loads a script", "GET", "/assets/app.js", "", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors"}, 403},
		{"a form's type", "POST", "/v1/ask", ask, []string{"Content-Type", "text/plain"}, 415},
		{"no type", "POST", "/v1/ask", ask, []string{"Content-Type", ""}, 415},
		{"JSON at the page's form", "POST", "/ask", ask, nil, 415},
		{"a cross-site form at the page", "POST", "/ask", "question=x", []string{"Content-Type", "application/x-www-form-urlencoded", "Origin", "https://evil.example"}, 403},
		{"a cross-site upload", "POST", "/v1/workbooks", "x", []string{"Content-Type", "multipart/form-data; boundary=x", "Origin", "https://evil.example"}, 403},
		{"not JSON", "POST", "/v1/ask", "{", nil, 400},
		{"two documents", "POST", "/v1/ask", ask + ask, nil, 400},
		{"a misspelt field", "POST", "/v1/ask", `{"question": "x", "workbook": ["a"]}`, nil, 400},
		{"an empty question", "POST", "/v1/ask", `{"question": "  "}`, nil, 400},
		{"a long question", "POST", "/v1/ask", `{"question": "` + strings.Repeat("x", maxQuestion+1) + `"}`, nil, 413},
		{"the longest question", "POST", "/v1/ask", `{"question": "` + strings.Repeat("x", maxQuestion) + `"}`, nil, 200},
		{"a huge body", "POST", "/v1/ask", `{"question": "` + strings.Repeat("x", maxJSON) + `"}`, nil, 413},
		{"a long statement", "POST", "/v1/sql", `{"sql": "` + strings.Repeat("x", maxSQL+1) + `"}`, nil, 413},
		{"a negative limit", "POST", "/v1/sql", `{"sql": "select 1", "limit": -1}`, nil, 400},
		{"no such door", "GET", "/v1/nothing", "", nil, 404},
		{"a wrong method", "GET", "/v1/ask", "", nil, 405},
		{"alive", "GET", "/livez", "", nil, 200},
		{"nothing loaded", "GET", "/readyz", "", nil, 503},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := serve(s, request(tt.method, tt.path, tt.body, tt.header...))
			if w.Code != tt.want {
				t.Errorf("%s %s = %d %s, want %d", tt.method, tt.path, w.Code, w.Body, tt.want)
			}
			if w.Header().Get("X-Request-Id") == "" || w.Header().Get("Content-Security-Policy") == "" {
				t.Errorf("%s %s lacks the request id or the policy: %v", tt.method, tt.path, w.Header())
			}
			if w.Header().Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("%s %s lets other origins read", tt.method, tt.path)
			}
		})
	}
}

func TestErrorStatus(t *testing.T) {
	for _, tt := range []struct {
		name, path, body string
		err              error
		want             int
		code             string
	}{
		{"violation", "/v1/sql", `{"sql":"drop table x"}`, &guardrails.Violation{Rule: "read-only", What: "DROP"}, 422, "AR-SQL-201"},
		{"unknown table", "/v1/sql", `{"sql":"select 1"}`, &guardrails.Violation{Rule: "table", What: "t"}, 422, "AR-SQL-203"},
		{"scope", "/v1/sql", `{"sql":"select 1"}`, &guardrails.Violation{Rule: "scope", What: "t"}, 403, "AR-SQL-208"},
		{"time", "/v1/sql", `{"sql":"select 1"}`, &sqltool.TimeoutError{}, 408, "AR-SQL-408"},
		{"limit", "/v1/sql", `{"sql":"select 1"}`, &sqltool.LimitError{}, 429, "AR-SQL-429"},
		{"not found", "/v1/ask", `{"question":"x"}`, &sqltool.NotFoundError{}, 404, "AR-DAT-404"},
		{"unknown", "/v1/ask", `{"question":"x"}`, errors.New("secret path /etc/x"), 500, "AR-SRV-500"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, _ := newTestServer(t, &fake{err: tt.err}, nil)
			w := serve(s, request("POST", tt.path, tt.body))
			if w.Code != tt.want || !strings.Contains(w.Body.String(), `"`+tt.code+`"`) || !strings.Contains(w.Body.String(), `"request_id":"r1"`) {
				t.Errorf("%s with %v = %d %s, want %d %s and the request id", tt.path, tt.err, w.Code, w.Body, tt.want, tt.code)
			}
			if strings.Contains(w.Body.String(), "secret") {
				t.Errorf("the body shows an internal error: %s", w.Body)
			}
		})
	}
}

func TestPanicIs500(t *testing.T) {
	s, _ := newTestServer(t, &fake{ask: func(context.Context, agent.Request) (*agent.Answer, error) { panic("the secret value") }}, nil)
	w := serve(s, request("POST", "/v1/ask", `{"question":"x"}`))
	if w.Code != 500 || strings.Contains(w.Body.String(), "secret") {
		t.Errorf("a panic = %d %s, want 500 without its text", w.Code, w.Body)
	}
	if w := serve(s, request("GET", "/livez", "")); w.Code != 200 {
		t.Errorf("after a panic /livez = %d, want 200", w.Code)
	}
}

func TestKeys(t *testing.T) {
	s, keys := newTestServer(t, &fake{}, nil)
	if w := serve(s, request("POST", "/v1/ask", `{"question":"x"}`, "Authorization", "Bearer anything")); w.Code != 200 {
		t.Errorf("any key where there are none = %d, want 200", w.Code)
	}
	key, secret, err := keys.Create("bot")
	if err != nil {
		t.Fatal(err)
	}
	const ask = `{"question":"x"}`
	check := func(want int, header ...string) {
		t.Helper()
		if w := serve(s, request("POST", "/v1/ask", ask, header...)); w.Code != want {
			t.Errorf("with %q = %d %s, want %d", header, w.Code, w.Body, want)
		}
	}
	check(401)
	check(401, "Authorization", "Bearer nonsense")
	check(401, "Authorization", "Basic "+secret)
	check(401, "Cookie", sessionCookie+"=made-up")
	check(200, "Authorization", "Bearer "+secret)
	if w := serve(s, request("GET", "/livez", "")); w.Code != 200 {
		t.Errorf("/livez without a key = %d, want 200", w.Code)
	}
	if w := serve(s, request("GET", "/", "", "Accept", "text/html")); w.Code != 303 || w.Header().Get("Location") != "/signin" {
		t.Errorf("the page without a session = %d to %q, want 303 to /signin", w.Code, w.Header().Get("Location"))
	}
	form := []string{"Content-Type", "application/x-www-form-urlencoded"}
	w := serve(s, request("POST", "/signin", "key=wrong", form...))
	if w.Code != 401 {
		t.Errorf("signing in with a wrong key = %d, want 401", w.Code)
	}
	w = serve(s, request("POST", "/signin", "key="+secret, form...))
	cookies := w.Result().Cookies()
	if w.Code != 303 || len(cookies) != 1 || !cookies[0].HttpOnly || cookies[0].SameSite != http.SameSiteStrictMode || strings.Contains(cookies[0].Value, secret) {
		t.Fatalf("signing in = %d %v, want 303 and one strict, closed cookie", w.Code, cookies)
	}
	session := []string{"Cookie", cookies[0].Name + "=" + cookies[0].Value}
	check(200, session...)
	if err := keys.Revoke(key.ID); err != nil {
		t.Fatal(err)
	}
	if _, _, err := keys.Create("other"); err != nil { // so that keys are still asked for
		t.Fatal(err)
	}
	check(401, session...)
	check(401, "Authorization", "Bearer "+secret)
}

func TestListen(t *testing.T) {
	for _, tt := range []struct {
		name, address string
		key, refused  bool
	}{
		{"loopback", "127.0.0.1:0", false, false},
		{"localhost", "localhost:0", false, false},
		{"all addresses", "0.0.0.0:0", false, true},
		{"no host", ":0", false, true},
		{"all addresses with a key", "127.0.0.1:0", true, false},
		{"no host with a key", ":0", true, false},
		{"no address", "nonsense", false, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, keys := newTestServer(t, &fake{}, nil)
			if tt.key {
				if _, _, err := keys.Create("k"); err != nil {
					t.Fatal(err)
				}
			}
			l, err := s.Listen(t.Context(), tt.address)
			if l != nil {
				l.Close()
			}
			if _, refused := errors.AsType[*BindError](err); refused != tt.refused || !refused && err != nil {
				t.Errorf("Listen(%s) = %v, want refused %v", tt.address, err, tt.refused)
			}
		})
	}
}

// Keys that are revoked while the server can be reached from elsewhere must
// not open it to everyone.
func TestLastKeyRevoked(t *testing.T) {
	s, keys := newTestServer(t, &fake{}, nil)
	key, _, err := keys.Create("k")
	if err != nil {
		t.Fatal(err)
	}
	l, err := s.Listen(t.Context(), ":0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := keys.Revoke(key.ID); err != nil {
		t.Fatal(err)
	}
	if w := serve(s, request("GET", "/v1/tables", "")); w.Code != 401 {
		t.Errorf("without any key in force = %d, want 401", w.Code)
	}
}

// A conversation's id is the caller's choice, but no text that drives a terminal.
func TestConversationIDs(t *testing.T) {
	f := &fake{ask: func(_ context.Context, r agent.Request) (*agent.Answer, error) {
		return &agent.Answer{ID: "a1", Conversation: r.Conversation, Outcome: agent.Answered}, nil
	}}
	s, _ := newTestServer(t, f, nil)
	for id, want := range map[string]int{
		"": 200, "42": 200, "team/7: Größe": 200, strings.Repeat("x", 200): 200,
		strings.Repeat("x", 201): 400, `a\u001b[31m`: 400, `a\nb`: 400, `a\u0000`: 400, `a\u202eb`: 400,
	} {
		if w := serve(s, request("POST", "/v1/ask", `{"question": "q", "conversation": "`+id+`"}`)); w.Code != want {
			t.Errorf("conversation %.20q: %d %s, want %d", id, w.Code, w.Body, want)
		}
	}
}
