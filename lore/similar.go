package lore

// Similar is a report that says what a new one seems to say.
type Similar struct {
	ID              string `json:"id" format:"uuid" doc:"Id of the submission"`
	Summary         string `json:"summary" doc:"The observation in one line"`
	Tier            Tier   `json:"tier" minimum:"1" maximum:"4" doc:"1 raw, 2 corroborated, 3 validated, 4 canonical"`
	PatternID       string `json:"pattern_id,omitempty" doc:"The pattern it belongs to"`
	KnowledgeUnitID string `json:"knowledge_unit_id,omitempty" doc:"The knowledge unit made from it"`
	// SameWords: but for addresses, hashes, numbers and case it is the same text.
	SameWords bool `json:"same_words,omitempty" doc:"true: but for addresses, hashes and numbers it is the same text"`
}
