package lore

import (
	"encoding/json"
	"time"
)

// Record remembers the answer to a request with an Idempotency-Key.
type Record struct {
	ID        string          `json:"-"`
	SourceID  string          `json:"source_id"`
	Body      string          `json:"body_hash"` // fingerprint of the scrubbed text
	Answer    json.RawMessage `json:"-"`         // empty until the request is done
	CreatedAt time.Time       `json:"created_at"`
	ExpiresAt time.Time       `json:"expires_at"`
}
