package lore

// Report is a submission as the curator sees it. It never leaves the service.
type Report struct {
	Submission
	Fingerprint string `json:"fingerprint,omitempty"`
	// FamilyKey is the id of the family that it belongs to, or would if enough others said the same.
	FamilyKey string `json:"family_key,omitempty"`
	// Confirmed: two others with standing have confirmed it since. It counts towards its principal's own standing.
	Confirmed bool `json:"confirmed,omitempty"`
	// HasResolution and Named are for analysts, who can't ask for what is in a text.
	HasResolution *bool  `json:"has_resolution,omitempty"`
	Named         *Named `json:"named,omitempty"`
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
