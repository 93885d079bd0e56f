package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"agentlore/importer"
	"agentlore/index"
	"agentlore/index/curation"
	"agentlore/lore"
	"agentlore/scripts/demo"
	"agentlore/scrubber"
)

// demoOperator is the name under which the demo decides. A start counts its decisions to find out how far an earlier start got.
const demoOperator = "demo"

// demoLoader brings the demo into a store by the ways that agents and operators have: an import, a vouch, the curator's passes, outcomes,
// flags, suggestions and decisions. Each step done again changes nothing, so that a load that was killed is gone on with.
type demoLoader struct {
	store    *store
	clean    *scrubber.Scrubber
	curation *backgroundCurator
	desk     *desk
	sources  map[string]lore.Identity // by name
	reports  map[string]string        // ids by ref
}

// loadDemo brings the reference library and, into a store without reports and assets, the demo, and says what it did. Of several services
// that start at once one does, and the others wait.
func loadDemo(ctx context.Context, store *store, clean *scrubber.Scrubber, worker *backgroundCurator) (done string, err error) {
	lease, err := store.client.AcquireLease(ctx, "demo", func() { worker.out.log.Info("another service loads the demo; waiting for it") })
	if err != nil {
		return "", err
	}
	defer func() {
		releasing, cancel := context.WithTimeout(context.WithoutCancel(ctx), index.LeaseTime)
		defer cancel()
		err = errors.Join(err, lease.Release(releasing))
	}()
	library, err := loadReference(ctx, store, clean)
	if err != nil {
		return "", err
	}
	done = fmt.Sprintf("The reference library has %d entries; %d are new.\n", library.Added+library.Updated+library.Unchanged, library.Added)
	d := &demoLoader{
		store: store, clean: clean, curation: worker, sources: map[string]lore.Identity{}, reports: map[string]string{},
		desk: &desk{
			out: output{stdout: io.Discard}, store: store, clean: clean, review: curation.NewReview(store.client), who: demoOperator, why: "part of the demo",
		},
	}
	events, err := demoLines[demoEvent]("history.jsonl")
	if err != nil {
		return "", err
	}
	wanted := 1 // the vouch
	for _, event := range events {
		if event.Verdict != "" {
			wanted++
		}
	}
	decided, err := d.decided(ctx)
	if err != nil || decided >= wanted {
		return done + "The demo was loaded before.\n", err
	}
	counts, err := store.client.Counts(ctx, lore.Submissions, lore.Assets)
	if err != nil {
		return "", err
	}
	if decided == 0 && counts[lore.Submissions]+counts[lore.Assets] > 0 {
		return done + "The store holds reports already; the demo was not loaded.\n", nil
	}
	loaded, err := d.load(ctx, events, decided == 0)
	if err != nil {
		return "", fmt.Errorf("demo: %w", err)
	}
	return done + loaded, nil
}

// decided returns how many decisions the demo's operator has made.
func (d *demoLoader) decided(ctx context.Context) (made int, err error) {
	err = index.NewDecisions(d.store.client).Each(ctx, lore.DecisionFilter{}, func(decision lore.Decision) error {
		if decision.Who == demoOperator {
			made++
		}
		return nil
	})
	return made, err
}

// load goes through the demo's life: agents that are vouched for, assets, reports, the curator's pass over them, what was said and
// decided after, and a pass over that.
func (d *demoLoader) load(ctx context.Context, events []demoEvent, vouch bool) (done string, err error) {
	reports, err := demoLines[lore.SubmissionLine]("observations.jsonl")
	if err != nil {
		return "", err
	}
	if err := d.registerSources(ctx, reports, events, vouch); err != nil {
		return "", err
	}
	work := newImporter(d.store, d.clean)
	var stored [2]importer.Summary
	for i, step := range []struct {
		file string
		load func(context.Context, io.Reader) (importer.Summary, error)
	}{{"assets.jsonl", work.AssetLines}, {"observations.jsonl", work.SubmissionLines}} {
		text, err := demo.Files.ReadFile(step.file)
		if err != nil {
			return "", err
		}
		if stored[i], err = step.load(ctx, bytes.NewReader(text)); err != nil {
			return "", err
		}
		if refused := stored[i].Refusals; len(refused) > 0 {
			return "", fmt.Errorf("%s, line %d: %s", step.file, refused[0].Line, refusalText(refused[0].Err))
		}
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
	assets, observations := stored[0].Stored+stored[0].Known, stored[1].Stored+stored[1].Known
	return fmt.Sprintf("Loaded the demo: %d observations, %d assets, and what came of them.\n", observations, assets), nil
}

// registerSources makes the sources of the demo, and lets the operator vouch for those that report: what they say speaks as the service.
func (d *demoLoader) registerSources(ctx context.Context, reports []lore.SubmissionLine, events []demoEvent, vouch bool) error {
	var wanted []scrubber.Scrubbed[lore.Registration]
	var names []string
	add := func(name string) error {
		if _, there := d.sources[name]; there || name == "" {
			return nil
		}
		d.sources[name] = lore.Identity{}
		clean, err := scrubber.Scrub(ctx, d.clean, lore.Registration{Name: name, Type: lore.SourceTool, Owner: name})
		wanted, names = append(wanted, clean), append(names, name)
		return err
	}
	for _, report := range reports {
		if err := add(report.Source); err != nil {
			return err
		}
	}
	for _, event := range events {
		if err := add(event.Source); err != nil {
			return err
		}
	}
	var principals []string
	for i, holder := range d.store.accounts.EnsureSources(ctx, wanted, time.Now()) {
		if holder.Err != nil {
			return holder.Err
		}
		d.sources[names[i]] = holder.Identity
		if !strings.HasPrefix(names[i], strangerPrefix) {
			principals = append(principals, holder.Identity.Principal)
		}
	}
	for _, report := range reports {
		d.reports[report.Ref] = report.Observation().ImportID(d.sources[report.Source].SourceID)
	}
	if !vouch {
		return nil
	}
	subject := lore.Target{Collection: lore.Principals, ID: principals[0]}
	return d.desk.record(ctx, lore.Decision{Subject: subject, Verdict: lore.VerdictVouch, Others: principals[1:]})
}

// strangerPrefix begins the names of sources that the operator doesn't vouch for.
const strangerPrefix = "demo-stranger"

// demoLines reads a file of the demo.
func demoLines[T any](name string) (lines []T, err error) {
	text, err := demo.Files.ReadFile(name)
	if err != nil {
		return nil, err
	}
	for line := range bytes.Lines(text) {
		var read T
		decoder := json.NewDecoder(bytes.NewReader(line))
		decoder.DisallowUnknownFields()
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
