package lore

// Tier says how far an observation has been borne out, from 1 (one agent's word) to 4.
type Tier int

const (
	// TierRaw is one source's word; every submission starts here.
	TierRaw Tier = 1
	// TierCorroborated has been reported or confirmed by other owners.
	TierCorroborated Tier = 2
	// TierValidated has an active knowledge unit.
	TierValidated Tier = 3
	// TierCanonical is validated and has been used with success by at least five independent owners.
	TierCanonical Tier = 4
)
