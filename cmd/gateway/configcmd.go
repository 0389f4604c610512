package main

import (
	"github.com/spf13/cobra"
)

func newConfig(a *app) *cobra.Command {
	c := &cobra.Command{Use: "config", Short: "Show the settings", Args: noCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	var origin bool
	show := &cobra.Command{
		Use:   "show",
		Short: "Show every setting in force, with --origin where it comes from",
		Long:  "Flags go before the environment (ALLROWS_SECTION_KEY), the environment before the file, the file before defaults.",
		Args:  args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			type line struct {
				Key    string `json:"key"`
				Value  string `json:"value"`
				Origin string `json:"origin,omitempty"`
				What   string `json:"what"`
			}
			lines := []line{}
			out := grid{head: []string{"Key", "Value"}}
			if origin {
				out.head = append(out.head, "Origin")
			}
			for _, s := range settings {
				l := line{Key: s.key, Value: a.cfg.values.String(s.key), Origin: a.cfg.origins[s.key], What: s.what}
				if s.key == "data.dir" {
					l.Value = a.cfg.Data
				}
				row := []string{l.Key, oneLine(l.Value, maxCell)}
				if origin {
					row = append(row, l.Origin)
				}
				lines, out.rows = append(lines, l), append(out.rows, row)
			}
			if a.json {
				return a.printJSON(lines)
			}
			return out.write(a.stdout)
		},
	}
	show.Flags().BoolVar(&origin, "origin", false, "show where each value comes from")
	c.AddCommand(show)
	return c
}
