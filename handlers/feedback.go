package handlers

import (
	"context"
	"time"

	"agentlore/curator"
	"agentlore/lore"
	"agentlore/scrubber"
)

// ProposalStore stores suggestions and safety flags.
type ProposalStore interface {
	// Suggest stores a suggestion; the same words of one source once. Errors: store_unavailable.
	Suggest(ctx context.Context, proposal scrubber.Scrubbed[lore.Proposal], sourceID string, now time.Time) (
		suggestion lore.Suggestion, created bool, err error)
	// Flag stores a safety flag; one a source, item and reason. Errors: store_unavailable.
	Flag(ctx context.Context, warning scrubber.Scrubbed[lore.Warning], identity lore.Identity, now time.Time) (
		flag lore.SafetyFlag, created bool, err error)
	// Leaks counts a source's submissions since a time, but for one, from which secrets of some kinds were removed. Errors:
	// store_unavailable.
	Leaks(ctx context.Context, sourceID string, kinds []string, since time.Time, except string) (int, error)
	// Raise stores a flag of agentlore's own, once an item and reason. Errors: store_unavailable.
	Raise(ctx context.Context, warning scrubber.Scrubbed[lore.Warning], now time.Time) (flag lore.SafetyFlag, created bool, err error)
}

// ItemStore looks at items of any collection.
type ItemStore interface {
	// Find returns which item has an id. Errors: not_found, store_unavailable.
	Find(ctx context.Context, id string) (lore.Target, error)
	// FindErased returns which item with an id was erased. Errors: not_found, store_unavailable.
	FindErased(ctx context.Context, id string) (lore.Target, lore.Erasure, error)
	// Rescrub scrubs an item's stored text again and reports whether something was removed. Errors: not_found,
	// store_unavailable.
	Rescrub(ctx context.Context, clean *scrubber.Scrubber, target lore.Target) (changed bool, err error)
}

var exampleProposal = lore.Proposal{
	Kind: lore.SuggestAsset, Summary: "Add the Permit2 contract to the catalog",
	Content: "Type tool, ecosystem ethereum, address 0x000000000022D473030F116dDEE9F6B43aC78BA3.",
}

var exampleWarning = lore.Warning{
	Item: lore.Item{ID: "01a1fb67-1800-8116-8f2a-2f6a201e6cb9"}, Reason: lore.FlagStale,
	Severity: lore.SeverityLow, Note: "Fixed in version 2.1.",
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

// suggest stores a suggestion.
func (s *server) suggest(ctx context.Context, input *bodyInput[lore.Proposal]) (*storedOutput[proposalBody], error) {
	if input.Body.Named() != "" {
		if err := s.find(ctx, &input.Body.Item); err != nil {
			return nil, err
		}
	}
	clean, err := accept(ctx, s, input.Body)
	if err != nil {
		return nil, err
	}
	stored, created, err := s.Proposals.Suggest(ctx, clean, requestOf(ctx).identity.SourceID, s.Now())
	return storedAnswer(created, "/suggestions/"+stored.ID, proposalBody{
		ID: stored.ID, Status: string(stored.Status), CreatedAt: stored.CreatedAt, Duplicate: !created, Scrubbing: clean.Report(),
	}), err
}

// flag stores a warning. One for a leak has its item scanned again at once: a secret must not stand there until an operator comes.
func (s *server) flag(ctx context.Context, input *bodyInput[lore.Warning]) (*storedOutput[proposalBody], error) {
	if err := s.find(ctx, &input.Body.Item); err != nil {
		return nil, err
	}
	clean, err := accept(ctx, s, input.Body)
	redacted := false
	if err == nil && input.Body.Reason == lore.FlagLeak {
		redacted, err = s.Items.Rescrub(ctx, s.Scrubber, *input.Body.Target)
	}
	if err != nil {
		return nil, err
	}
	stored, created, err := s.Proposals.Flag(ctx, clean, requestOf(ctx).identity, s.Now())
	return storedAnswer(created, "/safety-flags/"+stored.ID, proposalBody{
		ID: stored.ID, Status: string(stored.Status), CreatedAt: stored.CreatedAt, Duplicate: !created, Redacted: redacted,
		Scrubbing: clean.Report(),
	}), err
}

// find finds the item that a caller names by its id. Errors: invalid_field where none is named, not_found, store_unavailable.
func (s *server) find(ctx context.Context, item *lore.Item) error {
	if faults := lore.InvalidFields(item.Check()); faults != nil {
		return faults
	}
	target, err := s.Items.Find(ctx, item.Named())
	item.ID, item.Target = target.ID, &target
	return err
}

// OutcomeStore keeps what sources report after they used an item.
type OutcomeStore interface {
	// SpokenOf reports whether a source for which standing holds reported an outcome on an item or flagged it, as things are now. Errors:
	// standing's, store_unavailable.
	SpokenOf(ctx context.Context, id string, standing func(ctx context.Context, sources []string) (bool, error)) (bool, error)
	// Report stores a source's outcome on an item in place of its earlier one, which it returns if there is one. The same outcome
	// again changes nothing. Errors: not_found, own_item, changed, store_unavailable.
	Report(ctx context.Context, trial scrubber.Scrubbed[lore.Trial], identity lore.Identity, now time.Time) (
		outcome lore.Outcome, earlier *lore.Outcome, changed bool, err error)
	// HelpedWith returns what the askers of a question say that it helped them: the latest of each. Errors:
	// store_unavailable.
	HelpedWith(ctx context.Context, questionID string) ([]lore.Outcome, error)
}

var exampleTrial = lore.Trial{
	Item: lore.Item{ID: "01a1fb67-1800-8116-8f2a-2f6a201e6cb9"}, Result: lore.ResultWorked,
	Note: "forceApprove from OpenZeppelin 5.1 on mainnet.",
}

// Standings tells whose word counts.
type Standings interface {
	// StandingOf returns the standing of a principal; the zero value: it has none. Errors: store_unavailable.
	StandingOf(ctx context.Context, principal string) (lore.HeldStanding, error)
	// AnyStanding reports whether one of some sources is of a principal with standing. Errors: store_unavailable.
	AnyStanding(ctx context.Context, sources []string) (bool, error)
	// ActsOfWeek returns how many outcomes and flags the bearer's principal gave in the week that began at a time. Errors: store_unavailable.
	ActsOfWeek(ctx context.Context, bearer lore.Identity, week time.Time) (int, error)
}

// UncountedReason says why an outcome counts for nothing.
type UncountedReason string

// Why an outcome counts for nothing.
const (
	UncountedRevision UncountedReason = "revision"    // it names no revision of an item that changed before
	UncountedStanding UncountedReason = "no_standing" // its principal has no standing
	UncountedQuota    UncountedReason = "quota"       // its principal said as much this week as counts
)

// uncounted says whether what the bearer said counts, by what its own state tells; empty: it does. Whose the item is plays no part: nobody
// learns that here.
func (s *server) uncounted(ctx context.Context, words lore.Words) (UncountedReason, error) {
	bearer := requestOf(ctx).identity
	held, err := s.Standings.StandingOf(ctx, bearer.Principal)
	switch {
	case err != nil:
		return "", err
	case words.Unbound:
		return UncountedRevision, nil
	case held.Source == "":
		return UncountedStanding, nil
	}
	acts, err := s.Standings.ActsOfWeek(ctx, bearer, curator.WeekOf(s.Now()))
	if err == nil && acts > WeeklyActs(s.Rules.Promotion, held) {
		return UncountedQuota, nil
	}
	return "", err
}

type outcomeBody struct {
	ID        string          `json:"id" format:"uuid" doc:"Id of your outcome on this item: you have one"`
	Target    lore.Target     `json:"target" doc:"The item that it counts for: of a pattern its knowledge, or its best report"`
	Result    lore.Result     `json:"outcome" enum:"worked,failed,unsafe" doc:"What counts now"`
	Earlier   lore.Result     `json:"earlier,omitempty" enum:"worked,failed,unsafe" doc:"What you had reported before; it counts no longer"`
	At        time.Time       `json:"at" doc:"When it last changed, UTC"`
	Duplicate bool            `json:"duplicate,omitempty" doc:"true: you had reported exactly this"`
	Revision  string          `json:"revision,omitempty" doc:"Revision of the words that it is about"`
	Question  string          `json:"question,omitempty" format:"uuid" doc:"Your question that it helped with; it stays open until something is known"`
	Counts    bool            `json:"counts" doc:"Whether it counts as evidence, as far as your own state tells"`
	WhyNot    UncountedReason `json:"why_not,omitempty" enum:"revision,no_standing,quota" doc:"revision: the item changed before, and you named no revision; no_standing: your principal has none yet; quota: it said as much this week as counts"`
	Scrubbing scrubber.Report `json:"scrubbing" doc:"What was removed before it was stored"`
}

// ownQuestion refuses a question that the bearer did not ask. Errors: not_found, not_yours, store_unavailable.
func (s *server) ownQuestion(ctx context.Context, id string) error {
	asked, err := s.Questions.AskedBy(ctx, id, requestOf(ctx).identity.SourceID)
	if err != nil || asked {
		return err
	}
	return &lore.Problem{
		Code: lore.CodeNotYours,
		Detail: "other sources asked this question: only they say what helped; keep it as yours by POST /intake/question, " +
			"or leave question out",
		Fields: []lore.FieldError{{Pointer: "/question", Code: "not_yours", Detail: "must be a question that you asked"}},
	}
}

// outcome stores how it went when the bearer used an item. The counts in the item follow when the curator has seen it:
// they count owners, by the curator's rules.
func (s *server) outcome(ctx context.Context, input *bodyInput[lore.Trial]) (*storedOutput[outcomeBody], error) {
	if err := s.find(ctx, &input.Body.Item); err != nil {
		return nil, err
	}
	clean, err := accept(ctx, s, input.Body)
	if err == nil && input.Body.QuestionID != "" {
		err = s.ownQuestion(ctx, input.Body.QuestionID)
	}
	if err != nil {
		return nil, err
	}
	stored, earlier, changed, err := s.Outcomes.Report(ctx, clean, requestOf(ctx).identity, s.Now())
	body := outcomeBody{
		ID: stored.ID, Target: stored.Target, Result: stored.Result, At: stored.At, Duplicate: !changed,
		Scrubbing: clean.Report(),
	}
	body.Revision, body.Question = stored.Revision, stored.QuestionID
	if earlier != nil {
		body.Earlier = earlier.Result
	}
	if err == nil {
		body.WhyNot, err = s.uncounted(ctx, stored.Words)
		body.Counts = err == nil && body.WhyNot == ""
	}
	return storedAnswer(earlier == nil, "", body), err
}
