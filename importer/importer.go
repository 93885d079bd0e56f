// Package importer brings files of observations and assets into the store, by the same validation, scrubber and bulk
// writer as the HTTP interface. An import may be stopped and run again: what is there already is not stored twice.
package importer

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"agentlore/lore"
	"agentlore/scrubber"
)

const (
	// bytesAtOnce bounds what the lines under way have together, in bytes, so that memory stays flat whatever the file's size.
	bytesAtOnce = 16 << 20
	// bytesALine is what a line counts at least: 4,096 lines are under way at most, enough to fill the bulk writer's requests.
	bytesALine = 4 << 10
	// maxRefusals is how many refused lines a summary lists; all are counted.
	maxRefusals = 1000
)

// Patience of an import with a store that can't answer.
const (
	retryPause = 500 * time.Millisecond
	retryFor   = 2 * time.Minute
)

// SubmissionStore stores submissions.
type SubmissionStore interface {
	// Create stores a scrubbed observation; with an id that exists it stores nothing and returns created == false.
	Create(ctx context.Context, draft lore.Draft, text scrubber.Scrubbed[lore.Observation]) (
		submission lore.Submission, created bool, err error)
}

// AssetStore stores the catalog.
type AssetStore interface {
	// CreateAsset stores a scrubbed entry; one that exists is not stored again: created is false then.
	CreateAsset(ctx context.Context, entry scrubber.Scrubbed[lore.CatalogEntry], now time.Time) (created bool, err error)
}

// Importer reads files into the stores.
type Importer struct {
	Scrubber    *scrubber.Scrubber
	Accounts    Accounts
	Submissions SubmissionStore
	Assets      AssetStore
	// AsAgent lets lines speak for a name that an agent with a token holds.
	AsAgent bool
	// ReadSubmission and ReadAsset validate a line by the rules of the HTTP interface.
	ReadSubmission func(line []byte) (lore.SubmissionLine, error)
	ReadAsset      func(line []byte) (lore.CatalogEntry, error)
	// Classify chooses the category of a scrubbed observation that came without one.
	Classify func(lore.Observation) lore.Category
	// Refuse says why a scrubbed asset or source is not to be stored for others to read; nil: it may be.
	Refuse func(said any) error
	// Named, if set, gets the source of each name, one after the other.
	Named func(lore.Identity)
	// Progress, if set, gets the summary so far every two seconds, while lines are dealt with.
	Progress func(Summary)
	Now      func() time.Time
}

// SubmissionLines imports a file of observations, one JSON object a line, plain or gzip. It returns an error only where
// it had to stop: a bad line is counted and reported, and the rest goes on.
func (i *Importer) SubmissionLines(ctx context.Context, file io.Reader) (Summary, error) {
	sources := &sources{importer: i}
	return i.run(ctx, file, func(ctx context.Context, text []byte) (outcome, error) {
		line, err := i.ReadSubmission(text)
		if err != nil {
			return outcome{}, err
		}
		clean, err := scrubber.Scrub(ctx, i.Scrubber, line.Observation())
		if err != nil {
			return outcome{}, err
		}
		identity, err := sources.identity(ctx, line.Source)
		if err != nil {
			return outcome{}, err
		}
		_, created, err := i.Submissions.Create(ctx, i.draft(line, identity, clean), clean)
		return outcome{created: created, report: clean.Report()}, err
	})
}

// draft returns what is added to the observation of a line.
func (i *Importer) draft(line lore.SubmissionLine, identity lore.Identity, clean scrubber.Scrubbed[lore.Observation]) lore.Draft {
	draft := lore.Draft{
		ID: clean.Value().ImportID(identity.SourceID), Identity: identity, ClassifiedBy: lore.BySubmitter, CreatedAt: i.Now(),
	}
	draft.StoredAt = draft.CreatedAt
	if line.Category == "" {
		draft.Category, draft.ClassifiedBy = i.Classify(clean.Value()), lore.ByAgentlore
	}
	if line.CreatedAt != nil {
		draft.CreatedAt = *line.CreatedAt
	}
	return draft
}

// AssetLines imports a file of catalog entries, as SubmissionLines does.
func (i *Importer) AssetLines(ctx context.Context, file io.Reader) (Summary, error) {
	return i.run(ctx, file, func(ctx context.Context, text []byte) (outcome, error) {
		entry, err := i.ReadAsset(text)
		if err != nil {
			return outcome{}, err
		}
		clean, err := scrubber.Scrub(ctx, i.Scrubber, entry)
		if err != nil {
			return outcome{}, err
		}
		if err := i.Refuse(clean.Value()); err != nil {
			return outcome{}, err
		}
		created, err := i.Assets.CreateAsset(ctx, clean, i.Now())
		return outcome{created: created, report: clean.Report()}, err
	})
}

// outcome is what became of a good line.
type outcome struct {
	created, changed, approved, skipped bool
	report                              scrubber.Report
	removed                             map[string]int // before, by kind
}

// run takes every line of a file through work, many at a time.
func (i *Importer) run(ctx context.Context, file io.Reader, work func(context.Context, []byte) (outcome, error)) (Summary, error) {
	each := func(visit func(int, []byte, error) error) error { return eachLine(file, visit) }
	return runEach(ctx, i, each, func(line []byte) int { return len(line) }, work)
}

// runEach takes all that each hands out through work, many at a time. size says how many bytes one has.
func runEach[T any](
	ctx context.Context, i *Importer, each func(visit func(number int, item T, err error) error) error, size func(T) int,
	work func(context.Context, T) (outcome, error),
) (Summary, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	tally := &tally{started: i.Now(), progress: i.Progress, told: time.Now(), done: Summary{Scrubbed: map[string]int{}}}

	room := semaphore.NewWeighted(bytesAtOnce)
	var group sync.WaitGroup
	err := each(func(number int, item T, err error) error {
		if err != nil {
			tally.count(number, outcome{}, err)
			return nil
		}
		size := min(int64(max(size(item), bytesALine)), bytesAtOnce)
		if room.Acquire(ctx, size) != nil {
			return context.Cause(ctx)
		}
		group.Go(func() {
			defer room.Release(size)
			done, err := lore.Retry(ctx, retryFor, retryPause, func() (outcome, error) { return work(ctx, item) })
			if err != nil && !isRefusal(err) {
				stop(err)
				return
			}
			tally.count(number, done, err)
		})
		return nil
	})
	group.Wait()
	if err == nil {
		err = context.Cause(ctx)
	}
	tally.done.Elapsed = i.Now().Sub(tally.started)
	return tally.done, err
}

// isRefusal reports whether an error is the line's fault; any other one stops the import.
func isRefusal(err error) bool {
	var problem *lore.Problem
	return errors.As(err, &problem) && !problem.Retryable() || errors.Is(err, scrubber.ErrTooLarge)
}
