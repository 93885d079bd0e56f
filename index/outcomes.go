package index

import (
	"context"
	"errors"
	"fmt"
	"time"

	"agentlore/lore"
	"agentlore/scrubber"
)

// OutcomesIndex is the index of outcomes, for Client.Alias.
const OutcomesIndex = "outcomes"

// Outcomes keeps what sources report after they used an item: one document a source and item, whose last word counts. The
// counts in the items themselves are made from it by the curator alone.
type Outcomes struct {
	Client *Client
	owners Owners
}

// Owners says which sources are of one principal: the accounts.
type Owners interface {
	// SourcesOf returns the sources of a bearer's principal.
	SourcesOf(ctx context.Context, bearer lore.Identity) ([]string, error)
	// IsOf reports whether a source is of a principal, as things are now.
	IsOf(ctx context.Context, sourceID, principal string) (bool, error)
}

// NewOutcomes returns the outcomes.
func NewOutcomes(client *Client, owners Owners) *Outcomes { return &Outcomes{client, owners} }

// Report stores a source's word on an item in place of its earlier one, if there is one. Saying the same again changes
// nothing: changed is false, and the outcome is the one that was there. Errors: not_found where the item isn't there,
// own_item where it is the source's or its principal's, store_unavailable.
func (o *Outcomes) Report(ctx context.Context, trial scrubber.Scrubbed[lore.Trial], identity lore.Identity, now time.Time) (
	outcome lore.Outcome, earlier *lore.Outcome, changed bool, err error,
) {
	text := trial.Value()
	target, err := o.standIn(ctx, *text.Target)
	if err == nil {
		err = o.checkOwn(ctx, target, identity)
	}
	if err != nil {
		return lore.Outcome{}, nil, false, err
	}
	text.Target = &target
	outcome = text.Outcome(identity, now)
	_, err = Edit(ctx, o.Client, o.Client.Alias(OutcomesIndex), outcome.ID, func(held *lore.Outcome, there bool) error {
		earlier, changed = nil, false
		if there {
			said := *held
			if earlier = &said; said.Result == outcome.Result && said.Note == outcome.Note {
				outcome = said
				return ErrUnchanged
			}
		}
		*held, changed = outcome, true
		return nil
	})
	if err != nil {
		return lore.Outcome{}, nil, false, fmt.Errorf("store outcome: %w", err)
	}
	return outcome, earlier, changed, nil
}

// standIn returns the item that an outcome counts for: of a pattern its knowledge unit, or the first of its reports, whose fix it shows.
// Errors: not_found, invalid_field where an item takes no outcome, store_unavailable.
func (o *Outcomes) standIn(ctx context.Context, target lore.Target) (lore.Target, error) {
	switch target.Collection {
	case lore.Submissions, lore.KnowledgeUnits:
		return target, nil
	case lore.Patterns:
	default:
		return target, lore.InvalidFields([]lore.FieldError{{
			Pointer: "/id", Code: "no_outcome", Detail: "names an item of " + string(target.Collection) + ": outcomes are of knowledge, patterns and submissions",
		}})
	}
	units := map[string]any{"size": 1, "_source": false, "query": map[string]any{"bool": map[string]any{"filter": []any{Term("pattern_id", target.ID)}}}}
	var answer SearchAnswer[struct{}]
	if err := o.Client.Query(ctx, []string{o.Client.AliasOf(lore.KnowledgeUnits)}, units, &answer); err != nil {
		return target, err
	}
	if hits := answer.Hits.Hits; len(hits) > 0 {
		return lore.Target{Collection: lore.KnowledgeUnits, ID: hits[0].ID}, nil
	}
	found, err := ReadByID[lore.Pattern](ctx, o.Client, o.Client.AliasOf(lore.Patterns), []string{target.ID})
	if err != nil {
		return target, err
	}
	if reports := found[target.ID].ExampleIDs; len(reports) > 0 {
		return lore.Target{Collection: lore.Submissions, ID: reports[0]}, nil
	}
	return target, lore.NotFound("pattern")
}

// checkOwn refuses an item that isn't there, and one of the reporter's own principal: the caller knows that it is. Whether it counts
// for another reason, nobody learns here.
func (o *Outcomes) checkOwn(ctx context.Context, target lore.Target, identity lore.Identity) error {
	kind := map[lore.Collection]string{lore.Submissions: "submission", lore.KnowledgeUnits: "knowledge unit"}[target.Collection]
	if kind == "" || !lore.ValidID(target.ID) {
		return lore.NotFound("item")
	}
	stored, err := Get[struct {
		SourceID string `json:"source_id"`
	}](ctx, o.Client, o.Client.AliasOf(target.Collection), target.ID, "source_id")
	if errors.Is(err, ErrNotFound) {
		return lore.NotFound(kind)
	}
	own := err == nil && stored.Source.SourceID == identity.SourceID
	if err == nil && !own {
		own, err = o.isOwn(ctx, target, stored.Source.SourceID, identity)
	}
	if err != nil || !own {
		return err
	}
	return &lore.Problem{
		Code:   lore.CodeOwnItem,
		Detail: "this " + kind + " is your own or of another source of your principal: only what others find when they use it counts",
		Fields: []lore.FieldError{{Pointer: "/id", Code: "own_item", Detail: "must name an item of somebody else"}},
	}
}

// isOwn reports whether a submission is of one of the principal's sources, or a knowledge unit made of one's reports.
func (o *Outcomes) isOwn(ctx context.Context, target lore.Target, author string, identity lore.Identity) (bool, error) {
	if target.Collection == lore.Submissions {
		return o.owners.IsOf(ctx, author, identity.Principal)
	}
	sources, err := o.owners.SourcesOf(ctx, identity)
	if err != nil {
		return false, err
	}
	made, err := o.Client.Count(ctx, o.Client.AliasOf(lore.Submissions), map[string]any{"bool": map[string]any{"filter": []any{
		Term("knowledge_unit_id", target.ID), TermsQuery("source_id", sources),
	}}})
	return made > 0, err
}
