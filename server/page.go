package server

import (
	"bytes"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/allrows/allrows/web"
)

const pageSamples = 5

// wantsPage reports whether an error is shown to a person at the page.
func wantsPage(c echo.Context) bool {
	path := c.Request().URL.Path
	if strings.HasPrefix(path, "/v1/") || path == "/livez" || path == "/readyz" {
		return false
	}
	return isPart(c) || strings.Contains(c.Request().Header.Get(echo.HeaderAccept), "text/html")
}

// isPart reports whether the page's script asks for a part of it.
func isPart(c echo.Context) bool { return c.Request().Header.Get("HX-Request") == "true" }

func (s *Server) render(c echo.Context, status int, name string, view any) error {
	var buf bytes.Buffer
	if err := s.pages.Render(&buf, name, view); err != nil {
		return err
	}
	return c.HTMLBlob(status, buf.Bytes())
}

// home gathers what every whole page shows.
func (s *Server) home(c echo.Context) (web.Home, error) {
	_, err := c.Cookie(sessionCookie)
	h := web.Home{Version: s.cfg.Version, Signed: err == nil}
	ctx, err := s.cfg.Front.Tables(principalOf(c).Name)
	if err != nil {
		return h, err
	}
	h.Samples = web.Samples(ctx, pageSamples)
	books, err := s.cfg.Front.Books(principalOf(c).Name)
	if err != nil {
		return h, err
	}
	for _, b := range books {
		h.Books = append(h.Books, web.NewBook(b.Workbook, b.File, b.LoadedAt, b.Tables, b.Ledger))
	}
	return h, nil
}

func (s *Server) pageHome(c echo.Context) error {
	h, err := s.home(c)
	if err != nil {
		return err
	}
	return s.render(c, http.StatusOK, "home", h)
}

// pageDocs shows how to call the API, at the address that the reader uses.
func (s *Server) pageDocs(c echo.Context) error {
	keys, err := s.cfg.Keys.Any()
	if err != nil {
		return err
	}
	return s.render(c, http.StatusOK, "docs", web.NewDocs(c.Scheme()+"://"+c.Request().Host, s.cfg.Version, keys))
}

// pageAsk answers with the answer alone where the script asks, else with the
// whole page.
func (s *Server) pageAsk(c echo.Context) error {
	text := c.FormValue("question")
	if err := checkText("question", text, maxQuestion); err != nil {
		return err
	}
	a, err := s.cfg.Front.Ask(c.Request().Context(), Question{Text: text, Conversation: c.FormValue("conversation"), Principal: principalOf(c).Name})
	if err != nil {
		return err
	}
	h, err := s.home(c)
	if err != nil {
		return err
	}
	view := web.View(a, h.Samples)
	if isPart(c) {
		return s.render(c, http.StatusOK, "answer", view)
	}
	h.Answers, h.Conversation = []*web.Answer{view}, a.Conversation
	return s.render(c, http.StatusOK, "home", h)
}

// pageVerify says beside an answer whether it comes out the same.
func (s *Server) pageVerify(c echo.Context) error {
	v, err := s.verify(c)
	if err != nil {
		return err
	}
	return s.render(c, http.StatusOK, "verified", v)
}

// loadedView is what the page shows after an upload.
type loadedView struct {
	Loaded  []loadedBook
	Books   []web.Book
	Samples []string
	Problem *Problem
}

type loadedBook struct {
	web.Book
	Unchanged bool
}

func (s *Server) pageWorkbooks(c echo.Context) error {
	loaded, failed := s.receive(c)
	h, err := s.home(c)
	if err != nil {
		return err
	}
	if !isPart(c) {
		if failed != nil {
			return failed
		}
		return c.Redirect(http.StatusSeeOther, "/")
	}
	view := loadedView{Books: h.Books, Samples: h.Samples}
	for _, l := range loaded {
		view.Loaded = append(view.Loaded, loadedBook{web.NewBook(l.Workbook, l.File, s.cfg.Now(), l.Tables, l.Ledger), l.Unchanged})
	}
	if failed != nil {
		view.Problem = Explain(failed)
		view.Problem.RequestID = requestID(c)
		s.log.Info("upload refused", "code", view.Problem.Code, "request_id", view.Problem.RequestID)
		return s.render(c, view.Problem.Status, "loaded", view)
	}
	return s.render(c, http.StatusCreated, "loaded", view)
}

func (s *Server) getSignin(c echo.Context) error {
	return s.render(c, http.StatusOK, "signin", web.Home{})
}

// postSignin opens a session for whoever has a key.
func (s *Server) postSignin(c echo.Context) error {
	secret := strings.TrimSpace(c.FormValue("key"))
	if _, err := s.cfg.Keys.Authenticate(secret); err != nil {
		p := Explain(err)
		if p.Status != http.StatusUnauthorized {
			return err
		}
		return s.render(c, p.Status, "signin", web.Home{Problem: &web.Problem{What: "That key is not in force."}})
	}
	c.SetCookie(s.sessions.start(secret, c.Scheme() == "https"))
	return c.Redirect(http.StatusSeeOther, "/")
}

func (s *Server) postSignout(c echo.Context) error {
	c.SetCookie(s.sessions.end(c))
	return c.Redirect(http.StatusSeeOther, "/")
}

// failPage shows a problem where the person looks: in the page, or as a page.
func (s *Server) failPage(c echo.Context, p *Problem) error {
	if p.Status == http.StatusUnauthorized {
		if isPart(c) {
			c.Response().Header().Set("HX-Redirect", "/signin")
			return c.NoContent(p.Status)
		}
		return c.Redirect(http.StatusSeeOther, "/signin")
	}
	if isPart(c) {
		return s.render(c, p.Status, "problem", p)
	}
	h := web.Home{Version: s.cfg.Version, Problem: &web.Problem{Code: p.Code, What: p.What, Why: p.Why, Next: p.Next, RequestID: p.RequestID}}
	return s.render(c, p.Status, "home", h)
}
