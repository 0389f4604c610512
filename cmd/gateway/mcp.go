package main

import (
	"github.com/spf13/cobra"

	"github.com/allrows/allrows/access"
	"github.com/allrows/allrows/server"
)

func newMCP(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "mcp",
		Short: "Serve MCP on standard input and output",
		Long: "MCP offers ask, run_sql, search_rows, list_tables, describe_table and get_answer to an MCP client that starts\n" +
			"this command. In the client's configuration: {\"command\": \"gateway\", \"args\": [\"mcp\"]}.",
		Args: args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			g, err := a.open(a.quiet())
			if err != nil {
				return err
			}
			defer g.Close()
			s, err := server.NewMCP(g.front, access.Local.Name, version)
			if err != nil {
				return err
			}
			return server.RunMCP(c.Context(), s, a.stdin, a.stdout)
		},
	}
}
