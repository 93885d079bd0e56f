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
	"agentlore/index/curation"
	"agentlore/lore"
	"agentlore/reference"
	"agentlore/scrubber"
)

// importCommand imports a file.
type importCommand struct {
	storeConfig
	scrubConfig
	Collection lore.Collection `default:"" enum:",sources,submissions,knowledge-units,patterns,families,assets,suggestions,safety-flags,questions" help:"What the lines are. All but submissions and assets come from an export only."`
	Format     string          `default:"lines" enum:"lines,export,github,gitlab,stackexchange,discourse,markdown" help:"lines: observations or catalog entries. export: what agentlore export wrote; sources come first. github, gitlab, stackexchange, discourse, markdown: issues, questions, topics and runbooks, of one's own."`
	Vouch      bool            `help:"Give the sources of the lines standing: what they report counts for the service's own word."`
	AsAgent    bool            `help:"Import in the name of sources that are live agents too."`
	Reference  bool            `help:"Import the reference library that this binary holds, as knowledge: adds, updates and withdraws entries."`
	threadFlags
	Files []string `arg:"" optional:"" name:"file" help:"NDJSON file, plain or gzip; - for standard input. Of threads: files in any order, or folders of pages."`
}

// importTimeout is for requests of a MiB on a busy machine. One given up too early is sent again, which costs more.
const importTimeout = time.Minute

// Validate refuses a format that the collection doesn't come in: a mistake of the command line, found before anything runs.
func (c *importCommand) Validate() error {
	if c.Reference {
		if c.Collection != "" || len(c.Files) > 0 || c.Format != "lines" {
			return errors.New("--reference takes neither a collection nor a format nor a file")
		}
		return nil
	}
	if isThreads(c.Format) {
		return c.validateThreads()
	}
	if c.threadFlags != (threadFlags{Who: c.Who, Show: c.Show}) {
		return errors.New("these flags are for threads: --format github, gitlab, stackexchange, discourse or markdown")
	}
	if c.Collection == "" || len(c.Files) != 1 {
		return errors.New("give --collection and a file, --format and files of a tracker, or --reference")
	}
	if c.Format == "lines" && c.Collection != lore.Submissions && c.Collection != lore.Assets {
		return fmt.Errorf("%s come from an export only: --format export", c.Collection)
	}
	return nil
}

// Run imports the file and prints what became of its lines.
func (c *importCommand) Run(ctx context.Context, out output) error {
	if isThreads(c.Format) {
		return c.runThreads(ctx, out)
	}
	clean, file := c.scrubber(), os.Stdin
	if !c.Reference && c.Files[0] != "-" {
		named, err := os.Open(c.Files[0])
		if err != nil {
			return err
		}
		defer named.Close()
		file = named
	}
	store, err := c.open(ctx, out, importTimeout)
	if err != nil {
		return err
	}
	if c.Reference {
		entries, assets, err := loadReference(ctx, store, clean)
		if err == nil {
			_, err = fmt.Fprintf(out.stdout, "reference library: %s\nits catalog: %s\n", entries, assets)
		}
		return err
	}
	work := newImporter(store, clean)
	work.AsAgent = c.AsAgent
	principals := map[string]bool{}
	work.Named = func(identity lore.Identity) { principals[identity.Principal] = true }
	work.Progress = func(s importer.Summary) {
		fmt.Fprintf(out.stderr, "%d lines, %.0f a second\n", s.Lines(), s.Rate())
	}
	load := work.SubmissionLines
	if c.Format == "export" {
		load = func(ctx context.Context, file io.Reader) (importer.Summary, error) {
			return publicCollections[c.Collection].restore(ctx, store, work, file)
		}
	} else if c.Collection == lore.Assets {
		load = work.AssetLines
	}
	summary, err := load(ctx, file)
	printSummary(out.stdout, summary)
	if c.Vouch && len(principals) > 0 {
		d := &desk{out: out, store: store, clean: clean, review: curation.NewReview(store.client)}
		who, why, faults := reasonFlags{Why: "import --vouch"}.reason()
		if d.who, d.why = who, why; faults == nil {
			faults = d.vouch(ctx, slices.Sorted(maps.Keys(principals)))
		}
		err = errors.Join(err, faults)
	}
	if err != nil {
		return fmt.Errorf("the import stopped: %w (run it again to go on: what is stored is not stored twice)", err)
	}
	return nil
}

// newImporter returns an importer into the store.
func newImporter(store *store, clean *scrubber.Scrubber) *importer.Importer {
	return &importer.Importer{
		Scrubber: clean, Accounts: store.accounts, Submissions: store.submissions, Assets: store.writer,
		ReadSubmission: handlers.NewDecoder[lore.SubmissionLine](clean).Decode, ReadAsset: handlers.NewDecoder[lore.CatalogEntry](clean).Decode,
		Classify: func(o lore.Observation) lore.Category { return curator.Classify(o).Category },
		Refuse:   curator.DefaultRules().Safety.Refusal, Now: time.Now,
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

// loadReference makes knowledge of the reference library's entries, and assets of its catalog.
func loadReference(ctx context.Context, store *store, clean *scrubber.Scrubber) (entries, assets index.ReferenceChanges, err error) {
	now := time.Now().UTC().Truncate(time.Millisecond)
	units, err := referenceUnits(ctx, clean, now)
	if err != nil {
		return entries, assets, err
	}
	if entries, err = store.client.ImportReference(ctx, units, now); err != nil {
		return entries, assets, err
	}
	listed, err := referenceAssets(ctx, clean, now)
	if err != nil {
		return entries, assets, err
	}
	assets, err = store.client.ImportCatalog(ctx, listed, now)
	return entries, assets, err
}

// referenceAssets returns the reference library's catalog, as it is stored.
func referenceAssets(ctx context.Context, clean *scrubber.Scrubber, now time.Time) ([]scrubber.Scrubbed[lore.Asset], error) {
	catalog, err := reference.ReadCatalog()
	if err != nil {
		return nil, err
	}
	assets, err := catalog.Assets(now)
	if err != nil {
		return nil, err
	}
	listed := make([]scrubber.Scrubbed[lore.Asset], len(assets))
	for i, asset := range assets {
		if listed[i], err = scrubber.Scrub(ctx, clean, asset); err != nil {
			return nil, err
		}
	}
	return listed, nil
}

// vouchedActs are what an answer doesn't say of the library's fixes: what they install, open, call or update was looked up there.
var vouchedActs = []lore.Act{lore.ActInstalls, lore.ActOpensURL, lore.ActRunsDownload, lore.ActNamesAddress, lore.ActUpdates}

// referenceUnits returns the reference library's entries as knowledge, as they are stored.
func referenceUnits(ctx context.Context, clean *scrubber.Scrubber, now time.Time) ([]scrubber.Scrubbed[lore.KnowledgeUnit], error) {
	entries, err := reference.Entries()
	if err != nil {
		return nil, err
	}
	units := make([]scrubber.Scrubbed[lore.KnowledgeUnit], len(entries))
	for i, entry := range entries {
		unit := entry.KnowledgeUnit(now)
		unit.Confidence = curator.ReferenceConfidence(*unit.Reference, lore.Outcomes{})
		unit.AsksFor = slices.DeleteFunc(curator.AsksFor(unit.Resolution), func(asks lore.AsksFor) bool { return slices.Contains(vouchedActs, asks.Act) })
		if units[i], err = scrubber.Scrub(ctx, clean, unit); err != nil {
			return nil, err
		}
	}
	return units, nil
}
