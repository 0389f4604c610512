package plan

import (
	"slices"
	"strconv"
	"strings"

	"github.com/allrows/allrows/schema"
	"github.com/allrows/allrows/workbook"
)

// meaning is what the values of an expression are.
type meaning struct {
	Column
	known bool // the type is known
}

var (
	intType    = workbook.Type{Kind: workbook.Int}
	floatType  = workbook.Type{Kind: workbook.Float}
	boolType   = workbook.Type{Kind: workbook.Bool}
	percent    = workbook.Unit{Symbol: "%", Code: "percent"}
	points     = workbook.Unit{Symbol: "pp", Code: "percentage_points"}
	literalFor = map[string]workbook.Kind{"text": workbook.Text, "number": workbook.Decimal, "date": workbook.Date, "timestamp": workbook.Timestamp, "bool": workbook.Bool}
)

// meaning works out type, unit and decimals of an expression.
func (k *compiler) meaning(e *Expr) meaning {
	switch {
	case e == nil:
	case e.Column != nil:
		if e.Column.Workbook == "" {
			return meaning{Column: Column{Name: e.Column.Column, Label: e.Column.Column, Decimals: -1}}
		}
		if c, err := k.column(*e.Column); err == nil {
			return meaning{Column: SourceColumn(c), known: true}
		}
	case e.Agg != "":
		return k.aggMeaning(e)
	case e.Fn != "":
		return k.fnMeaning(e)
	case e.Literal != nil:
		kind := literalFor[e.Literal.Type]
		m := meaning{Column: Column{Name: "value", Label: e.Literal.Text, Type: workbook.Type{Kind: kind}}, known: true}
		if _, frac, ok := strings.Cut(e.Literal.Text, "."); ok && kind == workbook.Decimal {
			m.Decimals = len(frac)
		}
		return m
	case e.Plan != nil && len(e.Plan.Select) == 1:
		return k.meaning(&e.Plan.Select[0].Expr)
	}
	return meaning{Column: Column{Name: "value", Label: "Value", Decimals: -1}}
}

// SourceColumn is the result column that shows a source column as it is.
func SourceColumn(c *schema.Column) Column {
	d := c.Decimals
	switch {
	case d == 0 && c.Type.Kind == workbook.Float:
		d = -1
	case d == 0 && c.Type.Kind == workbook.Decimal:
		d = c.Type.Scale
	}
	return Column{Name: c.Name, Label: ColumnLabel(c), Role: "measure", Type: c.Type, Unit: c.Unit, Decimals: d, Plain: plainDigitsOf(c)}
}

// ColumnLabel is the header as people say it: without the unit at its end.
func ColumnLabel(c *schema.Column) string {
	label := strings.Join(strings.Fields(c.Header), " ")
	if label == "" {
		label = strings.ReplaceAll(c.Name, "_", " ")
	}
	if c.Unit.Zero() {
		return label
	}
	if i := strings.LastIndexByte(label, '('); i > 0 && strings.HasSuffix(label, ")") {
		return strings.TrimSpace(label[:i] + besidesUnit(label[i+1:len(label)-1], c.Unit))
	}
	for _, tail := range []string{c.Unit.Symbol, c.Unit.Code, c.Unit.Symbol + "/" + c.Unit.Per} {
		if rest, ok := strings.CutSuffix(label, " "+tail); ok && tail != "" && strings.TrimSpace(rest) != "" {
			return strings.TrimSpace(rest)
		}
	}
	return label
}

// besidesUnit is what parentheses hold beside the unit, in parentheses: "(YoY)"
// of "% YoY", nothing of "USD billion" or "€/mes".
func besidesUnit(inside string, u workbook.Unit) string {
	if u.Symbol == "" || inside == u.Symbol || inside == u.Code {
		return ""
	}
	rest := strings.TrimSpace(strings.Replace(inside, u.Symbol, "", 1))
	if rest == inside || strings.HasPrefix(rest, "/") || rest == "" || strings.EqualFold(rest, u.Per) || u.Scale > 1 {
		return ""
	}
	return "(" + rest + ")"
}

// plainDigitsOf reports whether the column's digits are names, not amounts: years and ids.
func plainDigitsOf(c *schema.Column) bool {
	if c.Type.Kind != workbook.Int || !c.Unit.Zero() {
		return false
	}
	lo, err1 := strconv.Atoi(c.Profile.Min)
	hi, err2 := strconv.Atoi(c.Profile.Max)
	if err1 == nil && err2 == nil && lo >= 1500 && hi <= 2200 {
		return true
	}
	words := strings.FieldsFunc(strings.ToLower(c.Header), func(r rune) bool { return r == ' ' || r == '_' || r == '-' || r == '.' || r == '#' })
	return slices.ContainsFunc(words, func(w string) bool { return identity[w] })
}

var identity = wordSet(`id no nr nº num code código codigo year año jahr ano zip phone row _row key número nummer`)

func (k *compiler) aggMeaning(e *Expr) meaning {
	if e.Agg == "count" || e.Agg == "count_distinct" {
		m := meaning{Column: Column{Name: "row_count", Label: "Rows", Role: "measure", Type: intType}, known: true}
		if len(e.Args) == 1 {
			of := k.meaning(&e.Args[0])
			m.Name, m.Label = "count_of_"+of.Name, of.Label
		}
		return m
	}
	if len(e.Args) != 1 {
		return meaning{Column: Column{Name: "value", Label: "Value", Decimals: -1}}
	}
	m := k.meaning(&e.Args[0])
	m.Role, m.Plain = "measure", m.Plain && (e.Agg == "min" || e.Agg == "max")
	m.Name = map[string]string{"sum": "total_", "avg": "average_", "min": "lowest_", "max": "highest_", "median": "median_"}[e.Agg] + m.Name
	switch e.Agg {
	case "sum":
		if m.Type.Kind == workbook.Int {
			m.Type = workbook.Type{Kind: workbook.Int, Name: "HUGEINT"}
		}
	case "avg", "median":
		m.Decimals = AverageDecimals(m.Decimals)
		if m.Type.Numeric() {
			m.Type = floatType
		}
	}
	return m
}

// AverageDecimals are the decimals that an average of figures with d decimals is
// printed with: one more, at most two unless the source shows more.
func AverageDecimals(d int) int {
	if d < 0 {
		return 2
	}
	return min(d+1, max(2, d))
}

func (k *compiler) fnMeaning(e *Expr) meaning {
	args := make([]meaning, len(e.Args))
	for i := range e.Args {
		args[i] = k.meaning(&e.Args[i])
	}
	named := func(name string, t workbook.Type) meaning {
		m := meaning{Column: Column{Name: name, Label: capital(strings.ReplaceAll(name, "_", " ")), Role: "measure", Type: t}, known: true}
		if len(args) > 0 && part[e.Fn] != "" || strings.HasPrefix(e.Fn, "trunc_") {
			m.Label = args[0].Label
		}
		return m
	}
	switch e.Fn {
	case "pct_of", "pct_change":
		m := named(map[string]string{"pct_of": "percent", "pct_change": "percent_change"}[e.Fn], floatType)
		m.Unit, m.Decimals = percent, 2
		return m
	case "year", "quarter", "month", "day", "weekday", "hour":
		m := named(e.Fn, intType)
		m.Plain = true
		return m
	case "days_between", "length":
		return named(map[string]string{"days_between": "days", "length": "length"}[e.Fn], intType)
	case "cond":
		return named("answer", boolType)
	case "lower", "upper", "trim":
		return named("text", workbook.Type{Kind: workbook.Text})
	}
	if cut, ok := strings.CutPrefix(e.Fn, "trunc_"); ok {
		m := named(cut, workbook.Type{Kind: workbook.Date})
		m.Grain = cut
		return m
	}
	return k.arithmeticMeaning(e, args, named)
}

func (k *compiler) arithmeticMeaning(e *Expr, args []meaning, named func(string, workbook.Type) meaning) meaning {
	if len(args) == 0 {
		return named("value", floatType)
	}
	name := map[string]string{"add": "sum", "sub": "difference", "mul": "product", "div": "ratio"}[e.Fn]
	m := args[0]
	if name != "" {
		m = named(name, args[0].Type)
		m.Unit, m.Decimals = args[0].Unit, args[0].Decimals
	}
	for _, a := range args[1:] {
		if m.Decimals = max(m.Decimals, a.Decimals); a.Decimals < 0 {
			m.Decimals = -1
		}
		if a.Type.Kind == workbook.Float || a.Type.Kind == workbook.Decimal && m.Type.Kind == workbook.Int {
			m.Type = a.Type
		}
	}
	switch e.Fn {
	case "sub":
		if m.Unit.Code == "percent" && len(args) == 2 && args[1].Unit.Code == "percent" {
			m.Unit = points
		}
		if args[0].Type.Temporal() {
			m.Type = intType
		}
	case "mul":
		m.Unit = productUnit(args)
	case "div":
		m.Type, m.Decimals = floatType, 2
		if !args[1].Unit.Zero() {
			m.Unit = workbook.Unit{}
		}
	case "round":
		m.Decimals = -1
		if l := e.Args[1].Literal; l != nil {
			if n, err := strconv.Atoi(l.Text); err == nil && n >= 0 {
				m.Decimals = n
			}
		}
	}
	return m
}

// productUnit is the one unit among the factors, none where there are several.
func productUnit(args []meaning) workbook.Unit {
	var u workbook.Unit
	for _, a := range args {
		if a.Unit.Zero() {
			continue
		}
		if !u.Zero() {
			return workbook.Unit{}
		}
		u = a.Unit
	}
	return u
}

// resultColumn is the column of one selected item.
func (k *compiler) resultColumn(it *Item, m meaning, name string) Column {
	c := m.Column
	c.Name = name
	if it.Label != "" {
		c.Label = it.Label
	}
	if c.Role = it.Role; c.Role == "" {
		c.Role = "measure"
	}
	return c
}

// nullable reports whether the expression may be NULL.
func (k *compiler) nullable(e *Expr) bool {
	switch {
	case e.Column != nil:
		c, err := k.column(*e.Column)
		return err != nil || c.Profile.Nulls > 0 || c.Profile.Sampled
	case e.Agg == "count", e.Agg == "count_distinct", e.Literal != nil:
		return false
	case e.Agg != "":
		return e.Filter != nil || len(e.Args) != 1 || k.nullable(&e.Args[0])
	case e.Fn == "add", e.Fn == "sub", e.Fn == "mul", part[e.Fn] != "", strings.HasPrefix(e.Fn, "trunc_"):
		return slices.ContainsFunc(e.Args, func(a Expr) bool { return k.nullable(&a) })
	}
	return true
}

func capital(s string) string {
	for i, r := range s {
		return strings.ToUpper(string(r)) + s[i+len(string(r)):]
	}
	return s
}
