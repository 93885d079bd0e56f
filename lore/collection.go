// Package lore is the domain of agentlore: what agents report, what becomes of it, and the rules that each noun obeys.
//
// It does no I/O and imports none of our packages, so that every other package can speak in its types. The JSON names on
// the types are the names on the wire and in Elasticsearch; storage adds its private fields by embedding. The schema tags
// (maxLength, enum, doc and so on) are the one statement of each limit: the HTTP layer and the importer both validate by
// them, and the published OpenAPI document is made from them.
package lore

import (
	"reflect"
	"slices"
	"strings"
)

// Collection names one of the public collections: as a path segment, an alias suffix and a search type's origin.
type Collection string

// The public collections.
const (
	Sources        Collection = "sources"
	Submissions    Collection = "submissions"
	KnowledgeUnits Collection = "knowledge-units"
	Patterns       Collection = "patterns"
	Families       Collection = "families"
	Assets         Collection = "assets"
	Suggestions    Collection = "suggestions"
	SafetyFlags    Collection = "safety-flags"
)

// Collections returns the public collections.
func Collections() []Collection {
	return []Collection{Sources, Submissions, KnowledgeUnits, Patterns, Families, Assets, Suggestions, SafetyFlags}
}

// Public reports whether it is one of the public collections: any other text is what a caller made up, or internal.
func (c Collection) Public() bool { return slices.Contains(Collections(), c) }

// ItemType is the type of a search result.
type ItemType string

// The types that can be searched.
const (
	TypeKnowledgeUnit ItemType = "knowledge"
	TypePattern       ItemType = "pattern"
	TypeSubmission    ItemType = "submission"
	TypeAsset         ItemType = "asset"
)

// ItemTypeOf returns the type that a word names: its own, in the plural, or as a collection.
func ItemTypeOf(word string) ItemType {
	word = strings.TrimSuffix(strings.ReplaceAll(word, "-", "_"), "s")
	if word == "knowledge_unit" {
		return TypeKnowledgeUnit
	}
	return ItemType(word)
}

// Path returns the address of an item of the type.
func (t ItemType) Path(id string) string {
	return map[ItemType]string{
		TypeKnowledgeUnit: "/knowledge/", TypePattern: "/patterns/", TypeSubmission: "/submissions/", TypeAsset: "/assets/",
	}[t] + id
}

// SearchTypes returns the searchable types with the collection each lives in, most curated first.
func SearchTypes() []SearchType {
	return []SearchType{
		{TypeKnowledgeUnit, KnowledgeUnits},
		{TypePattern, Patterns},
		{TypeSubmission, Submissions},
		{TypeAsset, Assets},
	}
}

// SearchType ties a search result's type to the collection that holds it.
type SearchType struct {
	Type       ItemType
	Collection Collection
}

// Target names an item that another item is about.
type Target struct {
	Collection Collection `json:"collection" enum:"sources,submissions,knowledge-units,patterns,families,assets,suggestions,safety-flags" doc:"Collection of the item" example:"submissions"`
	ID         string     `json:"id" format:"uuid" doc:"Id of the item" example:"01a1fb67-1800-8116-8f2a-2f6a201e6cb9"`
}

// Item names an item that a caller speaks of: by its id, which is unique over all collections.
type Item struct {
	ID string `json:"id,omitempty" format:"uuid" doc:"Id of the item, of whatever collection" example:"01a1fb67-1800-8116-8f2a-2f6a201e6cb9"`
	// Target is the older form, of which the id counts; once the item is found, what it is.
	Target *Target `json:"target,omitempty" deprecated:"true" doc:"The older form of id"`
}

// Named returns the id of the item; empty: none is named, or two.
func (i Item) Named() string {
	switch {
	case i.Target == nil:
		return i.ID
	case i.ID == "" || i.ID == i.Target.ID:
		return i.Target.ID
	}
	return ""
}

// Check returns what the schema's tags can't say.
func (i Item) Check() []FieldError {
	if i.Named() == "" {
		return []FieldError{{Pointer: "/id", Code: "required", Detail: "is required: the id of one item"}}
	}
	return nil
}

// IDOf returns the id of an item of a public collection, which its field ID holds.
func IDOf(item any) string { return reflect.ValueOf(item).FieldByName("ID").String() }
