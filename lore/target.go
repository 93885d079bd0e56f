package lore

// Target names an item that another item is about.
type Target struct {
	Collection Collection `json:"collection" enum:"sources,submissions,knowledge-units,patterns,assets,suggestions,safety-flags" doc:"Collection of the item" example:"submissions"`
	ID         string     `json:"id" format:"uuid" doc:"Id of the item" example:"01a1fb67-1800-8116-8f2a-2f6a201e6cb9"`
}
