package index

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"agentlore/lore"
	"agentlore/scrubber"
)

// restoring is how many sources are looked up or restored at once: each takes several small requests.
const restoring = 32

// Restorer stores exported items under the ids that they had.
type Restorer struct {
	client   *Client
	writer   *Writer
	accounts *Accounts
	slots    chan struct{}
	owners   sync.Map // owner key by source id
}

// NewRestorer returns a restorer, which writes through the writer.
func NewRestorer(client *Client, writer *Writer, accounts *Accounts) *Restorer {
	return &Restorer{client: client, writer: writer, accounts: accounts, slots: make(chan struct{}, restoring)}
}

// RestoreTo returns what stores items of a collection that need nothing beside what readers saw of them. Errors:
// store_unavailable.
func RestoreTo[T interface{ ItemID() string }](r *Restorer, collection lore.Collection) func(context.Context, scrubber.Scrubbed[T]) (bool, error) {
	return func(ctx context.Context, scrubbed scrubber.Scrubbed[T]) (bool, error) {
		return r.store(ctx, collection, scrubbed.Value().ItemID(), scrubbed.Value())
	}
}

// store creates a document and reports whether it was not there before.
func (r *Restorer) store(ctx context.Context, collection lore.Collection, id string, document any) (created bool, err error) {
	err = r.writer.create(ctx, r.client.aliasOf(collection), id, document)
	if errors.Is(err, errConflict) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("restore into %s: %w", collection, err)
	}
	return true, nil
}

// Submission stores a submission with its source's owner key. Errors: not_found for a source that isn't there,
// store_unavailable.
func (r *Restorer) Submission(ctx context.Context, scrubbed scrubber.Scrubbed[lore.Submission]) (created bool, err error) {
	submission := scrubbed.Value()
	owner, err := r.ownerOf(ctx, submission.SourceID)
	if err != nil {
		return false, err
	}
	counts := maps.Clone(submission.Scrubbed)
	if counts == nil {
		counts = map[string]int{}
	}
	total := 0
	for kind, count := range scrubbed.Report().Counts() {
		counts[kind] += count
	}
	for _, count := range counts {
		total += count
	}
	submission.Scrubbed = counts
	return r.store(ctx, lore.Submissions, submission.ID, submissionDocument{
		Submission: submission, OwnerKey: owner, ScrubbedTotal: total, ScrubbedKinds: slices.Sorted(maps.Keys(counts)),
	})
}

// ownerOf returns the owner key of a source.
func (r *Restorer) ownerOf(ctx context.Context, sourceID string) (string, error) {
	if known, there := r.owners.Load(sourceID); there {
		return known.(string), nil
	}
	r.slots <- struct{}{}
	defer func() { <-r.slots }()
	if known, there := r.owners.Load(sourceID); there {
		return known.(string), nil
	}
	source, err := r.accounts.sources.Get(ctx, sourceID)
	var problem *lore.Problem
	if errors.As(err, &problem) && problem.Code == lore.CodeNotFound {
		return "", &lore.Problem{Code: lore.CodeNotFound, Detail: "its source isn't here: import the exported sources first"}
	}
	if err != nil {
		return "", err
	}
	named, err := r.accounts.byName(ctx, source.Name)
	if err != nil {
		return "", err
	}
	r.owners.Store(sourceID, named.Source.OwnerKey)
	return named.Source.OwnerKey, nil
}

// Source stores a source and claims its name, as that of a source without a token: tokens and owners are in no export.
// Until its operator says otherwise, it is its own owner. Errors: name_taken, secret_in_identity, store_unavailable.
func (r *Restorer) Source(ctx context.Context, scrubbed scrubber.Scrubbed[lore.Source]) (created bool, err error) {
	r.slots <- struct{}{}
	defer func() { <-r.slots }()
	source := scrubbed.Value()
	if scrubbed.Report().Changed {
		return false, &lore.Problem{Code: lore.CodeSecretInIdentity, Detail: "the source's name or description looks like it holds a secret"}
	}
	a, nameID := r.accounts, nameDocument(source.Name)
	claim := account{
		Kind: kindName, SourceID: source.ID, Owner: source.Name, OwnerKey: a.OwnerKey(source.Name), Pending: true, CreatedAt: source.CreatedAt,
	}
	if _, err := a.claim(ctx, nameID, claim); err != nil {
		return false, err
	}
	if created, err = r.store(ctx, lore.Sources, source.ID, source); err != nil {
		return false, err
	}
	held, err := a.get(ctx, nameID)
	if err == nil && held.Source.Pending {
		err = a.finish(ctx, nameID, claim, held.revision)
	}
	if err != nil {
		return false, fmt.Errorf("claim name: %w", err)
	}
	return created, nil
}
