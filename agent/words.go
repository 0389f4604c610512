package agent

import (
	"embed"
	"strconv"
	"strings"

	"github.com/allrows/allrows/agent/plan"
)

//go:embed words/*.txt
var wordFiles embed.FS

var languages = plan.LoadLanguages(wordFiles)

// words returns the templates of a language, English for one that has none.
func words(lang string) *plan.Language {
	if l, ok := languages[lang]; ok {
		return l
	}
	return languages["en"]
}

// count writes a whole number as people of the language do.
func count(n int64, lang string) string {
	return plan.Format(n, plan.Column{}, lang)
}

// quoted puts words in quotation marks, joined as a sentence does.
func quoted(list []string, lang string) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = "“" + s + "”"
	}
	return plan.Words(lang).List(out, "and")
}

// plural is an English header for several of it: "Region" becomes "regions".
func plural(header string) string {
	words := strings.Fields(strings.ReplaceAll(header, "_", " "))
	if len(words) == 0 {
		return header
	}
	for i, w := range words {
		if w != strings.ToUpper(w) {
			words[i] = strings.ToLower(w)
		}
	}
	last := words[len(words)-1]
	switch n := len(last); {
	case n < 2 || strings.HasSuffix(last, "s") && !strings.HasSuffix(last, "ss") && !strings.HasSuffix(last, "us"):
	case strings.HasSuffix(last, "y") && !strings.ContainsRune("aeiou", rune(last[n-2])):
		last = last[:n-1] + "ies"
	case strings.HasSuffix(last, "s"), strings.HasSuffix(last, "x"), strings.HasSuffix(last, "ch"), strings.HasSuffix(last, "sh"):
		last += "es"
	default:
		last += "s"
	}
	words[len(words)-1] = last
	return strings.Join(words, " ")
}

func itoa(n int) string { return strconv.Itoa(n) }
