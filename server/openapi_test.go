package server

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"sort"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers/gorillamux"

	"github.com/allrows/allrows/agent"
	"github.com/allrows/allrows/guardrails"
)

func document(t *testing.T) *openapi3.T {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(OpenAPI)
	if err != nil {
		t.Fatalf("loading openapi.yaml: %v", err)
	}
	if err := doc.Validate(t.Context()); err != nil {
		t.Fatalf("openapi.yaml is not valid: %v", err)
	}
	return doc
}

// Every door of the API is described, and nothing else is.
func TestOpenAPINamesEveryDoor(t *testing.T) {
	s, _ := newTestServer(t, &fake{}, nil)
	var served, described []string
	for _, r := range s.echo.Routes() {
		if strings.HasPrefix(r.Path, "/v1/") || strings.HasSuffix(r.Path, "z") {
			served = append(served, r.Method+" "+strings.ReplaceAll(r.Path, ":id", "{id}"))
		}
	}
	for path, item := range document(t).Paths.Map() {
		for method := range item.Operations() {
			described = append(described, method+" "+path)
		}
	}
	sort.Strings(served)
	sort.Strings(described)
	if got, want := strings.Join(described, "\n"), strings.Join(served, "\n"); got != want {
		t.Errorf("described:\n%s\n\nserved:\n%s", got, want)
	}
}

// What the doors answer is what openapi.yaml says.
func TestResponsesMatchOpenAPI(t *testing.T) {
	doc := document(t)
	doc.Servers = openapi3.Servers{{URL: "http://127.0.0.1:8080"}}
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		t.Fatal(err)
	}
	full := &agent.Answer{ID: "a", Outcome: agent.Answered, Route: "aggregate", Text: "x",
		Result: &agent.Result{Columns: []agent.Column{{Name: "n", Type: "BIGINT", Role: "measure"}}, Rows: [][]any{{1}, {nil}}}}
	f := &fake{ask: func(_ context.Context, r agent.Request) (*agent.Answer, error) {
		if r.Question == "no" {
			return nil, &guardrails.Violation{Rule: "table", What: "x"}
		}
		return full, nil
	}}
	s, _ := newTestServer(t, f, nil)
	for _, tt := range []struct {
		method, path, body string
		bad                bool // the request is refused by the description too
	}{
		{"POST", "/v1/ask", `{"question":"x","workbooks":["a"]}`, false},
		{"POST", "/v1/ask", `{"question":"no"}`, false},
		{"POST", "/v1/ask", `{"question":""}`, true},
		{"POST", "/v1/ask", `{"question":"x","other":1}`, true},
		{"POST", "/v1/sql", `{"sql":"select 1","limit":3}`, false},
		{"POST", "/v1/sql", `{"sql":"select 1","limit":-3}`, true},
		{"POST", "/v1/search", `{"text":"x"}`, false},
		{"POST", "/v1/search", `{"text":"x","limit":101}`, true},
		{"GET", "/v1/tables", "", false},
		{"GET", "/v1/workbooks", "", false},
		{"GET", "/v1/answers/a", "", false},
		{"GET", "/v1/conversations", "", false},
		{"GET", "/v1/conversations?limit=5", "", false},
		{"GET", "/v1/conversations?limit=0", "", true},
		{"GET", "/v1/conversations/c", "", false},
		{"POST", "/v1/answers/a/verify", "", false},
		{"POST", "/v1/chat/completions", `{"model":"allrows","messages":[{"role":"user","content":"x"}]}`, false},
		{"POST", "/v1/chat/completions", `{"model":"other","messages":[{"role":"user","content":"x"}]}`, false},
		{"GET", "/v1/models", "", false},
		{"GET", "/livez", "", false},
		{"GET", "/readyz", "", false},
	} {
		t.Run(tt.method+" "+tt.path+" "+tt.body, func(t *testing.T) {
			r := request(tt.method, tt.path, tt.body)
			route, params, err := router.FindRoute(r)
			if err != nil {
				t.Fatal(err)
			}
			in := &openapi3filter.RequestValidationInput{Request: r, PathParams: params, Route: route,
				Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, IncludeResponseStatus: true}}
			if err := openapi3filter.ValidateRequest(t.Context(), in); (err != nil) != tt.bad {
				t.Errorf("the request against the description = %v, want refused %v", err, tt.bad)
			}
			r.Body = io.NopCloser(strings.NewReader(tt.body))
			w := serve(s, r)
			if refused := w.Code == http.StatusBadRequest; refused != tt.bad {
				t.Errorf("the door = %d %s, want refused %v", w.Code, w.Body, tt.bad)
			}
			out := &openapi3filter.ResponseValidationInput{RequestValidationInput: in, Status: w.Code, Header: w.Header(), Body: io.NopCloser(bytes.NewReader(w.Body.Bytes())), Options: in.Options}
			if err := openapi3filter.ValidateResponse(t.Context(), out); err != nil {
				t.Errorf("the response %d %s: %v", w.Code, w.Body, err)
			}
		})
	}
}
