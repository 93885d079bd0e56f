package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"agentlore/index"
)

// checkTimeout bounds what is asked of Redis.
const checkTimeout = 5 * time.Second

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

	watch, err := c.telemetryConfig.open(ctx, out)
	defer watch.Close()
	if err != nil {
		fault("", err)
	}
	settings, redis, _, listener, err := c.open(out, watch)
	if err != nil {
		fault("", err)
	}
	if redis != nil {
		defer redis.Close()
	}
	if listener != nil {
		_ = listener.Close()
	}
	for at, address := range settings.Addresses {
		where := fmt.Sprintf("Elasticsearch address %d", at+1) // not quoted: it may hold a password
		single := settings
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
	if redis != nil { // else it is told above
		ctx, cancel := context.WithTimeout(ctx, checkTimeout)
		defer cancel()
		if err := redis.Check(ctx); err != nil {
			fault("Redis", err)
		} else if c.RedisURL == "" {
			say("ok", "Redis", "none is configured: caches and counters are in process, right for one replica")
		} else {
			say("ok", "Redis", "it answers and can be written")
		}
	}
	if faults > 0 {
		return fmt.Errorf("%d faults in what is configured", faults)
	}
	return nil
}
