package curation

import (
	"context"
	"fmt"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"agentlore/index"
	"agentlore/lore"
	"agentlore/scrubber"
)

// originsOf returns what stands in assets that were made from suggestions; of other items nothing was.
func originsOf(ids []string) []string {
	origins := make([]string, len(ids))
	for i, id := range ids {
		origins[i] = lore.OriginSuggestion + id
	}
	return origins
}

// record counts items and records that they are erased. What is recorded already stays as it is.
func (e *Eraser) record(ctx context.Context, collection lore.Collection, stored map[string]erasable) error {
	var records []lore.Decision
	for id, item := range stored {
		if !e.fresh(id) {
			continue
		}
		e.erased[collection]++
		decision := lore.Decision{
			ID: lore.ErasureID(lore.Target{Collection: collection, ID: id}), Subject: lore.Target{Collection: collection, ID: id},
			Object: item.Target, Others: item.reports(),
		}
		if item.PatternID != "" && collection == lore.Submissions {
			decision.Object = &lore.Target{Collection: lore.Patterns, ID: item.PatternID}
		}
		records = append(records, decision)
	}
	return e.decide(ctx, records...)
}

// fresh reports whether an item is met for the first time.
func (e *Eraser) fresh(id string) bool {
	if !e.DryRun {
		return true // it is gone when it is looked for again
	}
	known := e.seen[id]
	e.seen[id] = true
	return !known
}

// ignoreGone returns an error unless it says that an item isn't there.
func ignoreGone(err error) error {
	if lore.CodeOf(err) == lore.CodeNotFound {
		return nil
	}
	return err
}

// decide adds who, why and when to records of erasures, and stores them, unless it is a dry run.
func (e *Eraser) decide(ctx context.Context, records ...lore.Decision) error {
	if e.DryRun {
		return nil
	}
	clean := make([]scrubber.Scrubbed[lore.Decision], len(records))
	for i, record := range records {
		record.Verdict, record.Who, record.Why, record.At = lore.VerdictErase, e.Who, e.Why, time.Now().UTC().Truncate(time.Millisecond)
		var err error
		if clean[i], err = scrubber.Scrub(ctx, e.Clean, record); err != nil {
			return fmt.Errorf("scrub: %w", err)
		}
	}
	return e.client.RecordDecisions(ctx, clean...)
}

// delete deletes documents, unless it is a dry run. Those that are gone are no error.
func (e *Eraser) delete(ctx context.Context, alias string, ids []string) error {
	if e.DryRun {
		return nil
	}
	return e.client.DeleteDocuments(ctx, alias, ids)
}

// refresh makes what was written and deleted visible to searches.
func (e *Eraser) refresh(ctx context.Context) error {
	aliases := []string{e.client.Alias(links), e.client.Alias(index.OutcomesIndex), e.client.Alias(index.DecisionsIndex), e.client.Alias(index.RecordsIndex), e.client.AliasOf(lore.Events)}
	for _, collection := range lore.Collections() {
		aliases = append(aliases, e.client.AliasOf(collection))
	}
	return e.client.Do(ctx, esapi.IndicesRefreshRequest{Index: aliases}, nil)
}
