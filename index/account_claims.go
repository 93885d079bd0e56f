package index

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"agentlore/lore"
)

// claim takes the name and returns the revision of the claim. A conflict with our own claim is success: its first answer was lost
// on the way. A claim of another process that isn't complete is waited for: it usually is within milliseconds, and tells whether
// the name is taken.
func (a *Accounts) claim(ctx context.Context, nameID string, claim account) (revision, error) {
	for until := time.Now().Add(a.pending.wait); ; {
		claimed, err := a.create(ctx, nameID, claim)
		if err == nil {
			return claimed, nil
		}
		if !errors.Is(err, errConflict) {
			a.lost.add(claim.SourceID)
			return claimed, fmt.Errorf("claim name: %w", err)
		}
		holder, err := a.get(ctx, nameID)
		switch {
		case errors.Is(err, errNotFound): // it was just given back
		case err != nil:
			return claimed, fmt.Errorf("claim name: %w", err)
		case holder.Source.SourceID == claim.SourceID:
			return holder.revision, nil
		case a.nobodys(holder):
			if err := a.discard(ctx, holder); err != nil && !errors.Is(err, errConflict) {
				return claimed, fmt.Errorf("claim name: %w", err)
			}
			continue
		case !holder.Source.Pending:
			return claimed, &lore.Problem{Code: lore.CodeNameTaken, Detail: "another agent has this name (case doesn't count); choose another one"}
		case a.pending.left(holder) <= 0:
			if err := a.settle(ctx, holder); err != nil {
				return claimed, fmt.Errorf("claim name: %w", err)
			}
			continue
		}
		if !pause(ctx, until) {
			return claimed, a.pending.problem(holder)
		}
	}
}

// nobodys reports whether a registration is one of this process's own that was answered with a failure. Elasticsearch may carry
// out a request that was given up: a hanging one takes a name after its agent got a 503, and the agent's next try must not meet
// itself. Its token was never given to anybody; what is complete and has none may be in use by an import.
func (a *Accounts) nobodys(holder storedAccount) bool {
	return (holder.Source.Pending || holder.Source.TokenHash != "") && a.lost.has(holder.Source.SourceID)
}

const (
	// claimWait is how long a registration waits for another one of the same name to end.
	claimWait = 2 * time.Second
	// claimLife is for how long a process must have seen a claim incomplete, on its own clock, to take it for dead: longer than
	// a request lives (30 s) and takes back what it did (undoTimeout).
	claimLife = 40 * time.Second
)

// pendingClaims remembers since when this process knows of claims that are not complete: clocks of several replicas needn't
// agree.
type pendingClaims struct {
	wait, life time.Duration // claimWait and claimLife; tests are in a hurry

	mu    sync.Mutex
	since map[string]time.Time // by source
}

// left returns for how long a claim may still be somebody's.
func (p *pendingClaims) left(holder storedAccount) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	since, known := p.since[holder.Source.SourceID]
	if !known {
		if len(p.since) >= maxLostClaims {
			clear(p.since) // their agents wait once more
		}
		since = time.Now()
		p.since[holder.Source.SourceID] = since
	}
	return p.life - time.Since(since)
}

// problem answers for a name that is neither taken nor free yet.
func (p *pendingClaims) problem(holder storedAccount) error {
	return &lore.Problem{
		Code: lore.CodeStoreUnavailable, RetryAfter: max(p.left(holder), time.Second), Cause: errors.New("a registration of this name isn't complete"),
		Detail: "a registration of this name has begun and isn't complete; if it was yours and failed, the name is free again after the time in Retry-After",
	}
}

// lostClaims remembers registrations that failed without our knowing what of them was stored: the latest few.
type lostClaims struct {
	mu     sync.Mutex
	latest []string // ids of sources
}

// maxLostClaims bounds what an outage makes a process remember.
const maxLostClaims = 4096

func (l *lostClaims) add(sourceID string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.latest) == maxLostClaims {
		l.latest = slices.Delete(l.latest, 0, maxLostClaims/2)
	}
	l.latest = append(l.latest, sourceID)
}

func (l *lostClaims) has(sourceID string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Contains(l.latest, sourceID)
}

// undoTimeout bounds the attempt to take back a failed registration.
const undoTimeout = 5 * time.Second

// undo takes back a registration that failed half-way, so that its agent can try again at once. Where that fails too, the next
// claim of the name or Sweep does it. One without a token that is complete after all stays: another import may have used it
// since.
func (a *Accounts) undo(ctx context.Context, nameID string, claim account) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTimeout)
	defer cancel()
	err := a.untilSettled(func() error {
		stored, err := a.get(ctx, nameID)
		switch {
		case errors.Is(err, errNotFound), err == nil && stored.Source.SourceID != claim.SourceID:
			return a.dropToken(ctx, claim.TokenHash) // somebody took the claim for dead, and knew of no token
		case err != nil:
			return err
		case !stored.Source.Pending && stored.Source.TokenHash == "":
			return nil
		}
		return a.discard(ctx, stored)
	})
	if err != nil {
		a.lost.add(claim.SourceID)
		a.client.log.Warn("a failed registration is left to the sweep", "source", claim.SourceID, "cause", err)
	}
}

// finish stores the token and marks the name as complete, in one bulk request. Errors: those of complete.
func (a *Accounts) finish(ctx context.Context, nameID string, claim account, claimed revision) error {
	if claim.TokenHash == "" {
		return a.complete(ctx, nameID, claim, claimed)
	}
	token := account{Kind: kindToken, SourceID: claim.SourceID, OwnerKey: claim.OwnerKey, CreatedAt: claim.CreatedAt}
	return a.complete(ctx, nameID, claim, claimed, bulkOperation{action: "index", id: tokenDocument(claim.TokenHash), document: token})
}

// complete marks the name as complete, over the claim as it was written or read, in one request behind what is to be stored before.
// Who took the claim for dead meanwhile has written it anew: however late Elasticsearch carries this out, his name stays his. Errors:
// store_unavailable, with errConflict as its cause then.
func (a *Accounts) complete(ctx context.Context, nameID string, claim account, claimed revision, before ...bulkOperation) error {
	claim.Pending = false
	operations := append(before, bulkOperation{action: "index", id: nameID, document: claim, over: &claimed})
	err := a.client.bulkNow(ctx, a.client.alias(accounts), operations)
	if errors.Is(err, errConflict) {
		return a.completed(ctx, nameID, claim.SourceID)
	}
	return err
}

// completed returns nil where a registration is complete though it met a conflict: with itself, since its first answer was lost on
// the way.
func (a *Accounts) completed(ctx context.Context, nameID, sourceID string) error {
	stored, err := a.get(ctx, nameID)
	if err == nil && !stored.Source.Pending && stored.Source.SourceID == sourceID {
		return nil
	}
	return lore.StoreUnavailable(errConflict)
}
