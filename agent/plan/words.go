package plan

import (
	"embed"
	"io/fs"
	"strings"
)

//go:embed words/*.txt
var wordFiles embed.FS

// Language is how one language says things: one file of a folder, a line
// "key = text" each, with {name} for what is filled in.
type Language struct {
	Code     string
	text     map[string]string
	fallback *Language // English
}

var languages = LoadLanguages(wordFiles)

// LoadLanguages reads the files words/*.txt of an embedded folder. It panics on
// a folder that is not as it was built.
func LoadLanguages(files fs.FS) map[string]*Language {
	out := map[string]*Language{}
	names, err := fs.Glob(files, "words/*.txt")
	if err != nil || len(names) == 0 {
		panic("plan: there are no embedded words")
	}
	for _, name := range names {
		b, err := fs.ReadFile(files, name)
		if err != nil {
			panic("plan: reading embedded words: " + err.Error())
		}
		code := strings.TrimSuffix(strings.TrimPrefix(name, "words/"), ".txt")
		out[code] = &Language{Code: code, text: ParseWords(string(b))}
	}
	for _, l := range out {
		l.fallback = out["en"]
	}
	return out
}

// Words returns the language of that code, English for one that has no file.
func Words(lang string) *Language {
	if l, ok := languages[lang]; ok {
		return l
	}
	return languages["en"]
}

// ParseWords reads lines "key = text"; # starts a comment line. Quotes around a
// text keep its blanks.
func ParseWords(s string) map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(s) {
		key, text, ok := strings.Cut(strings.TrimRight(line, "\r\n"), " = ")
		if !ok || strings.HasPrefix(key, "#") {
			continue
		}
		text = strings.TrimSpace(text)
		if len(text) >= 2 && text[0] == '"' && text[len(text)-1] == '"' {
			text = text[1 : len(text)-1]
		}
		out[strings.TrimSpace(key)] = text
	}
	return out
}

// Say fills the text of a key: pairs are names and what stands for {name}.
func (w *Language) Say(key string, pairs ...string) string {
	text, ok := w.text[key]
	if !ok {
		text = w.fallback.text[key]
	}
	if len(pairs) == 0 {
		return text
	}
	return Fill(text, pairs...)
}

// Fill puts what the pairs say for each {name}.
func Fill(text string, pairs ...string) string {
	old := make([]string, len(pairs))
	for i, p := range pairs {
		if old[i] = p; i%2 == 0 {
			old[i] = "{" + p + "}"
		}
	}
	return strings.NewReplacer(old...).Replace(text)
}

// List joins words as a sentence does: "a, b and c".
func (w *Language) List(words []string, joiner string) string {
	switch n := len(words); n {
	case 0:
		return ""
	case 1:
		return words[0]
	default:
		return strings.Join(words[:n-1], ", ") + " " + w.Say(joiner) + " " + words[n-1]
	}
}

// Keys returns the keys that the language has a text for.
func (w *Language) Keys() []string {
	out := make([]string, 0, len(w.text))
	for k := range w.text {
		out = append(out, k)
	}
	return out
}
