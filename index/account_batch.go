package index

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"agentlore/lore"
	"agentlore/scrubber"
)

// EnsureSources tells who holds each of the names, and registers, without a token, those that nobody holds. It is for
// imports: one look-up and three writes serve all names, where Register takes as many for each. The names must differ.
// The answers are in the names' order; their errors are Register's and SourceByName's.
func (a *Accounts) EnsureSources(ctx context.Context, wanted []scrubber.Scrubbed[lore.Registration], now time.Time) []lore.NameHolder {
	holders := make([]lore.NameHolder, len(wanted))
	names := make([]string, len(wanted))
	for i, registration := range wanted {
		names[i] = nameDocument(registration.Value().Name)
	}
	known, err := a.getEach(ctx, names)
	if err != nil {
		for i := range holders {
			holders[i].Err = fmt.Errorf("look up names: %w", err)
		}
		return holders
	}
	var free []*batchClaim
	for i, id := range names {
		registration := wanted[i].Value()
		held, taken := known[id]
		if taken && held.Source.Pending {
			holders[i] = a.holderOf(ctx, registration.Name) // half-done: it may have to be settled
			taken = code(holders[i].Err) != lore.CodeNotFound
		} else if taken {
			holders[i] = holderIn(held)
		}
		if !taken {
			free = append(free, a.newBatchClaim(id, registration, &holders[i], now))
		}
	}
	a.registerEach(ctx, free)
	return holders
}

// batchClaim is a registration among several.
type batchClaim struct {
	id    string // of the name's document
	name  string
	claim account
	// claimed is the claim's revision once it is stored.
	claimed revision
	source  lore.Source
	answer  *lore.NameHolder
}

func (a *Accounts) newBatchClaim(id string, registration lore.Registration, answer *lore.NameHolder, now time.Time) *batchClaim {
	ownerKey := a.OwnerKey(registration.Owner)
	source := newSource(registration, now)
	*answer = lore.NameHolder{Identity: lore.Identity{SourceID: source.ID, OwnerKey: ownerKey}}
	return &batchClaim{id: id, name: registration.Name, claim: newClaim(registration, source, ownerKey, ""), source: source, answer: answer}
}

// registerEach takes the names, stores the sources and marks the names as complete, in this order, each in one request.
func (a *Accounts) registerEach(ctx context.Context, free []*batchClaim) {
	free = a.writeEach(ctx, a.client.alias(accounts), free, a.lostClaim, func(b *batchClaim) bulkOperation {
		return bulkOperation{action: "create", id: b.id, document: b.claim, written: &b.claimed}
	})
	free = a.writeEach(ctx, a.client.aliasOf(lore.Sources), free, a.undoClaim, func(b *batchClaim) bulkOperation {
		return bulkOperation{action: "create", id: b.source.ID, document: b.source}
	})
	a.writeEach(ctx, a.client.alias(accounts), free, a.incomplete, func(b *batchClaim) bulkOperation {
		b.claim.Pending = false
		return bulkOperation{action: "index", id: b.id, document: b.claim, over: &b.claimed}
	})
}

// writeEach writes one document for each of the registrations and returns those that go on: what fails is asked of those
// whose document could not be written.
func (a *Accounts) writeEach(
	ctx context.Context, alias string, claims []*batchClaim, failed func(context.Context, *batchClaim, error) bool, document func(*batchClaim) bulkOperation,
) (going []*batchClaim) {
	if len(claims) == 0 {
		return nil
	}
	operations := make([]bulkOperation, len(claims))
	for i, b := range claims {
		operations[i] = document(b)
	}
	each, err := a.client.bulkEach(ctx, alias, operations)
	for i, b := range claims {
		fault := err
		if err == nil {
			fault = each[i]
		}
		if fault == nil || failed(ctx, b, fault) {
			going = append(going, b)
		}
	}
	return going
}

// lostClaim answers for a name that could not be taken. A conflict with our own claim is success: its first answer was
// lost on the way. Else another import was quicker.
func (a *Accounts) lostClaim(ctx context.Context, b *batchClaim, fault error) (going bool) {
	if !errors.Is(fault, errConflict) {
		*b.answer = lore.NameHolder{Err: fmt.Errorf("claim name: %w", fault)}
		return false
	}
	holder, err := a.get(ctx, b.id)
	if err == nil && holder.Source.SourceID == b.source.ID {
		b.claimed = holder.revision
		return true
	}
	*b.answer = a.holderOf(ctx, b.name)
	return false
}

// undoClaim answers for a registration that failed half-way. A conflict on the source's id, which is ours alone, is none.
func (a *Accounts) undoClaim(ctx context.Context, b *batchClaim, fault error) (going bool) {
	if errors.Is(fault, errConflict) {
		return true
	}
	*b.answer = lore.NameHolder{Err: fmt.Errorf("store source: %w", fault)}
	if code(fault) != lore.CodeStoreUnavailable { // else the sweep does it: a store that is away has no time for it
		a.undo(ctx, b.id, b.claim)
	}
	return false
}

// incomplete answers for a registration whose last step failed. A conflict is none where it met itself, its first answer being lost;
// else somebody took the claim for dead, and the name is to be asked for anew.
func (a *Accounts) incomplete(ctx context.Context, b *batchClaim, fault error) (going bool) {
	if !errors.Is(fault, errConflict) {
		return a.undoClaim(ctx, b, fault)
	}
	if err := a.completed(ctx, b.id, b.source.ID); err != nil {
		*b.answer = lore.NameHolder{Err: fmt.Errorf("complete name: %w", err)}
		return false
	}
	return true
}

// holderOf asks for one name.
func (a *Accounts) holderOf(ctx context.Context, name string) (holder lore.NameHolder) {
	holder.Identity, holder.Live, holder.Err = a.SourceByName(ctx, name)
	return holder
}

// holderIn reads who holds a name.
func holderIn(stored storedAccount) lore.NameHolder {
	return lore.NameHolder{
		Identity: lore.Identity{SourceID: stored.Source.SourceID, OwnerKey: stored.Source.OwnerKey}, Live: stored.Source.TokenHash != "",
	}
}

// getEach reads documents by id; those that aren't there are left out.
func (a *Accounts) getEach(ctx context.Context, ids []string) (map[string]storedAccount, error) {
	body, err := json.Marshal(map[string]any{"ids": ids})
	if err != nil {
		return nil, err
	}
	var answer struct {
		Docs []struct {
			storedAccount
			Found bool            `json:"found"`
			Error json.RawMessage `json:"error"`
		} `json:"docs"`
	}
	if err := a.client.do(ctx, esapi.MgetRequest{Index: a.client.alias(accounts), Body: bytes.NewReader(body)}, &answer); err != nil {
		return nil, err
	}
	found := make(map[string]storedAccount, len(ids))
	for _, one := range answer.Docs {
		if len(one.Error) > 0 {
			return nil, lore.StoreUnavailable(errors.New("a shard of the accounts could not be read"))
		}
		if one.Found {
			found[one.ID] = one.storedAccount
		}
	}
	return found, nil
}

// code returns the code of a problem, "" for any other error and for none.
func code(err error) lore.Code {
	var problem *lore.Problem
	if errors.As(err, &problem) {
		return problem.Code
	}
	return ""
}
