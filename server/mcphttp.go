package server

import (
	"net/http"

	"github.com/labstack/echo/v4"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/allrows/allrows/access"
)

// newMCPHandler serves MCP's streamable HTTP without sessions: each request
// stands alone and acts for the principal that sent it. Host, Origin and
// content type are checked by the doors before it.
func (s *Server) newMCPHandler() http.Handler {
	schemas := mcp.NewSchemaCache()
	return mcp.NewStreamableHTTPHandler(func(r *http.Request) *mcp.Server {
		p, _ := r.Context().Value(principalKey).(access.Principal)
		m, err := newMCP(s.cfg.Front, p.Name, s.cfg.Version, schemas)
		if err != nil {
			s.log.Error("making an MCP server", "error", err)
			return nil
		}
		return m
	}, &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true, Logger: s.log, MaxRequestBodyBytes: maxJSON})
}

func (s *Server) postMCP(c echo.Context) error {
	s.mcp.ServeHTTP(c.Response(), c.Request())
	return nil
}
