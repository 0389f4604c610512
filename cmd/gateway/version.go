package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is set when a release is linked.
var version = "dev"

// versionLine names the release and, where the build knows it, the commit.
func versionLine() string {
	line := version
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				line += " (" + short(s.Value) + ")"
			}
		}
	}
	return line
}

func newVersion(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			if a.json {
				return a.printJSON(map[string]string{"version": versionLine(), "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH})
			}
			_, err := fmt.Fprintf(a.stdout, "allrows %s, %s, %s/%s\n", versionLine(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}
