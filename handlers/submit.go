package handlers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"time"

	"agentlore/curator"
	"agentlore/lore"
	"agentlore/scrubber"
)

// SubmissionStore stores and reads submissions.
type SubmissionStore interface {
	Reader[lore.Submission]
	// Create stores a scrubbed observation, once acknowledged; with an id that exists it stores nothing and returns
	// created == false. Errors: store_unavailable.
	Create(ctx context.Context, draft lore.Draft, text scrubber.Scrubbed[lore.Observation]) (
		submission lore.Submission, created bool, err error)
	// Amend writes over a submission what change makes of it, asked again where another write was quicker; amended == false: it says that
	// already. Errors: not_found, store_unavailable, change's.
	Amend(ctx context.Context, id string, change func(lore.Submission) (lore.Draft, scrubber.Scrubbed[lore.Observation], error)) (
		submission lore.Submission, amended bool, err error)
	// ByIDs returns submissions by their ids, as they are now. Errors: store_unavailable.
	ByIDs(ctx context.Context, ids []string) (map[string]lore.Submission, error)
	// Earlier returns what a submission said before it was amended, oldest first. Errors: not_found, store_unavailable.
	Earlier(ctx context.Context, id string) ([]lore.Version, error)
}

// duplicateWindow is how long a source's equal text is taken for the same report.
const duplicateWindow = 24 * time.Hour

var exampleObservation = lore.Observation{
	Summary: "USDT approve reverts unless the allowance is zero first", Category: lore.CategoryFailure,
	Content:    "approve(spender, n) reverts when both the old and the new allowance are above zero.",
	Resolution: "Call approve(spender, 0) first, or use forceApprove.", Tags: []string{"erc20", "usdt"}, Ecosystem: "ethereum",
	Usefulness: new(lore.Rating(8)),
}

type submitInput struct {
	OnceInput
	Body lore.Observation
}

// OnceInput is the header of what is stored once, however often it is sent.
type OnceInput struct {
	IdempotencyKey string `header:"Idempotency-Key" pattern:"^(\"[ !#-~]{1,128}\"|[!#-~]([ !#-~]{0,126}[!#-~])?)$" patternDescription:"1 to 128 visible ASCII characters, in quotes or not" doc:"Any unique text of at most 128 characters: a retry with the same key is stored once and gets the first answer"`
}

type submitOutput = storedOutput[submitBody]

type submitBody struct {
	ID        string          `json:"id" format:"uuid" doc:"Id of the submission"`
	Tier      lore.Tier       `json:"tier" doc:"1: one source's word"`
	Category  lore.Category   `json:"category" doc:"Its category"`
	CreatedAt time.Time       `json:"created_at" doc:"When it was stored, UTC"`
	Status    string          `json:"status" enum:"stored" doc:"stored: it is safe on disk"`
	Duplicate bool            `json:"duplicate,omitempty" doc:"true: you submitted this text within the last 24 hours; this is the report of it"`
	Pattern   string          `json:"pattern,omitempty" format:"uuid" doc:"Id of the pattern that it is of, where a report in one says the same in the same words"`
	Similar   []lore.Similar  `json:"similar,omitempty" doc:"At most 3 reports that seem to say the same; absent also where there was no time to look"`
	Advice    string          `json:"advice,omitempty" doc:"What to do when it looks known"`
	Scrubbing scrubber.Report `json:"scrubbing" doc:"What was removed before it was stored"`
}

// submit is the write path, top to bottom: limits and allowed values on what came (the schema's, then Check), scrub and
// normalise, store.
func (s *server) submit(ctx context.Context, input *submitInput) (*submitOutput, error) {
	text, err := accept(ctx, s, input.Body)
	if err != nil {
		return nil, err
	}
	return s.storeKeyed(ctx, input.IdempotencyKey, s.draft(ctx, text), text)
}

// storeKeyed stores an observation: once an Idempotency-Key, where the request has one. One of a batch doesn't wait for another request
// with its key: the batch does.
func (s *server) storeKeyed(
	ctx context.Context, key string, draft lore.Draft, text scrubber.Scrubbed[lore.Observation],
) (*submitOutput, error) {
	switch {
	case key == "":
		return s.store(ctx, draft, text)
	case requestOf(ctx).batch:
		return s.submitOnce(ctx, key, draft, text)
	}
	var output *submitOutput
	err := s.awaitFirst(ctx, func() (err error) {
		output, err = s.submitOnce(ctx, key, draft, text)
		return err
	})
	return output, err
}

// draft returns what the service adds to an observation: its source, the time, and a score. The curator scores it anew with
// what is known of its source: a look-up here would be one more round trip a submission.
func (s *server) draft(ctx context.Context, text scrubber.Scrubbed[lore.Observation]) lore.Draft {
	draft := lore.Draft{Identity: requestOf(ctx).identity, ClassifiedBy: lore.BySubmitter, CreatedAt: s.Now().UTC()}
	draft.Score, draft.ScoreParts = s.Rules.Score.Score(text.Value(), lore.NeutralReputation)
	draft.AsksFor = curator.AsksFor(text.Value().Resolution)
	draft.FixWithheld, draft.DetailWithheld = s.withheld(ctx, draft.AsksFor), curator.AsksHarm(text.Value().Content)
	return draft
}

// store stores an observation, unless its source has said the same within the last 24 hours.
//
// The id follows from source and text, so that of equal texts one is stored, however many arrive at the same moment, and
// a new text costs no look-up. A text that is said again gets an id of its day where the first one is older than 24 hours, or says
// something else by now, since it was amended, redacted or withdrawn. Where the day's report does so too, the day's next id is taken.
func (s *server) store(ctx context.Context, draft lore.Draft, text scrubber.Scrubbed[lore.Observation]) (*submitOutput, error) {
	now := draft.CreatedAt
	parts := []string{"submission", draft.Identity.SourceID, text.Value().Fingerprint()}
	if draft.Follows != "" {
		parts = append(parts, draft.Follows, strconv.FormatBool(draft.Supersedes))
	}
	similar := func(string) []lore.Similar { return nil }
	if draft.Follows == "" { // else it is like the one that it follows
		similar = s.lookUp(ctx, text)
	}
	report := text.Value()
	report.Category = cmp.Or(draft.Category, report.Category)
	found := s.Rules.Safety.Inspect(report, s.Malicious)
	draft.Warnings = warningsOf(found, now) // it must not be found before its flags are raised
	create := func(id string) (stored lore.Submission, created bool, err error) {
		draft.ID = id
		if stored, created, err = s.Submissions.Create(ctx, draft, text); err == nil && created {
			s.warn(ctx, stored, found, text.Report())
		}
		return stored, created, err
	}
	first := lore.DerivedID(parts...)
	stored, created, err := create(first)
	if err != nil {
		return nil, err
	}
	if created {
		return withSimilar(submitAnswer(stored, text.Report(), false), similar(stored.ID)), nil
	}
	// Said before: the window spans two days, so a report within it has the first id, or one that those days gave.
	earlier, _, err := s.saidBefore(ctx, report, now, slices.Values([]string{first}))
	if earlier == nil && err == nil {
		earlier, _, err = s.saidBefore(ctx, report, now, idsOf(now.Add(-duplicateWindow), parts))
	}
	for free := ""; earlier == nil && err == nil; { // once more where another request was quicker by a moment
		if earlier, free, err = s.saidBefore(ctx, report, now, idsOf(now, parts)); earlier != nil || err != nil {
			break
		}
		if free == "" {
			return nil, &lore.Problem{
				Code: lore.CodeRateLimited, RetryAfter: now.Truncate(oneDay).Add(oneDay).Sub(now),
				Detail: fmt.Sprintf("you have amended or withdrawn this text %d times today: say it again tomorrow", mostAgain),
			}
		}
		if stored, created, err = create(free); err == nil && created {
			return submitAnswer(stored, text.Report(), false), nil
		}
	}
	if err != nil {
		return nil, err
	}
	// A bulk request whose answer was lost is sent again and meets its own document.
	own := earlier.CreatedAt.Equal(now.Truncate(time.Millisecond))
	return submitAnswer(*earlier, text.Report(), !own), nil
}

const (
	oneDay = 24 * time.Hour
	// mostAgain is how often a source may say a text in one day that it amended or withdrew each time: each is looked at.
	mostAgain = 100
)

// idsOf returns the ids that a day gives to the reports of one text, in their order.
func idsOf(day time.Time, parts []string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for again := range mostAgain {
			of := parts
			if again > 0 {
				of = append(slices.Clone(parts), strconv.Itoa(again))
			}
			if !yield(lore.DatedID(day.Truncate(oneDay), of...)) {
				return
			}
		}
	}
}

// saidBefore looks for a report of the last 24 hours that says a text, under ids that were given one after the other; nil: there is none.
// Free is then the first id that no report has; "": all have one.
func (s *server) saidBefore(ctx context.Context, text lore.Observation, now time.Time, ids iter.Seq[string]) (
	earlier *lore.Submission, free string, err error,
) {
	for id := range ids {
		stored, err := s.Submissions.Get(ctx, id)
		switch {
		case isNotFound(err):
			return nil, id, nil
		case err != nil:
			return nil, "", err
		case now.Sub(stored.CreatedAt) < duplicateWindow && stillSays(stored, text):
			return &stored, "", nil
		}
	}
	return nil, "", nil
}

// stillSays reports whether a submission says what its source said when it was stored. An operator's or the curator's category is not
// the source's word.
func stillSays(stored lore.Submission, text lore.Observation) bool {
	said := lore.Amendment{}.Apply(stored)
	if stored.ClassifiedBy != lore.BySubmitter {
		said.Category = text.Category
	}
	return stored.Status != string(lore.UnitWithdrawn) && said.Fingerprint() == text.Fingerprint()
}

// warningsOf returns the warnings that a new submission is stored with.
func warningsOf(found []curator.Finding, now time.Time) []lore.ItemWarning {
	var flags []lore.SafetyFlag
	for _, finding := range found {
		flags = append(flags, finding.Flag(lore.Target{Collection: lore.Submissions}, lore.Words{}, now))
	}
	return lore.WarningsOf(flags, time.Time{})
}

// warn raises agentlore's own flags on a new submission. It is stored and its submitter gets the answer whatever comes of
// that: what is missed here, the curator finds when it looks at the submission.
func (s *server) warn(ctx context.Context, stored lore.Submission, found []curator.Finding, scrubbed scrubber.Report) {
	var warnings []lore.Warning
	for _, finding := range found {
		warnings = append(warnings, finding.Warning(lore.Target{Collection: lore.Submissions, ID: stored.ID}, stored.Words()))
	}
	finding, leaks, err := s.leaksAgain(ctx, stored, scrubbed)
	if leaks {
		warnings = append(warnings, finding.Warning(lore.Target{Collection: lore.Sources, ID: stored.SourceID}, lore.Words{}))
	}
	for _, warning := range warnings {
		clean, fault := scrubber.Scrub(ctx, s.Scrubber, warning)
		if fault == nil {
			_, _, fault = s.Proposals.Raise(ctx, clean, s.Now())
		}
		err = errors.Join(err, fault)
	}
	if err != nil {
		s.Log.Warn("a safety flag could not be stored", "request_id", requestOf(ctx).id, "cause", err)
	}
}

// leaksAgain reports whether a submission that held a secret is one too many of its source. Submissions without one, nearly
// all, cost nothing.
func (s *server) leaksAgain(
	ctx context.Context, stored lore.Submission, report scrubber.Report,
) (finding curator.Finding, again bool, err error) {
	rules := s.Rules.Safety
	if !slices.ContainsFunc(rules.LeakKinds, func(kind string) bool { return report.Counts()[kind] > 0 }) {
		return finding, false, nil
	}
	earlier, err := s.Proposals.Leaks(ctx, stored.SourceID, rules.LeakKinds, s.Now().Add(-rules.LeakWindow()), stored.ID)
	if err != nil {
		return finding, false, err
	}
	finding, again = rules.LeaksAgain(earlier + 1)
	return finding, again, nil
}

// isNotFound reports whether an error says that an item isn't there, or not any more.
func isNotFound(err error) bool {
	return lore.CodeOf(err) == lore.CodeNotFound || lore.CodeOf(err) == lore.CodeErased
}

// submitAnswer makes the answer: 201, or 200 for what was there.
func submitAnswer(stored lore.Submission, report scrubber.Report, duplicate bool) *submitOutput {
	return storedAnswer(!duplicate, "/submissions/"+stored.ID, submitBody{
		ID: stored.ID, Tier: stored.Tier, Category: stored.Category, CreatedAt: stored.CreatedAt, Status: "stored",
		Duplicate: duplicate, Scrubbing: report,
	})
}

const (
	// mostSimilar is how many an answer names.
	mostSimilar = 3
	// lookupsAtOnce bounds the look-ups under way, and mostWrites how many may write beside one: it takes the store longer than a
	// submission that shares a bulk request, and all the others would wait for it.
	lookupsAtOnce = 2
	mostWrites    = 4
	// lookupTimeout ends a look-up whose answer has been sent.
	lookupTimeout = time.Second
)

// advice is what an answer says when a report looks known.
const advice = "this looks known: if one of these is the same, report on /intake/outcome how it went when you used it; " +
	"that counts more than one more report"

// lookUp begins to look for similar reports beside the write, and returns how to get what was found, which waits no longer than
// SimilarWait. Where the service is busy it begins nothing: an answer without similar reports is no worse than a late one.
func (s *server) lookUp(ctx context.Context, text scrubber.Scrubbed[lore.Observation]) (found func(self string) []lore.Similar) {
	none := func(string) []lore.Similar { return nil }
	if s.SimilarWait <= 0 {
		return none
	}
	_, readsWaiting := s.reads.Load()
	if writes, _ := s.writes.Load(); readsWaiting > 0 || writes > mostWrites {
		return none
	}
	select {
	case s.lookups <- struct{}{}:
	default:
		return none
	}
	answer := make(chan []lore.Similar, 1)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), max(lookupTimeout, s.SimilarWait))
	go func() {
		defer func() { cancel(); <-s.lookups }()
		similar, err := s.Searcher.Similar(ctx, text, curator.Fingerprint(text.Value()), mostSimilar+1)
		if err != nil {
			s.Log.Debug("no similar reports in an answer", "cause", err)
		}
		answer <- similar
	}()
	return func(self string) []lore.Similar {
		select {
		case similar := <-answer:
			similar = slices.DeleteFunc(similar, func(one lore.Similar) bool { return one.ID == self })
			return similar[:min(mostSimilar, len(similar))]
		case <-time.After(s.SimilarWait):
			return nil
		}
	}
}

// withSimilar adds to an answer what was found.
func withSimilar(o *submitOutput, similar []lore.Similar) *submitOutput {
	if len(similar) == 0 {
		return o
	}
	o.Body.Similar, o.Body.Advice = similar, advice
	if first := similar[0]; first.SameWords {
		o.Body.Pattern = first.PatternID
	}
	return o
}
