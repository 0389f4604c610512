package main

import (
	"cmp"
	"math"
	"slices"
)

// eigen returns the eigenvectors of a symmetric matrix, of the greatest value
// first, by Jacobi rotations. Signs are fixed (the greatest entry is positive),
// so that the result does not depend on the path.
func eigen(m [][]float64) (vectors [][]float64, values []float64) {
	n := len(m)
	v := make([][]float64, n) // columns are the vectors
	for i := range v {
		v[i] = make([]float64, n)
		v[i][i] = 1
	}
	for range 100 {
		off := 0.0
		for i := range n {
			for j := i + 1; j < n; j++ {
				off += m[i][j] * m[i][j]
			}
		}
		if off < 1e-18 {
			break
		}
		for i := range n {
			for j := i + 1; j < n; j++ {
				rotate(m, v, i, j)
			}
		}
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(m[b][b], m[a][a]) })
	for _, k := range order {
		vec := make([]float64, n)
		peak := 0.0
		for i := range n {
			if vec[i] = v[i][k]; math.Abs(vec[i]) > math.Abs(peak) {
				peak = vec[i]
			}
		}
		if peak < 0 {
			for i := range vec {
				vec[i] = -vec[i]
			}
		}
		vectors, values = append(vectors, vec), append(values, m[k][k])
	}
	return vectors, values
}

// rotate makes entry (p, q) zero.
func rotate(m, v [][]float64, p, q int) {
	if m[p][q] == 0 {
		return
	}
	theta := (m[q][q] - m[p][p]) / (2 * m[p][q])
	t := 1 / (math.Abs(theta) + math.Sqrt(theta*theta+1))
	if theta < 0 {
		t = -t
	}
	c := 1 / math.Sqrt(t*t+1)
	s := t * c
	for k := range m {
		a, b := m[k][p], m[k][q]
		m[k][p], m[k][q] = c*a-s*b, s*a+c*b
	}
	for k := range m {
		a, b := m[p][k], m[q][k]
		m[p][k], m[q][k] = c*a-s*b, s*a+c*b
		a, b = v[k][p], v[k][q]
		v[k][p], v[k][q] = c*a-s*b, s*a+c*b
	}
}
