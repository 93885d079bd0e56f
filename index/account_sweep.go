package index

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"agentlore/lore"
)

// sweepAge is how old a half-done registration must be before it is taken for dead: far longer than any request lives.
const sweepAge = 5 * time.Minute

// Sweep completes or removes registrations that a crash left half done, so that no name stays taken by nobody, and ends
// rotations whose new token nobody used. It returns how many it dealt with. Several processes may sweep at once: each
// change is bound to what was read.
func (a *Accounts) Sweep(ctx context.Context, now time.Time) (int, error) {
	registrations, err := a.sweepRegistrations(ctx, now)
	if err != nil {
		return registrations, err
	}
	rotations, err := a.sweepRotations(ctx, now)
	return registrations + rotations, err
}

// sweepRegistrations settles half-done registrations.
func (a *Accounts) sweepRegistrations(ctx context.Context, now time.Time) (int, error) {
	body := map[string]any{
		"size":                100,
		"seq_no_primary_term": true,
		"query": map[string]any{"bool": map[string]any{"filter": []any{
			map[string]any{"term": map[string]any{"pending": true}},
			map[string]any{"range": map[string]any{"created_at": map[string]any{"lt": now.Add(-sweepAge).UTC().Format(time.RFC3339)}}},
		}}},
	}
	var answer struct {
		Hits struct {
			Hits []storedAccount `json:"hits"`
		} `json:"hits"`
	}
	if err := a.client.search(ctx, []string{a.client.alias(accounts)}, body, &answer); err != nil {
		return 0, fmt.Errorf("find half-done registrations: %w", err)
	}
	done := 0
	for _, half := range answer.Hits.Hits {
		if err := a.settle(ctx, half); err != nil {
			return done, err
		}
		done++
	}
	return done, nil
}

// settle completes a registration whose token was stored (its agent may have the answer) and removes any other. What somebody
// else has written since it was read, it leaves to him.
func (a *Accounts) settle(ctx context.Context, half storedAccount) error {
	err := a.completeOrDiscard(ctx, half)
	if errors.Is(err, errConflict) {
		return nil
	}
	return err
}

func (a *Accounts) completeOrDiscard(ctx context.Context, half storedAccount) error {
	if half.Source.TokenHash != "" {
		_, err := a.get(ctx, tokenDocument(half.Source.TokenHash))
		if err == nil {
			return a.complete(ctx, half.ID, half.Source, half.revision)
		}
		if !errors.Is(err, errNotFound) {
			return err
		}
	}
	return a.discard(ctx, half)
}

// discard removes a registration: token, source and, last, the name. It begins by writing the name once more, as that of a
// half-done registration: what its own process still has under way comes too late from then on (see complete), and a crash leaves
// what the sweep settles. Errors: errConflict where somebody has written the name since it was read; nothing is removed then.
func (a *Accounts) discard(ctx context.Context, half storedAccount) error {
	half.Source.Pending = true
	ours, err := a.client.writeOver(ctx, a.client.alias(accounts), half.ID, half.Source, half.revision)
	if err != nil {
		return fmt.Errorf("take name: %w", err)
	}
	if err := a.dropToken(ctx, half.Source.TokenHash); err != nil {
		return err
	}
	err = a.client.do(ctx, esapi.DeleteRequest{Index: a.client.aliasOf(lore.Sources), DocumentID: half.Source.SourceID}, nil)
	if err != nil && !errors.Is(err, errNotFound) {
		return fmt.Errorf("remove half-done source: %w", err)
	}
	err = a.client.do(ctx, esapi.DeleteRequest{
		Index: a.client.alias(accounts), DocumentID: half.ID, IfSeqNo: &ours.SeqNo, IfPrimaryTerm: &ours.PrimaryTerm,
	}, nil)
	if err != nil && !errors.Is(err, errNotFound) && !errors.Is(err, errConflict) {
		return fmt.Errorf("release name: %w", err)
	}
	return nil
}
