package web

// Docs is the view of the page that shows how to call the API.
type Docs struct {
	Version string
	Keys    bool // calls need a key
	Calls   []Call
}

// Call is one call with a command that can be pasted.
type Call struct{ Title, About, Command string }

// NewDocs makes the view for a server at that address, such as
// http://127.0.0.1:8080.
func NewDocs(base, version string, keys bool) Docs {
	auth := ""
	if keys {
		auth = " -H 'Authorization: Bearer KEY'"
	}
	post := func(path, body string) string {
		return "curl -s " + base + path + auth + " -H 'Content-Type: application/json' \\\n  -d '" + body + "'"
	}
	get := func(path string) string { return "curl -s " + base + path + auth }
	return Docs{Version: version, Keys: keys, Calls: []Call{
		{"Ask", "The answer with its receipt. The outcome is answered, clarify, declined, empty or failed.", post("/v1/ask", `{"question": "average discount by region", "workbooks": ["pricing"]}`)},
		{"Ask, with the steps as they happen", "Events: step, then answer or error, then done.", post("/v1/ask", `{"question": "average discount by region"}`) + " -N -H 'Accept: text/event-stream'"},
		{"Go on", "The conversation of an answer makes the next question a follow-up.", post("/v1/ask", `{"question": "and in the South?", "conversation": "ID"}`)},
		{"SQL", "One SELECT through the guard: 422 where it is refused, with the rule and the fix.", post("/v1/sql", `{"sql": "select region, avg(discount_pct) from pricing.tiers group by all"}`)},
		{"Find rows", "A selection, never the whole: do not count or total it.", post("/v1/search", `{"text": "north tier 3"}`)},
		{"Tables", "Columns with types, units and profiles.", get("/v1/tables")},
		{"Load a workbook", "xlsx, xls, ods, csv, parquet or json, up to 100 MiB. The response is the ledger.", "curl -s " + base + "/v1/workbooks" + auth + " -F file=@pricing.xlsx"},
		{"Run an answer again", "Says whether it comes out the same on the versions it read, and on those of today.", "curl -s -X POST " + base + "/v1/answers/ID/verify" + auth},
		{"Chat clients (OpenAI-compatible)", "Model allrows asks all workbooks, allrows/NAME one. The receipt stands in the field allrows.", post("/v1/chat/completions", `{"model": "allrows", "messages": [{"role": "user", "content": "average discount by region"}]}`)},
		{"MCP over HTTP", "Streamable HTTP without sessions; every tool only reads.", base + "/mcp"},
		{"MCP on this machine", "For the configuration of a client that starts its servers.", `{"mcpServers": {"allrows": {"command": "gateway", "args": ["mcp"]}}}`},
	}}
}
