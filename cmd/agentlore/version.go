package main

import (
	"fmt"
	"runtime/debug"

	"agentlore/handlers"
)

// versionCommand prints versions.
type versionCommand struct{}

// Run prints the interface's version and the commit that the binary was built from.
func (versionCommand) Run(out output) error {
	commit := "unknown commit"
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, setting := range build.Settings {
			if setting.Key == "vcs.revision" {
				commit = setting.Value
			}
		}
	}
	_, err := fmt.Fprintf(out.stdout, "agentlore, interface %s, %s\n", handlers.Version, commit)
	return err
}
