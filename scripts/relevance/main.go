// Command relevance judges search through the HTTP API on labelled collections, and keeps the table in docs/search.md.
// Run it from the repository's root, with ELASTICSEARCH_URL and REDIS_URL of a running engine; `make relevance` starts
// one. Collections are looked for where AGENTLORE_DATA says, or in ../shared/data. Each is imported once, under an index
// prefix of its own, and found again by the next run as long as the mapping is the same.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
)

// options is the command line.
type options struct {
	collections []string
	queries     int
	shards      int
	mixed       bool
	folds       int
	figures     string
	data        string
	binary      string
	work        string
	modes       []string
	elastic     string
	redis       string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	chosen, err := readOptions(os.Args[1:])
	if err == nil {
		err = run(ctx, chosen)
	}
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "relevance:", err)
		stop()
		os.Exit(1)
	}
}

// readOptions reads the command line and names what is wrong with it.
func readOptions(args []string) (options, error) {
	var o options
	var collections, modes string
	flags := flag.NewFlagSet("relevance", flag.ContinueOnError)
	flags.StringVar(&collections, "collections", "web3-dups,cve,cranfield,cacm,bugdup-hadoop", "which, comma-separated")
	flags.IntVar(&o.queries, "queries", 0, "at most so many queries of each collection, drawn by a fixed seed; 0 for all")
	flags.IntVar(&o.shards, "shards", 1, "shards of the submissions")
	flags.BoolVar(&o.mixed, "mixed", false, "import the assets beside, and make patterns and knowledge of other observations, so that all four types answer")
	flags.IntVar(&o.folds, "folds", 0, "print nDCG@10 of so many folds over the queries too")
	flags.StringVar(&modes, "modes", "typo,cut,cut-all,stock", "what to judge beside the queries as they are: typo, cut (one word), cut-all, stock")
	flags.StringVar(&o.figures, "figures", "docs/search.md", "page to keep the table in; - for none")
	flags.StringVar(&o.work, "work", ".agentlore/relevance", "folder of logs and the binary")
	flags.StringVar(&o.binary, "binary", "", "judge this binary instead of building one from the tree")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	o.collections, o.modes = strings.Split(collections, ","), strings.Split(modes, ",")
	o.data = cmp.Or(os.Getenv("AGENTLORE_DATA"), "../shared/data")
	o.elastic, o.redis = os.Getenv("ELASTICSEARCH_URL"), os.Getenv("REDIS_URL")
	var faults []error
	for _, name := range o.collections {
		if _, known := goals[name]; !known {
			faults = append(faults, fmt.Errorf("there is no collection %q", name))
		}
	}
	for _, mode := range o.modes {
		if _, known := changes[mode]; !known && mode != "stock" && mode != "" {
			faults = append(faults, fmt.Errorf("there is no mode %q", mode))
		}
	}
	if address, err := url.Parse(o.elastic); err != nil || o.elastic == "" || o.redis == "" || address.Host == "" {
		faults = append(faults, errors.New("ELASTICSEARCH_URL and REDIS_URL must be set: make relevance starts an engine"))
	}
	if o.shards < 1 || o.queries < 0 || o.folds < 0 {
		faults = append(faults, errors.New("--shards begins at 1, --queries and --folds at 0"))
	}
	if _, err := os.Stat(filepath.Join(o.data, "search")); err != nil {
		faults = append(faults, fmt.Errorf("labelled collections: %w", err))
	}
	return o, errors.Join(faults...)
}

// goals are what nDCG@10 is to reach on each collection.
var goals = map[string]float64{"web3-dups": 0.38, "cve": 0.73, "cranfield": 0.38, "cacm": 0.52, "bugdup-hadoop": 0.61}

// run judges every collection and shows the table.
func run(ctx context.Context, o options) error {
	if err := os.MkdirAll(o.work, 0o755); err != nil {
		return err
	}
	if o.binary == "" {
		o.binary = filepath.Join(o.work, "agentlore")
		if err := command(ctx, nil, "go", "build", "-o", o.binary, "./cmd/agentlore"); err != nil {
			return err
		}
	}
	table := newTable(o)
	for _, name := range o.collections {
		set, err := load(o, name)
		if err != nil {
			return err
		}
		judged, err := judge(ctx, o, set)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		fmt.Println(table.add(judged))
	}
	fmt.Printf("\n%s\n", table)
	return keep(o.figures, table.String())
}
