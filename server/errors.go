package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/allrows/allrows/access"
	"github.com/allrows/allrows/agent"
	"github.com/allrows/allrows/guardrails"
	"github.com/allrows/allrows/ingest"
	"github.com/allrows/allrows/sqltool"
	"github.com/allrows/allrows/workbook"
)

// Problem is what went wrong in words: the body of every error response, and
// what the command line prints.
type Problem struct {
	Code      string `json:"code"`           // stable: AR-SQL-203
	What      string `json:"what"`           // what was refused or failed
	Why       string `json:"why,omitempty"`  // the reason, naming only what the caller may know
	Next      string `json:"next,omitempty"` // what to do
	RequestID string `json:"request_id"`
	Status    int    `json:"-"`
}

// Error is the problem in one line.
func (p *Problem) Error() string {
	s := p.Code + " " + sentence(p.What)
	for _, part := range []string{p.Why, p.Next} {
		if part != "" {
			s += " " + sentence(part)
		}
	}
	return s
}

func sentence(s string) string {
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".?!") {
		return s
	}
	return s + "."
}

// errPanic stands for a panic that was caught: its text goes to the log only.
var errPanic = errors.New("server: panic")

func refuse(code string, status int, what, why, next string) *Problem {
	return &Problem{Code: code, Status: status, What: what, Why: why, Next: next}
}

func tooLarge(limit int64) *Problem {
	return refuse("AR-REQ-413", http.StatusRequestEntityTooLarge, "the request is larger than "+size(limit), "", "send less at once")
}

func size(n int64) string {
	if n >= 1<<20 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d KiB", n>>10)
}

// Explain is the one table from error to problem and HTTP status. An error that
// it does not know is a 500 whose text stays in the log.
func Explain(err error) *Problem {
	if p, ok := errors.AsType[*Problem](err); ok {
		c := *p
		return &c
	}
	if v, ok := errors.AsType[*guardrails.Violation](err); ok {
		return violation(v)
	}
	if e, ok := errors.AsType[*sqltool.TimeoutError](err); ok {
		return refuse("AR-SQL-408", http.StatusRequestTimeout, "the query took too long and was stopped", e.Error(), "ask for less at once, or narrow the question")
	}
	if e, ok := errors.AsType[*sqltool.LimitError](err); ok {
		return refuse("AR-SQL-429", http.StatusTooManyRequests, "a limit was reached", e.Error(), "try again in a moment, or ask for less")
	}
	if e, ok := errors.AsType[*sqltool.EngineError](err); ok {
		return refuse("AR-SQL-422", http.StatusUnprocessableEntity, "the database could not run the statement", e.Error(), "change the statement; `gateway tables` lists columns and types")
	}
	if e, ok := errors.AsType[*sqltool.NotFoundError](err); ok {
		return refuse("AR-DAT-404", http.StatusNotFound, fmt.Sprintf("no %s named %q is loaded", e.What, e.Name), "", "`gateway workbooks list` shows what is")
	}
	if e, ok := errors.AsType[*sqltool.ConflictError](err); ok {
		return refuse("AR-DAT-409", http.StatusConflict, e.Error(), "", "")
	}
	if e, ok := errors.AsType[*workbook.FileError](err); ok {
		if e.Code == workbook.CodeNotFound {
			return refuse("AR-FIL-404", http.StatusNotFound, filepath.Base(e.Path)+" cannot be loaded", e.Text, "")
		}
		return refuse("AR-FIL-422", http.StatusUnprocessableEntity, filepath.Base(e.Path)+" cannot be loaded", e.Text, "")
	}
	if e, ok := errors.AsType[*ingest.NameError](err); ok { // whose Source is a path of this machine
		return refuse("AR-DAT-410", http.StatusConflict, fmt.Sprintf("the name %q belongs to another source", e.Workbook), "",
			"load it under another name (--as NAME, field name) or replace it (--replace, field replace)")
	}
	if e, ok := errors.AsType[*ingest.DriftError](err); ok {
		return refuse("AR-DAT-411", http.StatusConflict, fmt.Sprintf("%s has another shape than the workbook %s", e.File, e.Workbook), strings.Join(e.Drift, "; "),
			"correct the file, or append it all the same with --drift, which leaves blank what a file does not have")
	}
	return explainRest(err)
}

func explainRest(err error) *Problem {
	if e, ok := errors.AsType[*access.NoKeyError](err); ok {
		return refuse("AR-KEY-404", http.StatusNotFound, fmt.Sprintf("no key has the id %q", e.ID), "", "`gateway key list` shows them")
	}
	if e, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return tooLarge(e.Limit)
	}
	if e, ok := errors.AsType[*echo.HTTPError](err); ok {
		return refuse(fmt.Sprintf("AR-REQ-%d", e.Code), e.Code, strings.ToLower(fmt.Sprint(e.Message)), "", "")
	}
	switch {
	case errors.Is(err, access.ErrKey):
		return refuse("AR-KEY-401", http.StatusUnauthorized, "an API key is needed", "none was sent, or it is not in force", "send the header Authorization: Bearer KEY")
	case errors.Is(err, agent.ErrNotFound):
		return refuse("AR-ANS-404", http.StatusNotFound, "there is no such answer", "none of yours has that id, or what it read is no longer shown to you", "")
	case errors.Is(err, context.DeadlineExceeded):
		return refuse("AR-REQ-408", http.StatusRequestTimeout, "the request took too long and was stopped", "", "ask for less at once, or narrow the question")
	case errors.Is(err, context.Canceled):
		return refuse("AR-REQ-499", 499, "the request was given up", "", "")
	}
	return refuse("AR-SRV-500", http.StatusInternalServerError, "something failed inside Allrows", "", "try again; the log has the details under the request id")
}

// rules numbers the guard's rules. A rule that is not named is 299: the code
// stays stable when the guard learns a new one.
var rules = map[string]int{
	"read-only": 201, "one-statement": 202, "table": 203, "column": 204, "function": 205, "limit": 206, "syntax": 207,
	"scope": 208, "unscoped": 209, "text": 210, "parameter": 211, "wrap": 212,
}

func violation(v *guardrails.Violation) *Problem {
	n, ok := rules[v.Rule]
	if !ok {
		n = 299
	}
	status := http.StatusUnprocessableEntity
	if v.Rule == "scope" || v.Rule == "unscoped" {
		status = http.StatusForbidden
	}
	return refuse(fmt.Sprintf("AR-SQL-%d", n), status, "Query refused: "+v.What, "guardrails: "+v.Rule, v.Fix)
}

// fail writes an error: JSON for programs, a part of the page for the page.
func (s *Server) fail(err error, c echo.Context) {
	if c.Response().Committed {
		return
	}
	p := Explain(err)
	p.RequestID = requestID(c)
	if p.Status >= 500 {
		s.log.Error("request failed", "route", c.Path(), "request_id", p.RequestID, "error", err)
	}
	if p.Status == http.StatusUnauthorized {
		c.Response().Header().Set("WWW-Authenticate", "Bearer")
	}
	if p.Status == http.StatusTooManyRequests || p.Status == http.StatusServiceUnavailable {
		c.Response().Header().Set("Retry-After", "2")
	}
	switch {
	case isChat(c.Request().URL.Path):
		err = c.JSON(p.Status, chatError(p))
	case wantsPage(c):
		err = s.failPage(c, p)
	default:
		err = c.JSON(p.Status, p)
	}
	if err != nil {
		s.log.Warn("writing an error response", "request_id", p.RequestID, "error", err)
	}
}
