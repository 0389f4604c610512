package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/allrows/allrows/examples"
	"github.com/allrows/allrows/sqltool"
)

func TestMain(m *testing.M) {
	sqltool.MaybeWorker() // workers of these tests are this binary
	if os.Getenv(asGateway) != "" {
		main()
	}
	testscript.Main(m, map[string]func(){"gateway": main})
}

// TestScript runs the scripts of testdata/script: each has a data folder of
// its own, and beside testscript's commands
//
//	samples FILE…    writes sample workbooks here
//	exits CODE CMD…  demands that exit code
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("ALLROWS_DATA", filepath.Join(e.WorkDir, "data"))
			e.Setenv("HOME", filepath.Join(e.WorkDir, "home"))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"samples": writeSamples, "exits": exits},
	})
}

func writeSamples(ts *testscript.TestScript, _ bool, names []string) {
	for _, name := range names {
		ts.Check(examples.WriteFile(ts.MkAbs("."), name))
	}
}

func exits(ts *testscript.TestScript, _ bool, words []string) {
	if len(words) < 2 {
		ts.Fatalf("usage: exits CODE CMD…")
	}
	want, err := strconv.Atoi(words[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(words[1], words[2:]...); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}
