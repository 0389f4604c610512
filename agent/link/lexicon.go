package link

import (
	"embed"
	"fmt"
	"sort"
	"strings"
	"sync"
)

//go:embed lexicon/*.txt
var lexiconFiles embed.FS

// Lexicon is what the words of one language mean, whatever the tables: fillers,
// question words, operators, numbers, months, classes of header words. It is
// read from one data file a language.
type Lexicon struct {
	Language string
	phrases  map[string][]Entry // by folded phrase
	starts   map[string]int     // first word -> most words of a phrase that begins so
	classes  map[string]map[string]bool
	synonyms map[string]map[string]bool
	same     map[string][]string // word -> what cells write for it
}

// Entry is one meaning of a phrase. Class is like "sup.max"; Dims name the
// header words it speaks of, Against those it speaks of in the other direction.
type Entry struct {
	Class         string
	Dims, Against []string
}

var lexicons = sync.OnceValues(loadLexicons)

// Lexicons returns the embedded lexicons by language.
func Lexicons() (map[string]*Lexicon, error) { return lexicons() }

func loadLexicons() (map[string]*Lexicon, error) {
	files, err := lexiconFiles.ReadDir("lexicon")
	if err != nil {
		return nil, fmt.Errorf("link: reading the embedded lexicons: %w", err)
	}
	out := map[string]*Lexicon{}
	for _, f := range files {
		text, err := lexiconFiles.ReadFile("lexicon/" + f.Name())
		if err != nil {
			return nil, fmt.Errorf("link: reading the embedded lexicon %s: %w", f.Name(), err)
		}
		lang := strings.TrimSuffix(f.Name(), ".txt")
		lx, err := ParseLexicon(lang, string(text))
		if err != nil {
			return nil, err
		}
		out[lang] = lx
	}
	return out, nil
}

// ParseLexicon reads one lexicon file: lines "class: phrase | phrase".
func ParseLexicon(lang, text string) (*Lexicon, error) {
	lx := &Lexicon{Language: lang, phrases: map[string][]Entry{}, starts: map[string]int{},
		classes: map[string]map[string]bool{}, synonyms: map[string]map[string]bool{}, same: map[string][]string{}}
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		head, body, ok := strings.Cut(line, ": ")
		if !ok {
			return nil, fmt.Errorf("link: lexicon %s line %d: want \"class: phrase | phrase\", got %q", lang, i+1, line)
		}
		lx.add(head, strings.Split(body, "|"))
	}
	return lx, nil
}

func (lx *Lexicon) add(head string, phrases []string) {
	fields := strings.Fields(head)
	e := Entry{Class: fields[0]}
	for _, f := range fields[1:] {
		if words, ok := strings.CutPrefix(f, "dim="); ok {
			e.Dims = strings.Split(words, ",")
		} else if words, ok := strings.CutPrefix(f, "dim~="); ok {
			e.Against = strings.Split(words, ",")
		}
	}
	var group []string
	for _, p := range phrases {
		p = Phrase(p)
		if p == "" {
			continue
		}
		group = append(group, p)
	}
	if name, ok := strings.CutPrefix(e.Class, "class."); ok {
		for _, p := range group {
			mark(lx.classes, name, Stem(p))
		}
		return
	}
	if e.Class == "same" {
		for _, a := range group {
			lx.same[a] = append(lx.same[a], group...)
		}
		return
	}
	if e.Class == "syn" {
		for _, a := range group {
			for _, b := range group {
				if a != b {
					mark(lx.synonyms, Stem(a), Stem(b))
				}
			}
		}
		return
	}
	for _, p := range group {
		lx.phrases[p] = append(lx.phrases[p], e)
		first, _, _ := strings.Cut(p, " ")
		lx.starts[first] = max(lx.starts[first], strings.Count(p, " ")+1)
	}
}

func mark(m map[string]map[string]bool, a, b string) {
	if m[a] == nil {
		m[a] = map[string]bool{}
	}
	m[a][b] = true
}

// InClass reports whether a header word is of the class (person, time, place,
// amount, duration, age, name).
func (lx *Lexicon) InClass(class, word string) bool { return lx.classes[class][Stem(word)] }

// Classes returns the names of the header classes, sorted.
func (lx *Lexicon) Classes() []string {
	var out []string
	for c := range lx.classes {
		out = append(out, c)
	}
	sort.Strings(out)
	return out
}

// Synonyms reports whether two words are used for the same thing.
func (lx *Lexicon) Synonyms(a, b string) bool { return lx.synonyms[Stem(a)][Stem(b)] }

// Same returns the ways in which cells write what the word says: "M" for "male".
func (lx *Lexicon) Same(word string) []string { return lx.same[word] }

// Meanings returns what a folded phrase means.
func (lx *Lexicon) Meanings(phrase string) []Entry { return lx.phrases[phrase] }

// Is reports whether the folded phrase has a meaning of the class.
func (lx *Lexicon) Is(class, phrase string) bool {
	for _, e := range lx.phrases[phrase] {
		if e.Class == class {
			return true
		}
	}
	return false
}

// Knows reports whether the word stands in the lexicon at all.
func (lx *Lexicon) Knows(word string) bool { return lx.starts[word] > 0 }

// Longest returns of how many words the longest phrase is that begins so.
func (lx *Lexicon) Longest(word string) int { return lx.starts[word] }

// Detect returns the language whose words the question uses most; English
// where nothing speaks for another.
func Detect(tokens []Token) (string, error) {
	all, err := Lexicons()
	if err != nil {
		return "", err
	}
	best, most := "en", 0
	for _, lang := range []string{"en", "es", "de", "pt"} {
		lx := all[lang]
		if lx == nil {
			continue
		}
		n := 0
		for _, t := range tokens {
			for _, e := range lx.phrases[t.Norm] {
				if e.Class == "filler" || strings.HasPrefix(e.Class, "wh.") || strings.HasPrefix(e.Class, "agg.") {
					n += 2
					break
				}
			}
		}
		if n > most {
			best, most = lang, n
		}
	}
	return best, nil
}
