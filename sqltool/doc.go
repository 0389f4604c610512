// Package sqltool keeps the data and runs the queries.
//
// A [Store] is the data folder: immutable versions of workbooks, each a DuckDB
// file that is written once and only read thereafter. A [Runner] is a pool of
// worker processes (this same binary, re-executed) in which DuckDB is locked and
// reads just the version files that a query's tables need. It runs a
// [guardrails.Query] and nothing else, so SQL that nobody checked cannot reach
// the engine; what Allrows itself asks of DuckDB (loads, profiles, rows by
// number) are fixed statements of this package.
package sqltool
