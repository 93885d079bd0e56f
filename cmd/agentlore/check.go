package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
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
	say := func(where string) index.Say {
		return func(result index.CheckResult, format string, values ...any) {
			for line := range strings.Lines(fmt.Sprintf(format, values...)) { // joined errors are a line each
				if result == index.CheckFault {
					faults++
				}
				fmt.Fprintf(out.stdout, "%-8s %s%s\n", result, where, strings.TrimSpace(line))
			}
		}
	}
	p, err := c.open(ctx, out)
	defer p.close()
	if err != nil {
		say("")(index.CheckFault, "%v", err)
	}
	for at, address := range p.settings.Addresses {
		single := p.settings
		single.Addresses = []string{strings.TrimSpace(address)}
		if client, err := index.Open(single); err == nil { // else the fault is above
			client.Inspect(ctx, say(fmt.Sprintf("Elasticsearch address %d: ", at+1))) // not quoted: it may hold a password
		}
	}
	if p.redis != nil { // else the fault is above
		asking, cancel := context.WithTimeout(ctx, checkTimeout)
		defer cancel()
		if err := p.redis.Check(asking); err != nil {
			say("Redis: ")(index.CheckFault, "%v", err)
		} else if c.RedisURL == "" {
			say("Redis: ")(index.CheckOK, "none is configured: caches and counters are in process, right for one replica")
		} else {
			say("Redis: ")(index.CheckOK, "it answers and can be written")
		}
	}
	if p.embedder != nil {
		if _, err := p.embedder.Vectors(ctx, []string{"is it there?"}); err != nil {
			say("Embeddings server: ")(index.CheckFault, "%v", err)
		} else {
			say("Embeddings server: ")(index.CheckOK, "it answers, with vectors of the right size")
		}
	}
	if faults > 0 {
		return fmt.Errorf("%d faults in what is configured", faults)
	}
	return nil
}

// healthCommand asks a running service; containers use it, whose image has no curl.
type healthCommand struct {
	URL string `default:"http://127.0.0.1:8080" env:"AGENTLORE_URL" help:"Base address of the service."`
}

// Run prints the answer and fails unless the service can work.
func (c *healthCommand) Run(ctx context.Context, out output) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.URL+"/health", nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if _, err := io.Copy(out.stdout, io.LimitReader(response.Body, 64<<10)); err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the service answered %d", response.StatusCode)
	}
	return nil
}
