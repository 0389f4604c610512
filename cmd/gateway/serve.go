package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/allrows/allrows/server"
)

func newServe(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "serve",
		Short: "Serve the page and the API",
		Long: "Serve listens on the loopback address until it is told otherwise; other machines may reach it only when there\n" +
			"are API keys (`gateway key create NAME`). SIGTERM stops it in order; a second one at once.",
		Args: args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			g, err := a.open(a.log)
			if err != nil {
				return err
			}
			defer g.Close()
			ctx, stop := context.WithCancel(c.Context())
			wait := a.watchLoaded(ctx, g)
			defer wait()
			defer stop()
			return a.serve(ctx, g, a.cfg.Listen)
		},
	}
	c.Flags().String("listen", "", "address to listen on (default 127.0.0.1:8080)")
	return c
}

// serve listens, says where, and answers until ctx ends.
func (a *app) serve(ctx context.Context, g *gateway, address string) error {
	keys, err := a.keys()
	if err != nil {
		return err
	}
	s, err := server.New(server.Config{
		Front: g.front, Keys: keys, Memory: g.journal, Ready: g.ready, Version: version, Hosts: a.cfg.Hosts,
		Uploads: filepath.Join(a.cfg.Data, "uploads"), Announce: a.cfg.Announce, Grace: a.cfg.Grace,
		NewID: newID, Now: a.now, Logger: a.log,
	})
	if err != nil {
		return err
	}
	l, err := s.Listen(ctx, address)
	if err != nil {
		return err
	}
	if a.cfg.Admin == "" {
		a.announce(l.Addr())
		return s.Serve(ctx, l)
	}
	admin, err := net.Listen("tcp", a.cfg.Admin)
	if err != nil {
		return errors.Join(&server.BindError{Address: a.cfg.Admin, Why: err.Error(), Fix: "choose another address for server.admin"}, l.Close())
	}
	a.announce(l.Addr())
	a.log.Info("admin listener", "address", admin.Addr().String())
	watched, stop := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan error, 1)
	go func() { done <- s.ServeAdmin(watched, admin) }()
	err = s.Serve(ctx, l)
	stop()
	return errors.Join(err, <-done)
}

// announce prints the addresses on stderr: stdout is for data.
func (a *app) announce(addr net.Addr) {
	st := newStyle(a.stderr, a.environ)
	url := "http://" + addr.String()
	if tcp, ok := addr.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() { // every address of this machine: one that opens
		url = fmt.Sprintf("http://localhost:%d", tcp.Port)
	}
	fmt.Fprintf(a.stderr, "\n  %s  %s/\n", st.dim("page"), st.bold(url))
	fmt.Fprintf(a.stderr, "  %s  %s/docs\n", st.dim("API "), url)
	fmt.Fprintf(a.stderr, "  %s  %s/mcp, or: {\"command\": \"gateway\", \"args\": [\"mcp\"]}\n\n", st.dim("MCP "), url)
}
