package curation

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"agentlore/index"
	"agentlore/lore"
	"agentlore/scrubber"
)

// rescrubPage is how many items a pass over the corpus reads at once.
const rescrubPage = 500

// rescrubState is the id of the document in the state index that says how far a pass has come.
const rescrubState = "rescrub"

// RescrubProgress says how far a pass over the corpus has come.
type RescrubProgress struct {
	Collection lore.Collection `json:"collection"`
	After      string          `json:"after"` // id of the last item that was looked at
	Looked     int             `json:"looked"`
	Changed    int             `json:"changed"`
	Flagged    int             `json:"flagged"`              // safety flags that were raised
	Marked     int             `json:"marked"`               // items in which something was removed at some time
	Restorable []string        `json:"restorable,omitempty"` // of them those that RescrubRun.Whole names, by id
	StartedAt  time.Time       `json:"started_at"`
	Done       bool            `json:"done"`
}

// RescrubState returns how far the latest pass has come, or the zero progress if there never was one.
func (r *Review) RescrubState(ctx context.Context) (progress RescrubProgress, err error) {
	stored, err := loadState(ctx, r.client, rescrubState)
	if err != nil || len(stored.Progress) == 0 {
		return progress, err
	}
	var held struct {
		JSON string `json:"json"`
	}
	if err := json.Unmarshal(stored.Progress, &held); err != nil {
		return progress, err
	}
	return progress, json.Unmarshal([]byte(held.JSON), &progress)
}

// saveRescrub keeps how far a pass has come.
func (r *Review) saveRescrub(ctx context.Context, progress RescrubProgress) error {
	text, err := json.Marshal(progress)
	if err != nil {
		return err
	}
	return r.client.WriteDocument(ctx, r.client.Alias("state"), rescrubState, map[string]any{"progress": map[string]any{"json": string(text)}}, nil)
}

// RescrubRun is what a pass over the corpus works with.
type RescrubRun struct {
	Clean *scrubber.Scrubber
	Texts []string // to remove beside what the scrubber knows
	// Inspect, if set, looks at what each submission says and returns how many safety flags it raised.
	Inspect func(ctx context.Context, id string, said lore.Observation) (raised int, err error)
	// Whole are the ids of items that the present rules would keep whole if they were imported again.
	Whole map[string]bool
	// Tell is told after every page how far the pass is.
	Tell func(RescrubProgress)
	// DryRun counts what would be changed and changes nothing, nor the pass's place.
	DryRun bool
}

// RescrubAll runs the scrubber's present rules over everything that is stored, and removes the given texts, beside traffic: an
// item that somebody changes meanwhile is looked at anew. It goes on where from says and keeps its place after every page. It is to be
// run when every replica has the new rules: what an older one stores meanwhile may lie behind it. Errors: store_unavailable, Inspect's.
func (r *Review) RescrubAll(ctx context.Context, run RescrubRun, from RescrubProgress) (RescrubProgress, error) {
	progress, begun := from, from.Collection == ""
	everything := map[string]any{"match_all": map[string]any{}}
	read := map[string]any{"includes": append([]string{"id", "category"}, freeText...)}
	for _, collection := range index.TextCollections() {
		if !begun && collection != from.Collection {
			continue // an earlier run has done it
		}
		if begun {
			progress.After = ""
		}
		begun, progress.Collection = true, collection
		for {
			alias, after := r.client.AliasOf(collection), progress.After
			found, err := index.SearchByID[map[string]json.RawMessage](ctx, r.client, alias, everything, read, after, rescrubPage)
			if err != nil {
				return progress, err
			}
			if len(found) == 0 {
				break
			}
			for _, source := range found {
				if err := json.Unmarshal(source["id"], &after); err != nil {
					return progress, fmt.Errorf("read %s: %w", collection, err)
				}
				changed, err := r.redactFound(ctx, run, lore.Target{Collection: collection, ID: after}, source)
				if err != nil {
					return progress, err
				}
				progress.Looked++
				if changed {
					progress.Changed++
				}
				if changed || marked(source) {
					progress.Marked++
					if run.Whole[after] {
						progress.Restorable = append(progress.Restorable, after)
					}
				}
				if run.Inspect == nil || collection != lore.Submissions {
					continue
				}
				said, err := observationOf(source)
				if err != nil {
					return progress, err
				}
				raised, err := run.Inspect(ctx, after, said)
				if err != nil {
					return progress, err
				}
				progress.Flagged += raised
			}
			progress.After = after
			if err := run.save(ctx, r, progress); err != nil {
				return progress, err
			}
			run.Tell(progress)
		}
	}
	progress.Done = true
	return progress, run.save(ctx, r, progress)
}

// save keeps how far the pass is, unless it is a dry run.
func (r RescrubRun) save(ctx context.Context, store *Review, progress RescrubProgress) error {
	if r.DryRun {
		return nil
	}
	return store.saveRescrub(ctx, progress)
}

// redactFound redacts an item whose text, as a search read it, has something to remove: for nearly all of them, reading a page
// at once is all there is to do.
func (r *Review) redactFound(ctx context.Context, run RescrubRun, item lore.Target, source map[string]json.RawMessage) (changed bool, err error) {
	text, err := freeTextOf(index.StoredItem{Source: source})
	if err != nil {
		return false, err
	}
	removed := text.Remove(run.Texts)
	scrubbed, err := scrubber.Scrub(ctx, run.Clean, text)
	if err != nil {
		return false, fmt.Errorf("scrub: %w", err)
	}
	if removed == 0 && !scrubbed.Report().Changed {
		return false, nil
	}
	changed, err = r.Redact(ctx, run.Clean, item, run.Texts, run.DryRun)
	return changed, ignoreGone(err) // where it was deleted meanwhile
}

// marked reports whether something was removed from an item's text.
func marked(source map[string]json.RawMessage) bool {
	for _, text := range source {
		if bytes.Contains(text, []byte(scrubber.Marker)) {
			return true
		}
	}
	return false
}

// observationOf returns what a submission says.
func observationOf(source map[string]json.RawMessage) (said lore.Observation, err error) {
	text, err := json.Marshal(source)
	if err == nil {
		err = json.Unmarshal(text, &said)
	}
	if err == nil && len(source["ref"]) > 0 {
		err = json.Unmarshal(source["ref"], &said.Ref) // only an import says it, so it isn't read as part of an observation
	}
	if err != nil {
		return said, fmt.Errorf("read submission: %w", err)
	}
	return said, nil
}

// Derived returns the items that hold words of an item or about it: the pattern and the knowledge unit that grew from a
// submission, and the suggestions, flags and outcomes whose target it is. Errors: store_unavailable.
func (r *Review) Derived(ctx context.Context, item lore.Target) ([]lore.Target, error) {
	var derived []lore.Target
	for collection, fields := range map[lore.Collection][]string{
		lore.Patterns: {"example_ids"}, lore.KnowledgeUnits: {"evidence.submission_ids", "superseded_by", "pattern_id"},
		lore.Suggestions: {"target.id"}, lore.SafetyFlags: {"target.id"}, index.OutcomesIndex: {"target.id"},
		lore.Submissions: {"source_id"}, lore.Events: {"target.id", "source_id", "author_id"}, index.DecisionsIndex: {"subject.id", "object.id"},
	} {
		var either []any
		for _, field := range fields {
			either = append(either, index.Term(field, item.ID))
		}
		query := map[string]any{"bool": map[string]any{"should": either}}
		ids, err := index.IDsOf(ctx, r.client, r.client.AliasOf(collection), query)
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			derived = append(derived, lore.Target{Collection: collection, ID: id})
		}
	}
	if item.Collection != lore.Submissions {
		return derived, nil
	}
	stored, err := r.client.ReadItem(ctx, item)
	if err != nil {
		return nil, err
	}
	for field, collection := range map[string]lore.Collection{"pattern_id": lore.Patterns, "knowledge_unit_id": lore.KnowledgeUnits} {
		var id string
		if len(stored.Source[field]) > 0 && json.Unmarshal(stored.Source[field], &id) == nil && id != "" {
			derived = append(derived, lore.Target{Collection: collection, ID: id})
		}
	}
	return derived, nil
}
