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

// claim takes the name. A conflict with our own claim is success: its first answer was lost on the way. A claim of another
// process that isn't complete is waited for: it usually is within milliseconds, and tells whether the name is taken.
func (a *Accounts) claim(ctx context.Context, nameID string, claim account) error {
	for until := time.Now().Add(a.pending.wait); ; {
		err := a.create(ctx, nameID, claim)
		if err == nil {
			return nil
		}
		if !errors.Is(err, errConflict) {
			a.lost.add(claim.SourceID)
			return fmt.Errorf("claim name: %w", err)
		}
		holder, err := a.get(ctx, nameID)
		switch {
		case errors.Is(err, errNotFound): // it was just given back
		case err != nil:
			return fmt.Errorf("claim name: %w", err)
		case holder.Source.SourceID == claim.SourceID:
			return nil
		case !holder.Source.Pending:
			return &lore.Problem{Code: lore.CodeNameTaken, Detail: "another agent has this name (case doesn't count); choose another one"}
		case a.abandoned(holder):
			if err := a.settle(ctx, holder); err != nil {
				return fmt.Errorf("claim name: %w", err)
			}
			continue
		}
		if !pause(ctx, until) {
			return a.pending.problem(holder)
		}
	}
}

// abandoned reports whether nobody works on a half-done registration any more: it is one of this process's own that was
// answered with a failure (Elasticsearch may carry out a request that was given up: a hanging one takes a name after its agent
// got a 503, and the agent's next try must not meet itself), or we have seen it unchanged for longer than a request lives.
func (a *Accounts) abandoned(holder storedAccount) bool {
	return holder.Source.Pending && (a.lost.has(holder.Source.SourceID) || a.pending.left(holder) <= 0)
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

// lostClaims remembers registrations that failed without our knowing whether their claim was stored: the latest few.
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

// undo takes back a registration that failed half-way, so that its agent can try again at once. Where that fails too,
// Sweep does it later.
func (a *Accounts) undo(ctx context.Context, nameID string, claim account) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTimeout)
	defer cancel()
	stored, err := a.get(ctx, nameID)
	if err == nil && stored.Source.SourceID == claim.SourceID {
		err = a.discard(ctx, stored)
	}
	if err != nil {
		a.client.log.Warn("a failed registration is left to the sweep", "source", claim.SourceID, "cause", err)
	}
}

// finish stores the token and marks the name as complete, in one bulk request.
func (a *Accounts) finish(ctx context.Context, nameID string, claim account) error {
	claim.Pending = false
	operations := []bulkOperation{{action: "index", id: nameID, document: claim}}
	if claim.TokenHash != "" {
		token := account{Kind: kindToken, SourceID: claim.SourceID, OwnerKey: claim.OwnerKey, CreatedAt: claim.CreatedAt}
		operations = append([]bulkOperation{{action: "index", id: tokenDocument(claim.TokenHash), document: token}}, operations...)
	}
	return a.client.bulkNow(ctx, a.client.alias(accounts), operations)
}
