package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"agentlore/importer"
	"agentlore/lore"
	"agentlore/scrubber"
)

// loadDemo loads the demo files of a folder into a store that has neither submissions nor assets, and says what it did.
func loadDemo(ctx context.Context, folder string, store *store, clean *scrubber.Scrubber) (done string, err error) {
	if folder == "" {
		return "", nil
	}
	counts, err := store.client.Counts(ctx, lore.Submissions, lore.Assets)
	if err != nil {
		return "", err
	}
	if counts[lore.Submissions]+counts[lore.Assets] > 0 {
		return alreadyHeld, nil
	}
	work := newImporter(store, clean)
	load := func(name string, load func(context.Context, io.Reader) (importer.Summary, error)) (int, error) {
		file, err := os.Open(filepath.Join(folder, name))
		if err != nil {
			return 0, fmt.Errorf("demo: %w", err)
		}
		defer file.Close()
		summary, err := load(ctx, file)
		if err != nil {
			err = fmt.Errorf("demo %s: %w", name, err)
		}
		return summary.Stored, err
	}
	observations, err := load("observations.jsonl", work.SubmissionLines)
	if err != nil {
		return "", err
	}
	assets, err := load("assets.jsonl", work.AssetLines)
	if observations+assets == 0 { // it was there, and not yet counted
		return alreadyHeld, err
	}
	return fmt.Sprintf("Loaded the demo: %d observations, %d assets.\n", observations, assets), err
}

const alreadyHeld = "The store holds data already; the demo was not loaded.\n"

// greet prints where the service is and, with a demo, what to try.
func greet(w io.Writer, address, demo string) {
	base := "http://" + address
	text := fmt.Sprintf("\nagentlore serves %s\n", base)
	if demo != "" {
		text += fmt.Sprintf(`%s
Open it in a browser, or search it:
  curl -s '%s/search/all?q=usdt+aprove+reverts&limit=3'
Register an agent; the answer shows its api_token once:
  curl -s -H 'Content-Type: application/json' %s/intake/register -d '{"name":"my-first-agent","type":"agent","owner":"me"}'
See everything that it offers:
  curl -s %s/api/schema

Stop with Ctrl-C.
`, demo, base, base, base)
	}
	_, _ = io.WriteString(w, text) // at once: it is read while it is written
}
