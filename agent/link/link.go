// Package link finds what the words of a question may mean: columns, cell
// values, tables, metrics, numbers and dates.
//
// [Linker.Link] returns a [Question] whose ambiguous words keep every meaning:
// ranking decides, not linking. A content word without any meaning is Unknown,
// and no answer may ignore it.
package link

import (
	"context"
	"time"

	"github.com/allrows/allrows/schema"
)

// ValueIndex finds cell values of text columns. [kb.Values] satisfies it.
type ValueIndex interface {
	// FindValues returns the cells that the words may name: exact, folded, by
	// token and, where nothing else fits, by edit distance; best first.
	FindValues(ctx context.Context, phrase string, limit int) ([]ValueMatch, error)
}

// ValueMatch is one distinct value of one column that a phrase may name.
type ValueMatch = schema.ValueMatch

// Question is one question with everything its words may mean, in one scope.
type Question struct {
	Text     string
	Language string // en es de pt: the language of the question's own words
	Now      time.Time
	Schema   *schema.Context // as the caller's scope shows it
	Tokens   []Token
	Links    []Link
	Unknown  []string // content words that mean nothing here
}

// Token is one word of the question.
type Token struct {
	Text       string // as written
	Norm       string // folded, lower case
	Stem       string
	Start, End int  // bytes of Question.Text
	Filler     bool // carries no condition in any table
}

// Link is one meaning of a run of tokens [First, Last].
type Link struct {
	First, Last int
	Kind        Kind
	Column      schema.ColumnRef // Column, Value
	Table       schema.Ref       // Table
	Value       string           // Value: the cell's text
	Metric      string           // Metric
	Number      *Number          // Number
	Time        *TimeRange       // Time
	Op          string           // Operator: its class in the lexicon, like "sup.max"
	Dims        []string         // Operator: header words that it speaks of
	Against     []string         // Operator: header words that it speaks of in the other direction
	Score       float64          // 0 to 1
	How         string           // why: name, header, synonym, exact, folded, part, fuzzy …
}

// Kind is what a link points to.
type Kind string

// The kinds of a link.
const (
	Column  Kind = "column"
	Value   Kind = "value"
	Table   Kind = "table"
	Metric  Kind = "metric"
	Numeric Kind = "number"
	Time    Kind = "time"

	// Operator is a word of the language: an aggregate, a comparative, "by".
	Operator Kind = "operator"
)

// Number is a figure in the question.
type Number struct {
	Digits  string // exact plain digits: "20000", "16.5"
	Unit    string // "%", "$", "€" …, as written beside it
	Ordinal bool   // "third", "3rd"
}

// TimeRange is a span of dates, [From, To), named by words of the question.
type TimeRange struct {
	From, To time.Time
	Grain    string // day month quarter year, or range
	Words    string
}
