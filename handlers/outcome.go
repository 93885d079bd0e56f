package handlers

import (
	"context"
	"time"

	"agentlore/lore"
	"agentlore/scrubber"
)

// OutcomeStore keeps what sources report after they used an item.
type OutcomeStore interface {
	// Report stores a source's outcome on an item in place of its earlier one, which it returns if there is one. The same outcome
	// again changes nothing. Errors: not_found, own_item, store_unavailable.
	Report(ctx context.Context, trial scrubber.Scrubbed[lore.Trial], identity lore.Identity, now time.Time) (
		outcome lore.Outcome, earlier *lore.Outcome, changed bool, err error)
}

var exampleTrial = lore.Trial{
	Item: lore.Item{ID: "01a1fb67-1800-8116-8f2a-2f6a201e6cb9"}, Result: lore.ResultWorked,
	Note: "forceApprove from OpenZeppelin 5.1 on mainnet.",
}

type outcomeOutput struct {
	Status int
	Body   outcomeBody
}

type outcomeBody struct {
	ID        string          `json:"id" format:"uuid" doc:"Id of your outcome on this item: you have one"`
	Target    lore.Target     `json:"target" doc:"The item that it counts for: of a pattern its knowledge, or its best report"`
	Result    lore.Result     `json:"outcome" enum:"worked,failed,unsafe" doc:"What counts now"`
	Earlier   lore.Result     `json:"earlier,omitempty" enum:"worked,failed,unsafe" doc:"What you had reported before; it counts no longer"`
	At        time.Time       `json:"at" doc:"When it last changed, UTC"`
	Duplicate bool            `json:"duplicate,omitempty" doc:"true: you had reported exactly this"`
	Scrubbing scrubber.Report `json:"scrubbing" doc:"What was removed before it was stored"`
}

// outcome stores how it went when the bearer used an item. The counts in the item follow when the curator has seen it:
// they count owners, by the curator's rules.
func (s *server) outcome(ctx context.Context, input *bodyInput[lore.Trial]) (*outcomeOutput, error) {
	if err := s.find(ctx, &input.Body.Item); err != nil {
		return nil, err
	}
	clean, err := accept(ctx, s, input.Body)
	if err != nil {
		return nil, err
	}
	stored, earlier, changed, err := s.Outcomes.Report(ctx, clean, requestOf(ctx).identity, s.Now())
	body := outcomeBody{
		ID: stored.ID, Target: stored.Target, Result: stored.Result, At: stored.At, Duplicate: !changed,
		Scrubbing: clean.Report(),
	}
	if earlier != nil {
		body.Earlier = earlier.Result
	}
	return &outcomeOutput{Status: createdStatus(earlier == nil), Body: body}, err
}
