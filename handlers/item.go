package handlers

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
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
	schema.Properties = maps.Clone(own.Properties)
	schema.Properties["content_trust"] = &huma.Schema{
		Type: huma.TypeString, Enum: []any{untrusted}, Description: trustMeaning,
	}
	schema.Required = append(own.Required[:len(own.Required):len(own.Required)], "content_trust")
	schema.PrecomputeMessages()
	return &schema
}

// item returns a handler that answers with one item of a collection.
func item[T any](reader Reader[T]) func(context.Context, *itemInput) (*bodyOutput[itemBody[T]], error) {
	return func(ctx context.Context, input *itemInput) (*bodyOutput[itemBody[T]], error) {
		found, err := reader.Get(ctx, input.ID)
		return &bodyOutput[itemBody[T]]{itemBody[T]{found}}, err
	}
}
