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
)

// RecordsIndex is the index of answers that are kept, for Client.Alias.
const RecordsIndex = "records"

// Records keeps the answers to requests with an Idempotency-Key. They are claimed by op_type=create and read by id,
// which is real-time, unlike a search.
type Records struct{ client *Client }

// NewRecords returns the records.
func NewRecords(client *Client) *Records { return &Records{client} }

// recordDocument is a record as stored. The answer is kept as text: its form is not the store's business.
type recordDocument struct {
	lore.Record
	Answer string `json:"answer,omitempty"`
}

// storedRecord is a record as read, with what a replacement must match.
type storedRecord struct {
	Revision
	Source recordDocument `json:"_source"`
}

// Claim stores a record under an id that must be new, and returns claimed == true; or the record that is there. One past
// its life counts as not there, and so does one of the same body that has no answer and was claimed before abandoned: of
// many who find it at once, one gets it. Errors: store_unavailable.
func (r *Records) Claim(ctx context.Context, record lore.Record, abandoned time.Time) (held lore.Record, claimed bool, err error) {
	alias := r.client.Alias(RecordsIndex)
	err = r.client.CreateDocument(ctx, alias, record.ID, recordDocument{Record: record})
	if err == nil {
		return record, true, nil
	}
	if !errors.Is(err, ErrConflict) {
		return lore.Record{}, false, fmt.Errorf("claim idempotency key: %w", err)
	}
	stored, err := r.read(ctx, record.ID)
	if errors.Is(err, ErrNotFound) {
		return r.Claim(ctx, record, abandoned) // it was released in between
	}
	if err != nil {
		return lore.Record{}, false, err
	}
	held = stored.Source.Record
	held.ID, held.Answer = record.ID, []byte(stored.Source.Answer)
	if held.CreatedAt.Equal(record.CreatedAt) && held.Body == record.Body {
		return record, true, nil // to the nanosecond our own: the answer to the first try was lost on the way
	}
	dead := len(held.Answer) == 0 && held.Body == record.Body && held.CreatedAt.Before(abandoned)
	if record.CreatedAt.Before(held.ExpiresAt) && !dead {
		return held, false, nil
	}
	err = r.replace(ctx, record, &stored.Revision)
	if errors.Is(err, ErrConflict) {
		return r.Claim(ctx, record, abandoned) // another one was quicker: look again
	}
	return record, err == nil, err
}

// Complete adds the answer to a record. Errors: store_unavailable.
func (r *Records) Complete(ctx context.Context, record lore.Record) error {
	return r.replace(ctx, record, nil)
}

// Release removes a record whose request failed, unless another request has claimed it since. Errors: store_unavailable.
func (r *Records) Release(ctx context.Context, record lore.Record) error {
	stored, err := r.read(ctx, record.ID)
	if err == nil && stored.Source.CreatedAt.Equal(record.CreatedAt) {
		err = r.client.Do(ctx, esapi.DeleteRequest{
			Index: r.client.Alias(RecordsIndex), DocumentID: record.ID, IfSeqNo: &stored.SeqNo, IfPrimaryTerm: &stored.PrimaryTerm,
		}, nil)
	}
	if errors.Is(err, ErrNotFound) || errors.Is(err, ErrConflict) {
		return nil
	}
	return err
}

// read returns a record as it is now. Errors: ErrNotFound.
func (r *Records) read(ctx context.Context, id string) (storedRecord, error) {
	var stored storedRecord
	if err := r.client.Do(ctx, esapi.GetRequest{Index: r.client.Alias(RecordsIndex), DocumentID: id}, &stored); err != nil {
		return stored, fmt.Errorf("read idempotency key: %w", err)
	}
	return stored, nil
}

// replace writes a record over the revision that was read, or over any when none is given.
func (r *Records) replace(ctx context.Context, record lore.Record, read *Revision) error {
	return r.client.WriteDocument(ctx, r.client.Alias(RecordsIndex), record.ID, recordDocument{Record: record, Answer: string(record.Answer)}, read)
}

// Sweep deletes records past their life and returns how many.
func (r *Records) Sweep(ctx context.Context, now time.Time) (int, error) {
	body, err := json.Marshal(map[string]any{"query": map[string]any{"range": map[string]any{
		"expires_at": map[string]any{"lt": now.UTC().Format(time.RFC3339)},
	}}})
	if err != nil {
		return 0, err
	}
	var answer struct {
		Deleted int `json:"deleted"`
	}
	request := esapi.DeleteByQueryRequest{Index: []string{r.client.Alias(RecordsIndex)}, Body: bytes.NewReader(body), Conflicts: "proceed"}
	if err := r.client.Do(ctx, request, &answer); err != nil {
		return 0, fmt.Errorf("delete old records: %w", err)
	}
	return answer.Deleted, nil
}
