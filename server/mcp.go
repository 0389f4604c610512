package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/allrows/allrows/agent"
	"github.com/allrows/allrows/schema"
	"github.com/allrows/allrows/web"
)

// mcpInstructions tells a client's model how to use the tools truthfully.
const mcpInstructions = "Allrows answers questions about workbooks. A number that speaks for a table is computed over all of its rows, by a database. " +
	"Use ask for questions in plain language; quote its figures as they are and keep its basis line. Use run_sql for calculations of your own, " +
	"after describe_table. search_rows returns a selection of rows: never count, total or average them. " +
	"When an answer's outcome is clarify, declined or empty, say so and pass on its reason or choices; do not fill the gap."

// NewMCP returns an MCP server whose tools act for one principal. Every tool
// only reads. What it returns is the same as over HTTP.
func NewMCP(f *Front, principal, version string) (*mcp.Server, error) {
	return newMCP(f, principal, version, mcp.NewSchemaCache())
}

func newMCP(f *Front, principal, version string, schemas *mcp.SchemaCache) (*mcp.Server, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "allrows", Title: "Allrows", Version: version},
		&mcp.ServerOptions{Instructions: mcpInstructions, SchemaCache: schemas})
	t := &mcpTools{f, principal}
	mcp.AddTool(s, readOnly("ask", "Ask the workbooks", "Answer a question in plain language over all rows of the loaded workbooks. Returns the answer with its receipt: reading, SQL, tables and rows read, citations, warnings."), t.ask)
	mcp.AddTool(s, readOnly("run_sql", "Run a SELECT", "Run one SELECT (DuckDB SQL) over the loaded tables, named workbook.table. Anything but reading is refused. The result says whether it was cut."), t.runSQL)
	mcp.AddTool(s, readOnly("search_rows", "Find rows", "Find rows and table descriptions by words. The hits are a selection, never the whole: do not count, total or average them."), t.searchRows)
	mcp.AddTool(s, readOnly("list_tables", "List tables", "List the loaded tables with their titles and row counts."), t.listTables)
	mcp.AddTool(s, readOnly("describe_table", "Describe a table", "The columns of one table with types, units, ranges and frequent values."), t.describeTable)
	mcp.AddTool(s, readOnly("get_answer", "Fetch an earlier answer", "An earlier answer of yours, by its id, with its receipt."), t.getAnswer)
	return s, nil
}

// RunMCP serves MCP on two streams, one JSON message a line, until the client
// closes its end or ctx ends.
func RunMCP(ctx context.Context, s *mcp.Server, in io.Reader, out io.Writer) error {
	err := s.Run(ctx, &mcp.IOTransport{Reader: io.NopCloser(in), Writer: nopCloser{out}})
	if ctx.Err() != nil || errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("serving MCP: %w", err)
	}
	return nil
}

type nopCloser struct{ io.Writer }

// Close leaves the stream to its owner.
func (nopCloser) Close() error { return nil }

func readOnly(name, title, description string) *mcp.Tool {
	closed := false
	return &mcp.Tool{Name: name, Title: title, Description: description,
		Annotations: &mcp.ToolAnnotations{Title: title, ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: &closed}}
}

type mcpTools struct {
	front     *Front
	principal string
}

type askInput struct {
	Question     string   `json:"question" jsonschema:"the question in plain language"`
	Workbooks    []string `json:"workbooks,omitempty" jsonschema:"names of workbooks to ask; all when left out"`
	Conversation string   `json:"conversation,omitempty" jsonschema:"the conversation of an earlier answer that this question goes on with"`
}

func (t *mcpTools) ask(ctx context.Context, _ *mcp.CallToolRequest, in askInput) (*mcp.CallToolResult, *agent.Answer, error) {
	if err := checkText("question", in.Question, maxQuestion); err != nil {
		return nil, nil, err
	}
	a, err := t.front.Ask(ctx, Question{Text: in.Question, Workbooks: in.Workbooks, Conversation: in.Conversation, Principal: t.principal})
	return said(a, err)
}

type sqlInput struct {
	SQL       string   `json:"sql" jsonschema:"one SELECT statement in DuckDB's SQL"`
	Limit     int      `json:"limit,omitempty" jsonschema:"rows at most; 0 is the default"`
	Workbooks []string `json:"workbooks,omitempty" jsonschema:"names of workbooks whose tables may be read; all when left out"`
}

func (t *mcpTools) runSQL(ctx context.Context, _ *mcp.CallToolRequest, in sqlInput) (*mcp.CallToolResult, *agent.Answer, error) {
	if err := checkText("sql", in.SQL, maxSQL); err != nil {
		return nil, nil, err
	}
	return said(t.front.SQL(ctx, t.principal, in.Workbooks, in.SQL, max(in.Limit, 0)))
}

type searchInput struct {
	Text      string   `json:"text" jsonschema:"the words to find"`
	Limit     int      `json:"limit,omitempty" jsonschema:"hits at most, up to 100; 0 is the default"`
	Workbooks []string `json:"workbooks,omitempty" jsonschema:"names of workbooks to search; all when left out"`
}

func (t *mcpTools) searchRows(ctx context.Context, _ *mcp.CallToolRequest, in searchInput) (*mcp.CallToolResult, *agent.SearchResult, error) {
	if err := checkText("text", in.Text, maxQuestion); err != nil {
		return nil, nil, err
	}
	r, err := t.front.Search(ctx, t.principal, in.Workbooks, in.Text, min(max(in.Limit, 0), 100))
	return nil, r, told(err)
}

type tableLine struct {
	Table    string `json:"table"`
	Title    string `json:"title"`
	Workbook string `json:"workbook"`
	Sheet    string `json:"sheet,omitempty"`
	Rows     int64  `json:"rows"`
	Columns  int    `json:"columns"`
}

type tableList struct {
	Tables []tableLine `json:"tables"`
}

func (t *mcpTools) listTables(_ context.Context, _ *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, tableList, error) {
	out := tableList{Tables: []tableLine{}}
	ctx, err := t.front.Tables(t.principal)
	if err != nil {
		return nil, out, told(err)
	}
	for _, x := range ctx.Tables {
		out.Tables = append(out.Tables, tableLine{x.Ref.String(), x.Label(), x.File, x.Sheet, x.Rows, len(x.Columns)})
	}
	return nil, out, nil
}

type describeInput struct {
	Table string `json:"table" jsonschema:"the table's name, workbook.table, or table alone where that is unique"`
}

type columnLine struct {
	Name        string   `json:"name"`
	Header      string   `json:"header"`
	Type        string   `json:"type"`
	Unit        string   `json:"unit,omitempty"`
	Description string   `json:"description,omitempty"`
	Distinct    int64    `json:"distinct"`
	Nulls       int64    `json:"nulls"`
	Min         string   `json:"min,omitempty"`
	Max         string   `json:"max,omitempty"`
	Frequent    []string `json:"frequent,omitempty"`
}

type tableFacts struct {
	tableLine
	Description string       `json:"description,omitempty"`
	Columns     []columnLine `json:"columns"`
	Warnings    []string     `json:"warnings,omitempty"`
}

func (t *mcpTools) describeTable(_ context.Context, _ *mcp.CallToolRequest, in describeInput) (*mcp.CallToolResult, *tableFacts, error) {
	ctx, err := t.front.Tables(t.principal)
	if err != nil {
		return nil, nil, told(err)
	}
	x, err := FindTable(ctx, in.Table)
	if err != nil {
		return nil, nil, told(err)
	}
	out := &tableFacts{tableLine: tableLine{x.Ref.String(), x.Label(), x.File, x.Sheet, x.Rows, len(x.Columns)}, Description: x.Description,
		Warnings: append(web.CheckNotes(x), x.Questions...)}
	for _, c := range x.Columns {
		line := columnLine{Name: c.Name, Header: c.Header, Type: c.Type.SQL(), Unit: c.Unit.Symbol, Description: c.Description,
			Distinct: c.Profile.Distinct, Nulls: c.Profile.Nulls, Min: c.Profile.Min, Max: c.Profile.Max}
		for _, v := range c.Profile.Top[:min(len(c.Profile.Top), 10)] {
			line.Frequent = append(line.Frequent, v.Value)
		}
		out.Columns = append(out.Columns, line)
	}
	return nil, out, nil
}

type answerInput struct {
	ID string `json:"id" jsonschema:"the id of the answer"`
}

func (t *mcpTools) getAnswer(ctx context.Context, _ *mcp.CallToolRequest, in answerInput) (*mcp.CallToolResult, *agent.Answer, error) {
	return said(t.front.Answer(ctx, t.principal, in.ID))
}

// said gives an answer as text for models and as the whole object for programs.
func said(a *agent.Answer, err error) (*mcp.CallToolResult, *agent.Answer, error) {
	if err != nil {
		return nil, nil, told(err)
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: Plain(a)}}}, a, nil
}

// told is an error in the words that may reach a caller.
func told(err error) error {
	if err == nil {
		return nil
	}
	return Explain(err)
}

// plainRows is how many rows of a result go into an answer's plain text.
const plainRows = 50

// Plain is an answer as Markdown text: sentence, result, choices, and the line
// that says what it stands on.
func Plain(a *agent.Answer) string {
	var b strings.Builder
	text := a.Text
	if text == "" && a.Reason != nil {
		text = a.Reason.Text
	}
	b.WriteString(text)
	if a.Result != nil && len(a.Result.Columns) > 0 && len(a.Result.Rows) > 0 && (len(a.Result.Rows) > 1 || len(a.Result.Columns) > 1 || text == "") {
		writeMarkdown(&b, a.Result)
	}
	if a.Outcome == agent.Clarify && len(a.Choices) > 0 { // the text lists them
		fmt.Fprintf(&b, "\n\nTo choose, send the number of one as the next question of conversation %s.", a.Conversation)
	}
	for _, w := range a.Warnings {
		b.WriteString("\n\nNote: " + w.Text)
	}
	if a.Outcome == agent.Answered || a.Outcome == agent.Empty {
		if basis := web.Basis(a.Receipt); len(basis) > 0 {
			b.WriteString("\n\nBasis: " + strings.Join(basis, "; ") + ".")
		}
		if a.Receipt.Reading != "" {
			b.WriteString(" Reading: " + a.Receipt.Reading + ".")
		}
	}
	return strings.TrimSpace(b.String())
}

func writeMarkdown(b *strings.Builder, r *agent.Result) {
	b.WriteString("\n\n|")
	for _, c := range r.Columns {
		b.WriteString(" " + tableText(c.Name) + " |")
	}
	b.WriteString("\n|" + strings.Repeat("---|", len(r.Columns)))
	for _, row := range r.Rows[:min(len(r.Rows), plainRows)] {
		b.WriteString("\n|")
		for i, v := range row {
			b.WriteString(" " + tableText(web.Format(v, r.Columns[i]).Text) + " |")
		}
	}
	if len(r.Rows) > plainRows || r.Truncated {
		fmt.Fprintf(b, "\n\nThe first %d rows; there are more.", min(len(r.Rows), plainRows))
	}
}

// tableText keeps a cell in its column.
func tableText(s string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "\r", " ").Replace(s)
}

// FindTable returns the table of that name in a context: workbook.table, or
// table alone where it is unique. The error names what the caller may see.
func FindTable(ctx *schema.Context, name string) (*schema.Table, error) {
	var found []*schema.Table
	for _, t := range ctx.Tables {
		if strings.EqualFold(t.Ref.String(), name) || strings.EqualFold(t.Table, name) {
			found = append(found, t)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return nil, refuse("AR-DAT-405", 404, fmt.Sprintf("no table is called %q", name), "", "`gateway tables` or list_tables shows the tables")
	}
	return nil, refuse("AR-DAT-406", 404, fmt.Sprintf("%d tables are called %q", len(found), name), "", "say workbook.table")
}
