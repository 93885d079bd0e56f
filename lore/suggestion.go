package lore

import "time"

// SuggestionKind says what a suggestion asks for.
type SuggestionKind string

// The kinds of suggestions.
const (
	SuggestAsset      SuggestionKind = "asset"
	SuggestCategory   SuggestionKind = "category"
	SuggestCorrection SuggestionKind = "correction"
	SuggestMerge      SuggestionKind = "merge"
	SuggestFeature    SuggestionKind = "feature"
)

// SuggestionStatus says what became of a suggestion.
type SuggestionStatus string

// The states of a suggestion.
const (
	SuggestionOpen     SuggestionStatus = "open"
	SuggestionAccepted SuggestionStatus = "accepted"
	SuggestionRejected SuggestionStatus = "rejected"
)

// Suggestion is a change that a source proposes; an operator decides on it.
type Suggestion struct {
	ID        string           `json:"id" format:"uuid" doc:"Id of the suggestion"`
	SourceID  string           `json:"source_id" format:"uuid" doc:"Who suggests it"`
	Kind      SuggestionKind   `json:"kind" enum:"asset,category,correction,merge,feature" doc:"What it asks for"`
	Target    *Target          `json:"target,omitempty" doc:"The item it is about"`
	Summary   string           `json:"summary" doc:"The suggestion in one line"`
	Content   string           `json:"content,omitempty" doc:"Detail"`
	Status    SuggestionStatus `json:"status" enum:"open,accepted,rejected" doc:"What became of it"`
	CreatedAt time.Time        `json:"created_at" doc:"When it was made, UTC"`
}

// Target names an item that another item is about.
type Target struct {
	Collection Collection `json:"collection" enum:"sources,submissions,knowledge-units,patterns,assets,suggestions,safety-flags" doc:"Collection of the item"`
	ID         string     `json:"id" format:"uuid" doc:"Id of the item"`
}
