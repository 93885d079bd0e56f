package lore

import "math"

// Report is a submission as the curator sees it. It never leaves the service.
type Report struct {
	Submission
	Fingerprint string `json:"fingerprint,omitempty"`
	// Confirmed: two others with standing have confirmed it since. It counts towards its principal's own standing.
	Confirmed bool `json:"confirmed,omitempty"`
}

// LinkSteps is how finely the probability of a link is stored: in steps of 1/LinkSteps.
const LinkSteps = math.MaxUint16

// Neighbour is a report that another one is linked to.
type Neighbour struct {
	ID          string
	Probability float64 // that both are of one thing, 0 to 1
	// Derived says that the two were compared because of a common neighbour, not because keywords found one by the other.
	Derived bool
	// Pass is the curator's pass that made the link.
	Pass int64
}

// Links are what a report is linked to.
type Links struct {
	ID          string
	Fingerprint string // equal ones are of one pattern; empty: equal to none
	Neighbours  []Neighbour
	// Pass is the latest of the curator's passes that changed them.
	Pass int64
}

// Change is what the curator changes of an item. What has the value already isn't written.
type Change struct {
	Target Target
	Set    map[string]any // by field
	Drop   []string       // fields that go
	Delete bool           // the item goes
	Make   bool           // the item is made where it isn't there; otherwise it is left out
	Once   bool           // the item is made of Set where it isn't there, and left as it is where it is
}
