package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/allrows/allrows/web"
)

func newKey(a *app) *cobra.Command {
	c := &cobra.Command{Use: "key", Short: "Make, list and revoke API keys", Args: noCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	c.AddCommand(
		&cobra.Command{Use: "create NAME", Short: "Make a key for a principal; it is shown once", Args: args(cobra.ExactArgs(1)),
			RunE: func(_ *cobra.Command, n []string) error { return a.createKey(n[0]) }},
		&cobra.Command{Use: "list", Short: "List the keys, without their secrets", Args: args(cobra.NoArgs),
			RunE: func(*cobra.Command, []string) error { return a.listKeys() }},
		&cobra.Command{Use: "revoke ID", Short: "End a key, at once and for good", Args: args(cobra.ExactArgs(1)),
			RunE: func(_ *cobra.Command, n []string) error { return a.revokeKey(n[0]) }})
	return c
}

func (a *app) createKey(name string) error {
	keys, err := a.keys()
	if err != nil {
		return err
	}
	key, secret, err := keys.Create(name)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(map[string]any{"id": key.ID, "name": key.Name, "key": secret, "created": key.Created})
	}
	fmt.Fprintln(a.stdout, secret)
	_, err = fmt.Fprintf(a.stderr, "key %s for %s; it is not shown again. Send it as: Authorization: Bearer KEY\n", key.ID, clean(key.Name))
	return err
}

func (a *app) listKeys() error {
	keys, err := a.keys()
	if err != nil {
		return err
	}
	list, err := keys.List()
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(list)
	}
	out := grid{head: []string{"Id", "Name", "Created", "Revoked"}}
	for _, k := range list {
		revoked := ""
		if k.Revoked != nil {
			revoked = web.When(*k.Revoked)
		}
		out.rows = append(out.rows, []string{k.ID, oneLine(k.Name, 40), web.When(k.Created), revoked})
	}
	return out.write(a.stdout)
}

func (a *app) revokeKey(id string) error {
	keys, err := a.keys()
	if err != nil {
		return err
	}
	if err := keys.Revoke(id); err != nil {
		return err
	}
	if a.json {
		return a.printJSON(map[string]string{"revoked": id})
	}
	_, err = fmt.Fprintf(a.stdout, "key %s is revoked\n", id)
	return err
}
