package handlers

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"agentlore/lore"
	"agentlore/scrubber"
)

// ProposalStore stores suggestions and safety flags.
type ProposalStore interface {
	// Suggest stores a suggestion; the same words of one source once. Errors: store_unavailable.
	Suggest(ctx context.Context, proposal scrubber.Scrubbed[lore.Proposal], sourceID string, now time.Time) (suggestion lore.Suggestion, created bool, err error)
	// Flag stores a safety flag; one a source, item and reason. Errors: store_unavailable.
	Flag(ctx context.Context, warning scrubber.Scrubbed[lore.Warning], identity lore.Identity, now time.Time) (flag lore.SafetyFlag, created bool, err error)
	// Leaks counts a source's submissions since a time, but for one, from which secrets of some kinds were removed. Errors:
	// store_unavailable.
	Leaks(ctx context.Context, sourceID string, kinds []string, since time.Time, except string) (int, error)
	// Raise stores a flag of agentlore's own, once an item and reason. Errors: store_unavailable.
	Raise(ctx context.Context, warning scrubber.Scrubbed[lore.Warning], now time.Time) (flag lore.SafetyFlag, created bool, err error)
}

var exampleProposal = lore.Proposal{
	Kind: lore.SuggestAsset, Summary: "Add the Permit2 contract to the catalog",
	Content: "Type tool, ecosystem ethereum, address 0x000000000022D473030F116dDEE9F6B43aC78BA3.",
}

type suggestInput struct{ Body lore.Proposal }

type suggestOutput struct {
	Status   int
	Location string `header:"Location" doc:"Where the suggestion is"`
	Body     proposalBody
}

// proposalBody answers for a suggestion or a flag.
type proposalBody struct {
	ID        string          `json:"id" format:"uuid" doc:"Its id"`
	Status    string          `json:"status" enum:"open,accepted,rejected,confirmed,dismissed" doc:"open: an operator has not decided yet"`
	CreatedAt time.Time       `json:"created_at" doc:"When it was stored, UTC"`
	Duplicate bool            `json:"duplicate,omitempty" doc:"true: you had said this before"`
	Redacted  bool            `json:"redacted,omitempty" doc:"true: the item held a secret, which has been removed now"`
	Scrubbing scrubber.Report `json:"scrubbing" doc:"What was removed before it was stored"`
}

func (s *server) suggest(ctx context.Context, input *suggestInput) (*suggestOutput, error) {
	if err := check(input.Body); err != nil {
		return nil, err
	}
	if input.Body.Target != nil {
		if err := s.checkTarget(ctx, *input.Body.Target); err != nil {
			return nil, err
		}
	}
	clean, err := scrub(ctx, s, input.Body)
	if err != nil {
		return nil, fmt.Errorf("scrub: %w", err)
	}
	stored, created, err := s.Proposals.Suggest(ctx, clean, requestOf(ctx).identity.SourceID, s.Now())
	if err != nil {
		return nil, err
	}
	return &suggestOutput{Status: createdStatus(created), Location: "/suggestions/" + stored.ID, Body: proposalBody{
		ID: stored.ID, Status: string(stored.Status), CreatedAt: stored.CreatedAt, Duplicate: !created, Scrubbing: clean.Report(),
	}}, nil
}

// createdStatus is 201 for what is new and 200 for what was there.
func createdStatus(created bool) int {
	if created {
		return http.StatusCreated
	}
	return http.StatusOK
}
