package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// serviceStarts is how often the service's start is measured.
const serviceStarts = 5

// measureStart starts the service on the base's store several times, and times each until its first search is answered.
func (b *bench) measureStart(ctx context.Context) (string, error) {
	if err := b.ensureStore(ctx, b.Base); err != nil {
		return "", err
	}
	var took latencies
	for range serviceStarts {
		serving, err := b.serve(ctx, "serve-start", b.prefixOf(b.Base), b.ElasticsearchURL)
		if err != nil {
			return "", err
		}
		_, err = serving.search(ctx, "oracle price is stale")
		took.all = append(took.all, time.Since(serving.began))
		serving.stop()
		if err != nil {
			return "", err
		}
	}
	report := newTable("start of the service to its first search answered", "median", "longest")
	report.row(fmt.Sprintf("%d starts on a store of %s submissions", serviceStarts, thousands(b.Base)),
		milliseconds(took.quantile(0.5)), milliseconds(took.quantile(1)))
	return report.String(), nil
}

// runLimit is the longest that `make run` may take here; a distribution that isn't in the cache yet takes longer.
const runLimit = 3 * time.Minute

// measureRun times what `make run` does, with an engine and a store of its own that are not there before, until the
// first request is answered. What can be downloaded or built should have been before; the first run of all isn't this.
func (b *bench) measureRun(ctx context.Context) (text string, err error) {
	home, err := filepath.Abs(filepath.Join(b.Work, "home"))
	if err != nil {
		return "", err
	}
	address, err := freeAddress()
	if err != nil {
		return "", err
	}
	// Empty addresses make scripts/engine start an engine instead of taking the bench's.
	environment := []string{"AGENTLORE_HOME=" + home, "AGENTLORE_LISTEN=" + address, "ELASTICSEARCH_URL=", "REDIS_URL="}
	stopEngine := func(ctx context.Context) error {
		stop := exec.CommandContext(ctx, "scripts/engine", "stop", "--name", "run", "--wipe")
		stop.Env = append(os.Environ(), environment...)
		if out, err := stop.CombinedOutput(); err != nil {
			return fmt.Errorf("scripts/engine stop: %w\n%s", err, out)
		}
		return nil
	}
	if err := stopEngine(ctx); err != nil { // of a run that was cut short
		return "", err
	}
	run, err := b.start("make-run", nil, io.Discard, environment, "scripts/run")
	if err != nil {
		return "", err
	}
	defer func() {
		run.stop()
		if stopErr := stopEngine(context.WithoutCancel(ctx)); err == nil {
			err = stopErr
		}
	}()
	client := &http.Client{Timeout: 10 * time.Second}
	err = run.until(ctx, runLimit, func() bool {
		response, err := client.Get("http://" + address + "/search/all?q=allowance")
		if err != nil {
			return false
		}
		defer response.Body.Close()
		_, err = io.Copy(io.Discard, response.Body)
		return err == nil && response.StatusCode == http.StatusOK
	})
	took := time.Since(run.began)
	if err != nil {
		return "", err
	}
	verdicts := newTable("goal", "measured", "")
	verdicts.goal("cold `make run` on a warm cache: <= 30 s to the first answered request", took.Round(100*time.Millisecond).String(), took <= 30*time.Second)
	return "A new Elasticsearch and Redis, an empty store, the build from Go's cache, the demo loaded.\n\n" + verdicts.String(), nil
}

// freeAddress returns an address that nobody listens on at the moment.
func freeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer listener.Close()
	return listener.Addr().String(), nil
}
