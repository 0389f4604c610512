// Package examples holds the sample workbooks, as the generator that makes
// them.
//
// [Write] writes them all and [WriteFile] one. The same bytes come out on every
// machine: what tests, the demo and the documentation say of these workbooks
// stays true. The companies, people and prices are fictional; the cities are
// real.
package examples

import (
	"bytes"
	"embed"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

//go:embed data/*.csv
var data embed.FS

// sample is one workbook and how its bytes are made.
type sample struct {
	name string
	make func() ([]byte, error)
}

var samples = []sample{
	{"pricing.xlsx", pricing},
	{"cities.xlsx", cities},
	{"convenio.xlsx", convenio},
	{"customers.xlsx", customers},
	{"orders.parquet", orders},
}

// Names returns the file names of the samples.
func Names() []string {
	names := make([]string, len(samples))
	for i, s := range samples {
		names[i] = s.name
	}
	return names
}

// Write writes every sample into dir, which it makes if it is not there.
func Write(dir string) error {
	for _, s := range samples {
		if err := WriteFile(dir, s.name); err != nil {
			return err
		}
	}
	return nil
}

// WriteFile writes the sample of that file name into dir, which it makes if it
// is not there. Any other name is an error that wraps [fs.ErrNotExist].
func WriteFile(dir, name string) error {
	i := slices.IndexFunc(samples, func(s sample) bool { return s.name == name })
	if i < 0 {
		return fmt.Errorf("examples: %q is not one of the samples %q: %w", name, Names(), fs.ErrNotExist)
	}
	body, err := samples[i].make()
	if err != nil {
		return fmt.Errorf("examples: making %s: %w", name, err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("examples: making the folder for %s: %w", name, err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), body, 0o644); err != nil {
		return fmt.Errorf("examples: writing %s: %w", name, err)
	}
	return nil
}

// records reads one of the embedded CSV files: its header and its rows.
func records(name string) (header []string, rows [][]string, err error) {
	body, err := data.ReadFile("data/" + name)
	if err != nil {
		return nil, nil, err
	}
	all, err := csv.NewReader(bytes.NewReader(body)).ReadAll()
	if err != nil {
		return nil, nil, fmt.Errorf("reading %s: %w", name, err)
	}
	if len(all) == 0 {
		return nil, nil, errors.New(name + " is empty")
	}
	return all[0], all[1:], nil
}
