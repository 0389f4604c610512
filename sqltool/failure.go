package sqltool

import (
	"context"
	"errors"

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
