// Command agentlore-client is the client's part of agentlore alone: a static binary for the machines of agents and analysts.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"agentlore/client"
	"agentlore/client/export"
)

// commandLine is everything that can be said to the program.
type commandLine struct {
	client.Commands
	Export export.Command `cmd:"" help:"Write a collection of the service to a file: NDJSON, CSV or Parquet."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	console := client.Console{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}
	os.Exit(client.Run(ctx, new(commandLine), "Ask and tell a shared intelligence service for autonomous agents in Web3.", os.Args[1:], console))
}
