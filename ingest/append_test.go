package ingest_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/allrows/allrows/ingest"
	"github.com/allrows/allrows/sqltool"
)

const january = "city,amount,day\nLyon,3,2024-01-01\nNice,4.5,2024-01-02\n"

// rowsOf are the rows of a workbook's only table, each with its number.
func rowsOf(t *testing.T, store *sqltool.Store, r *sqltool.Runner, name string) [][]string {
	t.Helper()
	v, err := store.Current(name)
	if err != nil {
		t.Fatal(err)
	}
	var out [][]string
	seq, ended := ingest.Rows(t.Context(), r, v, v.Tables[0], nil)
	for row, values := range seq {
		out = append(out, append([]string{string(rune('0' + row))}, values...))
	}
	if err := ended(); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestAppend joins the files of three months; rows of the earlier ones stay even
// though their files are gone.
func TestAppend(t *testing.T) {
	store, l, r := opened(t)
	dir := t.TempDir()
	load := func(file, content string) *ingest.Report {
		t.Helper()
		path := write(t, filepath.Join(dir, file), content)
		report, err := l.Load(t.Context(), ingest.Request{Path: path, Name: "sales", Append: true})
		if err != nil {
			t.Fatalf("appending %s: %v", file, err)
		}
		return report
	}
	load("jan.csv", january)
	if err := os.Remove(filepath.Join(dir, "jan.csv")); err != nil {
		t.Fatal(err)
	}
	load("feb.csv", "day,city,amount\n2024-02-01,Lyon,7\n")
	report := load("mar.csv", "city,amount,day\nBrest,1.25,2024-03-01\n")
	want := [][]string{{"2", "Lyon", "3", "2024-01-01"}, {"3", "Nice", "4.5", "2024-01-02"}, {"5", "Lyon", "7", "2024-02-01"}, {"7", "Brest", "1.25", "2024-03-01"}}
	if d := cmp.Diff(want, rowsOf(t, store, r, "sales")); d != "" {
		t.Error(d)
	}
	v, err := store.Current("sales")
	if err != nil || len(v.Tables[0].Parts) != 3 || v.Tables[0].Parts[2].File != "mar.csv" || v.Tables[0].Parts[2].Shift != 5 || v.Manifest.File != "jan.csv and 2 more" {
		t.Errorf("parts %+v of %+v, %v", v.Tables[0].Parts, v.Manifest, err)
	}
	if report.Rows != 4 || len(report.Ledger.Sheets) != 3 {
		t.Errorf("report of %d rows, %d sheets", report.Rows, len(report.Ledger.Sheets))
	}
	if again := load("april.csv", "day,city,amount\n2024-02-01,Lyon,7\n"); !again.Unchanged { // february's bytes
		t.Error("the same bytes were appended twice")
	}
	jan := write(t, filepath.Join(dir, "jan.csv"), january)
	if _, err := l.Load(t.Context(), ingest.Request{Path: jan, Name: "sales"}); err == nil {
		t.Error("loading the first file again would drop the others, and was not refused")
	}
}

// TestAppendDrift refuses another shape and records it where it is wanted.
func TestAppendDrift(t *testing.T) {
	for _, tt := range []struct {
		name, content string
		drift         []string
		last          []string
	}{
		{"missing", "city,day\nLyon,2024-02-01\n", []string{`"amount"`, "not in"}, []string{"5", "Lyon", "", "2024-02-01"}},
		{"new", "city,amount,day,shop\nLyon,7,2024-02-01,A\n", []string{`"shop"`, "is new"}, []string{"5", "Lyon", "7", "2024-02-01", "A"}},
		{"retyped", "city,amount,day\nLyon,many,2024-02-01\n", []string{`"amount"`, "VARCHAR"}, []string{"5", "Lyon", "many", "2024-02-01"}},
		{"other unit", "city,amount,day\nLyon,$7,2024-02-01\n", []string{`"amount"`, "USD", "plain numbers"}, []string{"5", "Lyon", "7", "2024-02-01"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			store, l, r := opened(t)
			dir := t.TempDir()
			request := ingest.Request{Path: write(t, filepath.Join(dir, "jan.csv"), january), Name: "sales", Append: true}
			first, err := l.Load(t.Context(), request)
			if err != nil {
				t.Fatal(err)
			}
			request.Path = write(t, filepath.Join(dir, "feb.csv"), tt.content)
			_, err = l.Load(t.Context(), request)
			e, ok := errors.AsType[*ingest.DriftError](err)
			if !ok {
				t.Fatalf("another shape: %v, want a DriftError", err)
			}
			for _, w := range tt.drift {
				if !strings.Contains(e.Error(), w) {
					t.Errorf("%q lacks %q", e.Error(), w)
				}
			}
			if v, err := store.Current("sales"); err != nil || v.ID != first.Version {
				t.Errorf("after a refusal %s serves, %v", v.ID, err)
			}
			request.Drift = true
			report, err := l.Load(t.Context(), request)
			if err != nil {
				t.Fatal(err)
			}
			rows := rowsOf(t, store, r, "sales")
			if d := cmp.Diff(tt.last, rows[len(rows)-1]); d != "" || len(rows) != 3 || len(report.Drift) != 1 {
				t.Errorf("%s\n%v %v", d, rows, report.Drift)
			}
			in := report.Ledger.Incidents
			if len(in) == 0 || in[len(in)-1].Code != "drift" {
				t.Errorf("the ledger does not say so: %+v", in)
			}
		})
	}
}
