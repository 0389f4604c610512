package main

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/allrows/allrows/agent"
	"github.com/allrows/allrows/examples"
	"github.com/allrows/allrows/ingest"
	"github.com/allrows/allrows/server"
)

// opened is a gateway over a data folder of its own with the named samples
// loaded, and an HTTP server before it.
func opened(t testing.TB, samples ...string) (*gateway, *httptest.Server) {
	t.Helper()
	cfg, err := readConfig("", map[string]string{"data.dir": filepath.Join(t.TempDir(), "data")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	a := &app{stdout: io.Discard, stderr: io.Discard, now: time.Now, cfg: cfg, log: slog.New(slog.DiscardHandler)}
	g, err := a.open(a.log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	dir := t.TempDir()
	for _, name := range samples {
		if err := examples.WriteFile(dir, name); err != nil {
			t.Fatal(err)
		}
		if _, err := g.loader.Load(t.Context(), ingest.Request{Path: filepath.Join(dir, name)}); err != nil {
			t.Fatal(err)
		}
	}
	keys, err := a.keys()
	if err != nil {
		t.Fatal(err)
	}
	s, err := server.New(server.Config{Front: g.front, Keys: keys, Memory: g.journal, Ready: g.ready, Uploads: filepath.Join(cfg.Data, "uploads"), NewID: newID, Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(s.Handler())
	t.Cleanup(srv.Close)
	return g, srv
}

func post(t testing.TB, address, contentType string, body io.Reader, into any) int {
	t.Helper()
	r, err := http.Post(address, contentType, body)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	data, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("POST %s = %d %s: %v", address, r.StatusCode, data, err)
	}
	return r.StatusCode
}

func postJSON(t testing.TB, address, body string, into any) int {
	return post(t, address, "application/json", strings.NewReader(body), into)
}

func TestHTTPAsk(t *testing.T) {
	_, srv := opened(t, "pricing.xlsx")
	var a agent.Answer
	if code := postJSON(t, srv.URL+"/v1/ask", `{"question": "average discount by region", "workbooks": ["pricing.xlsx"]}`, &a); code != 200 {
		t.Fatalf("/v1/ask = %d %+v", code, a)
	}
	if a.Outcome != agent.Answered || len(a.Result.Rows) != 6 || !a.Receipt.Complete || a.Receipt.Tables[0].Rows != 42 {
		t.Errorf("/v1/ask = %+v, want six complete rows over 42", a)
	}
	var again agent.Answer
	r, err := http.Get(srv.URL + "/v1/answers/" + a.ID)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if err := json.NewDecoder(r.Body).Decode(&again); err != nil || again.Text != a.Text || again.Receipt.SQL != a.Receipt.SQL {
		t.Errorf("the kept answer = %+v, %v, want %+v", again, err, a)
	}
	var v agent.Verification
	if code := postJSON(t, srv.URL+"/v1/answers/"+a.ID+"/verify", "", &v); code != 200 || !v.Same {
		t.Errorf("verify = %d %+v, want the same", code, v)
	}
	var declined agent.Answer
	if code := postJSON(t, srv.URL+"/v1/ask", `{"question": "What is the average discount for premium customers?"}`, &declined); code != 200 || declined.Outcome == agent.Answered || declined.Reason == nil {
		t.Errorf("a question about premium customers = %d %+v, want a reason and no answer", code, declined)
	}
	var p server.Problem
	if code := postJSON(t, srv.URL+"/v1/ask", `{"question": "x", "workbooks": ["nothing"]}`, &p); code != 404 || p.Code != "AR-DAT-404" {
		t.Errorf("a workbook that is not there = %d %+v, want 404", code, p)
	}
}

func TestHTTPSQL(t *testing.T) {
	_, srv := opened(t, "pricing.xlsx")
	var a agent.Answer
	if code := postJSON(t, srv.URL+"/v1/sql", `{"sql": "select count(*) as n from pricing.tiers", "limit": 5}`, &a); code != 200 || a.Result.Rows[0][0] != 42.0 {
		t.Errorf("/v1/sql = %d %+v, want 42", code, a.Result)
	}
	for _, tt := range []struct {
		name, sql string
		want      int
	}{
		{"write", "drop table pricing.tiers", 422},
		{"file", "select * from read_csv('/etc/passwd')", 422},
		{"unknown table", "select * from salaries", 422},
		{"engine error", "select cast(region as integer) from pricing.tiers", 422},
	} {
		t.Run(tt.name, func(t *testing.T) {
			body, err := json.Marshal(map[string]string{"sql": tt.sql})
			if err != nil {
				t.Fatal(err)
			}
			var p server.Problem
			if code := postJSON(t, srv.URL+"/v1/sql", string(body), &p); code != tt.want || !strings.HasPrefix(p.Code, "AR-SQL-") || p.RequestID == "" {
				t.Errorf("/v1/sql %s = %d %+v, want %d", tt.sql, code, p, tt.want)
			}
		})
	}
}

func TestHTTPUpload(t *testing.T) {
	g, srv := opened(t)
	upload := func(name, data string, replace bool) (int, map[string]any) {
		var body bytes.Buffer
		m := multipart.NewWriter(&body)
		part, err := m.CreateFormFile("file", name)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(part, data)
		if replace {
			m.WriteField("replace", "true")
		}
		m.Close()
		out := map[string]any{}
		return post(t, srv.URL+"/v1/workbooks", m.FormDataContentType(), &body, &out), out
	}
	if r, err := http.Get(srv.URL + "/readyz"); err != nil || r.StatusCode != 503 {
		t.Errorf("/readyz with nothing loaded = %v, %v, want 503", r, err)
	}
	code, out := upload("sales.csv", "city,amount\nLyon,3\nParis,4\n", false)
	if code != 201 || out["workbook"] != "sales" || out["rows"] != 2.0 || out["ledger"] == nil {
		t.Fatalf("upload = %d %v, want the ledger of sales", code, out)
	}
	if code, out := upload("sales.csv", "city,amount\nLyon,3\nParis,4\n", false); code != 200 || out["unchanged"] != true {
		t.Errorf("the same file again = %d %v, want 200 unchanged", code, out)
	}
	if code, out := upload("sales.csv", "city,amount\nLyon,9\n", false); code != 409 {
		t.Errorf("another file of that name = %d %v, want 409", code, out)
	}
	if code, out := upload("sales.csv", "city,amount\nLyon,9\n", true); code != 201 || out["rows"] != 1.0 {
		t.Errorf("another file that replaces = %d %v, want 201", code, out)
	}
	if code, out := upload("broken.xlsx", "this is no workbook", false); code != 422 || out["code"] != "AR-FIL-422" || strings.Contains(out["why"].(string), "/") {
		t.Errorf("no workbook = %d %v, want 422 without a path", code, out)
	}
	if left, err := os.ReadDir(filepath.Join(g.store.Dir(), "uploads")); err != nil || len(left) != 0 {
		t.Errorf("uploads left %v, %v", left, err)
	}
	time.Sleep(600 * time.Millisecond) // the verdict of readiness is kept that long
	if r, err := http.Get(srv.URL + "/readyz"); err != nil || r.StatusCode != 200 {
		t.Errorf("/readyz with a workbook = %v, %v, want 200", r, err)
	}
}

// The page answers without scripts too: a plain form gets the whole page.
func TestPageWithoutScripts(t *testing.T) {
	_, srv := opened(t, "pricing.xlsx")
	r, err := http.PostForm(srv.URL+"/ask", url.Values{"question": {"average discount by region"}})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	page, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<!doctype html>", "North", "all 42 rows of pricing.xlsx", `name="conversation"`} {
		if r.StatusCode != 200 || !strings.Contains(string(page), want) {
			t.Errorf("a plain form = %d, without %q", r.StatusCode, want)
		}
	}
}
