// Package allrows is the root of the Allrows repository. It holds no code of its
// own: this is the tour of the packages, from the bottom up.
//
// Package workbook reads files as people make them into typed tables and keeps a
// ledger of every cell. Package sqltool keeps these tables in DuckDB, as
// immutable versions, and runs checked queries in worker processes. Package
// schema is what is known of the tables. Package kb finds rows, tables and
// columns by the words of a question. Package ingest is the pipeline of a load
// through these four.
//
// Package guardrails decides whether a statement may run and whether a figure
// may be said: only its queries reach sqltool. Package access says who asks, and
// makes the scope that everything is bound by.
//
// Package agent takes one question to one answer with its receipt: agent/link
// finds what the words may mean, agent/semparse proposes typed plans (agent/plan
// renders them as SQL and in words), agent/tools runs them. Package journal keeps
// the answers.
//
// Package server and package web show all this to people and programs, and
// cmd/gateway is the program. Package eval measures it on cases and benchmark
// sets, and package examples makes the sample workbooks.
package allrows
