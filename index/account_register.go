package index

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"agentlore/lore"
	"agentlore/scrubber"
)

// A registration takes three writes: the account, pending; the public source; the account again, complete. Only what is complete
// holds a name: of two that register it at once, the later one takes the pending account over and the earlier one's last write fails.
// So whatever a crash leaves behind is in nobody's way.

// Register claims the name and stores source and token. Errors: name_taken, invalid_invite, banned, store_unavailable.
func (a *Accounts) Register(ctx context.Context, scrubbed scrubber.Scrubbed[lore.Registration], enrolment lore.Enrolment) (lore.Source, error) {
	registration, now := scrubbed.Value(), enrolment.At.UTC().Truncate(time.Millisecond)
	if err := a.checkNetwork(ctx, enrolment.Client); err != nil {
		return lore.Source{}, err
	}
	network, err := a.networkKey(ctx, enrolment.Client, now)
	if err != nil {
		return lore.Source{}, err
	}
	mine := account{
		Kind: kindAccount, Name: registration.Name, Pending: true, SourceID: lore.NewID(), Owner: registration.Owner, CreatedAt: now,
		Tokens: []token{{Hash: enrolment.TokenHash}},
	}
	own := principal{Principal: lore.NewID(), OwnerKey: a.ownerKey(enrolment.Owner), Network: network, Since: now}
	if mine.principal, err = a.joined(ctx, enrolment, own); err != nil {
		return lore.Source{}, err
	}
	key := lore.AccountKey(registration.Name)
	claimed, err := a.claim(ctx, key, &mine)
	if err != nil {
		return lore.Source{}, err
	}
	source := newSource(registration, mine)
	if err = a.join(ctx, enrolment, mine.principal); err == nil {
		if err = a.writeSource(ctx, source); err == nil {
			mine.Pending = false
			err = a.complete(ctx, key, mine, claimed)
		}
		if err != nil {
			a.giveBack(ctx, enrolment)
		}
	}
	if err != nil {
		a.release(ctx, key, mine)
		return lore.Source{}, fmt.Errorf("register: %w", err)
	}
	return source, nil
}

// newSource returns the public entry of an account.
func newSource(registration lore.Registration, mine account) lore.Source {
	return lore.Source{
		ID: mine.SourceID, Name: registration.Name, Type: registration.Type, Ecosystem: registration.Ecosystem,
		Description: registration.Description, Reputation: lore.NeutralReputation, CreatedAt: mine.CreatedAt,
	}
}

// claimTries bounds how often a claim meets others of the same name at the same moment.
const claimTries = 20

// claim stores the account, pending, or takes over one that is: then the source keeps the id that it has. A conflict with our own
// claim is success: its first answer was lost on the way. Errors: name_taken, store_unavailable.
func (a *Accounts) claim(ctx context.Context, key string, mine *account) (Revision, error) {
	for range claimTries {
		claimed, err := a.create(ctx, key, *mine)
		if !errors.Is(err, ErrConflict) {
			return claimed, wrapped("claim name", err)
		}
		holder, err := a.get(ctx, key)
		switch {
		case errors.Is(err, ErrNotFound): // it was just given back
			continue
		case err != nil:
			return claimed, wrapped("claim name", err)
		case same(holder.Source, *mine):
			return holder.Revision, nil
		case !holder.Source.Pending && !a.isReleasing(holder.Source):
			return claimed, nameTaken()
		}
		mine.SourceID = holder.Source.SourceID
		claimed, err = a.client.writeOver(ctx, a.client.alias(accounts), key, *mine, holder.Revision)
		if !errors.Is(err, ErrConflict) {
			return claimed, wrapped("claim name", err)
		}
	}
	return Revision{}, lore.StoreUnavailable(ErrConflict)
}

// same reports whether two states of an account are of one registration: each has a token of its own.
func same(one, other account) bool {
	return len(one.Tokens) > 0 && len(other.Tokens) > 0 && one.Tokens[0].Hash == other.Tokens[0].Hash
}

// complete writes the account over the claim. A conflict with ourselves is success. Errors: name_taken where another registration
// took the claim over, store_unavailable.
func (a *Accounts) complete(ctx context.Context, key string, mine account, claimed Revision) error {
	_, err := a.client.writeOver(ctx, a.client.alias(accounts), key, mine, claimed)
	if !errors.Is(err, ErrConflict) {
		return err
	}
	stored, err := a.get(ctx, key)
	switch {
	case err == nil && !stored.Source.Pending && same(stored.Source, mine):
		return nil
	case err == nil || errors.Is(err, ErrNotFound):
		return nameTaken()
	}
	return err
}

func nameTaken() *lore.Problem {
	return &lore.Problem{Code: lore.CodeNameTaken, Detail: "another agent has this name or one that looks like it (case doesn't count); choose another one"}
}

// writeSource stores the public entry of an account, also over what an earlier try of the same account left.
func (a *Accounts) writeSource(ctx context.Context, source lore.Source) error {
	return wrapped("store source", a.client.writeDocument(ctx, a.client.aliasOf(lore.Sources), source.ID, source, nil))
}

const (
	// releaseFor is how long a process tries to take a failed registration back. It matters only where the last write was carried
	// out and its answer lost: a pending account is in nobody's way.
	releaseFor = 10 * time.Minute
	// releasePause is how long it waits between two tries.
	releasePause = time.Second
	// releasesAtOnce bounds what an outage makes a process try again.
	releasesAtOnce = 256
)

// release takes back a registration that failed, so that its agent can try again at once: what has our token goes, and then its
// source. Where the store can't do it now, it is tried again in the background; meanwhile this process gives the name to who asks.
func (a *Accounts) release(ctx context.Context, key string, mine account) {
	ctx = context.WithoutCancel(ctx)
	hash := mine.Tokens[0].Hash
	if a.releaseOnce(ctx, key, mine) == nil {
		return
	}
	if a.releases.Add(1) > releasesAtOnce {
		a.releases.Add(-1)
		return
	}
	a.releasing.Store(hash, true)
	go func() {
		defer a.releases.Add(-1)
		defer a.releasing.Delete(hash)
		for until := time.Now().Add(releaseFor); time.Now().Before(until); time.Sleep(releasePause) {
			if a.releaseOnce(ctx, key, mine) == nil {
				return
			}
		}
		a.client.log.Warn("a failed registration could not be taken back", "source", mine.SourceID)
	}()
}

func (a *Accounts) releaseOnce(ctx context.Context, key string, mine account) error {
	held, err := a.get(ctx, key)
	if errors.Is(err, ErrNotFound) || err == nil && !same(held.Source, mine) {
		return nil // another has the name, and its source's id
	}
	if err == nil {
		err = a.client.Do(ctx, esapi.DeleteRequest{
			Index: a.client.alias(accounts), DocumentID: key, IfSeqNo: &held.SeqNo, IfPrimaryTerm: &held.PrimaryTerm,
		}, nil)
	}
	if err == nil {
		err = a.client.Do(ctx, esapi.DeleteRequest{Index: a.client.aliasOf(lore.Sources), DocumentID: mine.SourceID}, nil)
	}
	if errors.Is(err, ErrNotFound) || errors.Is(err, ErrConflict) {
		return nil
	}
	return err
}

func (a *Accounts) isReleasing(held account) bool {
	if len(held.Tokens) == 0 {
		return false
	}
	_, releasing := a.releasing.Load(held.Tokens[0].Hash)
	return releasing
}

// wrapped adds to an error what was being done, and leaves nil as it is.
func wrapped(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", doing, err)
}
