package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	cdpruntime "github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// browser opens a page of headless Chromium and collects what the console and
// the network say. It skips where there is none, unless ALLROWS_REQUIRE names it.
func browser(t *testing.T) (context.Context, *console) {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "headless-shell"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		if slices.Contains(strings.Split(os.Getenv("ALLROWS_REQUIRE"), ","), "browser") {
			t.Fatal("no Chromium found, and ALLROWS_REQUIRE names browser")
		}
		t.Skip("no Chromium found; install one to run the tests of the page")
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.WindowSize(1280, 900))
	alloc, cancel := chromedp.NewExecAllocator(t.Context(), opts...)
	t.Cleanup(cancel)
	tab, cancel := chromedp.NewContext(alloc)
	t.Cleanup(cancel)
	heard := &console{}
	if err := chromedp.Listen(tab, heard.hear); err != nil {
		t.Fatalf("starting the browser: %v", err)
	}
	if _, err := chromedp.Call(tab, network.Enable, network.EnableParams{}); err != nil {
		t.Fatalf("starting the browser: %v", err)
	}
	ctx, cancel := context.WithTimeout(tab, 45*time.Second)
	t.Cleanup(cancel)
	return ctx, heard
}

// console is what a page said and asked for.
type console struct {
	mu          sync.Mutex
	said, asked []string
}

func (c *console) hear(event any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch e := event.(type) {
	case *log.EventEntryAdded:
		c.said = append(c.said, e.Entry.Text+" "+e.Entry.URL)
	case *cdpruntime.EventExceptionThrown:
		c.said = append(c.said, e.ExceptionDetails.Text)
	case *network.EventRequestWillBeSent:
		c.asked = append(c.asked, e.Request.URL)
	}
}

const firstAnswer = "#answers > article:first-child "

func TestPage(t *testing.T) {
	_, srv := opened(t, "pricing.xlsx")
	ctx, heard := browser(t)
	do := func(what string, actions ...chromedp.Action[chromedp.Void]) {
		t.Helper()
		if err := chromedp.Do(ctx, actions...); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	do("opening", chromedp.Navigate(srv.URL), chromedp.WaitVisible(chromedp.CSS("#question")))
	if focused, chip := evaluate(t, ctx, `document.activeElement.id`), evaluate(t, ctx, `document.querySelector("#samples button").innerText`); focused != "question" || chip == "" {
		t.Errorf("the page focuses %q and offers %q, want the question and a sample", focused, chip)
	}

	do("asking", chromedp.SendKeys(chromedp.CSS("#question"), "average discount by region"+kb.Enter), chromedp.WaitVisible(chromedp.CSS(firstAnswer+"table")))
	got := evaluate(t, ctx, firstText)
	for _, want := range []string{"North", "14.1", "Computed over all rows", "all 42 rows of pricing.xlsx · Tiers"} {
		if !strings.Contains(got, want) {
			t.Errorf("the answer reads %q, want %q in it", got, want)
		}
	}
	if id := evaluate(t, ctx, `document.querySelector("#conversation").value`); id == "" {
		t.Error("the page does not keep the conversation")
	}
	do("opening the SQL", chromedp.Click(chromedp.CSS(firstAnswer+"details summary")), chromedp.WaitVisible(chromedp.CSS(firstAnswer+"pre")))
	if sql := evaluate(t, ctx, `document.querySelector("`+firstAnswer+`pre").innerText`); !strings.Contains(strings.ToLower(sql), "select") {
		t.Errorf("the SQL is %q", sql)
	}
	do("verifying", chromedp.Click(chromedp.CSS(firstAnswer+".more form button")), chromedp.WaitVisible(chromedp.CSS(firstAnswer+".verified .badge")))
	if got := evaluate(t, ctx, `document.querySelector("`+firstAnswer+`.verified").innerText`); !strings.Contains(got, "Same result") {
		t.Errorf("verifying says %q", got)
	}

	do("asking for what is not there", chromedp.SetValue(chromedp.CSS("#question"), "What is the average discount for premium customers?"),
		chromedp.SendKeys(chromedp.CSS("#question"), kb.Enter), chromedp.WaitVisible(chromedp.CSS("article.declined, article.empty, article.clarify")))
	if got := evaluate(t, ctx, firstText); !strings.Contains(strings.ToLower(got), "premium") {
		t.Errorf("the decline reads %q, want the word that is unknown", got)
	}

	// The keyboard alone.
	evaluate(t, ctx, `document.activeElement.blur(), ""`)
	do("asking for help", chromedp.KeyEvent("?"), chromedp.WaitVisible(chromedp.CSS("#help")), chromedp.KeyEvent(kb.Escape))
	evaluate(t, ctx, `document.activeElement.blur(), ""`)
	do("going to the question", chromedp.KeyEvent("/"))
	if focused := evaluate(t, ctx, `document.activeElement.id`); focused != "question" {
		t.Errorf("/ focuses %q, want the question", focused)
	}

	file := filepath.Join(t.TempDir(), "sales.csv")
	if err := os.WriteFile(file, []byte("city,amount\nLyon,3\nParis,4\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	do("uploading", chromedp.SetUploadFiles(chromedp.CSS("#file"), []string{file}), chromedp.Click(chromedp.CSS(".upload button[type=submit]")),
		chromedp.WaitVisible(chromedp.CSS("#loaded .done")))
	if books := evaluate(t, ctx, `document.querySelector("#books").innerText`); !strings.Contains(books, "sales.csv") || !strings.Contains(books, "pricing.xlsx") {
		t.Errorf("after the upload the list reads %q", books)
	}
	heard.check(t, srv.URL)
}

const firstText = `document.querySelector("#answers > article:first-child").innerText`

// eval returns the text that an expression is in the page.
func evaluate(t *testing.T, ctx context.Context, expression string) string {
	t.Helper()
	s, err := chromedp.Run(ctx, chromedp.Evaluate[string](expression))
	if err != nil {
		t.Fatalf("evaluating %s: %v", expression, err)
	}
	return s
}

// check demands a silent console and requests to the server alone.
func (c *console) check(t *testing.T, origin string) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, url := range c.asked {
		if !strings.HasPrefix(url, origin) && !strings.HasPrefix(url, "data:") && !strings.HasPrefix(url, "chrome") {
			t.Errorf("the page asked %s", url)
		}
	}
	if len(c.said) > 0 {
		t.Errorf("the console says %q", c.said)
	}
}
