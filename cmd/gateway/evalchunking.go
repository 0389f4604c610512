package main

import (
	"errors"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/allrows/allrows/eval"
)

func newEvalChunking(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "chunking LESSON.json",
		Short: "Run the published chunking experiment: recall, answerability and cost of five ways to cut a table",
		Args:  args(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, files []string) error {
			f, err := os.Open(files[0])
			if errors.Is(err, fs.ErrNotExist) {
				return &usageError{err.Error()}
			}
			if err != nil {
				return err
			}
			defer f.Close()
			l, err := eval.ReadLesson(f)
			if err != nil {
				return err
			}
			results := l.Run()
			if a.json {
				return a.printJSON(results)
			}
			return eval.PrintChunking(a.stdout, results)
		},
	}
}
