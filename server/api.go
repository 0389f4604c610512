package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"github.com/allrows/allrows/agent"
	"github.com/allrows/allrows/schema"
)

var errNoWorkbook = errors.New("server: no workbook is loaded")

type askBody struct {
	Question     string   `json:"question"`
	Workbooks    []string `json:"workbooks"`
	Conversation string   `json:"conversation"`
}

// postAsk answers a question: 200 with its outcome, whatever the outcome is.
func (s *Server) postAsk(c echo.Context) error {
	var body askBody
	if err := decode(c, &body); err != nil {
		return err
	}
	if err := checkText("question", body.Question, maxQuestion); err != nil {
		return err
	}
	q := Question{Text: body.Question, Workbooks: body.Workbooks, Conversation: body.Conversation, Principal: principalOf(c).Name}
	if strings.Contains(c.Request().Header.Get(echo.HeaderAccept), "text/event-stream") {
		return s.streamAsk(c, q)
	}
	a, err := s.cfg.Front.Ask(c.Request().Context(), q)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, a)
}

type sqlBody struct {
	SQL       string   `json:"sql"`
	Limit     int      `json:"limit"`
	Workbooks []string `json:"workbooks"`
}

// postSQL runs a person's statement through the guard.
func (s *Server) postSQL(c echo.Context) error {
	var body sqlBody
	if err := decode(c, &body); err != nil {
		return err
	}
	if err := checkText("sql", body.SQL, maxSQL); err != nil {
		return err
	}
	if body.Limit < 0 {
		return badRequest("limit is negative", "leave it out for the default")
	}
	a, err := s.cfg.Front.SQL(c.Request().Context(), principalOf(c).Name, body.Workbooks, body.SQL, body.Limit)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, a)
}

type searchBody struct {
	Text      string   `json:"text"`
	Limit     int      `json:"limit"`
	Workbooks []string `json:"workbooks"`
}

// postSearch finds chunks: a selection, and said to be one.
func (s *Server) postSearch(c echo.Context) error {
	var body searchBody
	if err := decode(c, &body); err != nil {
		return err
	}
	if err := checkText("text", body.Text, maxQuestion); err != nil {
		return err
	}
	if body.Limit < 0 || body.Limit > 100 {
		return badRequest("limit is not from 1 to 100", "leave it out for the default")
	}
	hits, err := s.cfg.Front.Search(c.Request().Context(), principalOf(c).Name, body.Workbooks, body.Text, body.Limit)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, hits)
}

// getTables lists the tables of the caller's scope, with their profiles.
func (s *Server) getTables(c echo.Context) error {
	ctx, err := s.cfg.Front.Tables(principalOf(c).Name, c.QueryParams()["workbook"]...)
	if err != nil {
		return err
	}
	if ctx.Tables == nil {
		ctx.Tables = []*schema.Table{}
	}
	return c.JSON(http.StatusOK, ctx)
}

func (s *Server) getAnswer(c echo.Context) error {
	a, err := s.cfg.Front.Answer(c.Request().Context(), principalOf(c).Name, c.Param("id"))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, a)
}

const (
	listed    = 20
	maxListed = 100
)

func (s *Server) getConversations(c echo.Context) error {
	limit := listed
	if text := c.QueryParam("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > maxListed {
			return badRequest(fmt.Sprintf("limit is not from 1 to %d", maxListed), "leave it out for the default")
		}
		limit = n
	}
	lines, err := s.cfg.Front.Conversations(c.Request().Context(), principalOf(c).Name, limit)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, map[string]any{"conversations": lines})
}

func (s *Server) getConversation(c echo.Context) error {
	v, err := s.cfg.Front.Conversation(c.Request().Context(), principalOf(c).Name, c.Param("id"))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, v)
}

// postVerify runs an answer again and says whether it comes out the same.
func (s *Server) postVerify(c echo.Context) error {
	v, err := s.verify(c)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, v)
}

func (s *Server) verify(c echo.Context) (*agent.Verification, error) {
	return s.cfg.Front.Verify(c.Request().Context(), principalOf(c).Name, c.Param("id"))
}

// decode reads one JSON object and nothing after it; unknown fields are errors,
// so that a misspelt "workbook" does not widen a question in silence.
func decode(c echo.Context, into any) error {
	d := json.NewDecoder(c.Request().Body)
	d.DisallowUnknownFields()
	err := d.Decode(into)
	if err == nil && d.More() {
		err = errors.New("there is more after the JSON object")
	}
	if known := bodyError(err); known != nil {
		return known
	}
	if errors.Is(err, io.EOF) {
		err = errors.New("it is empty")
	}
	if err != nil {
		return badRequest("the body is not the JSON that this door takes", strings.TrimPrefix(err.Error(), "json: "))
	}
	return nil
}

// bodyError is a body that was too large or too slow; nil for any other error.
func bodyError(err error) error {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return err
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return refuse("AR-REQ-408", http.StatusRequestTimeout, "the body of the request stood still", "", "send it without pauses")
	}
	return nil
}

func badRequest(what, why string) *Problem {
	return refuse("AR-REQ-400", http.StatusBadRequest, what, why, "")
}

func checkText(name, text string, limit int) error {
	switch {
	case strings.TrimSpace(text) == "":
		return badRequest(name+" is empty", "")
	case len(text) > limit:
		return refuse("AR-REQ-413", http.StatusRequestEntityTooLarge, fmt.Sprintf("%s has %d bytes, the limit is %d", name, len(text), limit), "", "say it shorter")
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return badRequest(name+" is no valid text", "it must be UTF-8 without NUL")
	}
	return nil
}
