package handlers

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"agentlore/exporter"
	"agentlore/lore"
)

// itemInput names one item.
type itemInput struct {
	ID string `path:"id" doc:"Id of the item"`
}

// itemBody is an item with content_trust beside its own members.
type itemBody[T any] struct{ item T }

// MarshalJSON writes the item's members and content_trust.
func (b itemBody[T]) MarshalJSON() ([]byte, error) {
	text, err := json.Marshal(b.item)
	if err != nil {
		return nil, err
	}
	text, isObject := bytes.CutSuffix(text, []byte("}"))
	if !isObject {
		return nil, fmt.Errorf("%T is no JSON object", b.item)
	}
	return fmt.Appendf(text, `,"content_trust":%q}`, untrusted), nil
}

// Schema describes what MarshalJSON writes.
func (itemBody[T]) Schema(registry huma.Registry) *huma.Schema {
	own := resolve(registry, registry.Schema(reflect.TypeFor[T](), true, ""))
	schema := *own
	if schema.Properties = maps.Clone(own.Properties); schema.Properties == nil { // of whatever collection
		schema.Type, schema.AdditionalProperties = huma.TypeObject, true
		schema.Properties = map[string]*huma.Schema{"id": {Type: huma.TypeString, Format: "uuid", Description: "Id of the item"}}
	}
	schema.Properties["content_trust"] = &huma.Schema{
		Type: huma.TypeString, Enum: []any{untrusted}, Description: trustMeaning,
	}
	schema.Required = append(own.Required[:len(own.Required):len(own.Required)], "content_trust")
	schema.PrecomputeMessages()
	name := cmp.Or(reflect.TypeFor[T]().Name(), "Item") + "Response"
	registry.Map()[name] = &schema
	return &huma.Schema{Ref: schemasPath + name}
}

// evidentItem returns a handler that answers with a pattern or unit, whose other fixes have their words.
func evidentItem[T any](s *server, reader Reader[T], evident func(*T) *lore.Evident) func(context.Context, *itemInput) (*bodyOutput[itemBody[T]], error) {
	return func(ctx context.Context, input *itemInput) (*bodyOutput[itemBody[T]], error) {
		found, err := reader.Get(ctx, input.ID)
		if err == nil {
			err = s.quoteIn(ctx, evident(&found))
		}
		return &bodyOutput[itemBody[T]]{itemBody[T]{found}}, err
	}
}

func ofUnit(u *lore.KnowledgeUnit) *lore.Evident { return &u.Evident }
func ofPattern(p *lore.Pattern) *lore.Evident    { return &p.Evident }

// quoteIn gives the other fixes of a pattern or unit their words.
func (s *server) quoteIn(ctx context.Context, evident *lore.Evident) error {
	known, err := s.Knowledge.Current(ctx)
	if err == nil {
		evident.Alternatives, err = s.quote(ctx, evident.Alternatives, known.Vouched.Has)
	}
	return err
}

// item returns a handler that answers with one item of a collection.
func item[T any](reader Reader[T]) func(context.Context, *itemInput) (*bodyOutput[itemBody[T]], error) {
	return func(ctx context.Context, input *itemInput) (*bodyOutput[itemBody[T]], error) {
		found, err := reader.Get(ctx, input.ID)
		return &bodyOutput[itemBody[T]]{itemBody[T]{found}}, err
	}
}

// anyItem answers with an item of whatever collection.
func (s *server) anyItem(ctx context.Context, input *itemInput) (*bodyOutput[itemBody[any]], error) {
	target, err := s.Items.Find(ctx, input.ID)
	if lore.CodeOf(err) == lore.CodeNotFound {
		target, _, err = s.Items.FindErased(ctx, input.ID) // the collection says so
	}
	if err != nil {
		return nil, err
	}
	if target.Collection == lore.Submissions {
		found, err := s.submission(ctx, input)
		if err != nil {
			return nil, err
		}
		return &bodyOutput[itemBody[any]]{itemBody[any]{found.Body.item}}, nil
	}
	item, err := s.stored()[target.Collection].get(ctx, target.ID)
	switch found := item.(type) {
	case lore.KnowledgeUnit:
		err = cmp.Or(err, s.quoteIn(ctx, &found.Evident))
		item = found
	case lore.Pattern:
		err = cmp.Or(err, s.quoteIn(ctx, &found.Evident))
		item = found
	case lore.OpenQuestion:
		if err == nil {
			item, err = s.voiced(ctx, found)
		}
	}
	return &bodyOutput[itemBody[any]]{itemBody[any]{item}}, err
}

// stored is a public collection whatever its items are.
type stored struct {
	get    func(ctx context.Context, id string) (any, error)
	export exporter.Export
}

// stored returns every public collection, and the events, which are only exported.
func (s *server) stored() map[lore.Collection]stored {
	return map[lore.Collection]stored{
		lore.Sources: storedIn(s, s.Sources), lore.Submissions: storedIn[lore.Submission](s, s.Submissions),
		lore.KnowledgeUnits: storedIn(s, s.KnowledgeUnits), lore.Patterns: storedIn(s, s.Patterns), lore.Families: storedIn(s, s.Families),
		lore.Assets: storedIn(s, s.Assets), lore.Questions: storedIn[lore.OpenQuestion](s, s.Questions),
		lore.Suggestions: storedIn(s, s.Suggestions), lore.SafetyFlags: storedIn(s, s.SafetyFlags), lore.Events: storedIn(s, s.Events),
	}
}

func storedIn[T any](s *server, reader Reader[T]) stored {
	return stored{
		func(ctx context.Context, id string) (any, error) { return reader.Get(ctx, id) }, exporter.Of[T](turnReader[T]{reader, s}),
	}
}
