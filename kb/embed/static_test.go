package embed_test

import (
	"math"
	"slices"
	"testing"

	"github.com/allrows/allrows/kb"
	"github.com/allrows/allrows/kb/embed"
)

func vector(t testing.TB, text string) []float32 {
	t.Helper()
	vs, err := embed.Static().Embed(t.Context(), []string{text})
	if err != nil {
		t.Fatal(err)
	}
	return vs[0]
}

func cosine(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

func FuzzStatic(f *testing.F) {
	for _, s := range []string{"", " ", "the the", "Región: 1ª", "\xff\xfe", "12.5%", "salary"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v := vector(t, text)
		if n := cosine(v, v); len(v) != embed.Static().Dim() || math.Abs(n-1) > 1e-5 {
			t.Errorf("Embed(%q) has length %v, want 1", text, n)
		}
		if !slices.Equal(v, vector(t, text)) {
			t.Errorf("Embed(%q) is not the same twice", text)
		}
	})
}

func TestSimilarMeaning(t *testing.T) {
	for _, tt := range []struct{ text, near, far string }{
		{"salary of the engineer", "wages of engineers", "harbour of the island"},
		{"city population", "town inhabitants", "engine power"},
		{"Region: North", "northern regions", "Product: Valves"},
		{"Oficial de primera", "oficial de 1ª", "jefe de sección"},
	} {
		v := vector(t, tt.text)
		if near, far := cosine(v, vector(t, tt.near)), cosine(v, vector(t, tt.far)); near <= far {
			t.Errorf("%q is as near to %q (%.2f) as to %q (%.2f)", tt.text, tt.far, far, tt.near, near)
		}
	}
}

func TestNeighbours(t *testing.T) {
	got := embed.Static().Neighbours("salary", 8)
	if !slices.ContainsFunc(got, func(n kb.Neighbour) bool { return n.Word == "wages" || n.Word == "pay" }) {
		t.Errorf("Neighbours(salary) = %v, want wages or pay among them", got)
	}
	if n := embed.Static().Neighbours("qzxv", 8); len(n) != 0 {
		t.Errorf("Neighbours of no word = %v", n)
	}
}

func BenchmarkStatic(b *testing.B) {
	texts := []string{"Regional discount tiers\nRegion: North\nTier: 3\nDiscount %: 12.0\nMin order USD: 25000\nEffective: 2026-01-01"}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := embed.Static().Embed(b.Context(), texts); err != nil {
			b.Fatal(err)
		}
	}
}
