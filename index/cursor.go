package index

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"

	"agentlore/lore"
)

// cursor is where a page ended. It is bound to its query: behind another filter or order its values would mean nothing.
// It isn't signed, since all that a forged one can do is to start a page of public data somewhere else.
type cursor struct {
	Binding string `json:"b"`
	// After are the sort values of the last document of the page: a time in milliseconds and an id.
	Time int64  `json:"t"`
	ID   string `json:"i"`
}

// BindingOf returns a short digest of what a cursor belongs to.
func BindingOf(parts ...any) string {
	text, err := json.Marshal(parts)
	if err != nil {
		panic(fmt.Sprintf("a query that can't be encoded: %v", err)) // its types are ours and all encode
	}
	sum := sha256.Sum256(text)
	return base64.RawURLEncoding.EncodeToString(sum[:9])
}

// NewCursor returns the cursor behind a document with these sort values.
func NewCursor(binding string, sort []json.RawMessage) string {
	position := cursor{Binding: binding}
	if len(sort) != 2 || json.Unmarshal(sort[0], &position.Time) != nil || json.Unmarshal(sort[1], &position.ID) != nil {
		return ""
	}
	text, err := json.Marshal(position)
	if err != nil {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

// readCursor returns the sort values in a cursor. Errors: invalid_cursor, also for a cursor of another query.
func readCursor(token, binding string) ([]any, error) {
	text, err := base64.RawURLEncoding.DecodeString(token)
	var position cursor
	if err != nil || json.Unmarshal(text, &position) != nil || !lore.ValidID(position.ID) {
		return nil, &lore.Problem{Code: lore.CodeInvalidCursor, Detail: "this is not a cursor of ours: send next_cursor of the page before, unchanged"}
	}
	if position.Binding != binding {
		return nil, &lore.Problem{Code: lore.CodeInvalidCursor, Detail: "this cursor belongs to another query: keep q, filters and sort as they were, or start again without a cursor"}
	}
	return []any{position.Time, position.ID}, nil
}
