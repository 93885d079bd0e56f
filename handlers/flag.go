package handlers

import (
	"context"
	"fmt"

	"agentlore/lore"
	"agentlore/scrubber"
)

// ItemStore looks at items of any collection.
type ItemStore interface {
	// Exists reports whether an item is there. Errors: store_unavailable.
	Exists(ctx context.Context, target lore.Target) (bool, error)
	// Rescrub scrubs an item's stored text again and reports whether something was removed. Errors: not_found,
	// store_unavailable.
	Rescrub(ctx context.Context, clean *scrubber.Scrubber, target lore.Target) (changed bool, err error)
}

var exampleWarning = lore.Warning{
	Target: lore.Target{Collection: lore.Submissions, ID: "01a1fb67-1800-8116-8f2a-2f6a201e6cb9"}, Reason: lore.FlagStale,
	Severity: lore.SeverityLow, Note: "Fixed in version 2.1.",
}

type flagInput struct{ Body lore.Warning }

type flagOutput struct {
	Status   int
	Location string `header:"Location" doc:"Where the flag is"`
	Body     proposalBody
}

// flag stores a warning. One for a leak has its item scanned again at once: nobody should have to wait for an operator
// while a secret stands there.
func (s *server) flag(ctx context.Context, input *flagInput) (*flagOutput, error) {
	if err := check(input.Body); err != nil {
		return nil, err
	}
	if err := s.checkTarget(ctx, input.Body.Target); err != nil {
		return nil, err
	}
	clean, err := scrub(ctx, s, input.Body)
	if err != nil {
		return nil, fmt.Errorf("scrub: %w", err)
	}
	redacted := false
	if input.Body.Reason == lore.FlagLeak {
		if redacted, err = s.Items.Rescrub(ctx, s.Scrubber, input.Body.Target); err != nil {
			return nil, err
		}
	}
	stored, created, err := s.Proposals.Flag(ctx, clean, requestOf(ctx).identity, s.Now())
	if err != nil {
		return nil, err
	}
	return &flagOutput{Status: createdStatus(created), Location: "/safety-flags/" + stored.ID, Body: proposalBody{
		ID: stored.ID, Status: string(stored.Status), CreatedAt: stored.CreatedAt, Duplicate: !created, Redacted: redacted,
		Scrubbing: clean.Report(),
	}}, nil
}

// checkTarget refuses a target that isn't there.
func (s *server) checkTarget(ctx context.Context, target lore.Target) error {
	var faults []lore.FieldError
	if target.Collection == "" { // Huma takes null for absent also within an object that may be null, required or not
		faults = append(faults, lore.FieldError{Pointer: "/target/collection", Code: "required", Detail: "is required"})
	}
	if target.ID == "" {
		faults = append(faults, lore.FieldError{Pointer: "/target/id", Code: "required", Detail: "is required"})
	}
	if invalid := lore.InvalidFields(faults); invalid != nil {
		return invalid
	}
	exists, err := s.Items.Exists(ctx, target)
	if err != nil || exists {
		return err
	}
	return lore.InvalidFields([]lore.FieldError{{Pointer: "/target/id", Code: "unknown_item", Detail: "names no item of this collection"}})
}
