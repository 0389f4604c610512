// Package web is the analysts' page: templates, assets and the views that turn
// answers, tables and ledgers into what a person reads.
//
// [Pages] renders; it asks nothing and decides nothing. The page is complete
// without scripts, loads nothing from elsewhere, and shows every answer with
// its reading, its basis and what is wrong with it.
package web

import (
	"embed"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"net/http"
)

//go:embed templates/*.html
var templateFiles embed.FS

//go:embed assets/*.css assets/*.js assets/*.svg
var assetFiles embed.FS

// Pages renders the pages and their parts.
type Pages struct{ templates *template.Template }

// New parses the templates.
func New() (*Pages, error) {
	t, err := template.New("").Funcs(template.FuncMap{"count": countAny, "plural": pluralAny}).ParseFS(templateFiles, "templates/*.html")
	if err != nil {
		return nil, fmt.Errorf("web: parsing templates: %w", err)
	}
	return &Pages{t}, nil
}

// Render writes one template: home, answer, workbooks, problem or signin.
func (p *Pages) Render(w io.Writer, name string, view any) error {
	if err := p.templates.ExecuteTemplate(w, name, view); err != nil {
		return fmt.Errorf("web: rendering %s: %w", name, err)
	}
	return nil
}

// Assets serves the style sheet and the scripts, for the path /assets/.
func Assets() http.Handler {
	sub, err := fs.Sub(assetFiles, "assets")
	if err != nil {
		panic(err) // the folder is embedded above
	}
	files := http.StripPrefix("/assets/", http.FileServerFS(sub))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "public, max-age=3600")
		files.ServeHTTP(w, r)
	})
}

// Home is the view of the first page.
type Home struct {
	Version      string
	Signed       bool // a session is open: offer to end it
	Conversation string
	Samples      []string
	Books        []Book
	Answers      []*Answer
	Problem      *Problem
}

// Problem is what went wrong, in the words of every surface.
type Problem struct{ Code, What, Why, Next, RequestID string }
