package index

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"agentlore/lore"
	"agentlore/scrubber"
)

// ReferenceChanges is what an import of the reference library changed, in knowledge units or in assets.
type ReferenceChanges struct{ Added, Updated, Withdrawn, Unchanged int }

// String returns the counts in words.
func (r ReferenceChanges) String() string {
	return fmt.Sprintf("%d added, %d updated, %d withdrawn, %d unchanged", r.Added, r.Updated, r.Withdrawn, r.Unchanged)
}

// ImportReference makes the stored knowledge units of the reference library those that are given: new ones are stored, those whose words
// are others are updated, and those that are no longer there are withdrawn. What agents made of a unit, its outcomes and its
// confidence, stays. Errors: store_unavailable.
func (c *Client) ImportReference(ctx context.Context, units []scrubber.Scrubbed[lore.KnowledgeUnit], now time.Time) (done ReferenceChanges, err error) {
	alias := c.AliasOf(lore.KnowledgeUnits)
	stored, err := ofLibrary[lore.KnowledgeUnit](ctx, c, alias)
	if err != nil {
		return done, err
	}
	var added, operations []Operation
	for _, scrubbed := range units {
		unit := scrubbed.Value()
		held, there := stored[unit.ID]
		delete(stored, unit.ID)
		switch {
		case !there:
			done.Added++
			unit.Revision = lore.RevisionOf(unit.Summary, unit.Content, unit.Resolution)
			added = append(added, Operation{Action: "create", Index: alias, ID: unit.ID, Document: unit})
		case sameWords(held, unit):
			done.Unchanged++
		default:
			done.Updated++
			set, err := wordsOf(unit)
			if err != nil {
				return done, err
			}
			if held.Reference.RemovedAt != nil && len(held.Missing) == 0 && held.SupersededBy == "" { // it is back, and holds
				set["status"] = lore.UnitActive
			}
			if set["revised_at"] = now; lore.FixKey(held.Resolution) != lore.FixKey(unit.Resolution) { // what was said of another fix is history
				set["outcomes"], set["confidence"], set["fix_evidence"], set["disputed"] = unit.Outcomes, unit.Confidence, nil, nil
			}
			if held.Outcomes == (lore.Outcomes{}) { // it may have been read again
				set["confidence"] = unit.Confidence
			}
			set[VectorField], set[VectorModelField] = nil, nil
			operations = append(operations, updateUnit(alias, unit.ID, set))
		}
	}
	gone := withdrawals(alias, stored, func(held lore.KnowledgeUnit) *lore.Reference { return held.Reference }, now)
	done.Withdrawn, operations = len(gone), append(operations, gone...)
	if len(added)+len(operations) == 0 {
		return done, nil
	}
	err = c.BulkAll(ctx, added, ErrConflict) // one that another import has stored meanwhile says the same, and may have outcomes by now
	if err == nil {
		err = c.BulkAll(ctx, operations, nil)
	}
	if err != nil {
		return done, fmt.Errorf("store the reference library: %w", err)
	}
	return done, c.Do(ctx, esapi.IndicesRefreshRequest{Index: []string{alias}}, nil) // the first question finds it
}

// ofLibrary reads what a collection has of the reference library, by id.
func ofLibrary[T any](ctx context.Context, c *Client, alias string) (map[string]T, error) {
	if err := c.Do(ctx, esapi.IndicesRefreshRequest{Index: []string{alias}}, nil); err != nil { // of an import a moment ago
		return nil, err
	}
	stored := map[string]T{}
	query := map[string]any{"exists": map[string]any{"field": "reference.id"}}
	err := Scan(ctx, c, alias, query, true, func(page []Hit[T]) error {
		for _, found := range page {
			stored[found.ID] = found.Source
		}
		return nil
	})
	return stored, err
}

// withdrawals returns the operations that withdraw what is stored of the library and is in it no longer.
func withdrawals[T any](alias string, stored map[string]T, reference func(T) *lore.Reference, now time.Time) (operations []Operation) {
	for id, held := range stored {
		if was := *reference(held); was.RemovedAt == nil {
			was.RemovedAt = &now
			operations = append(operations, updateUnit(alias, id, map[string]any{"reference": was, "status": lore.UnitWithdrawn}))
		}
	}
	return operations
}

// sameWords reports whether two states of a unit say the same.
func sameWords(one, other lore.KnowledgeUnit) bool {
	a, errA := wordsOf(one)
	b, errB := wordsOf(other)
	textA, _ := json.Marshal(a)
	textB, _ := json.Marshal(b)
	return errors.Join(errA, errB) == nil && string(textA) == string(textB)
}

// wordsOf returns the fields of a unit that the library writes.
func wordsOf(unit lore.KnowledgeUnit) (map[string]any, error) {
	var reference struct {
		lore.Reference
		// These are there even where they are empty: an update merges objects, and would keep what an entry had.
		RemovedAt *time.Time `json:"removed_at"`
		Family    string     `json:"family"`
		Further   []string   `json:"further"`
	}
	if unit.Reference != nil {
		reference.Reference, reference.RemovedAt = *unit.Reference, unit.Reference.RemovedAt
		reference.Family, reference.Further = unit.Reference.Family, unit.Reference.Further
	}
	return Signed(lore.KnowledgeUnits, map[string]any{
		"summary": unit.Summary, "content": unit.Content, "resolution": unit.Resolution, "names": unit.Names, "shared": listed(unit.Shared), "context": listed(unit.Context),
		"asked": unit.Asked, "signs": listed(unit.Signs), "wraps": unit.Wraps, "applies": unit.Applies,
		"category": unit.Category, "ecosystem": unit.Ecosystem, "tags": unit.Tags, "entities": unit.Entities, "reference": reference,
		"revision": lore.RevisionOf(unit.Summary, unit.Content, unit.Resolution), "asks_for": unit.AsksFor,
	})
}

// listed returns a list as a document that was read has it: an empty one is absent.
func listed(list []string) []string {
	if len(list) == 0 {
		return nil
	}
	return list
}

func updateUnit(alias, id string, set map[string]any) Operation {
	return Operation{Action: "update", Index: alias, ID: id, Document: map[string]any{"doc": set}, Header: map[string]any{"retry_on_conflict": 3}}
}
