package main

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/allrows/allrows/agent"
	"github.com/allrows/allrows/ingest"
	"github.com/allrows/allrows/server"
)

// The exit codes: part of the interface, so they never change their meaning.
const (
	exitOK       = 0
	exitFailed   = 1
	exitUsage    = 2
	exitNotFound = 3
	exitAuth     = 4
	exitLimit    = 5
	exitUpstream = 6
	exitNoAnswer = 7
	exitDrift    = 8
	exitConfig   = 78
)

// usageError is a command line that makes no sense.
type usageError struct{ what string }

// Error says what is wrong with it.
func (e *usageError) Error() string { return e.what }

// outcomeError ends a command whose answer, printed already, is no answer.
type outcomeError struct{ code int }

// Error is for logs: nothing more is printed.
func (e *outcomeError) Error() string { return fmt.Sprintf("no answer, exit code %d", e.code) }

// exitCode is the one table from error to exit code.
func exitCode(err error) int {
	if err == nil {
		return exitOK
	}
	if e, ok := errors.AsType[*outcomeError](err); ok {
		return e.code
	}
	switch {
	case is[*usageError](err):
		return exitUsage
	case is[*configError](err), is[*server.BindError](err):
		return exitConfig
	case is[*ingest.DriftError](err):
		return exitDrift
	}
	switch server.Explain(err).Status {
	case 401, 403:
		return exitAuth
	case 404:
		return exitNotFound
	case 408, 429:
		return exitLimit
	}
	return exitFailed
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// outcome is the error that ends a command with the exit code of an answer.
func outcome(a *agent.Answer) error {
	switch a.Outcome {
	case agent.Answered:
		return nil
	case agent.Failed:
		code := exitFailed
		if a.Reason != nil {
			switch a.Reason.Code {
			case "limit", "timeout":
				code = exitLimit
			case "llm_unavailable":
				code = exitUpstream
			}
		}
		return &outcomeError{code}
	}
	return &outcomeError{exitNoAnswer}
}

// complain prints an error in the words of every surface. What the table of
// problems does not know is printed as it is: the reader owns this machine.
func (a *app) complain(err error) {
	if is[*outcomeError](err) {
		return
	}
	p := server.Explain(err)
	if p.Code == "AR-SRV-500" {
		p = &server.Problem{Code: "AR-CLI-500", What: err.Error()}
		switch {
		case is[*usageError](err):
			p.Code, p.Next = "AR-CLI-400", "`gateway --help` lists the commands"
		case is[*configError](err), is[*server.BindError](err):
			p.Code = "AR-CFG-400"
		}
	}
	if a.json {
		enc := json.NewEncoder(a.stderr)
		enc.SetEscapeHTML(false)
		_ = enc.Encode(p) // nowhere left to complain to
		return
	}
	st := newStyle(a.stderr, a.environ)
	code, rest := p.Code, clean(p.Error()[len(p.Code):])
	fmt.Fprintln(a.stderr, st.bad(code)+rest)
}
