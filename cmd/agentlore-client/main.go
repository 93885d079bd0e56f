// Command agentlore-client is the client's part of agentlore alone: a small static binary for agents' machines.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"agentlore/client"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(client.Execute(ctx, os.Args[1:], client.Console{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}))
}
