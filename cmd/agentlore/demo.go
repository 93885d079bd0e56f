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

// demoLoad is how much of the demo was loaded.
type demoLoad struct{ submissions, assets int }

// loadDemo loads the demo files of a folder into a store that has neither submissions nor assets.
func loadDemo(ctx context.Context, folder string, store *store, clean *scrubber.Scrubber) (demoLoad, error) {
	if folder == "" {
		return demoLoad{}, nil
	}
	counts, err := store.client.Counts(ctx, lore.Submissions, lore.Assets)
	if err != nil || counts[lore.Submissions]+counts[lore.Assets] > 0 {
		return demoLoad{}, err
	}
	work := newImporter(store, clean)
	var loaded demoLoad
	for _, part := range []struct {
		file  string
		run   func(context.Context, io.Reader) (importer.Summary, error)
		count *int
	}{
		{"observations.jsonl", work.SubmissionLines, &loaded.submissions},
		{"assets.jsonl", work.AssetLines, &loaded.assets},
	} {
		file, err := os.Open(filepath.Join(folder, part.file))
		if err != nil {
			return demoLoad{}, fmt.Errorf("demo: %w", err)
		}
		summary, err := part.run(ctx, file)
		file.Close()
		if err != nil {
			return demoLoad{}, fmt.Errorf("demo %s: %w", part.file, err)
		}
		*part.count = summary.Stored
	}
	return loaded, nil
}

// greet tells a person at a terminal where the service is and what to try.
func greet(w io.Writer, address, demo string, loaded demoLoad) {
	base := "http://" + address
	fmt.Fprintf(w, "\nagentlore serves %s\n", base)
	switch {
	case demo == "":
		return
	case loaded != demoLoad{}:
		fmt.Fprintf(w, "Loaded the demo: %d observations, %d assets.\n", loaded.submissions, loaded.assets)
	default:
		fmt.Fprintln(w, "The store holds data already; the demo was not loaded.")
	}
	fmt.Fprintf(w, `
Open it in a browser, or search it:
  curl -s '%s/search/all?q=usdt+aprove+reverts&limit=3'
Register an agent; the answer shows its api_token once:
  curl -s -H 'Content-Type: application/json' %s/intake/register -d '{"name":"my-first-agent","type":"agent","owner":"me"}'
See everything that it offers:
  curl -s %s/api/schema

Stop with Ctrl-C.
`, base, base, base)
}
