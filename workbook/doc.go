// Package workbook reads files as people make them and returns tables.
//
// [Open] reads one file (xlsx, csv, tsv, parquet, json) and returns a
// [Workbook]: its tables with one type and unit a column, and a [Ledger] that
// accounts for every row and names every rejected cell by address. Nothing is
// lost silently: what is no table is a title, header, note, total or incident.
package workbook
