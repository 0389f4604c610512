package ingest_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/allrows/allrows/examples"
	"github.com/allrows/allrows/ingest"
	"github.com/allrows/allrows/kb"
	"github.com/allrows/allrows/kb/embed"
	"github.com/allrows/allrows/sqltool"
	"github.com/allrows/allrows/workbook"
)

func TestMain(m *testing.M) {
	sqltool.MaybeWorker()
	maybeLoad()
	os.Exit(m.Run())
}

// folder is an empty data folder with a loader.
func folder(t testing.TB) (*sqltool.Store, *ingest.Loader) {
	t.Helper()
	store, l, _ := opened(t)
	return store, l
}

func opened(t testing.TB) (*sqltool.Store, *ingest.Loader, *sqltool.Runner) {
	t.Helper()
	dir := t.TempDir()
	store, err := sqltool.OpenStore(dir)
	if err != nil {
		t.Fatal(err)
	}
	r, err := sqltool.New(sqltool.Config{Store: store, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	index, err := kb.New(kb.Config{Dir: filepath.Join(dir, "index"), Embedder: embed.Static()})
	if err != nil {
		t.Fatal(err)
	}
	l, err := ingest.New(ingest.Config{Store: store, Runner: r, Index: index})
	if err != nil {
		t.Fatal(err)
	}
	return store, l, r
}

func write(t *testing.T, path, content string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLoadSamples(t *testing.T) {
	dir := t.TempDir()
	if err := examples.Write(dir); err != nil {
		t.Fatal(err)
	}
	store, l := folder(t)
	for _, tt := range []struct {
		file   string
		tables map[string]int64
	}{
		{"pricing.xlsx", map[string]int64{"tiers": 42, "rebates": 8, "freight": 3}},
		{"cities.xlsx", map[string]int64{"cities": 50, "metro": 10, "employers": 13}},
		{"convenio.xlsx", map[string]int64{"convenio": 7}},
		{"customers.xlsx", nil},
		{"orders.parquet", map[string]int64{"orders": 200_000}},
	} {
		report, err := l.Load(t.Context(), ingest.Request{Path: filepath.Join(dir, tt.file)})
		if err != nil {
			t.Fatalf("loading %s: %v", tt.file, err)
		}
		t.Logf("%s: %d rows, %d chunks in %s", tt.file, report.Rows, report.Chunks, report.Elapsed)
		got := map[string]int64{}
		for _, tb := range report.Tables {
			got[tb.Table] = tb.Rows
		}
		for name, rows := range tt.tables {
			if got[name] != rows {
				t.Errorf("%s: table %s has %d rows, want %d (tables %v)", tt.file, name, got[name], rows, got)
			}
		}
		for i := range report.Ledger.Sheets {
			if s := &report.Ledger.Sheets[i]; !s.Balanced() {
				t.Errorf("%s: the ledger of sheet %s does not balance: %+v", tt.file, s.Name, s)
			}
		}
	}
	snap, err := store.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	joins := map[string]bool{}
	for _, r := range snap.Context().Relationships {
		joins[r.From.String()+"."+r.From.Column+" > "+r.To.String()+"."+r.To.Column] = true
	}
	for _, want := range []string{
		"cities.metro.city_id > cities.cities.id", "cities.employers.city_id > cities.cities.id",
		"orders.orders.customer_id > customers.customers.customer_id",
	} {
		if !joins[want] {
			t.Errorf("no relationship %s among %v", want, joins)
		}
	}
}

func TestLoadAgain(t *testing.T) {
	store, l := folder(t)
	dir := t.TempDir()
	path := write(t, filepath.Join(dir, "a", "pay.csv"), "city,pay\nLyon,3\n")
	first, err := l.Load(t.Context(), ingest.Request{Path: path})
	if err != nil || first.Unchanged {
		t.Fatalf("first load: %+v, %v", first, err)
	}
	again, err := l.Load(t.Context(), ingest.Request{Path: path})
	if err != nil || !again.Unchanged || again.Version != first.Version {
		t.Errorf("loading the same bytes: unchanged %v, version %s, %v", again.Unchanged, again.Version, err)
	}
	other := write(t, filepath.Join(dir, "b", "pay.csv"), "city,pay\nNice,4\n")
	_, err = l.Load(t.Context(), ingest.Request{Path: other})
	if _, ok := errors.AsType[*ingest.NameError](err); !ok {
		t.Errorf("another source under a name in use: %v, want a NameError", err)
	}
	second, err := l.Load(t.Context(), ingest.Request{Path: other, Replace: true})
	if err != nil || second.Version == first.Version {
		t.Fatalf("replacing: %+v, %v", second, err)
	}
	write(t, other, "PK\x03\x04 not a table \x00\x01")
	if _, err := l.Load(t.Context(), ingest.Request{Path: other}); err == nil {
		t.Error("a file that is no table was loaded")
	}
	if v, err := store.Current("pay"); err != nil || v.ID != second.Version {
		t.Errorf("after a failed load %s serves, %v; want %s", v.ID, err, second.Version)
	}
}

func TestLoadFolderAsOneWorkbook(t *testing.T) {
	_, l := folder(t)
	dir := t.TempDir()
	write(t, filepath.Join(dir, "cities.csv"), "id,name\n1,Lyon\n2,Nice\n")
	write(t, filepath.Join(dir, "pay.csv"), "city_id,pay\n1,3\n2,5\n1,7\n")
	report, err := l.Load(t.Context(), ingest.Request{Path: dir, Name: "france"})
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Tables) != 2 || report.Tables[0].Ref.String() != "france.cities" || report.Tables[1].Ref.String() != "france.pay" {
		t.Errorf("tables %v", report.Tables)
	}
}

func TestLoadMissingFile(t *testing.T) {
	_, l := folder(t)
	_, err := l.Load(t.Context(), ingest.Request{Path: "nothing.xlsx"})
	if e, ok := errors.AsType[*workbook.FileError](err); !ok || e.Code != workbook.CodeNotFound {
		t.Errorf("loading nothing: %v", err)
	}
}
