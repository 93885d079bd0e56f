package lore

import (
	"slices"
	"time"
)

// Report is a submission as the curator sees it. It never leaves the service.
type Report struct {
	Submission
	Fingerprint string `json:"fingerprint,omitempty"`
	// FamilyKey is the id of the family that it belongs to, or would if enough others said the same.
	FamilyKey string `json:"family_key,omitempty"`
	// Confirmed: two others whose standing was given confirmed its fix since. It counts towards its principal's own standing.
	Confirmed bool `json:"confirmed,omitempty"`
	// FixKey stands for the words of its fix.
	FixKey string `json:"fix_key,omitempty"`
	// RedactedFrom are the revisions that it had before an operator removed secrets from it: what was said of them holds.
	RedactedFrom []string `json:"redacted_from,omitempty"`
	// EarlierUntil are the times at which its source changed its words.
	EarlierUntil []time.Time `json:"earlier_until,omitempty"`
	// HasResolution and Named are for analysts, who can't ask for what is in a text.
	HasResolution *bool  `json:"has_resolution,omitempty"`
	Named         *Named `json:"named,omitempty"`
}

// Says reports whether words that something was said of at a time are those that the report has now, or had before an operator redacted it.
// Its Revision must be that of its words.
func (r Report) Says(words Words, at time.Time) bool {
	return words.AreOf(Words{Revision: r.Revision}, at, r.RevisedAt) || slices.Contains(r.RedactedFrom, words.Revision)
}

// Links are what is stored of a report and those that it is linked to.
type Links struct {
	ID          string `json:"id"`
	Fingerprint string `json:"fingerprint,omitempty"` // equal ones are of one pattern; empty: equal to none
	Pass        int64  `json:"pass"`                  // the latest of the curator's passes that changed them
	Row         []byte `json:"row,omitempty"`         // the curator alone reads it
}

// Change is what the curator changes of an item. What has the value already isn't written.
type Change struct {
	Target Target
	// Read is, where Set gives a report a fingerprint, the one that was read with its words: if it has another by now, they were
	// amended meanwhile, and the change is left out.
	Read   *string
	Set    map[string]any // by field
	Drop   []string       // fields that go
	Delete bool           // the item goes
	Make   bool           // the item is made where it isn't there; otherwise it is left out
	Once   bool           // the item is made of Set where it isn't there, and left as it is where it is
}

// Refusal is a change that the store refused for what it holds: sent again, it would be refused again.
type Refusal struct {
	Target Target
	Reason string // types of the store's errors, never a text of the item
}

// SetAside is an item that curation passes over: the store refused what was to be written of it, or judging it failed. It is tried again by
// another version of agentlore, by a rebuild, and when an operator says so.
type SetAside struct {
	Target  Target    `json:"target"`
	Reason  string    `json:"reason"` // types of errors, never a text of the item
	At      time.Time `json:"at"`     // when it was set aside last
	Version string    `json:"version"`
	// Retries is how many decisions to try it again had been made by then.
	Retries int `json:"retries,omitempty"`
}

// ToCompare says which reports a pass compares.
type ToCompare struct {
	Version string   // reports whose fingerprint is of this version are compared already
	All     bool     // these too
	Except  []string // ids of reports that are set aside
}
