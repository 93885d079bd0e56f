package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// bench is one run.
type bench struct {
	options
	engine  *engine
	version string      // of Elasticsearch
	commit  string      // of the tree, with a + where it has changes
	held    map[int]int // submissions in the stores that were made sure of, by the number asked for
}

// newBench prepares the work folder, the engine's client and the binary.
func newBench(ctx context.Context, chosen options) (*bench, error) {
	b := &bench{options: chosen, engine: newEngine(chosen.ElasticsearchURL, chosen.ElasticsearchUsername, chosen.ElasticsearchPassword), held: map[int]int{}}
	if err := os.MkdirAll(b.Work, 0o755); err != nil {
		return nil, err
	}
	var err error
	if b.version, err = b.engine.version(ctx); err != nil {
		return nil, fmt.Errorf("Elasticsearch does not answer: %w", err)
	}
	b.commit = commit(ctx)
	if slices.ContainsFunc(b.Sections, func(name string) bool { return slices.Contains(measured, name) }) {
		return b, b.prepareBinary(ctx)
	}
	return b, nil
}

// prepareBinary builds the service from the tree, unless a binary was given.
func (b *bench) prepareBinary(ctx context.Context) (err error) {
	if b.Binary == "" {
		b.Binary = filepath.Join(b.Work, "agentlore")
		say("building %s", b.Binary)
		build := exec.CommandContext(ctx, "go", "build", "-o", b.Binary, "./cmd/agentlore")
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("go build ./cmd/agentlore: %w\n%s", err, out)
		}
	}
	if _, err := os.Stat(b.Binary); err != nil {
		return err
	}
	b.Binary, err = filepath.Abs(b.Binary) // a bare name would be looked up in PATH
	return err
}

// section runs one section and returns its Markdown, or nothing where it measures nothing.
func (b *bench) section(ctx context.Context, name string) (string, error) {
	switch name {
	case "corpus":
		path, err := b.corpus(ctx)
		say("   %s", path)
		return "", err
	case "clean":
		return "", b.clean(ctx)
	case "import":
		return b.measureImport(ctx)
	case "search":
		return b.measureSearch(ctx)
	case "submit":
		return b.measureSubmit(ctx)
	case "start":
		return b.measureStart(ctx)
	case "run":
		return b.measureRun(ctx)
	}
	return "", fmt.Errorf("no section %q", name)
}

// prefixOf returns the index prefix of the store with so many submissions.
func (b *bench) prefixOf(docs int) string { return fmt.Sprintf("%s_%d", b.Prefix, docs) }

// sizes are the stores to search in: the base, and the one asked for where that is another.
func (b *bench) sizes() []int {
	if b.Docs == b.Base {
		return []int{b.Docs}
	}
	return []int{b.Base, b.Docs}
}

// clean removes what runs leave for the next one.
func (b *bench) clean(ctx context.Context) error {
	found, err := filepath.Glob(filepath.Join(b.Work, "corpus-*.jsonl"))
	if err != nil {
		return err
	}
	for _, path := range found {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return b.engine.drop(ctx, b.Prefix+"_*")
}

// heading says what the figures of a section were taken on and with.
func (b *bench) heading() string {
	busy := "unknown"
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		busy, _, _ = strings.Cut(string(text), " ")
	}
	docs := b.Docs
	if held, known := b.held[docs]; known {
		docs = held // what an earlier run has left
	}
	return fmt.Sprintf("%s, commit %s, %s submissions, Elasticsearch %s, %d cores of %s; load average of the machine at the end %s.",
		time.Now().Format(time.DateOnly), b.commit, thousands(docs), b.version, runtime.NumCPU(), processor(), busy)
}

// processor returns the name of the machine's processor.
func processor() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	for line := range strings.Lines(string(text)) {
		if name, value, found := strings.Cut(line, ":"); found && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}

// commit returns the tree's commit, with a + where tracked files differ from it.
func commit(ctx context.Context) string {
	head, err := exec.CommandContext(ctx, "git", "rev-parse", "--short", "HEAD").Output()
	if err != nil {
		return "unknown"
	}
	mark := ""
	if exec.CommandContext(ctx, "git", "diff", "--quiet", "HEAD").Run() != nil {
		mark = "+"
	}
	return strings.TrimSpace(string(head)) + mark
}

// local refuses an address that isn't of this machine: load goes nowhere else.
func local(address string) error {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Hostname() == "" {
		return errors.New("must be one address, like http://127.0.0.1:9200") // not quoted: it may hold a password
	}
	if ip := net.ParseIP(parsed.Hostname()); parsed.Hostname() == "localhost" || ip != nil && ip.IsLoopback() {
		return nil
	}
	return errors.New("must be of this machine (127.0.0.1): the bench sends load nowhere else")
}
