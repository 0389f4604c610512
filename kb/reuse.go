package kb

import (
	"os"
	"path/filepath"

	"github.com/allrows/allrows/schema"
)

// vectorsBefore returns the vectors of the table's newest other version, by the
// hash of what was embedded, so that unchanged rows are not embedded again. It
// is a saving and nothing depends on it: without a readable file there is none.
func (s *Store) vectorsBefore(t *schema.Table) map[uint64][]float32 {
	files, err := filepath.Glob(filepath.Join(globEscape(s.cfg.Dir), globEscape(fileName(t.Workbook)), "*", globEscape(s.Fingerprint()), globEscape(fileName(t.Table))+".chunks"))
	if err != nil {
		return nil
	}
	newest, stamp := "", int64(0)
	for _, f := range files {
		if info, err := os.Stat(f); err == nil && info.ModTime().UnixNano() > stamp {
			newest, stamp = f, info.ModTime().UnixNano()
		}
	}
	if newest == "" {
		return nil
	}
	file, err := os.ReadFile(newest)
	if err != nil {
		return nil
	}
	x, dim, err := readTable(file, s.Fingerprint())
	if err != nil {
		return nil
	}
	out := map[uint64][]float32{}
	for _, seg := range x.segments {
		for i, h := range seg.hashes {
			v := make([]float32, dim)
			seg.vectors.unit(i, v)
			out[h] = v
		}
	}
	return out
}

// globEscape takes the meaning out of the marks of a pattern.
func globEscape(s string) string {
	var out []byte
	for i := range len(s) {
		switch s[i] {
		case '*', '?', '[', '\\':
			out = append(out, '\\')
		}
		out = append(out, s[i])
	}
	return string(out)
}
