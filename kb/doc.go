// Package kb is the knowledge base: tables cut into chunks that a question can
// find, and the distinct values of their text columns.
//
// A [Store] builds one index per table and version ([Store.Build]) and searches
// the indexes of the tables that a caller may see ([Store.Search]): row-aware
// BM25 first, an embedding as the second leg. [Store.Values] finds the cells
// that words of a question may name.
//
// The index is derived data. It is read as the caller's scope shows the table:
// hidden columns do not match, and what is delivered is rendered from the
// table that the caller passed. A [Hit] points to rows and is never the truth:
// it is resolved by reading those rows from DuckDB under the scope, so an
// answer is never staler than its version and never wider than its scope.
package kb
