// Package workbook reads files as people make them and returns tables.
//
// [Open] reads one file (xlsx, xls, ods, csv, parquet, json, or the tables of a
// docx, html or markdown document) and returns a [Workbook]: its tables with one
// type and unit a column, and a [Ledger] that accounts for every row and names
// every rejected cell by address. Nothing is lost silently: what is no table is a
// title, header, note, total or incident.
//
// The way of a file: a reader (xlsx*.go, csv*.go) fills a grid of cells
// (grid.go); layout.go finds the tables in it, by the evidence of their rows;
// column.go gives each column one type, unit and locale (number.go, date.go,
// unit.go); build.go makes tables and the ledger. A document (document.go,
// markup.go, markdown.go, docx.go) has a grid for each of its tables. Parquet,
// json and large text files are not read here: their [Scan] tells DuckDB how.
package workbook
