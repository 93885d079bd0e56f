package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"time"

	"agentlore/curator"
	"agentlore/handlers"
	"agentlore/importer"
	"agentlore/lore"
	"agentlore/scrubber"
)

// importCommand imports a file.
type importCommand struct {
	storeConfig
	scrubConfig
	Collection string `required:"" enum:"submissions,assets" help:"What the lines are: submissions or assets."`
	AsAgent    bool   `help:"Import in the name of sources that are live agents too."`
	File       string `arg:"" help:"NDJSON file, plain or gzip; - for standard input."`
}

const (
	// importFlush is how long an import's groups gather: thousands of lines are under way, so size fills them first.
	importFlush = 100 * time.Millisecond
	// importTimeout is for requests of 5 MB on a busy machine. One given up too early is sent again, which costs more.
	importTimeout = time.Minute
)

// Run imports the file and prints what became of its lines.
func (c *importCommand) Run(ctx context.Context, out output) error {
	settings, err := c.settings(out)
	if err != nil {
		return err
	}
	clean, err := c.scrubber()
	if err != nil {
		return err
	}
	file := io.ReadCloser(os.Stdin)
	if c.File != "-" {
		if file, err = os.Open(c.File); err != nil {
			return err
		}
		defer file.Close()
	}
	settings.Timeout = max(settings.Timeout, importTimeout)
	store, err := connect(ctx, settings, importFlush)
	if err != nil {
		return err
	}
	defer store.Close()
	work := newImporter(store, clean)
	work.AsAgent = c.AsAgent
	work.Progress = func(s importer.Summary) {
		fmt.Fprintf(out.stderr, "%d lines, %.0f a second\n", s.Lines(), s.Rate())
	}
	run := work.SubmissionLines
	if c.Collection == string(lore.Assets) {
		run = work.AssetLines
	}
	summary, err := run(ctx, file)
	printSummary(out.stdout, summary)
	if err != nil {
		return fmt.Errorf("the import stopped: %w (run it again to go on: what is stored is not stored twice)", err)
	}
	return nil
}

// newImporter returns an importer into the store.
func newImporter(store *store, clean *scrubber.Scrubber) *importer.Importer {
	return &importer.Importer{
		Scrubber: clean, Accounts: store.accounts, Submissions: store.submissions, Assets: store.assets,
		ReadSubmission: handlers.NewDecoder[lore.SubmissionLine]().Decode, ReadAsset: handlers.NewDecoder[lore.CatalogEntry]().Decode,
		Classify: func(o lore.Observation) lore.Category { return curator.Classify(o).Category }, Now: time.Now,
	}
}

// printSummary says what became of a file's lines.
func printSummary(w io.Writer, summary importer.Summary) {
	for _, refused := range summary.Refusals {
		fmt.Fprintf(w, "line %d: %s\n", refused.Line, refusalText(refused.Err))
	}
	if more := summary.Refused - len(summary.Refusals); more > 0 {
		fmt.Fprintf(w, "and %d more refused lines\n", more)
	}
	fmt.Fprintf(w, "%d lines in %s (%.0f a second): %d stored, %d known already, %d refused\n",
		summary.Lines(), summary.Elapsed.Round(10*time.Millisecond), summary.Rate(), summary.Stored, summary.Known, summary.Refused)
	for _, kind := range slices.Sorted(maps.Keys(summary.Scrubbed)) {
		fmt.Fprintf(w, "  scrubbed %s: %d\n", kind, summary.Scrubbed[kind])
	}
}

// refusalText says why a line was refused, with every field.
func refusalText(err error) string {
	var problem *lore.Problem
	if !errors.As(err, &problem) || len(problem.Fields) == 0 {
		return err.Error()
	}
	text := string(problem.Code)
	for _, field := range problem.Fields {
		text += "; " + field.Pointer + " " + field.Detail
	}
	return text
}
