package main

import (
	"bufio"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/allrows/allrows/examples"
)

// asGateway makes this test's binary the program itself.
const asGateway = "GATEWAY_OF_A_TEST"

func program(t *testing.T, data string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self, args...)
	c.Env = append(os.Environ(), asGateway+"=1", "ALLROWS_DATA="+data, "ALLROWS_SERVER_ANNOUNCE=300ms")
	return c
}

// SIGTERM under load: not ready at once, every answer in flight arrives, exit
// code 0. Clients look at /readyz before they ask, as a balancer does.
func TestStopUnderLoad(t *testing.T) {
	data, dir := filepath.Join(t.TempDir(), "data"), t.TempDir()
	if err := examples.WriteFile(dir, "pricing.xlsx"); err != nil {
		t.Fatal(err)
	}
	if out, err := program(t, data, "load", filepath.Join(dir, "pricing.xlsx")).CombinedOutput(); err != nil {
		t.Fatalf("load: %v\n%s", err, out)
	}
	serve := program(t, data, "serve", "--listen", "127.0.0.1:0")
	stderr, err := serve.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { serve.Process.Kill() })
	url := address(t, bufio.NewScanner(stderr))
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 30 * time.Second}
	ready := func() bool {
		r, err := client.Get(url + "/readyz")
		if err != nil {
			return false
		}
		r.Body.Close()
		return r.StatusCode == http.StatusOK
	}
	for !ready() {
		if time.Since(began) > 10*time.Second {
			t.Fatal("not ready after 10 s")
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Logf("ready %d ms after its start", time.Since(began).Milliseconds())
	var answered atomic.Int64
	var clients sync.WaitGroup
	for range 4 {
		clients.Go(func() {
			for ready() {
				r, err := client.Post(url+"/v1/sql", "application/json", strings.NewReader(`{"sql":"select sum(discount_pct) from pricing.tiers"}`))
				if err != nil {
					t.Errorf("an answer was lost: %v", err)
					return
				}
				r.Body.Close()
				if r.StatusCode != http.StatusOK {
					t.Errorf("an answer came as %s", r.Status)
				}
				answered.Add(1)
			}
		})
	}
	time.Sleep(500 * time.Millisecond)
	stopped := time.Now()
	if err := serve.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	clients.Wait()
	err = serve.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok || err != nil {
		t.Errorf("the server ended with %v, want exit code 0 (%v)", err, exit)
	}
	if answered.Load() == 0 {
		t.Error("no question was answered before the stop")
	}
	t.Logf("%d answers, stopped in %d ms", answered.Load(), time.Since(stopped).Milliseconds())
}

// address reads where the server says that its page is, and goes on reading so
// that it is never held up.
func address(t *testing.T, lines *bufio.Scanner) string {
	t.Helper()
	for lines.Scan() {
		line := lines.Text()
		if at := strings.Index(line, "http://"); at >= 0 && strings.Contains(line, "page") {
			go func() {
				for lines.Scan() {
				}
			}()
			return strings.TrimSuffix(strings.TrimSpace(line[at:]), "/")
		}
	}
	t.Fatal("the server said no address")
	return ""
}
