package curation

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"agentlore/index"
	"agentlore/lore"
)

// carrierQueries is how many reports' carriers one query looks for: each has a summary and the beginning of a resolution in it.
const carrierQueries = 10

// carrierWords is how many characters of a resolution are looked for; what is found is compared as a whole.
const carrierWords = 200

// carriers erases the patterns and units that begin with one of the erased reports or have words that no report but an erased one has,
// and takes the reports' ids out of the others. The curator makes them anew of the reports that are left.
func (e *Eraser) carriers(ctx context.Context, ids []string, stored map[string]erasable) error {
	for some := range slices.Chunk(ids, carrierQueries) {
		var query []any
		begun := map[string]bool{}
		for _, id := range some {
			report := stored[id]
			pattern, unit := e.MadeOf(id)
			begun[pattern], begun[unit] = true, true
			query = append(query, index.TermsQuery("id", []string{pattern, unit, report.PatternID, report.KnowledgeUnitID}))
			if report.PatternID != "" {
				query = append(query, index.TermsQuery("pattern_id", []string{report.PatternID}))
			}
			for field, words := range map[string]string{"summary": report.Summary, "text": lore.CutAtWord(report.Resolution, carrierWords)} {
				if words != "" {
					query = append(query, map[string]any{"match": map[string]any{field: map[string]any{"query": words, "operator": "and"}}})
				}
			}
		}
		query = append(query, index.TermsQuery("example_ids", some), index.TermsQuery("evidence.submission_ids", some))
		for _, collection := range []lore.Collection{lore.Patterns, lore.KnowledgeUnits} {
			if err := e.carriersIn(ctx, collection, query, begun, ids, stored); err != nil {
				return err
			}
		}
	}
	return nil
}

// carriersIn is carriers for one collection.
func (e *Eraser) carriersIn(
	ctx context.Context, collection lore.Collection, query []any, begun map[string]bool, ids []string, stored map[string]erasable,
) error {
	either := map[string]any{"bool": map[string]any{"should": query}}
	items, err := index.ReadAll[erasable](ctx, e.client, e.client.AliasOf(collection), either, index.ByID)
	if err != nil {
		return err
	}
	var carrying []string
	for _, item := range items {
		carries, err := e.carries(ctx, item, ids, stored)
		switch {
		case err != nil:
			return err
		case carries || begun[item.ID]:
			carrying = append(carrying, item.ID)
		case slices.ContainsFunc(item.reports(), func(id string) bool { return slices.Contains(ids, id) }) && !e.DryRun:
			if err := e.takeOut(ctx, lore.Target{Collection: collection, ID: item.ID}, ids); err != nil {
				return err
			}
		}
	}
	for some := range slices.Chunk(carrying, erasePage) {
		if err := e.some(ctx, collection, some); err != nil {
			return err
		}
	}
	return nil
}

// carries reports whether a pattern or unit has words of erased reports that no other report of its own has.
func (e *Eraser) carries(ctx context.Context, found erasable, ids []string, stored map[string]erasable) (bool, error) {
	words := func(d erasable) [3]string { return [3]string{d.Summary, d.Content, d.Resolution} }
	var theirs [3]bool
	for _, report := range stored {
		for i, text := range words(report) {
			theirs[i] = theirs[i] || text != "" && text == words(found)[i]
		}
	}
	if theirs == [3]bool{} {
		return false, nil
	}
	others := slices.DeleteFunc(found.reports(), func(id string) bool { return slices.Contains(ids, id) })
	left, err := index.ReadByID[erasable](ctx, e.client, e.client.AliasOf(lore.Submissions), others, index.PrivateFields...)
	if err != nil {
		return false, err
	}
	for _, report := range left {
		for i, text := range words(report) {
			theirs[i] = theirs[i] && text != words(found)[i]
		}
	}
	return theirs != [3]bool{}, nil
}

// takeOut takes erased reports' ids out of a pattern or unit.
func (e *Eraser) takeOut(ctx context.Context, item lore.Target, ids []string) error {
	without := func(list any) any {
		some, _ := list.([]any)
		return slices.DeleteFunc(some, func(id any) bool {
			text, _ := id.(string)
			return slices.Contains(ids, text)
		})
	}
	return ignoreGone(e.client.Change(ctx, item, func(document map[string]any) {
		if examples, there := document["example_ids"]; there {
			document["example_ids"] = without(examples)
		}
		if evidence, ok := document["evidence"].(map[string]any); ok {
			evidence["submission_ids"] = without(evidence["submission_ids"])
		}
	}))
}

// unlink takes erased units' ids out of those that they replaced: these are withdrawn until the curator judges them anew.
func (e *Eraser) unlink(ctx context.Context, ids []string) error {
	if e.DryRun {
		return nil
	}
	replaced, err := index.IDsOf(ctx, e.client, e.client.AliasOf(lore.KnowledgeUnits), index.TermsQuery("superseded_by", ids))
	for _, id := range replaced {
		if err != nil {
			break
		}
		err = ignoreGone(e.client.Change(ctx, lore.Target{Collection: lore.KnowledgeUnits, ID: id}, func(document map[string]any) {
			delete(document, "superseded_by")
			document["status"] = lore.UnitWithdrawn
		}))
	}
	return err
}

// dropOutcomes deletes the outcomes on items.
func (e *Eraser) dropOutcomes(ctx context.Context, ids []string) error {
	if err := e.dropEvents(ctx, index.TermsQuery("target.id", ids)); err != nil {
		return err
	}
	alias := e.client.Alias(index.OutcomesIndex)
	found, err := index.IDsOf(ctx, e.client, alias, index.TermsQuery("target.id", ids))
	if err != nil || !e.count(index.OutcomesIndex, found) {
		return err
	}
	return e.client.DeleteDocuments(ctx, alias, found)
}

// dropEvents deletes the events that a query finds.
func (e *Eraser) dropEvents(ctx context.Context, query map[string]any) error {
	alias := e.client.AliasOf(lore.Events)
	found, err := index.IDsOf(ctx, e.client, alias, query)
	if err != nil {
		return err
	}
	return e.delete(ctx, alias, found)
}

// count counts documents and reports whether they are to be deleted: it is no dry run.
func (e *Eraser) count(collection lore.Collection, ids []string) bool {
	for _, id := range ids {
		if e.fresh(id) {
			e.erased[collection]++
		}
	}
	return !e.DryRun
}

// outcomesBy deletes the outcomes that a source reported, and records on what: those items are judged anew without them.
func (e *Eraser) outcomesBy(ctx context.Context, sourceID string) (found bool, err error) {
	if err := e.dropEvents(ctx, index.TermsQuery("source_id", []string{sourceID})); err != nil {
		return false, err
	}
	alias := e.client.Alias(index.OutcomesIndex)
	reported, err := index.ReadAll[lore.Outcome](ctx, e.client, alias, index.TermsQuery("source_id", []string{sourceID}), index.ByID)
	for page := range slices.Chunk(reported, index.ChangePage) {
		ids, targets := make([]string, len(page)), make([]string, len(page))
		for i, outcome := range page {
			ids[i], targets[i] = outcome.ID, outcome.Target.ID
		}
		if !e.count(index.OutcomesIndex, ids) {
			continue
		}
		err := e.decide(ctx, lore.Decision{
			ID:      lore.DerivedID("erase outcomes", sourceID, ids[0], ids[len(ids)-1]),
			Subject: lore.Target{Collection: index.OutcomesIndex, ID: sourceID}, Others: targets,
		})
		if err == nil {
			err = e.client.DeleteDocuments(ctx, alias, ids)
		}
		if err != nil {
			return true, err
		}
	}
	return len(reported) > 0, err
}

// askedBy takes a source out of the questions that it asked, and erases those that no other source asked.
func (e *Eraser) askedBy(ctx context.Context, sourceID string) (found bool, err error) {
	alias := e.client.AliasOf(lore.Questions)
	ids, err := index.IDsOf(ctx, e.client, alias, index.TermsQuery("asked.source_id", []string{sourceID}))
	for _, id := range ids {
		if err != nil {
			break
		}
		alone := false
		_, err = index.Edit(ctx, e.client, alias, id, func(held *index.QuestionDocument, there bool) error {
			if alone = there && !held.Without(sourceID); !there || alone || e.DryRun {
				return index.ErrUnchanged
			}
			return nil
		})
		if err == nil && alone {
			err = e.some(ctx, lore.Questions, []string{id})
		}
	}
	return len(ids) > 0, err
}

// reopen opens the questions again that erased items answered.
func (e *Eraser) reopen(ctx context.Context, ids []string) error {
	if e.DryRun {
		return nil
	}
	answered, err := index.IDsOf(ctx, e.client, e.client.AliasOf(lore.Questions), index.TermsQuery("answered_by.id", ids))
	for _, id := range answered {
		if err != nil {
			break
		}
		err = ignoreGone(e.client.Change(ctx, lore.Target{Collection: lore.Questions, ID: id}, func(document map[string]any) {
			delete(document, "answered_by")
			delete(document, "answered_at")
			document["status"] = lore.QuestionOpen
		}))
	}
	return err
}

// answeredID is a field of a kept answer, worked out as it is looked for: the id of the submission that it tells of.
var answeredID = map[string]any{"answered": map[string]any{"type": "keyword", "script": map[string]any{"source": `
def answer = params._source.answer;
int at = answer == null ? -1 : answer.indexOf('"id":"');
if (at >= 0 && answer.length() >= at + 42) { emit(answer.substring(at + 6, at + 42)); }`}}}

// dropAnswers deletes the answers to the requests that stored submissions, which are kept for a day.
func (e *Eraser) dropAnswers(ctx context.Context, stored map[string]erasable) error {
	var ids, sources []string
	for id, report := range stored {
		ids, sources = append(ids, id), append(sources, report.SourceID)
	}
	if len(ids) == 0 {
		return nil
	}
	query := map[string]any{"bool": map[string]any{"filter": []any{index.TermsQuery("source_id", sources), index.TermsQuery("answered", ids)}}}
	return e.dropRecords(ctx, query, answeredID)
}

// dropRecords deletes the records of requests with an Idempotency-Key that a query finds.
func (e *Eraser) dropRecords(ctx context.Context, query, runtime map[string]any) error {
	alias := e.client.Alias(index.RecordsIndex)
	body := map[string]any{"query": query, "size": index.ChangePage, "_source": false}
	if runtime != nil {
		body["runtime_mappings"] = runtime
	}
	for !e.DryRun {
		var answer index.SearchAnswer[json.RawMessage]
		if err := e.client.Query(ctx, []string{alias}, body, &answer); err != nil {
			return fmt.Errorf("read kept answers: %w", err)
		}
		if len(answer.Hits.Hits) == 0 {
			return nil
		}
		var ids []string
		for _, hit := range answer.Hits.Hits {
			ids = append(ids, hit.ID)
		}
		if err := e.client.DeleteDocuments(ctx, alias, ids); err != nil {
			return err
		}
		if err := e.client.Do(ctx, esapi.IndicesRefreshRequest{Index: []string{alias}}, nil); err != nil {
			return err
		}
	}
	return nil
}
