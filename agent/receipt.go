package agent

import (
	"slices"
	"time"

	"github.com/allrows/allrows/agent/plan"
	"github.com/allrows/allrows/agent/tools"
	"github.com/allrows/allrows/schema"
)

// receipt fills in the proof: what was read, which rows, where the figures
// stand, what was checked.
func (r *run) receipt() {
	rc := &r.ans.Receipt
	rc.Complete, rc.Trust, rc.Confidence = r.out.Complete, "computed", r.step.Confidence
	if r.out.Route == plan.Lookup || r.out.Route == plan.Overview {
		rc.Trust = "looked_up"
	}
	if r.call.Plan == nil && r.call.Tool == "run_sql" && rc.Planner != person {
		rc.Trust = "generated"
	}
	rc.Reading = r.step.Reading
	for i := range r.out.Parts {
		p := &r.out.Parts[i]
		if i == 0 && p.Plan != nil {
			rc.Reading = p.Plan.Reading(r.env.Schema, r.lang)
		}
		if i == 0 {
			rc.SQL = p.SQL
		}
		if p.Result != nil && p.Result.Limit > 0 {
			rc.Limit = max(rc.Limit, p.Result.Limit)
		}
		r.use(p)
		rc.Citations = append(rc.Citations, r.cite(p)...)
	}
	for _, f := range r.out.Facts {
		rc.Tables = append(rc.Tables, tableUse(f.Table))
	}
	r.check()
	r.warn()
}

// use adds the tables that a part read.
func (r *run) use(p *tools.Part) {
	if p.Result == nil {
		return
	}
	refs := p.Result.Tables
	if p.Compiled != nil {
		refs = p.Compiled.Tables
	}
	rc := &r.ans.Receipt
	for _, ref := range refs {
		t := r.env.Schema.Table(ref)
		if t == nil || len(r.out.Facts) > 0 {
			continue
		}
		i := slices.IndexFunc(rc.Tables, func(u TableUse) bool { return u.Name == ref.String() })
		if i < 0 {
			i = len(rc.Tables)
			rc.Tables = append(rc.Tables, tableUse(t))
			rc.Tables[i].CellsRejected = rejected(t, p.Plan)
			rc.Tables[i].RowsMatched = t.Rows
		}
		for _, m := range p.Matched {
			if m.Ref == ref {
				rc.Tables[i].RowsMatched, rc.Tables[i].NullsIgnored = m.Rows, m.Nulls
			}
		}
		if p.Plan == nil && len(p.RowIDs) > 0 {
			rc.Tables[i].RowsMatched = int64(len(p.RowIDs))
		}
	}
}

func tableUse(t *schema.Table) TableUse {
	return TableUse{Name: t.Ref.String(), Workbook: t.File, Sheet: t.Sheet, Title: t.Title, Version: t.Version, SHA256: t.SHA256,
		LoadedAt: stamp(t.LoadedAt), SourceMTime: stamp(t.SourceMTime), Rows: t.Rows}
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// rejected counts the cells that the load could not read in the columns that the
// plan names, in all columns where there is no plan.
func rejected(t *schema.Table, p *plan.Plan) int64 {
	var n int64
	var named []schema.ColumnRef
	if p != nil {
		named = p.Columns()
	}
	for _, c := range t.Columns {
		if p == nil || slices.Contains(named, schema.ColumnRef{Ref: t.Ref, Column: c.Name}) {
			n += c.Rejected
		}
	}
	return n
}
