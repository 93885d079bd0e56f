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
