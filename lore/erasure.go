package lore

import "time"

// Erasure tells consumers of an export that an item is gone for good. It holds nothing of what the item said.
type Erasure struct {
	ID       string    `json:"id"`
	ErasedAt time.Time `json:"erased_at"` // to the millisecond, UTC
}

// ErasureID returns the id of the decision that erases an item. It follows from the item, so that an erasure that was killed and is
// run again is recorded once, and so that a reader who doesn't find an item learns with one look-up by id whether it was erased.
func ErasureID(item Target) string {
	return DerivedID("erase", string(item.Collection), item.ID)
}
