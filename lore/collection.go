// Package lore is the domain of agentlore: what agents report, what becomes of it, and the rules that each noun obeys.
//
// It does no I/O and imports none of our packages, so that every other package can speak in its types. The JSON names on
// the types are the names on the wire and in Elasticsearch; storage adds its private fields by embedding. The schema tags
// (maxLength, enum, doc and so on) are the one statement of each limit: the HTTP layer and the importer both validate by
// them, and the published OpenAPI document is made from them.
package lore

import (
	"crypto/sha256"
	"encoding/binary"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
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
	Questions      Collection = "questions"
)

// Collections returns the public collections.
func Collections() []Collection {
	return []Collection{Sources, Submissions, KnowledgeUnits, Patterns, Families, Assets, Suggestions, SafetyFlags, Questions}
}

// UnmarshalText reads a collection's name; knowledge is that of the knowledge units too, as in paths and types.
func (c *Collection) UnmarshalText(text []byte) error {
	if *c = Collection(text); *c == "knowledge" {
		*c = KnowledgeUnits
	}
	return nil
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
	Collection Collection `json:"collection" enum:"sources,submissions,knowledge-units,patterns,families,assets,suggestions,safety-flags,questions" doc:"Collection of the item" example:"submissions"`
	ID         string     `json:"id" scrub:"-" format:"uuid" doc:"Id of the item" example:"01a1fb67-1800-8116-8f2a-2f6a201e6cb9"`
}

// Item names an item that a caller speaks of: by its id, which is unique over all collections.
type Item struct {
	ID string `json:"id,omitempty" scrub:"-" format:"uuid" doc:"Id of the item, of whatever collection" example:"01a1fb67-1800-8116-8f2a-2f6a201e6cb9"`
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

// NewID returns a UUIDv7: unique without coordination and ordered by time, which keeps Elasticsearch's id index compact.
func NewID() string {
	return uuid.Must(uuid.NewV7()).String()
}

// DerivedID returns a UUIDv8 made from parts, so that the same content gets the same id wherever and whenever it is
// written. Parts are length-prefixed: ("ab", "c") and ("a", "bc") differ.
func DerivedID(parts ...string) string {
	hash := sha256.New()
	for _, part := range parts {
		hash.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(part))))
		hash.Write([]byte(part))
	}
	var id uuid.UUID
	copy(id[:], hash.Sum(nil))
	id[6] = id[6]&0x0f | 0x80 // version 8: custom (RFC 9562, section 5.8)
	id[8] = id[8]&0x3f | 0x80 // the RFC 9562 variant
	return id.String()
}

// ValidID reports whether id has the canonical form of a UUID: 36 lowercase characters. Anything else can't be stored.
func ValidID(id string) bool {
	parsed, err := uuid.Parse(id)
	return err == nil && parsed.String() == id
}

// DatedID is DerivedID with a time, in milliseconds, in front, as UUIDv7 has it: derived ids of one day lie close
// together in Elasticsearch's id index instead of all over it.
func DatedID(at time.Time, parts ...string) string {
	id := uuid.MustParse(DerivedID(parts...))
	for i, milliseconds := 5, uint64(at.UnixMilli()); i >= 0; i, milliseconds = i-1, milliseconds>>8 {
		id[i] = byte(milliseconds)
	}
	return id.String()
}

// IDBytes returns the 16 bytes of an id, for stores that keep many. It fails on what ValidID refuses.
func IDBytes(id string) ([16]byte, error) {
	parsed, err := uuid.Parse(id)
	return parsed, err
}

// IDFromBytes returns the id that 16 bytes stand for.
func IDFromBytes(bytes [16]byte) string { return uuid.UUID(bytes).String() }
