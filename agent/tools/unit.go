package tools

import (
	"strings"

	"github.com/allrows/allrows/workbook"
)

// UnitText is a unit in one word, as results carry it: "%", "$", "€/mes".
func UnitText(u workbook.Unit) string {
	switch {
	case len(u.Mixed) > 0:
		return strings.Join(u.Mixed, ", ")
	case u.Zero():
		return ""
	}
	s := u.Symbol
	if s == "" {
		s = u.Code
	}
	if u.Per != "" && !strings.Contains(s, "/") {
		s += "/" + u.Per
	}
	return s
}
