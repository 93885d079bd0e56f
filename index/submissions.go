package index

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"agentlore/lore"
	"agentlore/scrubber"
)

// SubmissionStore stores and reads submissions.
type SubmissionStore struct {
	Collection[lore.Submission]
	writer *Writer
}

// OpenSubmissions returns the store of submissions, which writes through the writer.
func OpenSubmissions(client *Client, writer *Writer) *SubmissionStore {
	return &SubmissionStore{NewCollection[lore.Submission](client, lore.Submissions, "submission"), writer}
}

// submissionDocument is a submission with what is stored beside it and shown to nobody.
type submissionDocument struct {
	lore.Submission
	ScrubbedTotal int      `json:"scrubbed_total"`
	ScrubbedKinds []string `json:"scrubbed_kinds,omitempty"`
	earlierTexts
}

// earlierTexts are what a submission said before each of its latest amendments, oldest first: a list a part, so that whatever is done
// with stored text is done with them.
type earlierTexts struct {
	Summary    []string    `json:"earlier_summary,omitempty"`
	Content    []string    `json:"earlier_content,omitempty"`
	Resolution []string    `json:"earlier_resolution,omitempty"`
	Until      []time.Time `json:"earlier_until,omitempty"`
}

// mostEarlier is how many earlier texts are kept: each may have 40 kB, in a document that every search hit is read from.
const mostEarlier = 5

// add adds what a submission said until a time.
func (e *earlierTexts) add(said lore.Submission, until time.Time) {
	e.Summary, e.Content = latest(e.Summary, said.Summary), latest(e.Content, said.Content)
	e.Resolution, e.Until = latest(e.Resolution, said.Resolution), latest(e.Until, until.UTC().Truncate(time.Millisecond))
}

// latest returns the last mostEarlier of a list and one more.
func latest[T any](list []T, more T) []T {
	list = append(list, more)
	return list[max(0, len(list)-mostEarlier):]
}

// Earlier returns what a submission said before it was amended, oldest first. Errors: not_found, store_unavailable.
func (s *SubmissionStore) Earlier(ctx context.Context, id string) ([]lore.Version, error) {
	stored, err := Get[earlierTexts](ctx, s.client, s.client.AliasOf(lore.Submissions), id, lore.EarlierPrefix+"*")
	if errors.Is(err, ErrNotFound) {
		err = lore.NotFound("submission")
	}
	versions := []lore.Version{}
	for i, until := range stored.Source.Until {
		versions = append(versions, lore.Version{
			Summary: stored.Source.Summary[i], Content: stored.Source.Content[i], Resolution: stored.Source.Resolution[i], Until: until,
		})
	}
	return versions, err
}

// ByIDs returns submissions by their ids, as they are now; those that aren't there are left out. Errors: store_unavailable.
func (s *SubmissionStore) ByIDs(ctx context.Context, ids []string) (map[string]lore.Submission, error) {
	return ReadByID[lore.Submission](ctx, s.client, s.client.AliasOf(lore.Submissions), ids, PrivateFields...)
}

// Create stores a submission and returns it when Elasticsearch has acknowledged it. With an id that exists it stores
// nothing and returns created == false. Errors: store_unavailable.
func (s *SubmissionStore) Create(ctx context.Context, draft lore.Draft, text scrubber.Scrubbed[lore.Observation]) (submission lore.Submission, created bool, err error) {
	document := newSubmissionDocument(draft, text)
	created, err = isNew("store submission", s.writer.Create(ctx, s.client.AliasOf(lore.Submissions), document.ID, document))
	return document.Submission, created, err
}

// newSubmissionDocument builds what is stored. Its text is of a type that only the scrubber makes: code that forgets to
// scrub doesn't compile.
func newSubmissionDocument(draft lore.Draft, scrubbed scrubber.Scrubbed[lore.Observation]) submissionDocument {
	text := scrubbed.Value()
	entities := lore.Entities(append([]string{text.Summary, text.Content, text.Resolution}, text.Tags...)...)
	document := submissionDocument{Submission: lore.Submission{
		ID: draft.ID, SourceID: draft.Identity.SourceID, Summary: text.Summary, Category: cmp.Or(draft.Category, text.Category), ClassifiedBy: draft.ClassifiedBy,
		Content: text.Content, Resolution: text.Resolution, Tags: text.Tags, Ecosystem: text.Ecosystem,
		Usefulness: text.Usefulness, Tier: lore.TierRaw, Entities: entities, AsksFor: draft.AsksFor, FixWithheld: draft.FixWithheld, DetailWithheld: draft.DetailWithheld, Warnings: draft.Warnings, Score: draft.Score, ScoreParts: draft.ScoreParts, Ref: text.Ref,
		Follows: draft.Follows, Supersedes: draft.Supersedes,
		CreatedAt: draft.CreatedAt.UTC().Truncate(time.Millisecond),
		StoredAt:  cmp.Or(draft.StoredAt, draft.CreatedAt).UTC().Truncate(time.Millisecond),
	}}
	document.Revision = document.Words().Revision
	document.setScrubbed(scrubbed.Report().Counts())
	return document
}

// setScrubbed notes how often something of each kind was removed, now and before.
func (d *submissionDocument) setScrubbed(removed ...map[string]int) {
	d.Scrubbed, d.ScrubbedTotal, d.ScrubbedKinds = SumScrubbed(removed...)
}

// SumScrubbed returns how often something of each kind was removed, how often in all, and the kinds in alphabetical order.
func SumScrubbed(removed ...map[string]int) (counts map[string]int, total int, kinds []string) {
	counts = map[string]int{}
	for _, some := range removed {
		for kind, count := range some {
			counts[kind] += count
			total += count
		}
	}
	return counts, total, slices.Sorted(maps.Keys(counts))
}

// amendedPrefix begins the fingerprint of a submission that was amended, until the curator has compared it anew: it is of no version of
// the curator's, and of no other amendment.
const amendedPrefix = "amended:"

// Amend writes over a submission what change makes of it, whose id, source and time stay, and returns it. Where it says the same then,
// nothing is written and amended is false: else its earlier texts would be pushed out by copies. Where another write was quicker change is
// asked again. Errors: not_found, store_unavailable, change's.
func (s *SubmissionStore) Amend(
	ctx context.Context, id string, change func(lore.Submission) (lore.Draft, scrubber.Scrubbed[lore.Observation], error),
) (submission lore.Submission, amended bool, err error) {
	type document struct {
		submissionDocument
		Fingerprint string `json:"fingerprint"`
		Epoch       int64  `json:"epoch,omitempty"`
	}
	stored, err := Edit(ctx, s.client, s.client.AliasOf(lore.Submissions), id, func(held *document, there bool) error {
		if !there {
			return lore.NotFound("submission")
		}
		before := held.Submission
		draft, text, err := change(before)
		if err != nil {
			return err
		}
		until := draft.CreatedAt
		draft.ID, draft.Identity.SourceID, draft.CreatedAt = id, before.SourceID, before.CreatedAt
		draft.Follows, draft.Supersedes = before.Follows, before.Supersedes
		changed := newSubmissionDocument(draft, text)
		if amended = !sayTheSame(before, changed.Submission); !amended {
			return ErrUnchanged
		}
		changed.earlierTexts, changed.RevisedAt = held.earlierTexts, before.RevisedAt
		if changed.Revision != before.Words().Revision {
			changed.RevisedAt = new(until.UTC().Truncate(time.Millisecond))
		}
		changed.add(before, until)
		held.submissionDocument, held.Fingerprint = changed, amendedPrefix+lore.NewID()
		held.setScrubbed(before.Scrubbed, held.Scrubbed)
		return nil
	})
	return stored.Source.Submission, amended, Wrapped("amend submission", err)
}

// sayTheSame reports whether two submissions say the same in all that their source says.
func sayTheSame(a, b lore.Submission) bool {
	return a.Summary == b.Summary && a.Content == b.Content && a.Resolution == b.Resolution && a.Ecosystem == b.Ecosystem &&
		a.Category == b.Category && a.ClassifiedBy == b.ClassifiedBy && slices.Equal(a.Tags, b.Tags) &&
		(a.Usefulness == nil) == (b.Usefulness == nil) && (a.Usefulness == nil || *a.Usefulness == *b.Usefulness)
}
