package agent

import (
	"github.com/allrows/allrows/agent/plan"
	"github.com/allrows/allrows/agent/tools"
	"github.com/allrows/allrows/workbook"
)

// chart proposes a picture by rule from the result's types: one figure is a
// number; figures over time a line; figures by group bars; two keys a series;
// all else the table itself.
func chart(p *tools.Part) *Chart {
	if p.Plan == nil || len(p.Result.Rows) == 0 {
		return nil
	}
	var keys, figures []plan.Column
	for _, c := range p.Columns {
		numeric := c.Type.Numeric() && !c.Plain
		switch {
		case numeric && c.Role != "key":
			figures = append(figures, c)
		case c.Role == "key", len(keys) == 0:
			keys = append(keys, c)
		}
	}
	switch {
	case len(figures) == 0:
		return nil
	case len(p.Result.Rows) == 1 && len(p.Columns) == 1:
		return &Chart{Kind: "number", Y: figures[0].Name, Title: figures[0].Label}
	case len(p.Result.Rows) == 1:
		return nil
	case len(keys) == 0 && len(figures) == 2 && len(p.Result.Rows) > 2:
		return &Chart{Kind: "point", X: figures[0].Name, Y: figures[1].Name, Title: figures[1].Label}
	case len(keys) == 0 || len(keys) > 2 || len(p.Result.Rows) > 500:
		return &Chart{Kind: "table"}
	}
	c := &Chart{Kind: "bar", X: keys[0].Name, Y: figures[0].Name, Title: figures[0].Label}
	x := keys[0]
	if len(keys) == 2 {
		c.Series = keys[1].Name
		if overTime(keys[1]) && !overTime(x) {
			c.X, c.Series, x = keys[1].Name, keys[0].Name, keys[1]
		}
	}
	switch {
	case overTime(x):
		c.Kind = "line"
	case len(p.Result.Rows) > 40:
		c.Kind = "table"
		c.X, c.Y, c.Series = "", "", ""
	}
	return c
}

// overTime reports whether a column's values follow one another in time.
func overTime(c plan.Column) bool {
	return c.Type.Temporal() || c.Plain && c.Type.Kind == workbook.Int && (c.Name == "year" || c.Name == "month" || c.Name == "quarter")
}
