package workbook

import (
	"strings"
	"unicode/utf8"
)

// noteWords begin the lines that stand below tables.
var noteWords = wordSet(`source sources note notes nota notas fuente fuentes quelle quellen anmerkung anmerkungen hinweis hinweise remarque
	remarques symbols symbol legend leyenda legende key footnote footnotes internet see http https * abbreviations data`)

// isNoteText reports whether a line begins as notes do.
func isNoteText(t string) bool {
	if t == "" {
		return false
	}
	switch t[0] {
	case '*', '(', '[', '\\', '<':
		return true
	}
	if strings.HasPrefix(t, "†") || strings.HasPrefix(t, "¹") || strings.HasPrefix(t, "http") {
		return true
	}
	first, _, _ := strings.Cut(strings.ToLower(t), " ")
	word := strings.TrimRight(first, ":.")
	return noteWords[word] && (word != first || first != "data" && first != "see" || utf8.RuneCountInString(t) > 30)
}

// totalWords begin the label of a total row.
var totalWords = wordSet(`total totals subtotal sub-total suma sumas gesamt gesamtsumme summe insgesamt zwischensumme
	totale ensemble totales subtotales sous-total totaux`)

// totalLabel reports whether a label names a total, and whether it is nothing
// but that word ("Total", "Grand total"), so that it covers the whole table.
func totalLabel(t string) (total, plain bool) {
	if !containsFold(t, "tot") && !containsFold(t, "sum") && !containsFold(t, "gesamt") && !containsFold(t, "ensemble") && !strings.EqualFold(t, "all") {
		return false, false
	}
	t = strings.ToLower(strings.Trim(t, " :.*"))
	if t == "" || utf8.RuneCountInString(t) > 60 {
		return false, false
	}
	first, rest, _ := strings.Cut(t, " ")
	first, rest = strings.Trim(first, ":,"), strings.Trim(rest, " :.*\\/0123456789()")
	switch {
	case first == "sum" || first == "all":
		return rest == "", rest == ""
	case first == "grand":
		return strings.HasPrefix(rest, "total"), rest == "total"
	case totalWords[first]:
		return true, rest == "" || rest == "general" || rest == "amount"
	}
	return strings.HasSuffix(t, " total") || strings.HasSuffix(t, " subtotal") || strings.HasSuffix(t, ", total") || strings.HasSuffix(t, " gesamt"), false
}
