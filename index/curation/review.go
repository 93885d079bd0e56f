package curation

import (
	"context"
	"slices"
	"time"

	"agentlore/index"
	"agentlore/lore"
	"agentlore/scrubber"
)

// Review is what operators decide on, and where what they decide, redact and withdraw takes effect.
type Review struct{ client *index.Client }

// NewReview returns the review of a client's indices.
func NewReview(client *index.Client) *Review { return &Review{client} }

// reviewPage is how many items of each kind a review lists at once, longest waiting first.
const reviewPage = 200

// Waiting is what waits for an operator. Totals count beyond the lists.
type Waiting struct {
	Suggestions []lore.Suggestion
	Flags       []lore.SafetyFlag
	// Approvals are patterns, and submissions without one, that lack nothing but an operator's approval or a worked of an
	// owner with standing.
	Approvals []WaitingApproval
	// Disputed are knowledge units that owners with standing say fail or do harm.
	Disputed                                                    []WaitingApproval
	SuggestionsTotal, FlagsTotal, ApprovalsTotal, DisputedTotal int64
}

// WaitingApproval is an item that would be knowledge if an operator approved it.
type WaitingApproval struct {
	Collection lore.Collection `json:"collection"`
	ID         string          `json:"id"`
	Category   lore.Category   `json:"category"`
	Summary    string          `json:"summary"`
	Resolution string          `json:"resolution"`
	Owners     int             `json:"owner_count"`
}

// Waiting lists what waits. Open flags for a leak, which the public doesn't see, are among it. Errors: store_unavailable.
func (r *Review) Waiting(ctx context.Context) (Waiting, error) {
	var waiting Waiting
	suggestions, err := oldest[lore.Suggestion](ctx, r.client, []any{index.Term("status", lore.SuggestionOpen)}, lore.Suggestions)
	if err != nil {
		return Waiting{}, err
	}
	flags, err := oldest[lore.SafetyFlag](ctx, r.client, []any{index.Term("status", lore.FlagOpen)}, lore.SafetyFlags)
	if err != nil {
		return Waiting{}, err
	}
	lacking := []any{
		index.Term("missing", lore.RequireApproval),
		map[string]any{"bool": map[string]any{"must_not": []any{map[string]any{"exists": map[string]any{"field": "pattern_id"}}}}},
	}
	approvals, err := oldest[WaitingApproval](ctx, r.client, lacking, lore.Patterns, lore.Submissions)
	if err != nil {
		return Waiting{}, err
	}
	for _, hit := range suggestions.Hits.Hits {
		waiting.Suggestions = append(waiting.Suggestions, hit.Source)
	}
	for _, hit := range flags.Hits.Hits {
		waiting.Flags = append(waiting.Flags, hit.Source)
	}
	for _, hit := range approvals.Hits.Hits {
		hit.Source.Collection = r.client.CollectionOf(hit.Index)
		waiting.Approvals = append(waiting.Approvals, hit.Source)
	}
	disputed, err := oldest[WaitingApproval](ctx, r.client, []any{index.Term("disputed", true), index.Term("status", lore.UnitActive)}, lore.KnowledgeUnits)
	if err != nil {
		return Waiting{}, err
	}
	for _, hit := range disputed.Hits.Hits {
		hit.Source.Collection = lore.KnowledgeUnits
		waiting.Disputed = append(waiting.Disputed, hit.Source)
	}
	waiting.DisputedTotal = disputed.Hits.Total.Value
	waiting.SuggestionsTotal, waiting.FlagsTotal = suggestions.Hits.Total.Value, flags.Hits.Total.Value
	waiting.ApprovalsTotal = approvals.Hits.Total.Value
	return waiting, nil
}

// oldest returns the first page of what passes a filter, oldest first, with its exact number.
func oldest[T any](ctx context.Context, c *index.Client, filter []any, collections ...lore.Collection) (index.SearchAnswer[T], error) {
	body := map[string]any{
		"query": map[string]any{"bool": map[string]any{"filter": filter}}, "sort": index.TimeOrder(lore.SortOldest),
		"size": reviewPage, "track_total_hits": true,
	}
	var aliases []string
	for _, collection := range collections {
		aliases = append(aliases, c.AliasOf(collection))
	}
	var answer index.SearchAnswer[T]
	return answer, c.Query(ctx, aliases, body, &answer)
}

// Members returns the ids of a pattern's submissions, in order. Errors: store_unavailable.
func (r *Review) Members(ctx context.Context, patternID string) ([]string, error) {
	return index.IDsOf(ctx, r.client, r.client.AliasOf(lore.Submissions), index.Term("pattern_id", patternID))
}

// Decide records a decision and carries out what it means for its subject at once; what follows from it for others, the
// curator does. Both can be done again: an effect that fails half-way is repaired by deciding the same again. Errors:
// not_found, store_unavailable.
func (r *Review) Decide(ctx context.Context, decision scrubber.Scrubbed[lore.Decision]) error {
	if err := r.client.RecordDecisions(ctx, decision); err != nil {
		return err
	}
	d := decision.Value()
	switch d.Verdict {
	case lore.VerdictAccept:
		return r.setStatus(ctx, d.Subject, string(lore.SuggestionAccepted))
	case lore.VerdictReject:
		return r.setStatus(ctx, d.Subject, string(lore.SuggestionRejected))
	case lore.VerdictConfirm:
		return r.judgeFlag(ctx, d, lore.FlagConfirmed)
	case lore.VerdictDismiss:
		return r.judgeFlag(ctx, d, lore.FlagDismissed)
	case lore.VerdictWithdraw:
		if d.Object != nil && d.Subject.Collection == lore.KnowledgeUnits {
			return r.client.Change(ctx, d.Subject, func(document map[string]any) {
				document["status"], document["superseded_by"] = lore.UnitSuperseded, d.Object.ID
				delete(document, "missing") // it lacks nothing: another says it better
			})
		}
		if err := r.setStatus(ctx, d.Subject, string(lore.UnitWithdrawn)); err != nil {
			return err
		}
		return r.unquote(ctx, d.Subject)
	case lore.VerdictRestore:
		return r.restore(ctx, d.Subject)
	}
	return nil
}

// hideable are the collections whose items have a status that hides them.
var hideable = []lore.Collection{lore.Submissions, lore.KnowledgeUnits, lore.Patterns, lore.Assets}

// setStatus writes an item's status. Sources have none: an operator revokes their tokens.
func (r *Review) setStatus(ctx context.Context, item lore.Target, status string) error {
	if item.Collection == lore.Sources {
		return nil
	}
	return r.client.Change(ctx, item, func(document map[string]any) { document["status"] = status })
}

// judgeFlag writes what became of a flag, and what its item's flags make of the item now: its warnings and, of a confirmed flag,
// its status. An item is shown again when no confirmed flag is left on it.
func (r *Review) judgeFlag(ctx context.Context, d lore.Decision, status lore.FlagStatus) error {
	flag, item := d.Subject, d.Object
	err := r.client.Change(ctx, flag, func(document map[string]any) { document["status"], document["decided_at"] = status, d.At })
	if err != nil || item == nil || !slices.Contains(hideable, item.Collection) {
		return err
	}
	judged, err := index.NewCollection[lore.SafetyFlag](r.client, lore.SafetyFlags, "safety flag").Get(ctx, flag.ID)
	if err != nil {
		return err
	}
	others := map[string]any{"bool": map[string]any{
		"filter":   []any{map[string]any{"term": map[string]any{"target.id": item.ID}}},
		"must_not": []any{map[string]any{"term": map[string]any{"id": flag.ID}}},
	}}
	flags, err := index.ReadAll[lore.SafetyFlag](ctx, r.client, r.client.AliasOf(lore.SafetyFlags), others, index.ByID)
	if err != nil {
		return err
	}
	flags = append(flags, judged)
	warnings := lore.WarningsOf(flags, time.Time{}) // the curator drops those that rest on flags that have lapsed
	confirmed := slices.ContainsFunc(flags, func(f lore.SafetyFlag) bool { return f.Status == lore.FlagConfirmed })
	return r.client.Change(ctx, *item, func(document map[string]any) {
		if document["warnings"] = warnings; len(warnings) == 0 {
			delete(document, "warnings")
		}
		switch {
		case confirmed:
			document["status"] = lore.StatusFlagged
		case status == lore.FlagDismissed:
			restoreStatus(item.Collection, document)
		}
	})
}

// restore gives a flagged or withdrawn item the status that it would have without. The curator decides anew on those that it
// makes.
func (r *Review) restore(ctx context.Context, item lore.Target) error {
	return r.client.Change(ctx, item, func(document map[string]any) { restoreStatus(item.Collection, document) })
}

// restoreStatus gives an item's document that status.
func restoreStatus(collection lore.Collection, document map[string]any) {
	if !slices.Contains([]any{lore.StatusFlagged, string(lore.UnitWithdrawn), string(lore.UnitSuperseded)}, document["status"]) {
		return
	}
	delete(document, "superseded_by")
	switch collection {
	case lore.KnowledgeUnits:
		document["status"] = lore.UnitActive
	case lore.Assets:
		document["status"] = lore.AssetActive
	case lore.Patterns:
		document["status"] = lore.PatternEmerging
		if owners, _ := document["owner_count"].(float64); owners > 2 {
			document["status"] = lore.PatternEstablished
		}
	default:
		delete(document, "status")
	}
}

// Recategorise gives a submission another category, as the operator's. Errors: not_found, store_unavailable.
func (r *Review) Recategorise(ctx context.Context, item lore.Target, category lore.Category) error {
	return r.client.Change(ctx, item, func(document map[string]any) {
		document["category"], document["classified_by"] = category, lore.ByOperator
	})
}
