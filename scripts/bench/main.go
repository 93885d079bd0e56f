// Command bench measures agentlore's speed against bare Elasticsearch on this machine: imports and submits against _bulk
// with the same documents, searches against the very requests that the service sends, memory, and start-up.
//
// A ratio is taken in one run, by short slices that alternate between the two sides, so that a machine that gets busier
// or slower meanwhile does so for both. It is a module of its own: what it needs to make load is no part of the service.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
)

// options is the command line; scripts/bench/run runs it in the repository's root.
type options struct {
	Sections []string      `arg:"" optional:"" enum:"corpus,import,search,submit,start,run,clean" help:"What to measure: import, search, submit, start (the service's start), run (make run from nothing). Or corpus: only write the corpus; clean: remove corpora and indices. Default: all that measure."`
	Only     []string      `env:"ONLY" help:"The same, as a comma-separated list." placeholder:"SECTION"`
	Docs     int           `env:"DOCS" default:"100000" help:"Submissions to search in. Above --base, both sizes are searched and the growth is shown."`
	Base     int           `env:"BASE" default:"100000" help:"Size that the growth is measured from, and that imports are compared with _bulk at."`
	Duration time.Duration `env:"DURATION" default:"20s" help:"Load on each side of each comparison."`
	WarmUp   time.Duration `env:"WARM_UP" default:"1m" help:"How long searches are asked and submits sent beforehand, so that Elasticsearch has compiled what it runs all day; imports three times as long."`
	Rate     int           `env:"RATE" default:"20" help:"Searches a second."`
	Seed     uint64        `default:"1" help:"Of the corpus and the queries."`
	Reuse    bool          `env:"REUSE" help:"Search in the stores that an earlier run has left, whatever their number of submissions, and import only the base anew."`
	Prefix   string        `default:"bench" help:"Begins the index prefixes that the bench makes and removes."`
	Binary   string        `help:"Measure this binary instead of building one from the tree." placeholder:"FILE"`
	Work     string        `default:".agentlore/bench" help:"Folder of corpora, logs and the binary." placeholder:"DIR"`
	Data     string        `env:"AGENTLORE_DATA" default:"../shared/data" help:"Folder of observations.jsonl.gz; without it the demo's observations are used." placeholder:"DIR"`
	Figures  string        `env:"FIGURES" default:"docs/figures.md" help:"Markdown file to keep the figures in; - for none." placeholder:"FILE"`
	Limit    time.Duration `help:"The longest that the whole run may take; by default ten minutes and ten milliseconds a document." placeholder:"DURATION"`

	ElasticsearchURL      string `env:"ELASTICSEARCH_URL" help:"Elasticsearch on this machine."`
	ElasticsearchUsername string `env:"ELASTICSEARCH_USERNAME" help:"User name."`
	ElasticsearchPassword string `env:"ELASTICSEARCH_PASSWORD" help:"Password."`
	RedisURL              string `env:"REDIS_URL" help:"Redis on this machine."`
}

// measured are the sections of a whole run, in order: each leaves what the next can use.
var measured = []string{"import", "search", "submit", "start", "run"}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var chosen options
	kong.Parse(&chosen, kong.Name("bench"), kong.Description("The speed of agentlore against bare Elasticsearch."), kong.UsageOnError())
	if err := run(ctx, chosen); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		stop()
		os.Exit(1)
	}
}

// run runs the sections that were chosen and shows their tables. A section that fails doesn't keep the others from
// running, but for one that all need.
func run(ctx context.Context, chosen options) error {
	if err := chosen.check(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, chosen.Limit, fmt.Errorf("not done in %s; --limit gives more time", chosen.Limit))
	defer cancel()
	b, err := newBench(ctx, chosen)
	if err != nil {
		return err
	}
	var failed error
	for _, name := range chosen.Sections {
		began := time.Now()
		say("== %s", name)
		text, err := b.section(ctx, name)
		if cause := context.Cause(ctx); err != nil && cause != nil {
			return fmt.Errorf("%s: %w", name, cause)
		}
		if err != nil {
			say("   %s FAILED: %v", name, err)
			failed = errors.Join(failed, fmt.Errorf("%s failed", name)) // the words are above
			continue
		}
		say("   %s took %s", name, time.Since(began).Round(time.Second))
		if text == "" {
			continue
		}
		text = b.heading() + "\n\n" + text
		fmt.Printf("\n## %s\n\n%s\n", name, text)
		if err := keepFigures(chosen.Figures, name, text); err != nil {
			failed = errors.Join(failed, err)
		}
	}
	return failed
}

// check completes the options and names every fault at once.
func (o *options) check() error {
	var faults []error
	o.Sections = append(o.Sections, o.Only...)
	if len(o.Sections) == 0 {
		o.Sections = measured
	}
	for _, name := range o.Sections {
		if !slices.Contains(append([]string{"corpus", "clean"}, measured...), name) {
			faults = append(faults, fmt.Errorf("there is no section %q: %s, corpus, clean", name, strings.Join(measured, ", ")))
		}
	}
	if o.Docs < 500 || o.Base < 500 {
		faults = append(faults, errors.New("--docs and --base must be at least 500: below, start-up is most of what is measured"))
	}
	if o.Duration < time.Second {
		faults = append(faults, errors.New("--duration must be at least 1s"))
	}
	if o.Rate < 1 {
		faults = append(faults, errors.New("--rate must be at least 1"))
	}
	if !strings.HasPrefix(o.Prefix, "bench") {
		faults = append(faults, errors.New("--prefix must begin with bench: the bench deletes its indices"))
	}
	if o.ElasticsearchURL == "" {
		faults = append(faults, errors.New("ELASTICSEARCH_URL is not set: make bench starts an engine; so does scripts/engine with --name bench -- scripts/bench/run"))
	} else if err := local(o.ElasticsearchURL); err != nil {
		faults = append(faults, fmt.Errorf("ELASTICSEARCH_URL: %w", err))
	}
	if o.RedisURL != "" {
		if err := local(o.RedisURL); err != nil {
			faults = append(faults, fmt.Errorf("REDIS_URL: %w", err))
		}
	}
	o.Base = min(o.Base, o.Docs)
	if o.Limit == 0 {
		o.Limit = 10*time.Minute + o.WarmUp + o.importsWarmUp() + 40*o.Duration + time.Duration(o.Docs)*10*time.Millisecond
	}
	return errors.Join(faults...)
}

// say tells the person who waits; tables go to standard output.
func say(format string, values ...any) {
	fmt.Fprintf(os.Stderr, "%s "+format+"\n", append([]any{time.Now().Format("15:04:05")}, values...)...)
}

// importsWarmUp returns how long imports warm up.
func (o *options) importsWarmUp() time.Duration { return importWarmUpTimes * o.WarmUp }
