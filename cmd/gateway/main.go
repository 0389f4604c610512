// Command gateway is Allrows: it loads workbooks, answers questions over all of
// their rows, and serves the page and the API.
//
// There is one file a subcommand; wiring.go puts the packages together,
// config.go reads the settings, errors.go holds the exit codes. No file here
// decides anything about a question.
package main

import (
	"context"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/allrows/allrows/sqltool"
)

func main() {
	sqltool.MaybeWorker() // a worker never returns from here
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	go func() {
		<-ctx.Done()
		stop() // a second signal ends the process at once
	}()
	a := &app{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, environ: os.Environ(), now: time.Now}
	code := a.run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

// app is one run of the program: its streams, its settings.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	environ        []string
	now            func() time.Time

	json       bool // --json
	configFile string
	flags      map[string]string // settings given as flags, by key
	cfg        *config
	log        *slog.Logger
}

// run executes one command line and returns the exit code.
func (a *app) run(ctx context.Context, args []string) int {
	root := newRoot(a)
	root.SetArgs(args)
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	err := root.ExecuteContext(ctx)
	if err != nil {
		a.complain(err)
	}
	return exitCode(err)
}
