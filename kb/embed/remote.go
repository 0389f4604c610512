package embed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/allrows/allrows/kb"
	"github.com/tmc/langchaingo/embeddings"
	"github.com/tmc/langchaingo/llms/ollama"
	"github.com/tmc/langchaingo/llms/openai"
)

// Config chooses an embedder. The zero value is [Static].
type Config struct {
	Provider string        // "" or "static": built in; "openai": any OpenAI-compatible server; "ollama"
	Model    string        // "text-embedding-3-small", "nomic-embed-text" …
	URL      string        // of the server; default the provider's own
	Key      string        // where the server wants one
	Dim      int           // of the model's vectors; 0 asks the server once
	Batch    int           // texts a request; default 64
	Timeout  time.Duration // per request; default 60 s
}

// New returns the embedder that the configuration names. A remote one is asked
// for its dimension where Dim is 0, so that a wrong address fails here.
func New(ctx context.Context, cfg Config) (kb.Embedder, error) {
	cfg.Batch, cfg.Timeout = cmp.Or(cfg.Batch, 64), cmp.Or(cfg.Timeout, time.Minute)
	var client embeddings.EmbedderClient
	var err error
	switch cfg.Provider {
	case "", "static":
		return Static(), nil
	case "openai":
		opts := []openai.Option{openai.WithEmbeddingModel(cfg.Model), openai.WithToken(cmp.Or(cfg.Key, "none"))}
		if cfg.URL != "" {
			opts = append(opts, openai.WithBaseURL(cfg.URL))
		}
		client, err = openai.New(opts...)
	case "ollama":
		opts := []ollama.Option{ollama.WithModel(cfg.Model)}
		if cfg.URL != "" {
			opts = append(opts, ollama.WithServerURL(cfg.URL))
		}
		client, err = ollama.New(opts...)
	default:
		return nil, fmt.Errorf("embed: no provider %q: use static, openai or ollama", cfg.Provider)
	}
	if err != nil {
		return nil, fmt.Errorf("embed: configuring %s: %w", cfg.Provider, err)
	}
	if cfg.Model == "" {
		return nil, fmt.Errorf("embed: provider %s needs a model", cfg.Provider)
	}
	r := &remote{cfg: cfg, client: client}
	if r.cfg.Dim == 0 {
		v, err := r.Embed(ctx, []string{"table"})
		if err != nil {
			return nil, fmt.Errorf("asking for the dimension of %s: %w", cfg.Model, err)
		}
		r.cfg.Dim = len(v[0])
	}
	return r, nil
}

// remote embeds over the network.
type remote struct {
	cfg    Config
	client embeddings.EmbedderClient
}

// Name returns provider and model.
func (r *remote) Name() string { return r.cfg.Provider + "-" + r.cfg.Model }

// Dim returns the number of dimensions.
func (r *remote) Dim() int { return r.cfg.Dim }

// Embed asks the server, in batches.
func (r *remote) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, 0, len(texts))
	for len(texts) > 0 {
		batch := texts[:min(r.cfg.Batch, len(texts))]
		texts = texts[len(batch):]
		vecs, err := r.request(ctx, batch)
		if err != nil {
			return nil, fmt.Errorf("embed: %s: %w", r.Name(), err)
		}
		out = append(out, vecs...)
	}
	return out, nil
}

func (r *remote) request(ctx context.Context, batch []string) ([][]float32, error) {
	ctx, cancel := context.WithTimeout(ctx, r.cfg.Timeout)
	defer cancel()
	vecs, err := r.client.CreateEmbedding(ctx, batch)
	if err != nil {
		return nil, err
	}
	if len(vecs) != len(batch) {
		return nil, fmt.Errorf("%d vectors came for %d texts", len(vecs), len(batch))
	}
	for _, v := range vecs {
		if len(v) == 0 || r.cfg.Dim != 0 && len(v) != r.cfg.Dim {
			return nil, fmt.Errorf("a vector of %d dimensions came, not %d", len(v), r.cfg.Dim)
		}
		if !normalize(v) {
			return nil, errors.New("a vector of zeros came")
		}
	}
	return vecs, nil
}
