package journal_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/allrows/allrows/journal"
)

type note struct {
	Text string `json:"text"`
}

func open(t testing.TB, dir string) *journal.Journal {
	t.Helper()
	j, err := journal.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return j
}

func write(t testing.TB, j *journal.Journal, e journal.Entry) {
	t.Helper()
	if err := j.Write(e); err != nil {
		t.Fatal(err)
	}
}

func closed(t testing.TB, j *journal.Journal) {
	t.Helper()
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
}

func texts(t testing.TB, rs []*journal.Record) []string {
	t.Helper()
	var out []string
	for _, r := range rs {
		var n note
		if err := r.Decode(&n); err != nil {
			t.Fatal(err)
		}
		out = append(out, n.Text)
	}
	return out
}

// TestManyWriters has several journals of one folder write at once, as several
// processes do: each finds what all wrote, in order.
func TestManyWriters(t *testing.T) {
	dir := t.TempDir()
	const writers, each = 5, 40
	var wg sync.WaitGroup
	for w := range writers {
		j := open(t, dir)
		wg.Go(func() {
			for i := range each {
				e := journal.Entry{Kind: "answer", Principal: "p", ID: fmt.Sprintf("a%d-%d", w, i), Conversation: fmt.Sprintf("c%d", w), Body: note{fmt.Sprint(i)}}
				if err := j.Write(e); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	j := open(t, dir)
	for w := range writers {
		rs, err := j.Conversation(fmt.Sprintf("c%d", w))
		if err != nil || len(rs) != each {
			t.Fatalf("Conversation(c%d) = %d records, %v; want %d", w, len(rs), err, each)
		}
		for i, s := range texts(t, rs) {
			if s != fmt.Sprint(i) {
				t.Errorf("record %d of c%d is %q", i, w, s)
			}
		}
	}
	if r, err := j.Find("a3-17"); err != nil || r.Principal != "p" {
		t.Errorf("Find = %v, %v", r, err)
	}
	rep, err := j.Verify(t.Context())
	if err != nil || !rep.OK() || rep.Records != writers*(each+1) || rep.Files != writers {
		t.Errorf("Verify = %+v, %v", rep, err)
	}
}

// TestSeesOthers has one journal find what another writes after it has read.
func TestSeesOthers(t *testing.T) {
	dir := t.TempDir()
	a, b := open(t, dir), open(t, dir)
	if _, err := a.Find("x"); !errors.Is(err, journal.ErrNotFound) {
		t.Fatalf("Find in an empty journal = %v", err)
	}
	for i := range 3 {
		write(t, b, journal.Entry{Kind: "answer", ID: "x", Conversation: "c", Body: note{fmt.Sprint(i)}})
		rs, err := a.Conversation("c")
		if err != nil || len(rs) != i+1 {
			t.Errorf("after %d records Conversation has %d, %v", i+1, len(rs), err)
		}
	}
	write(t, b, journal.Entry{Kind: "feedback", Principal: "q", Body: note{"good"}})
	rs, err := a.List(journal.Query{Kind: "answer", Limit: 2})
	if err != nil || cmp.Diff([]string{"2", "1"}, texts(t, rs)) != "" {
		t.Errorf("List = %v, %v", texts(t, rs), err)
	}
	if rs, _ := a.List(journal.Query{Principal: "q"}); len(rs) != 1 {
		t.Errorf("List of q has %d records", len(rs))
	}
	if err := b.Append("", "p", "id", 1); err == nil {
		t.Error("an entry without a kind was taken")
	}
	if err := b.Append("answer", "p", "id", func() {}); err == nil {
		t.Error("a body that is no JSON was taken")
	}
}

// TestRotates begins a new file when one is full, witnessed by the next.
func TestRotates(t *testing.T) {
	dir := t.TempDir()
	n := 0
	j, err := journal.New(journal.Config{Dir: dir, MaxSize: 500, Always: true, Sync: time.Hour,
		Now:     func() time.Time { n++; return time.Date(2026, 1, 1, 0, 0, n, 0, time.UTC) },
		NewName: func() string { return "x" }})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		write(t, j, journal.Entry{Kind: "answer", ID: fmt.Sprint(i), Body: note{strings.Repeat("x", 100)}})
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	rep, err := open(t, dir).Verify(t.Context())
	if err != nil || !rep.OK() || rep.Files < 3 {
		t.Fatalf("Verify = %+v, %v", rep, err)
	}
	names, _ := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err := os.Remove(names[1]); err != nil {
		t.Fatal(err)
	}
	if rep, err := open(t, dir).Verify(t.Context()); err != nil || rep.OK() {
		t.Errorf("a missing file goes unseen: %+v, %v", rep, err)
	}
}

// TestTampering changes every byte of a journal in turn: each change is seen, or
// is a cut of the last line.
func TestTampering(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir)
	for i := range 3 {
		write(t, j, journal.Entry{Kind: "answer", Principal: "ana", ID: fmt.Sprint(i), Body: note{"one & <two>"}})
	}
	closed(t, j)
	names, _ := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	good, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	verify := func(data []byte) *journal.Report {
		t.Helper()
		if err := os.WriteFile(names[0], data, 0o600); err != nil {
			t.Fatal(err)
		}
		rep, err := open(t, dir).Verify(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return rep
	}
	if rep := verify(good); !rep.OK() {
		t.Fatalf("untouched: %+v", rep)
	}
	for i := range good {
		bad := bytes.Clone(good)
		bad[i] ^= 1
		if rep := verify(bad); rep.OK() && len(rep.Torn) == 0 {
			t.Errorf("a change of byte %d (%q) goes unseen", i, good[i])
		}
	}
	lines := bytes.SplitAfter(good, []byte("\n"))
	if rep := verify(append(bytes.Clone(lines[0]), bytes.Join(lines[2:], nil)...)); rep.OK() {
		t.Error("a removed line goes unseen")
	}
	if rep := verify(bytes.Join([][]byte{lines[0], lines[2], lines[1], lines[3]}, nil)); rep.OK() {
		t.Error("swapped lines go unseen")
	}
}

// TestTorn cuts the last line, as a power cut does: it is reported, what came
// before is found, and others go on writing.
func TestTorn(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir)
	write(t, j, journal.Entry{Kind: "answer", ID: "kept", Body: note{"kept"}})
	write(t, j, journal.Entry{Kind: "answer", ID: "torn", Body: note{"torn"}})
	closed(t, j)
	names, _ := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	data, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(names[0], data[:len(data)-20], 0o600); err != nil {
		t.Fatal(err)
	}
	k := open(t, dir)
	write(t, k, journal.Entry{Kind: "answer", ID: "after", Body: note{"after"}})
	for id, want := range map[string]bool{"kept": true, "torn": false, "after": true} {
		if _, err := k.Find(id); (err == nil) != want {
			t.Errorf("Find(%s) = %v, want found %v", id, err, want)
		}
	}
	rep, err := k.Verify(t.Context())
	if err != nil || !rep.OK() || len(rep.Torn) != 1 {
		t.Errorf("Verify = %+v, %v; want one torn line and no fault", rep, err)
	}
}

// FuzzScan reads a file of any bytes: no panic, and a good file beside it is found.
func FuzzScan(f *testing.F) {
	f.Add([]byte("{}\n"))
	f.Add([]byte("{\"seq\":1,\"kind\":\"begin\",\"body\":{\"before\":{\"file\":\"z\"}}}\nxx"))
	f.Add([]byte("\n\n\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "20200101T000000.000-0.jsonl"), data, 0o600); err != nil {
			t.Fatal(err)
		}
		j := open(t, dir)
		write(t, j, journal.Entry{Kind: "answer", ID: "good-one", Body: note{"x"}})
		if _, err := j.Find("good-one"); err != nil {
			t.Errorf("Find = %v", err)
		}
		if _, err := j.Verify(t.Context()); err != nil {
			t.Errorf("Verify = %v", err)
		}
	})
}

func BenchmarkAppend(b *testing.B) {
	j := open(b, b.TempDir())
	b.ReportAllocs()
	for b.Loop() {
		write(b, j, journal.Entry{Kind: "answer", ID: "x", Body: note{"text"}})
	}
}
