package guardrails

import (
	"strings"

	"github.com/xwb1989/sqlparser"
)

// otherwise are functions that mean something else in the dialects that quote
// names with backticks; which one was meant cannot be told.
var otherwise = map[string]bool{"stddev": true, "std": true, "variance": true, "week": true, "yearweek": true, "dayofweek": true,
	"weekday": true, "truncate": true, "log": true}

// call writes a function call, in DuckDB's name and order of arguments where they
// differ.
func (r *renderer) call(f *sqlparser.FuncExpr) {
	name := f.Name.Lowered()
	if otherwise[name] || !f.Qualifier.IsEmpty() {
		r.fail()
		return
	}
	if args, ok := plainArgs(f); ok && !f.Distinct && r.known(name, args) {
		return
	}
	r.write(name, "(")
	if f.Distinct {
		r.write("DISTINCT ")
	}
	r.selectExprs(f.Exprs)
	r.write(")")
}

// plainArgs returns the arguments of a call that has no star and no alias in it.
func plainArgs(f *sqlparser.FuncExpr) ([]sqlparser.Expr, bool) {
	var out []sqlparser.Expr
	for _, e := range f.Exprs {
		a, ok := e.(*sqlparser.AliasedExpr)
		if !ok || !a.As.IsEmpty() {
			return nil, false
		}
		out = append(out, a.Expr)
	}
	return out, true
}

// known writes a call that DuckDB has under another form, and reports whether it
// is one.
func (r *renderer) known(name string, args []sqlparser.Expr) bool {
	switch n := len(args); {
	case name == "ifnull" && n == 2:
		r.write("coalesce(")
		r.join(", ", args...)
		r.write(")")
	case name == "if" && n == 3:
		r.write("CASE WHEN ")
		r.expr(args[0])
		r.write(" THEN ")
		r.expr(args[1])
		r.write(" ELSE ")
		r.expr(args[2])
		r.write(" END")
	case name == "concat" && n > 0:
		// NULL in MySQL's concat makes NULL, as || does.
		for i, a := range args {
			r.write([]string{"(CAST(", " || CAST("}[min(i, 1)])
			r.expr(a)
			r.write(" AS VARCHAR)")
		}
		r.write(")")
	case name == "locate" && n == 2:
		r.write("strpos(")
		r.join(", ", args[1], args[0])
		r.write(")")
	case name == "datediff" && n == 2:
		r.write("date_diff('day', CAST(")
		r.expr(args[1])
		r.write(" AS DATE), CAST(")
		r.expr(args[0])
		r.write(" AS DATE))")
	default:
		return r.dates(name, args)
	}
	return true
}

// dates writes the calls on dates.
func (r *renderer) dates(name string, args []sqlparser.Expr) bool {
	n := len(args)
	switch {
	case name == "date_format" && n == 2:
		r.formatted("strftime", args)
	case name == "str_to_date" && n == 2:
		r.formatted("strptime", args)
	case (name == "date_add" || name == "date_sub") && n == 2:
		i, ok := args[1].(*sqlparser.IntervalExpr)
		if !ok || !intervalUnits[strings.ToLower(i.Unit)] {
			r.fail()
			return true
		}
		r.write("(")
		r.expr(args[0])
		r.write(map[string]string{"date_add": " + ", "date_sub": " - "}[name], "INTERVAL (")
		r.expr(i.Expr)
		r.write(") ", strings.ToUpper(i.Unit), ")")
	default:
		return false
	}
	return true
}

var intervalUnits = map[string]bool{"second": true, "minute": true, "hour": true, "day": true, "week": true, "month": true, "quarter": true, "year": true}

// formatted writes a call whose last argument is a format of MySQL's kind.
func (r *renderer) formatted(name string, args []sqlparser.Expr) {
	v, ok := args[1].(*sqlparser.SQLVal)
	if !ok || v.Type != sqlparser.StrVal {
		r.fail()
		return
	}
	format, ok := dateFormat(string(v.Val))
	if !ok {
		r.fail()
		return
	}
	r.write(name, "(")
	r.expr(args[0])
	r.write(", '", strings.ReplaceAll(format, "'", "''"), "')")
}

// dateParts are the parts of MySQL's date formats, as strftime writes them.
var dateParts = map[byte]string{'Y': "%Y", 'y': "%y", 'm': "%m", 'c': "%-m", 'd': "%d", 'e': "%-d", 'H': "%H", 'k': "%-H", 'h': "%I", 'I': "%I",
	'l': "%-I", 'i': "%M", 's': "%S", 'S': "%S", 'p': "%p", 'M': "%B", 'b': "%b", 'W': "%A", 'a': "%a", 'j': "%j", 'f': "%f", 'T': "%H:%M:%S", '%': "%%"}

func dateFormat(s string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			b.WriteByte(s[i])
			continue
		}
		if i++; i == len(s) || dateParts[s[i]] == "" {
			return "", false
		}
		b.WriteString(dateParts[s[i]])
	}
	return b.String(), true
}
