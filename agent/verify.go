package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/allrows/allrows/agent/plan"
	"github.com/allrows/allrows/guardrails"
	"github.com/allrows/allrows/schema"
	"github.com/allrows/allrows/sqltool"
)

// Verification is what became of an answer that was run again.
type Verification struct {
	ID       string   `json:"id"`
	Same     bool     `json:"same"`              // the same versions give the same result
	Gone     []string `json:"gone,omitempty"`    // versions that are no longer kept, as workbook@version
	Differs  int      `json:"differs"`           // cells that differ on the same versions
	Current  string   `json:"current,omitempty"` // same, differs or gone: what the current versions give
	Changed  []Change `json:"changed,omitempty"` // what is not as it was on the current versions, the first 20
	Versions []string `json:"versions"`          // that the answer read, as workbook@version
	Text     string   `json:"text"`
}

// Change is one cell that differs.
type Change struct {
	Row    int    `json:"row"` // of the result, from 0
	Column string `json:"column"`
	Was    any    `json:"was"`
	Is     any    `json:"is"`
}

// Verify runs an answer again on the versions that it read, and on the current
// ones, and says what is the same.
func (a *Agent) Verify(ctx context.Context, id string, s *guardrails.Scope) (*Verification, error) {
	k, err := a.find(ctx, id, s)
	if err != nil {
		return nil, err
	}
	rc := &k.Answer.Receipt
	if rc.SQL == "" || k.Answer.Result == nil || k.Tool == "entity" || k.Tool == "search_rows" {
		return nil, fmt.Errorf("agent: answer %s was not computed by a statement: %w", id, ErrNotFound)
	}
	v := &Verification{ID: id, Versions: []string{}}
	say := words(k.Language).Say
	old, err := a.pinned(rc.Tables, s, v)
	if err != nil {
		return nil, fmt.Errorf("agent: verifying %s: %w", id, err)
	}
	var texts []string
	if len(v.Gone) == 0 {
		res, err := a.again(ctx, old, rc.SQL)
		if err != nil {
			return nil, fmt.Errorf("agent: verifying %s: %w", id, err)
		}
		diff := differences(k.Answer.Result, res)
		v.Differs, v.Same = len(diff), len(diff) == 0
		if texts = append(texts, say("same")); !v.Same {
			texts[0] = say("differs", "n", itoa(v.Differs))
		}
	} else {
		workbook, version, _ := strings.Cut(v.Gone[0], "@")
		texts = append(texts, say("gone", "w", workbook, "v", version))
	}
	if a.moved(rc.Tables, s) {
		texts = append(texts, a.onCurrent(ctx, k, s, v))
	} else if v.Same {
		v.Current = "same"
	}
	v.Text = strings.Join(texts, " ")
	return v, nil
}

// pinned is the scope with the tables of the versions that the answer read, cut
// to the columns that the scope shows.
func (a *Agent) pinned(uses []TableUse, s *guardrails.Scope, v *Verification) (*guardrails.Scope, error) {
	old := *s
	old.Tables = slices.Clone(s.Tables)
	for _, u := range uses {
		i := slices.IndexFunc(old.Tables, func(t guardrails.ScopeTable) bool { return t.Table.Ref.String() == u.Name })
		ref := old.Tables[i].Table.Ref
		name := ref.Workbook + "@" + u.Version
		if !slices.Contains(v.Versions, name) {
			v.Versions = append(v.Versions, name)
		}
		if old.Tables[i].Table.Version == u.Version || a.cfg.Versions == nil {
			continue
		}
		ver, err := a.cfg.Versions.Version(ref.Workbook, u.Version)
		if _, ok := errors.AsType[*sqltool.NotFoundError](err); ok {
			if !slices.Contains(v.Gone, name) {
				v.Gone = append(v.Gone, name)
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		j := slices.IndexFunc(ver.Tables, func(t *schema.Table) bool { return t.Ref == ref })
		if j < 0 {
			v.Gone = append(v.Gone, name)
			continue
		}
		t := *ver.Tables[j]
		t.Columns = slices.DeleteFunc(slices.Clone(t.Columns), func(c *schema.Column) bool { return old.Tables[i].Table.Column(c.Name) == nil })
		old.Tables[i].Table = &t
	}
	return &old, nil
}

// again checks and runs a statement in a scope.
func (a *Agent) again(ctx context.Context, s *guardrails.Scope, sql string) (*sqltool.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, a.cfg.Timeout)
	defer cancel()
	q, err := a.cfg.Guard.Check(ctx, s, sql)
	if err != nil {
		return nil, err
	}
	return a.cfg.Runner.Run(ctx, q)
}

// moved reports whether a table that the answer read has another version now.
func (a *Agent) moved(uses []TableUse, s *guardrails.Scope) bool {
	return slices.ContainsFunc(uses, func(u TableUse) bool {
		return slices.ContainsFunc(s.Tables, func(t guardrails.ScopeTable) bool {
			return t.Table.Ref.String() == u.Name && t.Table.Version != u.Version
		})
	})
}

// onCurrent runs the answer on the current versions.
func (a *Agent) onCurrent(ctx context.Context, k *kept, s *guardrails.Scope, v *Verification) string {
	say := words(k.Language).Say
	res, err := a.again(ctx, s, k.Answer.Receipt.SQL)
	if err != nil {
		v.Current = "gone"
		r := &run{a: a, lang: k.Language}
		return say("current_gone", "a", strings.TrimSuffix(r.reasonOf(err).Text, "."))
	}
	diff := differences(k.Answer.Result, res)
	if len(diff) == 0 {
		v.Current = "same"
		return say("current_same")
	}
	v.Current, v.Changed = "differs", diff[:min(len(diff), 20)]
	var said []string
	for _, c := range diff[:min(len(diff), 3)] {
		said = append(said, c.Column+": "+cellText(c.Was, k.Language)+" → "+cellText(c.Is, k.Language))
	}
	return say("current_differs", "a", strings.Join(said, "; "))
}

func cellText(v any, lang string) string {
	return plan.Format(v, plan.Column{Decimals: -1}, lang)
}

// differences compares the cells of two results by position.
func differences(was *Result, is *sqltool.Result) []Change {
	var out []Change
	rows := max(len(was.Rows), len(is.Rows))
	for i := range rows {
		for j := range max(len(was.Columns), len(is.Columns)) {
			x, y := at(was.Rows, i, j), at(is.Rows, i, j)
			if sameCell(x, y) {
				continue
			}
			name := ""
			if j < len(was.Columns) {
				name = was.Columns[j].Name
			}
			out = append(out, Change{Row: i, Column: name, Was: x, Is: y})
		}
	}
	return out
}

func at(rows [][]any, i, j int) any {
	if i < len(rows) && j < len(rows[i]) {
		return rows[i][j]
	}
	return nil
}

// sameCell compares two cells as JSON has them: one comes from the journal.
func sameCell(x, y any) bool {
	a, err1 := json.Marshal(x)
	b, err2 := json.Marshal(y)
	return err1 == nil && err2 == nil && string(a) == string(b)
}
