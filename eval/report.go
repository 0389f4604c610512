package eval

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// Group counts the cases of one kind or language.
type Group struct {
	Name   string `json:"name"`
	Cases  int    `json:"cases"`
	Passed int    `json:"passed"`
}

// Summary counts a run.
type Summary struct {
	Cases     int     `json:"cases"`
	Passed    int     `json:"passed"`
	Kinds     []Group `json:"kinds"`
	Languages []Group `json:"languages,omitempty"`
}

// Summarize counts outcomes, by kind and by language where there is more than
// one.
func Summarize(outcomes []Outcome) Summary {
	s := Summary{Cases: len(outcomes)}
	for _, o := range outcomes {
		if o.Pass {
			s.Passed++
		}
	}
	s.Kinds = groups(outcomes, func(o Outcome) string { return o.Kind })
	if l := groups(outcomes, func(o Outcome) string { return o.Language }); len(l) > 1 {
		s.Languages = l
	}
	return s
}

func groups(outcomes []Outcome, name func(Outcome) string) []Group {
	var all []Group
	for _, o := range outcomes {
		i := slices.IndexFunc(all, func(g Group) bool { return g.Name == name(o) })
		if i < 0 {
			i, all = len(all), append(all, Group{Name: name(o)})
		}
		all[i].Cases++
		if o.Pass {
			all[i].Passed++
		}
	}
	return all
}

// WriteTable prints one line a case, what is wrong with those that fail, and the
// summary.
func WriteTable(w io.Writer, outcomes []Outcome) error {
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(t, "CASE\tRESULT\tOUTCOME\tROUTE\tMS\tQUESTION")
	for _, o := range outcomes {
		result, outcome, route := "pass", "", ""
		if !o.Pass {
			result = "FAIL"
		}
		if o.Answer != nil {
			outcome, route = string(o.Answer.Outcome), string(o.Answer.Route)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%.1f\t%s\n", o.ID, result, outcome, route, o.ElapsedMS, o.Question)
	}
	if err := t.Flush(); err != nil {
		return fmt.Errorf("printing the cases: %w", err)
	}
	for _, o := range outcomes {
		if !o.Pass {
			fmt.Fprintf(w, "\nFAIL %s %s\n", o.ID, o.Question)
			for _, f := range o.Faults {
				fmt.Fprintf(w, "  %s\n", f)
			}
			if o.Answer != nil && o.Answer.Receipt.Reading != "" {
				fmt.Fprintf(w, "  reading: %s\n", o.Answer.Receipt.Reading)
			}
		}
	}
	s := Summarize(outcomes)
	for _, groups := range [][]Group{s.Kinds, s.Languages} {
		fmt.Fprintln(w)
		for _, g := range groups {
			fmt.Fprintf(t, "%s\t%d of %d\n", g.Name, g.Passed, g.Cases)
		}
		if err := t.Flush(); err != nil {
			return fmt.Errorf("printing the summary: %w", err)
		}
	}
	_, err := fmt.Fprintf(w, "%d of %d cases pass\n", s.Passed, s.Cases)
	return err
}

// WriteJSON prints the outcomes with their answers, and the summary.
func WriteJSON(w io.Writer, outcomes []Outcome) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(struct {
		Cases   []Outcome `json:"cases"`
		Summary Summary   `json:"summary"`
	}{outcomes, Summarize(outcomes)})
}

type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Seconds  string      `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Seconds string        `xml:"time,attr"`
	Failure *junitFailure `xml:"failure,omitempty"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// WriteJUnit prints the outcomes as the JUnit file that build servers read.
func WriteJUnit(w io.Writer, name string, outcomes []Outcome) error {
	s := junitSuite{Name: name, Tests: len(outcomes)}
	total := 0.0
	for _, o := range outcomes {
		c := junitCase{Class: name + "." + o.Kind, Name: o.ID, Seconds: fmt.Sprintf("%.3f", o.ElapsedMS/1000)}
		if !o.Pass {
			s.Failures++
			c.Failure = &junitFailure{Message: o.Faults[0], Text: o.Question + "\n" + strings.Join(o.Faults, "\n")}
		}
		total += o.ElapsedMS
		s.Cases = append(s.Cases, c)
	}
	s.Seconds = fmt.Sprintf("%.3f", total/1000)
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return fmt.Errorf("writing JUnit: %w", err)
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(s); err != nil {
		return fmt.Errorf("writing JUnit: %w", err)
	}
	_, err := io.WriteString(w, "\n")
	return err
}
