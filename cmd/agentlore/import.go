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
	"agentlore/index"
	"agentlore/lore"
	"agentlore/scrubber"
)

// importCommand imports a file.
type importCommand struct {
	storeConfig
	scrubConfig
	Collection string `required:"" enum:"sources,submissions,knowledge-units,patterns,assets,suggestions,safety-flags" help:"What the lines are. All but submissions and assets come from an export only."`
	Format     string `default:"lines" enum:"lines,export,chain-registry,chains-json" help:"lines: observations or catalog entries. export: what agentlore export wrote; sources come first. chain-registry, chains-json: the folder of a public catalog of chains (docs/analysts.md)."`
	Vouch      bool   `help:"Give the sources of the lines standing: what they report counts for the service's own word."`
	AsAgent    bool   `help:"Import in the name of sources that are live agents too."`
	File       string `arg:"" help:"NDJSON file, plain or gzip; - for standard input. A folder for chain-registry and chains-json, or the file chains.json."`
}

const (
	// importFlush is how long an import's groups gather: thousands of lines are under way, so size fills them first. Where it doesn't,
	// lines wait for what the group holds, a new source or the file's end, and longer would leave the processors idle.
	importFlush = 25 * time.Millisecond
	// importTimeout is for requests of a MiB on a busy machine. One given up too early is sent again, which costs more.
	importTimeout = time.Minute
)

// Validate refuses a format that the collection doesn't come in: a mistake of the command line, found before anything runs.
func (c *importCommand) Validate() error {
	_, err := c.loader()
	return err
}

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
	load, err := c.loader()
	if err != nil {
		return err
	}
	file, err := c.open()
	if err != nil {
		return err
	}
	defer file.Close()
	settings.Timeout = max(settings.Timeout, importTimeout)
	store, err := connect(ctx, settings, importFlush)
	if err != nil {
		return err
	}
	defer store.Close()
	work := newImporter(store, clean)
	work.AsAgent = c.AsAgent
	principals := map[string]bool{}
	work.Named = func(identity lore.Identity) { principals[identity.Principal] = true }
	work.Progress = func(s importer.Summary) {
		fmt.Fprintf(out.stderr, "%d lines, %.0f a second\n", s.Lines(), s.Rate())
	}
	summary, err := load(ctx, store, work, file)
	printSummary(out.stdout, summary)
	if c.Vouch && len(principals) > 0 {
		err = errors.Join(err, vouchFor(ctx, out, store, clean, slices.Sorted(maps.Keys(principals))))
	}
	if err != nil {
		return fmt.Errorf("the import stopped: %w (run it again to go on: what is stored is not stored twice)", err)
	}
	return nil
}

// open opens what is to be imported.
func (c *importCommand) open() (io.ReadCloser, error) {
	switch c.Format {
	case "chain-registry":
		return importer.ChainRegistry(c.File)
	case "chains-json":
		return importer.ChainsJSON(c.File)
	}
	if c.File == "-" {
		return io.NopCloser(os.Stdin), nil
	}
	return os.Open(c.File)
}

// loader takes a file of a format into a collection of the store.
type loader func(ctx context.Context, store *store, work *importer.Importer, file io.Reader) (importer.Summary, error)

// loader returns what loads the format into the collection.
func (c *importCommand) loader() (loader, error) {
	collection := lore.Collection(c.Collection)
	switch {
	case c.Format == "export":
		return restoreLoader(collection), nil
	case collection == lore.Assets:
		return func(ctx context.Context, _ *store, work *importer.Importer, file io.Reader) (importer.Summary, error) {
			return work.AssetLines(ctx, file)
		}, nil
	case c.Format != "lines":
		return nil, fmt.Errorf("--format %s is a catalog: it goes with --collection assets", c.Format)
	case collection == lore.Submissions:
		return func(ctx context.Context, _ *store, work *importer.Importer, file io.Reader) (importer.Summary, error) {
			return work.SubmissionLines(ctx, file)
		}, nil
	}
	return nil, fmt.Errorf("%s come from an export only: --format export", collection)
}

// restoreLoader returns what brings an export of a collection back.
func restoreLoader(collection lore.Collection) loader {
	return func(ctx context.Context, store *store, work *importer.Importer, file io.Reader) (importer.Summary, error) {
		restorer := index.NewRestorer(store.client, store.writer, store.accounts)
		switch collection {
		case lore.Sources:
			return importer.Restore(ctx, work, file, restorer.Source)
		case lore.Submissions:
			return importer.Restore(ctx, work, file, restorer.Submission)
		case lore.KnowledgeUnits:
			return importer.Restore(ctx, work, file, index.RestoreTo[lore.KnowledgeUnit](restorer, collection))
		case lore.Patterns:
			return importer.Restore(ctx, work, file, index.RestoreTo[lore.Pattern](restorer, collection))
		case lore.Assets:
			return importer.Restore(ctx, work, file, index.RestoreTo[lore.Asset](restorer, collection))
		case lore.Suggestions:
			return importer.Restore(ctx, work, file, index.RestoreTo[lore.Suggestion](restorer, collection))
		}
		return importer.Restore(ctx, work, file, index.RestoreTo[lore.SafetyFlag](restorer, collection))
	}
}

// newImporter returns an importer into the store.
func newImporter(store *store, clean *scrubber.Scrubber) *importer.Importer {
	return &importer.Importer{
		Scrubber: clean, Accounts: store.accounts, Submissions: store.submissions, Assets: store.assets,
		ReadSubmission: handlers.NewDecoder[lore.SubmissionLine](clean).Decode, ReadAsset: handlers.NewDecoder[lore.CatalogEntry](clean).Decode,
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

// vouchedAtOnce is how many principals one decision names.
const vouchedAtOnce = 1000

// vouchFor records that the operator vouches for the principals of imported sources.
func vouchFor(ctx context.Context, out output, store *store, clean *scrubber.Scrubber, principals []string) error {
	who, why, err := reasonFlags{Why: "import --vouch"}.reason()
	if err != nil {
		return err
	}
	d := &desk{out: out, store: store, clean: clean, review: index.NewReview(store.client), who: who, why: why}
	for some := range slices.Chunk(principals, vouchedAtOnce) {
		err := d.record(ctx, lore.Decision{Subject: lore.Target{Collection: lore.Principals, ID: some[0]}, Verdict: lore.VerdictVouch, Others: some[1:]})
		if err != nil {
			return fmt.Errorf("vouch for the sources: %w", err)
		}
	}
	return nil
}
