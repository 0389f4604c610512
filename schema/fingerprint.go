package schema

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"time"
)

// Fingerprint is equal for contexts that are equal in every field, and for no
// others: what was made from one may then serve the other.
type Fingerprint [sha256.Size]byte

// Fingerprint returns the fingerprint of what the context holds now.
func (c *Context) Fingerprint() Fingerprint {
	d := make(digest, 0, 1<<14)
	d.count(len(c.Tables))
	for _, t := range c.Tables {
		d.table(t)
	}
	d.count(len(c.Relationships))
	for _, r := range c.Relationships {
		d.text(r.From.Workbook, r.From.Table, r.From.Column, r.To.Workbook, r.To.Table, r.To.Column, r.Cardinality)
		d.number(r.Orphans)
		d.flag(r.Declared)
	}
	d.count(len(c.Metrics))
	for _, m := range c.Metrics {
		d.text(m.Name, m.Table.Workbook, m.Table.Table, m.Expression)
		d.list(m.Synonyms)
	}
	return sha256.Sum256(d)
}

// digest writes fields so that no two contexts are written alike: texts and lists
// say how long they are.
type digest []byte

func (d *digest) number(n int64) { *d = binary.AppendVarint(*d, n) }

func (d *digest) count(n int) { d.number(int64(n)) }

func (d *digest) flag(b bool) {
	if b {
		*d = append(*d, 1)
		return
	}
	*d = append(*d, 0)
}

func (d *digest) text(texts ...string) {
	for _, s := range texts {
		d.count(len(s))
		*d = append(*d, s...)
	}
}

func (d *digest) list(texts []string) {
	d.count(len(texts))
	d.text(texts...)
}

func (d *digest) time(t time.Time) {
	d.number(t.Unix())
	d.count(t.Nanosecond())
}

func (d *digest) table(t *Table) {
	d.text(t.Workbook, t.Table, t.Version, t.File, t.Sheet, t.Title, t.Description, t.Range, t.SHA256)
	d.list(t.Synonyms)
	d.list(t.Questions)
	d.number(t.Rows)
	d.time(t.LoadedAt)
	d.time(t.SourceMTime)
	d.count(len(t.Notes))
	for _, n := range t.Notes {
		d.count(n.Row)
		d.text(n.Text)
	}
	d.count(len(t.Parts))
	for _, p := range t.Parts {
		d.text(p.File, p.Sheet)
		d.number(p.First)
		d.number(p.Last)
		d.number(p.Shift)
	}
	d.count(len(t.Checks))
	for _, k := range t.Checks {
		d.count(k.Row)
		d.text(k.Label, k.Column, k.Cell, k.Printed, k.Computed)
		d.flag(k.Agrees)
	}
	d.count(len(t.Columns))
	for _, c := range t.Columns {
		d.column(c)
	}
}

func (d *digest) column(c *Column) {
	d.text(c.Name, c.Header, string(c.Type.Kind), c.Type.Name, c.Letter, c.Locale, c.Evidence, c.Description)
	d.list(c.Path)
	d.list(c.Synonyms)
	d.count(c.Type.Width)
	d.count(c.Type.Scale)
	d.count(c.Decimals)
	d.number(c.Rejected)
	d.text(c.Unit.Symbol, c.Unit.Code, c.Unit.Per)
	d.number(c.Unit.Scale)
	d.flag(c.Unit.Prefix)
	d.list(c.Unit.Mixed)
	d.profile(&c.Profile)
}

func (d *digest) profile(p *Profile) {
	d.number(p.Nulls)
	d.number(p.Distinct)
	d.flag(p.Unique)
	d.flag(p.Sampled)
	d.text(p.Min, p.Max)
	d.flag(p.Mean != nil)
	if p.Mean != nil {
		*d = binary.BigEndian.AppendUint64(*d, math.Float64bits(*p.Mean))
	}
	d.count(len(p.Top))
	for _, v := range p.Top {
		d.text(v.Value)
		d.number(v.Rows)
	}
}
