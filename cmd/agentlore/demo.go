package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"agentlore/importer"
	"agentlore/index/curation"
	"agentlore/lore"
	"agentlore/scripts/demo"
	"agentlore/scrubber"
)

// demoOperator is the name under which the demo decides. A start counts its decisions to find out how far an earlier start got.
const demoOperator = "demo"

// strangerPrefix begins the names of sources that the operator doesn't vouch for.
const strangerPrefix = "demo-stranger"

// demoLoader brings the demo into a store by the ways that agents and operators have: an import, a vouch, the curator's passes, outcomes,
// suggestions and decisions. Each step done again changes nothing, so that a load that was killed is gone on with.
type demoLoader struct {
	*desk
	curation *backgroundCurator
	sources  map[string]lore.Identity // by name
	reports  map[string]string        // ids by ref
}

// loadDemo brings the reference library and, into a store without reports, the demo, and says what it did. Of several services
// that start at once one does, and the others wait.
func loadDemo(ctx context.Context, store *store, clean *scrubber.Scrubber, worker *backgroundCurator) (done string, err error) {
	lease, err := store.client.AcquireLease(ctx, "demo", func() { worker.out.log.Info("another service loads the demo; waiting for it") })
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, lease.Release(ctx)) }()
	library, _, err := loadReference(ctx, store, clean)
	if err == nil {
		err = worker.known.Refresh(ctx)
	}
	if err != nil {
		return "", err
	}
	done = fmt.Sprintf("The reference library has %d entries; %d are new.\n", library.Added+library.Updated+library.Unchanged, library.Added)
	d := &demoLoader{curation: worker, sources: map[string]lore.Identity{}, reports: map[string]string{}, desk: &desk{
		out: output{stdout: io.Discard}, store: store, clean: clean, review: curation.NewReview(store.client), who: demoOperator, why: "part of the demo",
	}}
	events, err := demoLines[demoEvent]("history.jsonl")
	if err != nil {
		return "", err
	}
	wanted, decided := 1, 0 // the vouch
	for _, event := range events {
		if event.Verdict != "" {
			wanted++
		}
	}
	err = store.client.EachDecision(ctx, lore.DecisionFilter{}, func(decision lore.Decision) error {
		if decision.Who == demoOperator {
			decided++
		}
		return nil
	})
	if err != nil || decided >= wanted {
		return done + "The demo was loaded before.\n", err
	}
	counts, err := store.client.Counts(ctx, lore.Submissions)
	if err != nil {
		return "", err
	}
	if decided == 0 && counts[lore.Submissions] > 0 {
		return done + "The store holds reports already; the demo was not loaded.\n", nil
	}
	loaded, err := d.load(ctx, events, decided == 0)
	if err != nil {
		return "", fmt.Errorf("demo: %w", err)
	}
	return done + loaded, nil
}

// load goes through the demo's life: agents that are vouched for, assets, reports, the curator's pass over them, what was said and
// decided after, and a pass over that.
func (d *demoLoader) load(ctx context.Context, events []demoEvent, vouch bool) (done string, err error) {
	if err := d.registerSources(ctx, vouch); err != nil {
		return "", err
	}
	work := newImporter(d.store, d.clean)
	assets, err := importDemo(ctx, "assets.jsonl", work.AssetLines)
	if err != nil {
		return "", err
	}
	observations, err := importDemo(ctx, "observations.jsonl", work.SubmissionLines)
	if err != nil {
		return "", err
	}
	if _, err := d.curation.once(ctx, false); err != nil {
		return "", err
	}
	for i, event := range events {
		// What agents said of other days is found by a pass over everything only. The last line, a decision, comes behind it: by that a later
		// start knows that all was done.
		if i == len(events)-1 {
			if _, err := d.curation.once(ctx, true); err != nil {
				return "", err
			}
		}
		if err := d.happen(ctx, event); err != nil {
			return "", fmt.Errorf("history.jsonl, line %d: %w", i+1, err)
		}
	}
	return fmt.Sprintf("Loaded the demo: %d observations, %d assets, and what came of them.\n", observations, assets), nil
}

// importDemo imports a file of the demo and returns how many of its lines are in the store. It refuses none.
func importDemo(ctx context.Context, name string, load func(context.Context, io.Reader) (importer.Summary, error)) (lines int, err error) {
	text, err := demo.Files.ReadFile(name)
	if err != nil {
		return 0, err
	}
	summary, err := load(ctx, bytes.NewReader(text))
	if err == nil && summary.Refused > 0 {
		err = fmt.Errorf("%s, line %d: %s", name, summary.Refusals[0].Line, refusalText(summary.Refusals[0].Err))
	}
	return summary.Stored + summary.Known, err
}

// registerSources makes the sources of the reports, and lets the operator vouch for all but the strangers: what they say speaks as the
// service.
func (d *demoLoader) registerSources(ctx context.Context, vouch bool) error {
	reports, err := demoLines[lore.SubmissionLine]("observations.jsonl")
	if err != nil {
		return err
	}
	for _, report := range reports {
		d.sources[report.Source] = lore.Identity{}
	}
	var principals []string
	for _, name := range slices.Sorted(maps.Keys(d.sources)) {
		wanted, err := scrubber.Scrub(ctx, d.clean, lore.Registration{Name: name, Type: lore.SourceTool, Owner: name})
		if err != nil {
			return err
		}
		if d.sources[name], _, err = d.store.accounts.EnsureSource(ctx, wanted, time.Now()); err != nil {
			return err
		}
		if !strings.HasPrefix(name, strangerPrefix) {
			principals = append(principals, d.sources[name].Principal)
		}
	}
	for _, report := range reports {
		d.reports[report.Ref] = report.Observation().ImportID(d.sources[report.Source].SourceID)
	}
	if !vouch {
		return nil
	}
	return d.vouch(ctx, principals)
}

// demoLines reads a file of the demo.
func demoLines[T any](name string) (lines []T, err error) {
	text, err := demo.Files.ReadFile(name)
	if err != nil {
		return nil, err
	}
	for decoder := json.NewDecoder(bytes.NewReader(text)); decoder.More(); {
		var read T
		if err := decoder.Decode(&read); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", name, len(lines)+1, err)
		}
		lines = append(lines, read)
	}
	return lines, nil
}

// greet prints where the service is and, with a demo, what to try.
func greet(w io.Writer, address, demo string) {
	base := "http://" + address
	text := fmt.Sprintf("\nagentlore serves %s\n", base)
	if demo != "" {
		text += fmt.Sprintf(`%s
Open it in a browser, or paste an error and get what to do:
  curl -s '%s/ask' -H 'Content-Type: application/json' -d '{"text":"AA25 invalid account nonce"}'
Register an agent; the answer shows its api_token once:
  curl -s -H 'Content-Type: application/json' %s/intake/register -d '{"name":"my-first-agent","type":"agent","owner":"me"}'
See everything that it offers:
  curl -s %s/api/schema

Stop with Ctrl-C.
`, demo, base, base, base)
	}
	_, _ = io.WriteString(w, text) // at once: it is read while it is written
}
