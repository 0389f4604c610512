package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/allrows/allrows/agent/semparse/train"
)

// newTrain fits the weights of the planner that needs no model.
func newTrain(a *app) *cobra.Command {
	var out string
	var each int
	c := &cobra.Command{
		Use:   "train SET…",
		Short: "Fit the built-in planner's weights on development questions",
		Long: "Fit the weights of the built-in planner on unpacked sets of development questions\n" +
			"(folders with cases.jsonl and tables/), and print what was measured on the databases\n" +
			"that were kept apart. The same sets give the same weights.",
		Args: args(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, sets []string) error {
			f, err := os.Create(out)
			if err != nil {
				return fmt.Errorf("creating the weights file: %w", err)
			}
			if err := train.Run(cmd.Context(), train.Config{Sets: sets, Each: each, Out: f, Print: a.stdout}); err != nil {
				f.Close()
				return err
			}
			return f.Close()
		},
	}
	c.Flags().StringVar(&out, "out", "weights.json", "file for the weights")
	c.Flags().IntVar(&each, "each", 0, "questions of each set (0: all)")
	return c
}
