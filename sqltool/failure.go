package sqltool

import (
	"context"
	"errors"
	"strings"

	"github.com/duckdb/duckdb-go/v2"
)

// failed turns an engine's error into one that is safe to show, and drops an
// engine that a fatal error made unusable.
func (w *worker) failed(e *engine, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return context.Canceled
	}
	de, ok := errors.AsType[*duckdb.Error](err)
	if !ok {
		return err
	}
	if de.Type == duckdb.ErrorTypeInterrupt {
		return context.Canceled
	}
	kind, text := describe(de.Type)
	for _, h := range hints {
		if strings.Contains(de.Msg, h.says) {
			text = h.text
		}
	}
	if kind == "internal" {
		w.forget(e)
	}
	return &EngineError{Kind: kind, Text: text, Raw: de.Msg}
}

func (w *worker) forget(e *engine) {
	if e == w.parser {
		_ = e.close()
		w.parser = nil
		return
	}
	w.engines.drop(e)
}

// hints are errors that a planner can mend when it is told more than their type.
// The driver tells them apart by their words alone; none of those are handed on.
var hints = []struct{ says, text string }{
	{"must appear in the GROUP BY clause", "a column is selected that is neither grouped by nor aggregated; add it to GROUP BY or aggregate it"},
	{"cannot be used in WHERE clause", "an aggregate stands in WHERE; put the condition in HAVING"},
	{"aggregate function calls cannot be nested", "an aggregate stands inside another; compute the inner one in a subquery"},
	{"WHERE clause cannot contain window functions", "a window function stands in WHERE; put the condition in QUALIFY or an outer query"},
	{"No function matches", "a function is called with arguments of types that it does not take; cast them"},
	{"Cannot compare values of type", "two values of different types are compared; cast one of them"},
	{"Ambiguous reference to column", "a column's name occurs in more than one table of the query; write its table before it"},
	{"subquery must return a single", "a subquery that stands for one value returns several rows; aggregate it or add LIMIT 1"},
	{"More than one row returned by a subquery", "a subquery that stands for one value returns several rows; aggregate it or add LIMIT 1"},
	{"Set operations can only apply to expressions with the same number", "the two sides of a UNION, EXCEPT or INTERSECT have different numbers of columns"},
}

// describe says what went wrong without the engine's own words, which may name
// tables and values outside the caller's scope.
func describe(t duckdb.ErrorType) (kind, text string) {
	switch t {
	case duckdb.ErrorTypeBinder, duckdb.ErrorTypeCatalog, duckdb.ErrorTypeExpression, duckdb.ErrorTypeParameterNotResolved:
		return "binder", "the query names a column or function that its tables do not have, or combines types that do not fit"
	case duckdb.ErrorTypeParser, duckdb.ErrorTypeSyntax:
		return "syntax", "the query is not valid SQL"
	case duckdb.ErrorTypeConversion, duckdb.ErrorTypeMismatchType, duckdb.ErrorTypeInvalidType:
		return "conversion", "a value of the query's tables does not convert to the type that the query asks for; TRY_CAST gives NULL instead"
	case duckdb.ErrorTypeOutOfRange, duckdb.ErrorTypeDecimal, duckdb.ErrorTypeDivideByZero:
		return "out of range", "a figure of the query is out of the range of its type"
	case duckdb.ErrorTypeOutOfMemory, duckdb.ErrorTypeObjectSize:
		return "out of memory", "the query needs more memory than a query may take; filter or aggregate earlier"
	case duckdb.ErrorTypeInvalidInput:
		return "invalid input", "an argument of the query is outside what its function takes"
	case duckdb.ErrorTypeInternal, duckdb.ErrorTypeFatal:
		return "internal", "the engine failed on this query and was started anew; write the query another way"
	}
	return "engine", "the engine could not run this query"
}
