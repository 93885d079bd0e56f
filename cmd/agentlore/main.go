// Command agentlore is the whole service in one binary: it serves, creates the indices and imports.
package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"agentlore/client"
	"agentlore/handlers"
)

// commandLine is everything that can be said to the program. Flags fall back to the environment, which is read nowhere
// else.
type commandLine struct {
	client.Commands
	Serve     serveCommand     `cmd:"" help:"Serve the HTTP interface; creates missing indices first."`
	Migrate   migrateCommand   `cmd:"" help:"Bring the store to this version; reads and writes go on."`
	Scale     scaleCommand     `cmd:"" help:"Show how shards and copies lie on the nodes; with --shards or --replicas change them while reads and writes go on."`
	Backup    backupCommand    `cmd:"" help:"Copy the whole store to a folder or a bucket that Elasticsearch reaches, while reads and writes go on."`
	Restore   restoreCommand   `cmd:"" help:"Bring a backup into an empty or a running cluster; stop the services first."`
	Verify    verifyCommand    `cmd:"" help:"Compare the store with a backup: counts and checksums of every collection."`
	Import    importCommand    `cmd:"" help:"Import observations, assets, an export or a catalog of chains; safe to run again."`
	Export    exportCommand    `cmd:"" help:"Write a collection to a file: NDJSON or CSV, plain or packed."`
	Curate    curateCommand    `cmd:"" help:"Turn reports into patterns and knowledge, beside or instead of a service that does; one curates at a time."`
	Review    reviewCommand    `cmd:"" help:"What waits for an operator, and decisions on it; each is kept with who and why."`
	Withdraw  withdrawCommand  `cmd:"" help:"Advise against all items that a query finds, after a preview."`
	Erase     eraseCommand     `cmd:"" help:"Delete items or sources for good, with all that was derived from them; a tombstone without text stays."`
	Redact    redactCommand    `cmd:"" help:"Scrub one item again, and what was derived from it."`
	Rescrub   rescrubCommand   `cmd:"" help:"Run the scrubber's present rules over everything stored; goes on where it stopped."`
	Decisions decisionsCommand `cmd:"" help:"List what operators decided: when, what, who and why."`
	Check     checkCommand     `cmd:"" help:"Say whether serve would work with this configuration, naming every fault; changes nothing."`
	Token     tokenCommand     `cmd:"" help:"Issue a source's token anew, or revoke it."`
	Vouch     onePrincipal     `cmd:"" help:"Give the principal behind a source standing: what it says counts for the service's own word."`
	Unvouch   onePrincipal     `cmd:"" help:"Take a principal's standing, also what it earned."`
	Invite    inviteCommand    `cmd:"" help:"Print a code for registrations that have standing from the first."`
	Ban       banCommand       `cmd:"" help:"Refuse a source, a principal or a network; what it said counts for nothing."`
	Unban     banCommand       `cmd:"" help:"Lift a ban."`
	Raise     raiseCommand     `cmd:"" help:"Give a principal or a client address a multiple of its budgets."`
	Health    healthCommand    `cmd:"" help:"Ask a running service how it is; the exit status is 0 unless it is unavailable."`
	Version   versionCommand   `cmd:"" help:"Print the version."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(execute(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// execute runs one command line and returns the exit status, as client.Run does.
func execute(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	out := output{stdout: stdout, stderr: stderr, log: slog.New(slog.NewJSONHandler(stderr, nil)), opened: new([]io.Closer)}
	defer func() {
		for _, one := range *out.opened {
			_ = one.Close() // a command has its own answer by now
		}
	}()
	console := client.Console{Stdin: os.Stdin, Stdout: stdout, Stderr: stderr}
	return client.Run(ctx, new(commandLine), "A shared intelligence service for autonomous agents in Web3.", args, console, out)
}

// output is where a command writes.
type output struct {
	stdout io.Writer
	stderr io.Writer
	log    *slog.Logger
	opened *[]io.Closer // what the command was given open: it is closed when the command ends
}

// version is set at build time (-ldflags -X main.version=...); releases name themselves by it.
var version = "development"

// versionCommand prints versions.
type versionCommand struct{}

// Run prints the interface's version and the commit that the binary was built from.
func (versionCommand) Run(out output) error {
	_, err := fmt.Fprintf(out.stdout, "agentlore %s, interface %s, %s\n", version, handlers.Version, commit())
	return err
}

// commit returns the commit that the binary was built from.
func commit() string {
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, setting := range build.Settings {
			if setting.Key == "vcs.revision" {
				return setting.Value
			}
		}
	}
	return "unknown commit"
}
