package index

import (
	"context"
	"sync"

	"agentlore/lore"
	"agentlore/scrubber"
)

// restoring is how many sources are looked up or restored at once: each takes several small requests.
const restoring = 32

// Restorer stores exported items under the ids that they had.
type Restorer struct {
	writer  *Writer
	names   Names
	slots   chan struct{}
	sources sync.Map // ids of those that are there
}

// Names gives sources their names: the accounts.
type Names interface {
	// Restore returns who has the name of an exported source, and registers it, without a token, if the name is free.
	Restore(ctx context.Context, source lore.Source) (holder lore.Identity, live bool, err error)
}

// NewRestorer returns a restorer, which writes through the writer.
func NewRestorer(writer *Writer, names Names) *Restorer {
	return &Restorer{writer: writer, names: names, slots: make(chan struct{}, restoring)}
}

// RestoreTo returns what stores items of a collection that need nothing beside what readers saw of them. Errors:
// store_unavailable.
func RestoreTo[T any](r *Restorer, collection lore.Collection) func(context.Context, scrubber.Scrubbed[T]) (bool, error) {
	return func(ctx context.Context, scrubbed scrubber.Scrubbed[T]) (bool, error) {
		return r.store(ctx, collection, lore.IDOf(scrubbed.Value()), scrubbed.Value())
	}
}

// store creates a document and reports whether it was not there before.
func (r *Restorer) store(ctx context.Context, collection lore.Collection, id string, document any) (created bool, err error) {
	return isNew("restore into "+string(collection), r.writer.Create(ctx, r.writer.client.AliasOf(collection), id, document))
}

// Submission stores a submission. Errors: not_found for a source that isn't there, store_unavailable.
func (r *Restorer) Submission(ctx context.Context, scrubbed scrubber.Scrubbed[lore.Submission]) (created bool, err error) {
	submission := scrubbed.Value()
	if err := r.checkSource(ctx, submission.SourceID); err != nil {
		return false, err
	}
	document := submissionDocument{Submission: submission}
	document.setScrubbed(submission.Scrubbed, scrubbed.Report().Counts())
	return r.store(ctx, lore.Submissions, submission.ID, document)
}

// checkSource refuses a source that isn't there.
func (r *Restorer) checkSource(ctx context.Context, sourceID string) error {
	if _, known := r.sources.Load(sourceID); known {
		return nil
	}
	r.slots <- struct{}{}
	defer func() { <-r.slots }()
	there, err := r.writer.client.Exists(ctx, lore.Target{Collection: lore.Sources, ID: sourceID})
	if err == nil && !there {
		return &lore.Problem{Code: lore.CodeNotFound, Detail: "its source isn't here: import the exported sources first"}
	}
	if err == nil {
		r.sources.Store(sourceID, true)
	}
	return err
}

// Source stores a source and claims its name, as that of a source without a token: tokens and owners are in no export.
// Until its operator says otherwise, it is its own owner. Errors: name_taken, secret_in_identity, store_unavailable.
func (r *Restorer) Source(ctx context.Context, scrubbed scrubber.Scrubbed[lore.Source]) (created bool, err error) {
	r.slots <- struct{}{}
	defer func() { <-r.slots }()
	source := scrubbed.Value()
	if scrubbed.Report().Changed {
		return false, &lore.Problem{
			Code:   lore.CodeSecretInIdentity,
			Detail: "the source's name or description looks like it holds a secret or an e-mail address",
		}
	}
	there, err := r.writer.client.Exists(ctx, lore.Target{Collection: lore.Sources, ID: source.ID})
	if err != nil {
		return false, err
	}
	holder, _, err := r.names.Restore(ctx, source)
	if err == nil && holder.SourceID != source.ID {
		err = lore.NameTaken()
	}
	return !there && err == nil, err
}
