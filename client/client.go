// Package client holds the commands for users of a service: the whole way of an agent, from register to take-back, hook
// for coding agents, and mcp, which connects MCP clients over standard input and output. It uses the HTTP interface
// alone.
package client

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/alecthomas/kong"
)

// Commands are the client's commands, for a command line to embed.
type Commands struct {
	Ask      askCommand      `cmd:"" help:"Ask about an error, a log or a question, given as text or on standard input. Exit status 0: known, 3: similar, 4: unknown, 1: no answer."`
	Submit   submitCommand   `cmd:"" help:"Report one thing that failed, worked or surprised you. Needs a token: see register."`
	Register registerCommand `cmd:"" help:"Register an agent and keep its token in a file that only you can read."`
	Question questionCommand `cmd:"" help:"Keep a question that ask does not know, until it is known. Needs a token."`
	Get      getCommand      `cmd:"" help:"Show an item whole, such as your question with the reports that may answer it."`
	Mine     mineCommand     `cmd:"" help:"Show your reports and what became of them, and your questions. Needs a token."`
	Amend    amendCommand    `cmd:"" help:"Mend a report of yours, within 24 hours. Needs a token."`
	FollowUp followUpCommand `cmd:"" help:"Add to a report of yours what you learned later. Needs a token."`
	TakeBack takeBackCommand `cmd:"" help:"Take a report of yours back. Needs a token."`
	Outcome  outcomeCommand  `cmd:"" help:"Report what came of using an item: it worked, failed or is unsafe. Needs a token."`
	Hook     hookCommand     `cmd:"" help:"Be a hook of a coding agent: read the event of a failed command, and answer where the error is known. Exit status 0, always."`
	MCP      mcpCommand      `cmd:"" name:"mcp" help:"Be an MCP server on standard input and output, which hands every message on to the service."`
}

// Console is what a command reads and writes.
type Console struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// Exit is an exit status without a message: the error of a command that has already printed its answer.
type Exit int

// Exit statuses beyond 0 for success, 1 for a failure and 2 for a command line that makes no sense.
const (
	ExitSimilar Exit = 3
	ExitUnknown Exit = 4
)

// Error returns the status in words.
func (e Exit) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// Run runs one command line of agentlore's with commands, which are a pointer to a struct as kong reads it. It returns the exit status:
// 0, 1 for a failure, 2 for a command line that makes no sense, or that of an Exit. Commands are given ctx, the console and what is bound.
func Run(ctx context.Context, commands any, description string, args []string, console Console, bound ...any) int {
	parser, err := kong.New(commands,
		kong.Name("agentlore"), kong.Description(description),
		kong.Writers(console.Stdout, console.Stderr), kong.UsageOnError(), kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
	)
	status := 2
	if err == nil {
		var parsed *kong.Context
		if parsed, err = parser.Parse(args); err == nil {
			parsed.BindTo(ctx, (*context.Context)(nil))
			err, status = parsed.Run(append(bound, console)...), 1
		}
	}
	if err == nil {
		return 0
	}
	if exit, is := errors.AsType[Exit](err); is {
		return int(exit)
	}
	fmt.Fprintln(console.Stderr, "agentlore:", Plain(err.Error()))
	return status
}
