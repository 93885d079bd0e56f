package importer

import (
	"context"
	"errors"

	"github.com/go-json-experiment/json"

	"agentlore/lore"
	"agentlore/scrubber"
)

// ReportStore stores reports, and what they say by now.
type ReportStore interface {
	SubmissionStore
	// Amend writes over a submission what change makes of it; amended is false where it says the same. Errors:
	// not_found, store_unavailable, change's.
	Amend(
		ctx context.Context,
		id string,
		change func(lore.Submission) (lore.Draft, scrubber.Scrubbed[lore.Observation], error),
	) (
		submission lore.Submission, amended bool, err error)
}

// Report is a report that was made of something else, such as a thread of an issue tracker.
type Report struct {
	Line lore.SubmissionLine
	// Vouched says that an operator stands for its resolution, by what the import was told.
	Vouched bool
	// OnlyAmend says that it is of no use by itself: it only takes the place of what is stored.
	OnlyAmend bool
	// Removed counts by kind the secrets that were removed before it was made.
	Removed map[string]int
}

// Reports says how reports are made, and what is done with each.
type Reports[T any] struct {
	// Each hands out what reports are made of, until visit fails.
	Each func(visit func(T) error) error
	// Size returns how many bytes one has: so much memory is taken while it is dealt with.
	Size func(T) int
	// Make makes a report; nil: none is wanted. What it is given is raw, and what it returns holds nothing that wasn't
	// scrubbed.
	Make  func(context.Context, T) (*Report, error)
	Store ReportStore
	// Gone reports whether what has an id was erased: it stays away.
	Gone func(id string) bool
	// Restore is asked for a report that was withdrawn or flagged and is listed again, and returns whether it is in
	// force again.
	Restore func(ctx context.Context, id string) (bool, error)
	// Stored is told of each report as it is stored now, and returns whether the operator's act was recorded. It may be
	// called at once by several.
	Stored func(context.Context, lore.Submission, Report) (approved bool, err error)
}

// ImportReports stores reports, each under the address that it has as its ref. One that is there already is amended
// where it says something else by now, unless it was withdrawn or flagged. It returns an error only where it had to
// stop.
func ImportReports[T any](ctx context.Context, i *Importer, reports Reports[T]) (Summary, error) {
	sources := &sources{importer: i}
	each := func(visit func(number int, one *pending[T], err error) error) error {
		number := 0
		return reports.Each(func(item T) error {
			number++
			return visit(number, &pending[T]{item: item}, nil)
		})
	}
	size := func(one *pending[T]) int { return reports.Size(one.item) }
	return runEach(ctx, i, each, size, func(ctx context.Context, one *pending[T]) (outcome, error) {
		if !one.made {
			var err error
			if one.report, err = reports.Make(ctx, one.item); err != nil {
				return outcome{}, err
			}
			one.made = true
		}
		if one.report == nil {
			return outcome{skipped: true}, nil
		}
		return storeReport(ctx, i, sources, reports, *one.report)
	})
}

// pending is what a report is made of, once, however often storing it is tried.
type pending[T any] struct {
	item   T
	report *Report
	made   bool
}

// storeReport stores a report, or amends the one that is there.
func storeReport[T any](
	ctx context.Context, i *Importer, sources *sources, reports Reports[T], report Report,
) (done outcome, err error) {
	if err := checkLine(i, report.Line); err != nil {
		return done, err
	}
	clean, err := scrubber.Scrub(ctx, i.Scrubber, report.Line.Observation())
	if err != nil {
		return done, err
	}
	identity, err := sources.identity(ctx, report.Line.Source)
	if err != nil {
		return done, err
	}
	draft := i.draft(report.Line, identity, clean)
	if reports.Gone(draft.ID) {
		return done, nil
	}
	done.report, done.removed = clean.Report(), report.Removed
	var stored lore.Submission
	if !report.OnlyAmend {
		stored, done.created, err = reports.Store.Create(ctx, draft, clean)
	}
	if err == nil && !done.created {
		stored, done.changed, err = amend(ctx, reports.Store, draft, clean)
	}
	if errors.Is(err, errHeldBack) {
		back, err := reports.Restore(ctx, draft.ID)
		if err != nil || !back {
			return done, err
		}
		if stored, _, err = amend(ctx, reports.Store, draft, clean); err != nil {
			return done, err
		}
		done.changed = true
	} else if report.OnlyAmend && lore.CodeOf(err) == lore.CodeNotFound {
		return outcome{skipped: true}, nil
	} else if err != nil {
		return done, err
	}
	done.approved, err = reports.Stored(ctx, stored, report)
	return done, err
}

// errHeldBack is returned of a report that was withdrawn or flagged: what an operator decided isn't undone by an
// import.
var errHeldBack = errors.New("importer: the report is held back")

// amend lets a report that is there say what a draft says. A category that an operator chose stays.
func amend(
	ctx context.Context,
	store ReportStore,
	draft lore.Draft,
	clean scrubber.Scrubbed[lore.Observation],
) (lore.Submission, bool, error) {
	return store.Amend(
		ctx,
		draft.ID,
		func(held lore.Submission) (lore.Draft, scrubber.Scrubbed[lore.Observation], error) {
			if held.Status != "" {
				return draft, clean, errHeldBack
			}
			now := draft
			now.CreatedAt, now.StoredAt = draft.StoredAt, held.StoredAt // the first is when the words changed
			if held.ClassifiedBy == lore.ByOperator {
				now.Category, now.ClassifiedBy = held.Category, held.ClassifiedBy
			}
			return now, clean, nil
		},
	)
}

// checkLine validates a line by the rules of the HTTP interface, as those of a file are.
func checkLine(i *Importer, line lore.SubmissionLine) error {
	text, err := json.Marshal(line)
	if err != nil {
		return &lore.Problem{Code: lore.CodeInvalidJSON, Detail: "it can't be written as JSON: is it all UTF-8?"}
	}
	_, err = i.ReadSubmission(text)
	return err
}
