package handlers

import (
	"encoding/json"
	"reflect"
	"strings"
)

// jsonMembers are the fields of a struct by the names of its JSON members.
type jsonMembers map[string]int

// membersOf returns the members of a struct that embeds none.
func membersOf(t reflect.Type) jsonMembers {
	members := jsonMembers{}
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if name == "" || t.Field(i).Anonymous {
			panic("a wire type with a field that its JSON doesn't name: " + t.String())
		}
		members[name] = i
	}
	return members
}

// all reports whether the names of an object's members are spelt as the fields': encoding/json takes any case of them.
func (m jsonMembers) all(object map[string]any) bool {
	for name := range object {
		if _, known := m[name]; !known {
			return false
		}
	}
	return true
}

// fill sets the fields of a struct to what an object that was read holds, as encoding/json would from its text: to read that twice
// took a tenth of an import's time. The object must have no other members.
func (m jsonMembers) fill(structure reflect.Value, object map[string]any) error {
	for name, value := range object {
		index := m[name]
		if value == nil || setText(structure.Field(index), value) {
			continue
		}
		text, err := json.Marshal(value)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(text, structure.Field(index).Addr().Interface()); err != nil {
			return err
		}
	}
	return nil
}

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

// setText sets a field that is a text or a list of texts, and reports whether it is one and the value, too.
func setText(field reflect.Value, value any) bool {
	switch value := value.(type) {
	case string:
		if field.Kind() != reflect.String || field.Addr().Type().Implements(unmarshaler) {
			return false
		}
		field.SetString(value)
		return true
	case []any:
		texts, isTexts := field.Addr().Interface().(*[]string)
		if !isTexts {
			return false
		}
		list := make([]string, len(value))
		for i, element := range value {
			if list[i], isTexts = element.(string); !isTexts {
				return false
			}
		}
		*texts = list
		return true
	}
	return false
}
