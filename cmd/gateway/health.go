package main

import (
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"github.com/allrows/allrows/server"
)

// newHealth is the health check of a container, which has no other client.
func newHealth(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "health",
		Short: "Ask the server on this machine whether it lives",
		Args:  args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			_, port, err := net.SplitHostPort(a.cfg.Listen)
			if err != nil {
				return &configError{"server.listen", err.Error()}
			}
			r, err := http.NewRequestWithContext(c.Context(), http.MethodGet, "http://"+net.JoinHostPort("127.0.0.1", port)+"/livez", nil)
			if err != nil {
				return fmt.Errorf("asking for the server's health: %w", err)
			}
			answer, err := (&http.Client{Timeout: 2 * time.Second}).Do(r)
			if err != nil {
				return &server.Problem{Code: "AR-SRV-503", What: "the server does not answer on port " + port, Why: err.Error(), Status: http.StatusServiceUnavailable}
			}
			defer answer.Body.Close()
			if answer.StatusCode != http.StatusOK {
				return &server.Problem{Code: "AR-SRV-503", What: "the server answers " + answer.Status, Status: http.StatusServiceUnavailable}
			}
			_, err = fmt.Fprintln(a.stdout, "ok")
			return err
		},
	}
}
