package curation

import (
	"context"
	"fmt"
	"slices"

	"agentlore/index"
	"agentlore/lore"
	"agentlore/scrubber"
)

// erasePage is how many items are erased at once: their texts are read, 6 MB where all are of the longest.
const erasePage = 100

// AccountEraser deletes accounts.
type AccountEraser interface {
	// Erase deletes a source's account: its token is refused from then on and nothing tells its owner. It is no error where the
	// account is gone already. Errors: store_unavailable.
	Erase(ctx context.Context, sourceID string) error
}

// EraseConfig is what an Eraser works with.
type EraseConfig struct {
	Clean    *scrubber.Scrubber
	Who, Why string // for the records
	// Accounts is asked to delete the accounts of erased sources.
	Accounts AccountEraser
	// MadeOf returns the ids of the pattern and the knowledge unit that begin with a submission.
	MadeOf func(submissionID string) (pattern, unit string)
	// DryRun counts what would be erased and changes nothing.
	DryRun bool
	// Tell, if set, is told after every page what was erased so far.
	Tell func(Erased)
}

// Erased counts what was erased, or would be, by collection; outcomes are among them.
type Erased map[lore.Collection]int

// Eraser deletes items with all that was derived from them or is about them: links, outcomes, flags, suggestions and the assets made
// from those, kept answers to their submitters, and the patterns and units that carry their words. Each item's erasure is recorded as
// a decision before anything of it is deleted, and the item itself goes last: an erasure that was killed goes on when it is run again,
// and ends as an undisturbed one does.
//
// The curator makes patterns and units anew of the reports that are left. What a pass under way writes of reports that it read before,
// the next pass takes back (Curation.DropErased). An Eraser is for one run.
type Eraser struct {
	EraseConfig
	client *index.Client
	erased Erased
	seen   map[string]bool // by a dry run, which meets items again that a real one has deleted
}

// NewEraser returns an eraser.
func NewEraser(client *index.Client, config EraseConfig) *Eraser {
	return &Eraser{EraseConfig: config, client: client, erased: Erased{}, seen: map[string]bool{}}
}

// Erased returns what was erased so far.
func (e *Eraser) Erased() Erased { return e.erased }

// Item erases an item of any public collection; a source goes with all that it said, a pattern or unit with the submissions that it is
// made of, whose words it has. Errors: store_unavailable.
func (e *Eraser) Item(ctx context.Context, item lore.Target) error {
	if item.Collection == lore.Sources {
		return e.Sources(ctx, []string{item.ID})
	}
	if err := e.refresh(ctx); err != nil {
		return err
	}
	if item.Collection == lore.Patterns || item.Collection == lore.KnowledgeUnits {
		if err := e.membersOf(ctx, item); err != nil {
			return err
		}
	}
	if err := e.some(ctx, item.Collection, []string{item.ID}); err != nil {
		return err
	}
	return e.refresh(ctx)
}

// Sources erases sources: their accounts, so that they say nothing more, then all that they said, then the sources themselves.
// Errors: store_unavailable.
func (e *Eraser) Sources(ctx context.Context, ids []string) error {
	for _, id := range ids {
		if err := e.refresh(ctx); err != nil {
			return err
		}
		source := lore.Target{Collection: lore.Sources, ID: id}
		if err := e.decide(ctx, lore.Decision{ID: lore.ErasureID(source), Subject: source}); err != nil {
			return err
		}
		if !e.DryRun {
			if err := e.Accounts.Erase(ctx, id); err != nil {
				return fmt.Errorf("erase account: %w", err)
			}
		}
		for again := true; again; { // until nothing is left that was under way when the account ended
			found, err := e.saidBy(ctx, id)
			if err == nil {
				err = e.refresh(ctx)
			}
			if err != nil {
				return err
			}
			again = found && !e.DryRun
		}
		if err := e.some(ctx, lore.Sources, []string{id}); err != nil {
			return err
		}
	}
	return e.refresh(ctx)
}

// saidBy erases what a source said, and reports whether there was anything.
func (e *Eraser) saidBy(ctx context.Context, id string) (found bool, err error) {
	for _, said := range []struct {
		collection lore.Collection
		field      string
	}{{lore.Submissions, "source_id"}, {lore.Suggestions, "source_id"}, {lore.SafetyFlags, "raised_by"}} {
		some, err := e.each(ctx, said.collection, index.TermsQuery(said.field, []string{id}))
		if err != nil {
			return found, err
		}
		found = found || some
	}
	some, err := e.outcomesBy(ctx, id)
	if err != nil {
		return found, err
	}
	asked, err := e.askedBy(ctx, id)
	if err != nil {
		return found, err
	}
	return found || some || asked, e.dropRecords(ctx, map[string]any{"term": map[string]any{"source_id": id}}, nil)
}

// each erases the items of a collection that a query finds, and reports whether there were any.
func (e *Eraser) each(ctx context.Context, collection lore.Collection, query map[string]any) (found bool, err error) {
	ids, err := index.IDsOf(ctx, e.client, e.client.AliasOf(collection), query)
	if err != nil {
		return false, err
	}
	for some := range slices.Chunk(ids, erasePage) {
		if err := e.some(ctx, collection, some); err != nil {
			return true, err
		}
	}
	return len(ids) > 0, nil
}

// membersOf erases the submissions that a pattern or unit is made of.
func (e *Eraser) membersOf(ctx context.Context, item lore.Target) error {
	stored, err := index.ReadByID[erasable](ctx, e.client, e.client.AliasOf(item.Collection), []string{item.ID}, index.PrivateFields...)
	if err != nil {
		return err
	}
	field := map[lore.Collection]string{lore.Patterns: "pattern_id", lore.KnowledgeUnits: "knowledge_unit_id"}[item.Collection]
	query := map[string]any{"bool": map[string]any{"should": []any{
		index.TermsQuery(field, []string{item.ID}), index.TermsQuery("id", stored[item.ID].reports()),
	}}}
	_, err = e.each(ctx, lore.Submissions, query)
	return err
}

// erasable is what an erasure must know of an item, whatever its collection.
type erasable struct {
	ID              string        `json:"id"`
	Target          *lore.Target  `json:"target"`
	SourceID        string        `json:"source_id"`
	PatternID       string        `json:"pattern_id"`
	KnowledgeUnitID string        `json:"knowledge_unit_id"`
	Summary         string        `json:"summary"`
	Content         string        `json:"content"`
	Resolution      string        `json:"resolution"`
	ExampleIDs      []string      `json:"example_ids"`
	Evidence        lore.Evidence `json:"evidence"`
}

// reports returns the ids of the submissions that a pattern or unit names.
func (d erasable) reports() []string {
	return slices.Concat([]string{}, d.ExampleIDs, d.Evidence.SubmissionIDs)
}

// some erases items of one collection, at most a page. Those that are gone already lose what is left about them.
func (e *Eraser) some(ctx context.Context, collection lore.Collection, ids []string) error {
	stored, err := index.ReadByID[erasable](ctx, e.client, e.client.AliasOf(collection), ids, index.PrivateFields...)
	if err != nil {
		return err
	}
	if err := e.record(ctx, collection, stored); err != nil {
		return err
	}
	for _, about := range []struct {
		collection lore.Collection
		query      map[string]any
	}{
		{lore.SafetyFlags, index.TermsQuery("target.id", ids)}, {lore.Suggestions, index.TermsQuery("target.id", ids)},
		{lore.Assets, index.TermsQuery("origin", originsOf(ids))},
	} {
		if _, err := e.each(ctx, about.collection, about.query); err != nil {
			return err
		}
	}
	if err := e.dropOutcomes(ctx, ids); err != nil {
		return err
	}
	switch collection {
	case lore.Submissions:
		if err := e.carriers(ctx, ids, stored); err != nil {
			return err
		}
		if err := e.dropAnswers(ctx, stored); err != nil {
			return err
		}
		if err := e.delete(ctx, e.client.Alias(links), ids); err != nil {
			return err
		}
	case lore.KnowledgeUnits:
		if err := e.unlink(ctx, ids); err != nil {
			return err
		}
	}
	if collection == lore.KnowledgeUnits || collection == lore.Patterns {
		if err := e.reopen(ctx, ids); err != nil {
			return err
		}
	}
	if err := e.delete(ctx, e.client.AliasOf(collection), ids); err != nil {
		return err
	}
	if e.Tell != nil {
		e.Tell(e.erased)
	}
	return nil
}
