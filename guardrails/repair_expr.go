package guardrails

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/xwb1989/sqlparser"
)

// comparisons that DuckDB writes alike, or otherwise.
var comparisons = map[string]string{"=": "=", "<": "<", ">": ">", "<=": "<=", ">=": ">=", "!=": "<>", "<=>": "IS NOT DISTINCT FROM",
	"in": "IN", "not in": "NOT IN", "like": "LIKE", "not like": "NOT LIKE"}

var arithmetic = map[string]string{"+": "+", "-": "-", "*": "*", "/": "/", "%": "%", "div": "//", "&": "&", "|": "|", "<<": "<<", ">>": ">>"}

var tests = map[string]string{"is null": "IS NULL", "is not null": "IS NOT NULL", "is true": "IS TRUE", "is not true": "IS NOT TRUE",
	"is false": "IS FALSE", "is not false": "IS NOT FALSE"}

// oneOf writes a word of a list between two expressions.
func (r *renderer) oneOf(left sqlparser.Expr, words map[string]string, word string, right sqlparser.Expr) {
	w, ok := words[word]
	if !ok {
		r.fail()
		return
	}
	r.expr(left)
	r.write(" ", w, " ")
	r.expr(right)
}

func (r *renderer) expr(e sqlparser.Expr) {
	switch e := e.(type) {
	case *sqlparser.AndExpr:
		r.join(" AND ", e.Left, e.Right)
	case *sqlparser.OrExpr:
		r.join(" OR ", e.Left, e.Right)
	case *sqlparser.NotExpr:
		r.write("NOT ")
		r.expr(e.Expr)
	case *sqlparser.ParenExpr:
		r.write("(")
		r.expr(e.Expr)
		r.write(")")
	case *sqlparser.ComparisonExpr:
		r.comparison(e)
	case *sqlparser.RangeCond:
		r.expr(e.Left)
		r.write(" ", strings.ToUpper(e.Operator), " ")
		r.join(" AND ", e.From, e.To)
	case *sqlparser.IsExpr:
		r.expr(e.Expr)
		if tests[e.Operator] == "" {
			r.fail()
		}
		r.write(" ", tests[e.Operator])
	case *sqlparser.ExistsExpr:
		r.write("EXISTS ")
		r.expr(e.Subquery)
	case *sqlparser.Subquery:
		r.write("(")
		r.query(e.Select)
		r.write(")")
	case sqlparser.ValTuple:
		r.write("(")
		r.join(", ", e...)
		r.write(")")
	default:
		r.value(e)
	}
}

// value writes what is no condition.
func (r *renderer) value(e sqlparser.Expr) {
	switch e := e.(type) {
	case *sqlparser.BinaryExpr:
		r.oneOf(e.Left, arithmetic, e.Operator, e.Right)
	case *sqlparser.UnaryExpr:
		if e.Operator != "-" && e.Operator != "+" {
			r.fail()
		}
		r.write(e.Operator, "(")
		r.expr(e.Expr)
		r.write(")")
	case *sqlparser.SQLVal:
		r.literal(e)
	case *sqlparser.NullVal:
		r.write("NULL")
	case sqlparser.BoolVal:
		r.write(map[bool]string{true: "TRUE", false: "FALSE"}[bool(e)])
	case *sqlparser.ColName:
		if !e.Qualifier.IsEmpty() {
			r.tableName(e.Qualifier)
			r.write(".")
		}
		r.name(e.Name.String())
	case *sqlparser.FuncExpr:
		r.call(e)
	case *sqlparser.GroupConcatExpr:
		r.groupConcat(e)
	case *sqlparser.SubstrExpr:
		r.write("substr(")
		r.join(", ", slices.DeleteFunc([]sqlparser.Expr{e.Name, e.From, e.To}, func(x sqlparser.Expr) bool { return x == nil })...)
		r.write(")")
	case *sqlparser.ConvertExpr:
		r.cast(e)
	case *sqlparser.CaseExpr:
		r.cases(e)
	default:
		r.fail()
	}
}

func (r *renderer) join(sep string, list ...sqlparser.Expr) {
	for i, e := range list {
		if i > 0 {
			r.write(sep)
		}
		r.expr(e)
	}
}

func (r *renderer) comparison(e *sqlparser.ComparisonExpr) {
	if e.Escape != nil {
		r.fail()
	}
	switch e.Operator {
	case sqlparser.RegexpStr, sqlparser.NotRegexpStr:
		if e.Operator == sqlparser.NotRegexpStr {
			r.write("NOT ")
		}
		r.write("regexp_matches(")
		r.join(", ", e.Left, e.Right)
		r.write(")")
	default:
		r.oneOf(e.Left, comparisons, e.Operator, e.Right)
	}
}

// literal writes a constant. A text that names a column of the scope was perhaps
// meant as that column, in double quotes: it is not guessed.
func (r *renderer) literal(v *sqlparser.SQLVal) {
	switch v.Type {
	case sqlparser.StrVal:
		if strings.ContainsFunc(string(v.Val), unicode.IsControl) || !utf8.Valid(v.Val) {
			r.fail()
		}
		for _, t := range r.scope.Tables {
			for _, c := range t.Table.Columns {
				if same(c.Name, string(v.Val)) {
					r.fail()
				}
			}
		}
		r.write("'", strings.ReplaceAll(string(v.Val), "'", "''"), "'")
	case sqlparser.IntVal, sqlparser.FloatVal:
		r.write(string(v.Val))
	default:
		r.fail()
	}
}

var castTypes = map[string]string{"signed": "BIGINT", "unsigned": "UBIGINT", "char": "VARCHAR", "nchar": "VARCHAR", "date": "DATE",
	"datetime": "TIMESTAMP", "time": "TIME", "decimal": "DECIMAL", "json": "JSON"}

func (r *renderer) cast(e *sqlparser.ConvertExpr) {
	name := castTypes[strings.ToLower(e.Type.Type)]
	if name == "" || e.Type.Charset != "" {
		r.fail()
	}
	r.write("CAST(")
	r.expr(e.Expr)
	r.write(" AS ", name)
	if name == "DECIMAL" && e.Type.Length != nil {
		r.write("(", string(e.Type.Length.Val))
		if e.Type.Scale != nil {
			r.write(", ", string(e.Type.Scale.Val))
		}
		r.write(")")
	}
	r.write(")")
}

func (r *renderer) cases(e *sqlparser.CaseExpr) {
	r.write("CASE ")
	if e.Expr != nil {
		r.expr(e.Expr)
	}
	for _, w := range e.Whens {
		r.write(" WHEN ")
		r.expr(w.Cond)
		r.write(" THEN ")
		r.expr(w.Val)
	}
	if e.Else != nil {
		r.write(" ELSE ")
		r.expr(e.Else)
	}
	r.write(" END")
}

func (r *renderer) groupConcat(e *sqlparser.GroupConcatExpr) {
	if len(e.Exprs) != 1 {
		r.fail()
		return
	}
	r.write("string_agg(")
	if e.Distinct != "" {
		r.write("DISTINCT ")
	}
	r.selectExprs(e.Exprs)
	separator := ","
	if s := strings.TrimSuffix(strings.TrimPrefix(e.Separator, " separator '"), "'"); e.Separator != "" {
		separator = s
	}
	r.write(", '", strings.ReplaceAll(separator, "'", "''"), "'")
	r.tail(e.OrderBy, nil, "")
	r.write(")")
}
