package handlers

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"time"

	"agentlore/curator"
	"agentlore/lore"
	"agentlore/scrubber"
)

// Decider records decisions and carries them out.
type Decider interface {
	// Decide records a decision and what it means for its subject. Errors: not_found, store_unavailable.
	Decide(ctx context.Context, decision scrubber.Scrubbed[lore.Decision]) error
}

// amendWindow is how long a report may be amended: others may have read and used it by then.
const amendWindow = 24 * time.Hour

// own returns one of the bearer's own submissions. Errors: not_found, erased, not_yours, store_unavailable.
func (s *server) own(ctx context.Context, id string) (lore.Submission, error) {
	stored, err := s.Submissions.Get(ctx, id)
	if err == nil && stored.SourceID != requestOf(ctx).identity.SourceID {
		err = notYours
	}
	return stored, err
}

var notYours = &lore.Problem{Code: lore.CodeNotYours, Detail: "another source submitted this: report an outcome on it or flag it"}

var exampleFollowUp = lore.FollowUp{
	ID: "01a1fb67-1800-8116-8f2a-2f6a201e6cb9", Resolution: new("Pinning the relayer to 2.4.1 solved it."),
}

type followUpInput struct {
	OnceInput
	Body lore.FollowUp
}

// followUp adds to a submission of the bearer's principal: it stores a report of its own, which goes the way of any other and belongs to
// the first one's problem. What follows a follow-up follows the first, so that all are listed in one place.
func (s *server) followUp(ctx context.Context, input *followUpInput) (*submitOutput, error) {
	if err := check(input.Body); err != nil {
		return nil, err
	}
	stored, err := s.own(ctx, input.Body.ID)
	if err == notYours {
		if same, fault := s.Accounts.IsOf(ctx, stored.SourceID, requestOf(ctx).identity.Principal); same || fault != nil {
			err = fault
		}
	}
	if err != nil {
		return nil, err
	}
	if isWithdrawn(stored) {
		return nil, withdrawnAlready
	}
	text, err := accept(ctx, s, input.Body.Apply(stored))
	if err != nil {
		return nil, err
	}
	draft := s.draft(ctx, text)
	draft.ClassifiedBy, draft.Follows, draft.Supersedes = stored.ClassifiedBy, cmp.Or(stored.Follows, stored.ID), input.Body.Supersedes
	return s.storeKeyed(ctx, input.IdempotencyKey, draft, text)
}

// SubmissionDetail is a submission with what its principal added to it since.
type SubmissionDetail struct {
	lore.Submission
	FollowUps []laterReport `json:"follow_ups,omitempty" doc:"The oldest 20 submissions by which its principal added to it, within a second"`
}

type laterReport struct {
	ID         string    `json:"id" format:"uuid" doc:"Id of the submission"`
	Supersedes bool      `json:"supersedes,omitempty" doc:"true: read it in place of this one"`
	CreatedAt  time.Time `json:"created_at" doc:"When it was submitted, UTC"`
}

// mostFollowUps is how many an answer names.
const mostFollowUps = 20

// submission answers with one submission.
func (s *server) submission(ctx context.Context, input *itemInput) (*bodyOutput[itemBody[SubmissionDetail]], error) {
	stored, err := s.Submissions.Get(ctx, input.ID)
	if err != nil {
		return nil, err
	}
	body := SubmissionDetail{Submission: stored}
	if requestOf(ctx).isTool() {
		body.Submission = stored.HandedOut()
	}
	found, err := s.Submissions.List(ctx, lore.ListQuery{Filter: lore.Filter{Follows: stored.ID}, Sort: lore.SortOldest, Limit: mostFollowUps})
	for _, one := range found.Results {
		body.FollowUps = append(body.FollowUps, laterReport{one.ID, one.Supersedes, one.CreatedAt})
	}
	return &bodyOutput[itemBody[SubmissionDetail]]{itemBody[SubmissionDetail]{body}}, err
}

type historyInput struct {
	ID string `path:"id" format:"uuid" doc:"Id of your submission"`
}

type historyBody struct {
	Earlier []lore.Version `json:"earlier" nullable:"false" doc:"What it said before each of its latest 5 amendments, oldest first"`
}

// history answers with what one of the bearer's own submissions said before it was amended, scrubbed.
func (s *server) history(ctx context.Context, input *historyInput) (*bodyOutput[historyBody], error) {
	if _, err := s.own(ctx, input.ID); err != nil {
		return nil, err
	}
	earlier, err := s.Submissions.Earlier(ctx, input.ID)
	return &bodyOutput[historyBody]{historyBody{earlier}}, err
}

var exampleWithdrawal = lore.Withdrawal{ID: "01a1fb67-1800-8116-8f2a-2f6a201e6cb9", Why: "The cause was another one."}

type withdrawBody struct {
	ID        string          `json:"id" format:"uuid" doc:"Id of the submission"`
	Status    string          `json:"status" enum:"withdrawn" doc:"withdrawn: searches and answers leave it out, and nothing rests on it"`
	Duplicate bool            `json:"duplicate,omitempty" doc:"true: it was withdrawn already"`
	Scrubbing scrubber.Report `json:"scrubbing" doc:"What was removed of the reason before it was stored"`
}

// withdraw takes one of the bearer's own submissions back, by the decision that an operator withdraws by: it stays readable by id, and the
// curator judges anew what rested on it. What was added to it is withdrawn with it.
func (s *server) withdraw(ctx context.Context, input *bodyInput[lore.Withdrawal]) (*storedOutput[withdrawBody], error) {
	stored, err := s.own(ctx, input.Body.ID)
	if err != nil {
		return nil, err
	}
	clean, err := accept(ctx, s, input.Body)
	if err != nil {
		return nil, err
	}
	body := withdrawBody{ID: stored.ID, Status: string(lore.UnitWithdrawn), Duplicate: isWithdrawn(stored), Scrubbing: clean.Report()}
	added, err := s.Submissions.List(ctx, lore.ListQuery{Filter: lore.Filter{Follows: stored.ID}, Sort: lore.SortOldest, Limit: mostFollowUps})
	if err != nil {
		return nil, err
	}
	// What only adds to the report says nothing without it. What supersedes it stands for itself.
	taken := slices.DeleteFunc(added.Results, func(one lore.Submission) bool { return one.Supersedes })
	for _, one := range append([]lore.Submission{stored}, taken...) {
		if isWithdrawn(one) {
			continue
		}
		decision, err := scrubber.Scrub(ctx, s.Scrubber, clean.Value().Decision(one, s.Now()))
		if err == nil {
			err = s.Decisions.Decide(ctx, decision)
		}
		if err != nil {
			return nil, err
		}
	}
	return storedAnswer(!body.Duplicate, "/submissions/"+stored.ID, body), nil
}

func isWithdrawn(stored lore.Submission) bool { return stored.Status == string(lore.UnitWithdrawn) }

var exampleAmendment = lore.Amendment{Resolution: new("Call forceApprove of OpenZeppelin 5.")}

type amendInput struct {
	ID   string `path:"id" format:"uuid" doc:"Id of the submission"`
	Body lore.Amendment
}

// amend changes what one of the bearer's own submissions says. It is made of the stored text and the change, and goes the way of a new
// one: checked, scrubbed, inspected, scored. Where another write was quicker, it is made anew of what that wrote. A change that changes
// nothing is answered with what there is.
func (s *server) amend(ctx context.Context, input *amendInput) (*storedOutput[submitBody], error) {
	if err := check(input.Body); err != nil {
		return nil, err
	}
	if _, err := s.own(ctx, input.ID); err != nil {
		return nil, err
	}
	// The stores are asked, not the item: the curator may not have seen yet what was said. What comes later names the revision that it is about.
	spoken, err := s.Outcomes.SpokenOf(ctx, input.ID, s.Standings.AnyStanding)
	if err == nil && spoken {
		err = notAmendable
	}
	if err != nil {
		return nil, err
	}
	var text scrubber.Scrubbed[lore.Observation]
	var found []curator.Finding
	stored, amended, err := s.Submissions.Amend(ctx, input.ID, func(stored lore.Submission) (draft lore.Draft, _ scrubber.Scrubbed[lore.Observation], err error) {
		if err = amendable(stored, s.Now()); err != nil {
			return draft, text, err
		}
		if text, err = scrub(ctx, s, input.Body.Apply(stored)); err != nil {
			return draft, text, err
		}
		draft, found = s.draft(ctx, text), s.Rules.Safety.Inspect(text.Value(), s.Malicious)
		draft.Warnings = warningsOf(found, s.Now())
		if input.Body.Category == "" {
			draft.ClassifiedBy = stored.ClassifiedBy
		}
		return draft, text, nil
	})
	if err != nil {
		return nil, err
	}
	if amended {
		s.warn(ctx, stored, found, text.Report())
	}
	answer := submitAnswer(stored, text.Report(), false)
	answer.Status = http.StatusOK // nothing new was made
	return answer, nil
}

// amendable refuses what is too old, was withdrawn or flagged, or has become knowledge.
func amendable(stored lore.Submission, now time.Time) error {
	if isWithdrawn(stored) {
		return withdrawnAlready
	}
	if now.Sub(stored.CreatedAt) <= amendWindow && stored.Status == "" && stored.Tier < lore.TierValidated {
		return nil
	}
	return notAmendable
}

// withdrawnAlready answers who would change or add to a withdrawn report.
var withdrawnAlready = &lore.Problem{
	Code: lore.CodeNotAmendable, Detail: "this report is withdrawn: submit what you know now as a new one. " +
		"If a secret stands in it, POST /intake/flag with the reason leak has the operator remove it",
}

var notAmendable = &lore.Problem{
	Code: lore.CodeNotAmendable, Detail: "a report can be amended for 24 hours, until somebody with standing has said something of it: " +
		"add what you know now by POST /intake/follow-up, and withdraw this one if it is wrong",
}
