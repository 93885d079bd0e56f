package handlers

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"agentlore/lore"
	"agentlore/scrubber"
)

// RecordStore keeps the answers to requests with an Idempotency-Key.
type RecordStore interface {
	// Claim stores a record under an id that must be new, and returns claimed == true; or the record that is there. One that
	// has no answer and was claimed before abandoned counts as not there. Errors: store_unavailable.
	Claim(ctx context.Context, record lore.Record, abandoned time.Time) (held lore.Record, claimed bool, err error)
	// Complete adds the answer to a record. Errors: store_unavailable.
	Complete(ctx context.Context, record lore.Record) error
	// Release removes a record whose request failed, unless another request has claimed it since. Errors: store_unavailable.
	Release(ctx context.Context, record lore.Record) error
}

// Times of idempotent requests.
const (
	recordLife   = 24 * time.Hour
	inFlightWait = 5 * time.Second       // how long a second request waits for the first one's answer
	leastPause   = 50 * time.Millisecond // before it looks again; then twice as long, and so on
	longestPause = 800 * time.Millisecond
	claimLife    = 10 * time.Second // after that without an answer, another request may do the first one's work
	settleTime   = 2 * time.Second  // for taking a claim back although the request is over
)

// awaitFirst tries again, for a while, what another request with the same key is still at work on. It waits outside of the queue: many
// that wait must not keep out the one that they wait for.
func (s *server) awaitFirst(ctx context.Context, try func() error) error {
	until := time.Now().Add(inFlightWait)
	for pause := leastPause; ; pause = min(2*pause, longestPause) {
		err := try()
		if lore.CodeOf(err) != lore.CodeIdempotencyInFlight || time.Now().After(until) {
			return err
		}
		if err := s.outside(ctx, pause/2+rand.N(pause)); err != nil {
			return err
		}
	}
}

// submitOnce stores an observation once a key, however often and wherever the request arrives, or answers idempotency_in_flight.
//
// The first request claims the key by creating a record and adds its answer to it; others wait for that answer. The work of
// a request that died between is done by a later one, which takes over its claim: as the id of a submission follows from its
// text, nothing is stored twice even where the first one was only slow. So a claim may be short, and an agent whose service
// was killed gets through with its second or third try.
func (s *server) submitOnce(
	ctx context.Context, key string, draft lore.Draft, text scrubber.Scrubbed[lore.Observation],
) (*submitOutput, error) {
	key, err := s.idempotencyKey(key)
	if err != nil {
		return nil, err
	}
	source, now := requestOf(ctx).identity.SourceID, s.Now().UTC()
	record := lore.Record{
		ID: lore.DerivedID("idempotency", source, key), SourceID: source, Body: text.Value().Fingerprint() + draft.Follows,
		CreatedAt: now, ExpiresAt: now.Add(recordLife),
	}
	held, claimed, err := s.Records.Claim(ctx, record, now.Add(-claimLife))
	switch {
	case err != nil:
		return nil, err
	case claimed:
		return s.submitClaimed(ctx, record, draft, text)
	case held.Body != record.Body:
		return nil, &lore.Problem{
			Code:   lore.CodeIdempotencyMismatch,
			Detail: "this Idempotency-Key was used with another body within 24 hours; use a new key for a new observation",
		}
	case len(held.Answer) > 0:
		var answer submitOutput
		if err := json.Unmarshal(held.Answer, &answer); err != nil {
			return nil, fmt.Errorf("read the kept answer: %w", err)
		}
		return &answer, nil
	}
	return nil, &lore.Problem{
		Code: lore.CodeIdempotencyInFlight, RetryAfter: time.Second,
		Detail: "the first request with this Idempotency-Key is still at work; send this one again after the time in Retry-After",
	}
}

// submitClaimed stores an observation and adds the answer to its record, without others' words, so that what is redacted later stands
// nowhere else.
func (s *server) submitClaimed(
	ctx context.Context, record lore.Record, draft lore.Draft, text scrubber.Scrubbed[lore.Observation],
) (*submitOutput, error) {
	output, err := s.store(ctx, draft, text)
	if err != nil {
		release, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
		defer cancel()
		if err := s.Records.Release(release, record); err != nil {
			s.Log.Warn("an idempotency record stays claimed", "request_id", requestOf(ctx).id, "cause", err)
		}
		return nil, err
	}
	kept := *output
	kept.Body.Similar, kept.Body.Advice = nil, ""
	if record.Answer, err = json.Marshal(kept); err != nil {
		return nil, fmt.Errorf("encode answer: %w", err)
	}
	if err := s.Records.Complete(ctx, record); err != nil {
		// It is stored, and a retry will find its text: the caller gets its answer.
		s.Log.Warn("an idempotency record lacks its answer", "request_id", requestOf(ctx).id, "cause", err)
	}
	return output, nil
}

// idempotencyKey returns the key without the quotes that the IETF draft gives it; the header's pattern bounds it. A key that looks
// like a secret is refused: it would be kept.
func (s *server) idempotencyKey(header string) (string, error) {
	key := strings.Trim(strings.TrimSpace(header), `"`)
	if !s.Scrubber.Clean(key) {
		return "", lore.InvalidFields([]lore.FieldError{{Pointer: "Idempotency-Key", Code: "secret", Detail: "must not hold a secret: use a random UUID"}})
	}
	return key, nil
}
