package embed_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/allrows/allrows/kb/embed"
)

// openAI serves the embeddings call of an OpenAI-compatible server: each text
// becomes its length, twice.
func openAI(t *testing.T, zero bool) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var req struct{ Input []string }
		if err := json.NewDecoder(r.Body).Decode(&req); err != nil || !strings.HasSuffix(r.URL.Path, "/embeddings") {
			http.Error(w, "bad request", http.StatusBadRequest)
			return
		}
		type item struct {
			Embedding []float32 `json:"embedding"`
			Index     int       `json:"index"`
		}
		var res struct {
			Data []item `json:"data"`
		}
		for i, text := range req.Input {
			n := float32(len(text))
			if zero {
				n = 0
			}
			res.Data = append(res.Data, item{[]float32{n, n}, i})
		}
		json.NewEncoder(w).Encode(res)
	}))
	t.Cleanup(s.Close)
	return s
}

func TestRemote(t *testing.T) {
	s := openAI(t, false)
	e, err := embed.New(t.Context(), embed.Config{Provider: "openai", Model: "m", URL: s.URL, Batch: 2})
	if err != nil {
		t.Fatal(err)
	}
	if e.Dim() != 2 || e.Name() != "openai-m" {
		t.Errorf("embedder = %s of %d dimensions", e.Name(), e.Dim())
	}
	vecs, err := e.Embed(t.Context(), []string{"a", "bb", "ccc"})
	if err != nil || len(vecs) != 3 || vecs[2][0] < 0.7 || vecs[2][0] > 0.71 {
		t.Errorf("Embed = %v, %v, want three unit vectors", vecs, err)
	}
}

func TestRemoteRefuses(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		cfg        embed.Config
	}{
		{"unknown provider", "no provider", embed.Config{Provider: "acme", Model: "m"}},
		{"no model", "needs a model", embed.Config{Provider: "openai"}},
		{"zero vectors", "zeros", embed.Config{Provider: "openai", Model: "m", URL: openAI(t, true).URL}},
		{"wrong dimension", "dimensions", embed.Config{Provider: "openai", Model: "m", URL: openAI(t, false).URL, Dim: 3}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e, err := embed.New(t.Context(), tt.cfg)
			if err == nil {
				_, err = e.Embed(t.Context(), []string{"x"})
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("New or Embed = %v, want %q", err, tt.want)
			}
		})
	}
}
