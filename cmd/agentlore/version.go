package main

import (
	"fmt"
	"runtime/debug"

	"agentlore/handlers"
)

// version is set at build time (-ldflags -X main.version=...); releases name themselves by it.
var version = "development"

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
	_, err := fmt.Fprintf(out.stdout, "agentlore %s, interface %s, %s\n", version, handlers.Version, commit)
	return err
}
