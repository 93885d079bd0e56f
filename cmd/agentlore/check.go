package main

import (
	"context"
	"fmt"
	"strings"

	"agentlore/cache"
	"agentlore/index"
)

// checkCommand says whether `agentlore serve` with the same flags and environment would work.
type checkCommand struct{ serveCommand }

// Run prints what is right, what is doubtful and every fault, and fails if there is one. It changes nothing but for a key in
// Redis that it removes again.
func (c *checkCommand) Run(ctx context.Context, out output) error {
	faults := 0
	say := func(verdict, where, text string) {
		if where != "" {
			text = where + ": " + text
		}
		fmt.Fprintf(out.stdout, "%-8s %s\n", verdict, text)
	}
	fault := func(where string, err error) {
		for line := range strings.Lines(err.Error()) { // joined errors are a line each
			faults++
			say("fault", where, strings.TrimSpace(line))
		}
	}

	p, err := c.open(ctx, out)
	p.close()
	if err != nil {
		fault("", err)
	}
	for at, address := range p.settings.Addresses {
		where := fmt.Sprintf("Elasticsearch address %d", at+1) // not quoted: it may hold a password
		single := p.settings
		single.Addresses = []string{strings.TrimSpace(address)}
		client, err := index.Open(single)
		if err != nil {
			continue // told above
		}
		found := client.Inspect(ctx)
		for _, text := range found.Facts {
			say("ok", where, text)
		}
		for _, text := range found.Warnings {
			say("warning", where, text)
		}
		for _, err := range found.Faults {
			fault(where, err)
		}
	}
	if config, err := c.redisConfig.config(c.IndexPrefix, out); p.redis != nil && err == nil { // else it is told above
		if found, err := cache.Check(ctx, config); err == nil {
			say("ok", "Redis", found)
		} else {
			fault("Redis", err)
		}
	}
	if faults > 0 {
		return fmt.Errorf("%d faults in what is configured", faults)
	}
	return nil
}
