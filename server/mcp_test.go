package server

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/allrows/allrows/agent"
)

func TestMCP(t *testing.T) {
	f := &fake{ask: func(_ context.Context, r agent.Request) (*agent.Answer, error) {
		if r.Question == "boom" {
			return nil, context.DeadlineExceeded
		}
		return &agent.Answer{ID: "a1", Question: r.Question, Outcome: agent.Answered, Text: "9.4%",
			Receipt: agent.Receipt{Complete: true, Reading: "average", Tables: []agent.TableUse{{Workbook: "p.xlsx", Sheet: "Tiers", Rows: 42, RowsMatched: 42, LoadedAt: "today"}}}}, nil
	}}
	s, _ := newTestServer(t, f, nil)
	m, err := NewMCP(s.cfg.Front, "bot", "test")
	if err != nil {
		t.Fatal(err)
	}
	here, there := mcp.NewInMemoryTransports()
	go m.Run(t.Context(), here)
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), there, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	tools, err := c.ListTools(t.Context(), nil)
	if err != nil || len(tools.Tools) != 6 {
		t.Fatalf("ListTools = %v, %v, want six", tools, err)
	}
	for _, x := range tools.Tools {
		if !x.Annotations.ReadOnlyHint || x.InputSchema == nil || x.OutputSchema == nil {
			t.Errorf("tool %s lacks the read-only hint or a schema", x.Name)
		}
	}
	r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "ask", Arguments: map[string]any{"question": "average?"}})
	if err != nil || r.IsError {
		t.Fatalf("ask = %+v, %v", r, err)
	}
	text := r.Content[0].(*mcp.TextContent).Text
	answer, ok := r.StructuredContent.(map[string]any)
	if !ok || answer["id"] != "a1" || !strings.Contains(text, "9.4%") || !strings.Contains(text, "Basis: all 42 rows of p.xlsx · Tiers") {
		t.Errorf("ask = %q with %v, want the text, its basis and the answer a1", text, r.StructuredContent)
	}
	for name, args := range map[string]map[string]any{
		"ask": {"question": "boom"}, "describe_table": {"table": "nothing"}, "run_sql": {"sql": " "},
	} {
		r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: args})
		if err != nil || !r.IsError || !strings.Contains(r.Content[0].(*mcp.TextContent).Text, "AR-") {
			t.Errorf("%s(%v) = %+v, %v, want a tool error with its code", name, args, r, err)
		}
	}
}

func TestMCPOverHTTP(t *testing.T) {
	s, keys := newTestServer(t, &fake{}, nil)
	_, secret, err := keys.Create("bot")
	if err != nil {
		t.Fatal(err)
	}
	url, _, _ := start(t, s)
	for _, tt := range []struct {
		name, key string
		ok        bool
	}{{"with the key", secret, true}, {"without", "", false}} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
				&mcp.StreamableClientTransport{Endpoint: url + "/mcp", HTTPClient: &http.Client{Transport: bearer(tt.key)}, MaxRetries: -1, DisableStandaloneSSE: true}, nil)
			if err == nil {
				defer c.Close()
				var r *mcp.CallToolResult
				r, err = c.CallTool(t.Context(), &mcp.CallToolParams{Name: "ask", Arguments: map[string]any{"question": "x"}})
				if err == nil && (r.IsError || r.StructuredContent == nil) {
					t.Errorf("ask = %+v", r)
				}
			}
			if (err == nil) != tt.ok {
				t.Errorf("a call = %v, want it to work: %v", err, tt.ok)
			}
		})
	}
}

// bearer sends a key with every request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if b != "" {
		r.Header.Set("Authorization", "Bearer "+string(b))
	}
	return http.DefaultTransport.RoundTrip(r)
}
