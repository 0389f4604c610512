package guardrails

import (
	"bytes"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/xwb1989/sqlparser"
)

// repaired renders text of MySQL's flavour as DuckDB SQL, where DuckDB's parser
// refused it and a MySQL parser reads one SELECT in it. It allows nothing: what it
// returns goes through the whole guard as a new statement. Whatever would read
// differently in the two dialects with no way to tell is left as it is, refused.
func repaired(s *Scope, sql string) (string, bool) {
	if !repairable(sql) {
		return "", false
	}
	stmt, err := sqlparser.Parse(sql)
	if err != nil {
		return "", false
	}
	query, ok := stmt.(sqlparser.SelectStatement)
	if !ok {
		return "", false
	}
	r := &renderer{scope: s}
	r.query(query)
	if r.err != nil {
		return "", false
	}
	return r.out.String(), true
}

// repairable holds a text against the bounds of the gate, without knowing its
// dialect: brackets count even inside strings.
func repairable(sql string) bool {
	if len(sql) > maxSQL || !utf8.ValidString(sql) || strings.Contains(sql, "/*!") {
		return false
	}
	depth := 0
	for _, r := range sql {
		switch {
		case r < ' ' && r != '\n' && r != '\t' && r != '\r':
			return false
		case r == '(':
			if depth++; depth > maxDepth {
				return false
			}
		case r == ')':
			depth--
		}
	}
	return plainTokens(sql)
}

// plainTokens refuses what is no part of one SELECT, and || which is OR to MySQL
// and joins texts for everybody else.
func plainTokens(sql string) bool {
	tokens := sqlparser.NewStringTokenizer(sql)
	sets, last := 0, 0
	for {
		kind, value := tokens.Scan()
		if kind == sqlparser.STRING && last == kind {
			return false // 'a' 'b' is one text in MySQL, a text and its alias to this parser
		}
		last = kind
		switch kind {
		case 0:
			return true
		case sqlparser.LEX_ERROR, sqlparser.VALUE_ARG, sqlparser.LIST_ARG:
			return false
		case sqlparser.OR:
			if len(value) == 0 { // written ||
				return false
			}
		case sqlparser.COMMENT:
			nested := bytes.LastIndex(value, []byte("/*")) > 0
			if nested || !bytes.HasPrefix(value, []byte("--")) && !bytes.HasPrefix(value, []byte("/*")) {
				return false
			}
		case sqlparser.UNION, sqlparser.JOIN:
			if sets++; sets > maxSets {
				return false
			}
		}
	}
}

// errNoRepair says that a text has a part that is not rendered.
var errNoRepair = errors.New("not rendered")

// renderer writes a MySQL syntax tree as DuckDB SQL.
type renderer struct {
	scope *Scope
	out   strings.Builder
	err   error
}

func (r *renderer) write(parts ...string) {
	for _, p := range parts {
		r.out.WriteString(p)
	}
}

func (r *renderer) fail() { r.err = errNoRepair }

func (r *renderer) query(q sqlparser.SelectStatement) {
	switch q := q.(type) {
	case *sqlparser.Select:
		r.selects(q)
	case *sqlparser.ParenSelect:
		r.write("(")
		r.query(q.Select)
		r.write(")")
	case *sqlparser.Union:
		r.query(q.Left)
		switch q.Type {
		case sqlparser.UnionStr, sqlparser.UnionDistinctStr:
			r.write(" UNION ")
		case sqlparser.UnionAllStr:
			r.write(" UNION ALL ")
		default:
			r.fail()
		}
		r.query(q.Right)
		r.tail(q.OrderBy, q.Limit, q.Lock)
	default:
		r.fail()
	}
}

func (r *renderer) selects(q *sqlparser.Select) {
	if q.Hints != "" || q.Cache != "" {
		r.fail()
	}
	r.write("SELECT ")
	if q.Distinct != "" {
		r.write("DISTINCT ")
	}
	r.selectExprs(q.SelectExprs)
	for i, t := range q.From {
		if name, ok := tableName(t); ok && i == 0 && len(q.From) == 1 && strings.EqualFold(name, "dual") {
			break // what MySQL and its parser put where there is no FROM
		}
		r.write([]string{" FROM ", ", "}[min(i, 1)])
		r.table(t)
	}
	if q.Where != nil {
		r.write(" WHERE ")
		r.expr(q.Where.Expr)
	}
	for i, e := range q.GroupBy {
		r.write([]string{" GROUP BY ", ", "}[min(i, 1)])
		r.expr(e)
	}
	if q.Having != nil {
		r.write(" HAVING ")
		r.expr(q.Having.Expr)
	}
	r.tail(q.OrderBy, q.Limit, q.Lock)
}

func (r *renderer) selectExprs(list sqlparser.SelectExprs) {
	for i, e := range list {
		if i > 0 {
			r.write(", ")
		}
		switch e := e.(type) {
		case *sqlparser.StarExpr:
			if !e.TableName.IsEmpty() {
				r.tableName(e.TableName)
				r.write(".")
			}
			r.write("*")
		case *sqlparser.AliasedExpr:
			r.expr(e.Expr)
			if !e.As.IsEmpty() {
				r.write(" AS ")
				r.name(e.As.String())
			}
		default:
			r.fail()
		}
	}
}

// tail writes ORDER BY and LIMIT. MySQL puts NULL first in ascending order.
func (r *renderer) tail(order sqlparser.OrderBy, limit *sqlparser.Limit, lock string) {
	if lock != "" {
		r.fail()
	}
	for i, o := range order {
		r.write([]string{" ORDER BY ", ", "}[min(i, 1)])
		r.expr(o.Expr)
		if o.Direction == sqlparser.DescScr {
			r.write(" DESC NULLS LAST")
		} else {
			r.write(" NULLS FIRST")
		}
	}
	if limit == nil {
		return
	}
	r.write(" LIMIT ")
	r.expr(limit.Rowcount)
	if limit.Offset != nil {
		r.write(" OFFSET ")
		r.expr(limit.Offset)
	}
}

func tableName(t sqlparser.TableExpr) (string, bool) {
	a, ok := t.(*sqlparser.AliasedTableExpr)
	if !ok {
		return "", false
	}
	n, ok := a.Expr.(sqlparser.TableName)
	return n.Name.String(), ok && n.Qualifier.IsEmpty()
}

func (r *renderer) table(t sqlparser.TableExpr) {
	switch t := t.(type) {
	case *sqlparser.AliasedTableExpr:
		r.aliased(t)
	case *sqlparser.ParenTableExpr:
		if len(t.Exprs) != 1 {
			r.fail()
			return
		}
		r.write("(")
		r.table(t.Exprs[0])
		r.write(")")
	case *sqlparser.JoinTableExpr:
		r.table(t.LeftExpr)
		switch t.Join {
		case sqlparser.JoinStr, sqlparser.LeftJoinStr, sqlparser.RightJoinStr, sqlparser.NaturalJoinStr, sqlparser.NaturalLeftJoinStr:
			if t.Join == sqlparser.JoinStr && t.Condition.On == nil && t.Condition.Using == nil {
				r.write(" CROSS")
			}
			r.write(" ", strings.ToUpper(t.Join), " ")
		default:
			r.fail()
		}
		r.table(t.RightExpr)
		if t.Condition.On != nil {
			r.write(" ON ")
			r.expr(t.Condition.On)
		}
		for i, c := range t.Condition.Using {
			r.write([]string{" USING (", ", "}[min(i, 1)])
			r.name(c.String())
		}
		if len(t.Condition.Using) > 0 {
			r.write(")")
		}
	default:
		r.fail()
	}
}

func (r *renderer) aliased(t *sqlparser.AliasedTableExpr) {
	if t.Hints != nil || len(t.Partitions) > 0 {
		r.fail()
	}
	switch e := t.Expr.(type) {
	case sqlparser.TableName:
		r.tableName(e)
	case *sqlparser.Subquery:
		r.write("(")
		r.query(e.Select)
		r.write(")")
	default:
		r.fail()
	}
	if !t.As.IsEmpty() {
		r.write(" AS ")
		r.name(t.As.String())
	}
}

func (r *renderer) tableName(n sqlparser.TableName) {
	if !n.Qualifier.IsEmpty() {
		r.name(n.Qualifier.String())
		r.write(".")
	}
	r.name(n.Name.String())
}

// name writes an identifier in DuckDB's quotes.
func (r *renderer) name(s string) {
	if strings.HasPrefix(s, "@") {
		r.fail() // a variable of the session
	}
	r.write(`"`, strings.ReplaceAll(s, `"`, `""`), `"`)
}
