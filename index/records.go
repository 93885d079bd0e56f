package index

import (
	"context"
	"errors"
	"fmt"
	"time"

	"agentlore/lore"
)

// RecordsIndex is the index of answers that are kept, for Client.Alias.
const RecordsIndex = "records"

// Records keeps the answers to requests with an Idempotency-Key. They are claimed by op_type=create and read by id,
// which is real-time, unlike a search.
type Records struct{ *Client }

// recordDocument is a record as stored. The answer is kept as text: its form is not the store's business.
type recordDocument struct {
	lore.Record
	Answer string `json:"answer,omitempty"`
}

// Claim stores a record under an id that must be new, and returns claimed == true; or the record that is there. One past
// its life counts as not there, and so does one of the same body that has no answer and was claimed before abandoned: of
// many who find it at once, one gets it. Errors: store_unavailable.
func (r Records) Claim(ctx context.Context, record lore.Record, abandoned time.Time) (held lore.Record, claimed bool, err error) {
	err = r.CreateDocument(ctx, r.Alias(RecordsIndex), record.ID, recordDocument{Record: record})
	if err == nil {
		return record, true, nil
	}
	if errors.Is(err, ErrConflict) {
		_, err = Edit(ctx, r.Client, r.Alias(RecordsIndex), record.ID, func(stored *recordDocument, there bool) error {
			held = stored.Record
			held.ID, held.Answer = record.ID, []byte(stored.Answer)
			same := held.Body == record.Body
			own := same && held.CreatedAt.Equal(record.CreatedAt) // to the nanosecond: the answer to the first try was lost on the way
			dead := same && len(held.Answer) == 0 && held.CreatedAt.Before(abandoned)
			if claimed = own || dead || !there || !record.CreatedAt.Before(held.ExpiresAt); !claimed || own {
				return ErrUnchanged
			}
			*stored = recordDocument{Record: record}
			return nil
		})
	}
	if err != nil {
		return lore.Record{}, false, fmt.Errorf("claim idempotency key: %w", err)
	}
	if claimed {
		held = record
	}
	return held, claimed, nil
}

// Complete adds the answer to a record. Errors: store_unavailable.
func (r Records) Complete(ctx context.Context, record lore.Record) error {
	return r.WriteDocument(ctx, r.Alias(RecordsIndex), record.ID, recordDocument{Record: record, Answer: string(record.Answer)}, nil)
}

// Release removes a record whose request failed, unless another request has claimed it since. Errors: store_unavailable.
func (r Records) Release(ctx context.Context, record lore.Record) error {
	stored, err := Get[recordDocument](ctx, r.Client, r.Alias(RecordsIndex), record.ID)
	if errors.Is(err, ErrNotFound) || err == nil && !stored.Source.CreatedAt.Equal(record.CreatedAt) {
		return nil
	}
	if err == nil {
		err = r.DeleteDocument(ctx, r.Alias(RecordsIndex), record.ID, &stored.Revision)
	}
	return Wrapped("release idempotency key", err)
}

// Sweep deletes records past their life and returns how many.
func (r Records) Sweep(ctx context.Context, now time.Time) (int, error) {
	deleted, err := r.DeleteWhere(ctx, r.Alias(RecordsIndex), before("expires_at", now))
	return deleted, Wrapped("delete old records", err)
}
