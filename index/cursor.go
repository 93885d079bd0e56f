package index

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"agentlore/lore"
)

// cursor is where a page ended. It is bound to its query: behind another filter or order its values would mean nothing.
// It isn't signed, since all that a forged one can do is to start a page of public data somewhere else.
type cursor struct {
	Binding string `json:"b"`
	// Values and ID are the sort values of the last document of the page: numbers, such as a time in milliseconds, and an id.
	Values []float64 `json:"v"`
	ID     string    `json:"i"`
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

// NewCursor returns the cursor behind a document with these sort values, "" where there are none.
func NewCursor(binding string, sort []json.RawMessage) string {
	position := cursor{Binding: binding}
	last := len(sort) - 1
	if last < 1 {
		return ""
	}
	position.Values = make([]float64, last)
	err := json.Unmarshal(sort[last], &position.ID)
	for i := range position.Values {
		err = errors.Join(err, json.Unmarshal(sort[i], &position.Values[i]))
	}
	text, failed := json.Marshal(position)
	if err != nil || failed != nil {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

// readCursor returns the sort values in a cursor, so many as the order has fields. Errors: invalid_cursor, also for a cursor of another
// query.
func readCursor(token, binding string, fields int) ([]any, error) {
	text, err := base64.RawURLEncoding.DecodeString(token)
	var position cursor
	if err != nil || json.Unmarshal(text, &position) != nil || len(position.Values) != fields-1 || !lore.ValidID(position.ID) {
		return nil, notOurs()
	}
	if position.Binding != binding {
		return nil, &lore.Problem{Code: lore.CodeInvalidCursor, Detail: "this cursor belongs to another query: keep q, filters and sort as they were, or start again without a cursor"}
	}
	after := make([]any, 0, fields)
	for _, value := range position.Values {
		if math.Abs(value) > 1<<53 { // no time and no rank
			return nil, notOurs()
		}
		after = append(after, value)
	}
	return append(after, position.ID), nil
}

func notOurs() error {
	return &lore.Problem{Code: lore.CodeInvalidCursor, Detail: "this is not a cursor of ours: send next_cursor of the page before, unchanged"}
}

// GoesOn reports whether a page by time has another behind it. The query asked for one result more than the limit, which tells; at the
// edge of the window there was no room for that one, and that the total was not counted to its end tells then.
func GoesOn(found, limit, offset int, cursor, relation string) bool {
	atEdge := cursor == "" && offset+limit == lore.MaxWindow && relation == "gte"
	return found > limit || atEdge && found == limit
}
