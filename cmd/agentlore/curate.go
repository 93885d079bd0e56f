package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"runtime/debug"
	"time"

	"agentlore/curator/worker"
	"agentlore/knowledge"
)

// curateCommand curates outside a service.
type curateCommand struct {
	storeConfig
	curationConfig
	webhookConfig
	linkConfig
	telemetryConfig
	Once    bool `help:"Do one pass over what is new and end; otherwise go on for ever."`
	Rebuild bool `help:"Compare all reports anew, in one pass, and end."`
}

// curateMemory is what the garbage collector keeps the process within as far as it can: of 62,000 reports, some 150 MiB are in use
// (profiles 70, links 50, term counts 16, pages), and by Go's default the heap may grow to twice that before it is swept.
// GOMEMLIMIT sets another bound.
const curateMemory = 240 << 20

// curateTimeout is for reads of thousands of documents on a busy machine.
const curateTimeout = time.Minute

// Run curates until ctx ends or, with --once or --rebuild, one pass is done.
func (c *curateCommand) Run(ctx context.Context, out output) error {
	if debug.SetMemoryLimit(-1) == math.MaxInt64 { // nobody has set one
		defer debug.SetMemoryLimit(debug.SetMemoryLimit(curateMemory))
	}
	rules, malicious, err := c.rules()
	if err != nil {
		return err
	}
	store, err := c.storeConfig.open(ctx, out, curateTimeout)
	if err != nil {
		return err
	}
	known := knowledge.New(store.client, out.log)
	curation, err := newBackgroundCurator(out, store, known, rules, malicious, c.webhookConfig, c.linkConfig)
	if err != nil {
		return err
	}
	if !c.Once && !c.Rebuild {
		watch, err := c.telemetryConfig.open(ctx, out)
		defer watch.Close()
		if err != nil {
			return err
		}
		watch.watchCurator(curation)
		watch.serve(http.NotFoundHandler())
		go known.Follow(ctx)
		curation.loop(ctx)
		return nil
	}
	curation.progress = func(p worker.Progress) {
		if p.Of > 0 {
			fmt.Fprintf(out.stderr, "%s: %d of %d\n", p.Phase, p.Done, p.Of)
		} else {
			fmt.Fprintf(out.stderr, "%s: %d\n", p.Phase, p.Done)
		}
	}
	written, err := curation.once(ctx, c.Rebuild)
	if errors.Is(err, errOtherCurates) {
		return err
	}
	if err != nil {
		return fmt.Errorf("the pass stopped: %w (run it again to go on where it stopped)", err)
	}
	stats := curation.Stats()
	fmt.Fprintf(out.stdout, "%d reports compared in %d pairs, %d links; %d items changed in %s\n",
		stats.Reports, stats.Comparisons, stats.Links, written, stats.LastPass.Round(10*time.Millisecond))
	return nil
}
