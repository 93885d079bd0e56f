package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// mismatches says where a JSON value is not what a schema of the OpenAPI document describes. It knows what the document
// uses: references, alternatives, types, required and undescribed members, enums, bounds, lengths and item schemas. It is a test's own, and no
// general validator.
func mismatches(document map[string]any, schema map[string]any, value any, at string) []string {
	if ref, ok := schema["$ref"].(string); ok {
		target := follow(document, ref)
		if target == nil {
			return []string{at + ": the reference " + ref + " leads nowhere"}
		}
		return mismatches(document, target, value, at)
	}
	var faults []string
	if choices, ok := schema["anyOf"].([]any); ok {
		for _, choice := range choices {
			found := mismatches(document, choice.(map[string]any), value, at)
			if len(found) == 0 {
				return nil
			}
			if len(faults) == 0 {
				faults = found
			}
		}
		return faults
	}
	fault := func(format string, args ...any) { faults = append(faults, at+": "+fmt.Sprintf(format, args...)) }

	if allowed := typesOf(schema); len(allowed) > 0 && !slices.ContainsFunc(allowed, func(name string) bool { return isA(name, value) }) {
		fault("is %T, want %s", value, strings.Join(allowed, " or "))
		return faults
	}
	if enum, ok := schema["enum"].([]any); ok && !slices.Contains(enum, value) {
		fault("%v isn't one of %v", value, enum)
	}
	switch value := value.(type) {
	case map[string]any:
		properties, _ := schema["properties"].(map[string]any)
		for _, name := range stringsOf(schema["required"]) {
			if _, there := value[name]; !there {
				fault("lacks the required %s", name)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(value)) {
			described, known := properties[name].(map[string]any)
			if !known && schema["additionalProperties"] == true {
				continue
			}
			if !known {
				if described, known = schema["additionalProperties"].(map[string]any); !known {
					if len(properties) > 0 && name != "$schema" {
						fault("has the undescribed member %s", name)
					}
					continue
				}
			}
			faults = append(faults, mismatches(document, described, value[name], at+"/"+name)...)
		}
	case string:
		length := float64(utf8.RuneCountInString(value))
		if most, ok := schema["maxLength"].(float64); ok && length > most {
			fault("is %v characters long, at most %v are described", length, most)
		}
		if least, ok := schema["minLength"].(float64); ok && length < least {
			fault("is %v characters long, at least %v are described", length, least)
		}
	case []any:
		if most, ok := schema["maxItems"].(float64); ok && float64(len(value)) > most {
			fault("has %d items, at most %v are described", len(value), most)
		}
		if items, ok := schema["items"].(map[string]any); ok {
			for i, item := range value {
				faults = append(faults, mismatches(document, items, item, fmt.Sprintf("%s/%d", at, i))...)
			}
		}
	case float64:
		if least, ok := schema["minimum"].(float64); ok && value < least {
			fault("is %v, at least %v is described", value, least)
		}
		if most, ok := schema["maximum"].(float64); ok && value > most {
			fault("is %v, at most %v is described", value, most)
		}
	}
	return faults
}

// follow returns the schema at a local reference.
func follow(document map[string]any, ref string) map[string]any {
	at := document
	for _, name := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
		at, _ = at[strings.ReplaceAll(name, "~1", "/")].(map[string]any)
	}
	return at
}

// typesOf returns the types that a schema allows; OpenAPI 3.1 writes one or a list.
func typesOf(schema map[string]any) []string {
	if one, ok := schema["type"].(string); ok {
		return []string{one}
	}
	return stringsOf(schema["type"])
}

func stringsOf(list any) []string {
	items, _ := list.([]any)
	var texts []string
	for _, item := range items {
		if text, ok := item.(string); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

// isA reports whether a decoded JSON value has a JSON Schema type.
func isA(name string, value any) bool {
	switch value := value.(type) {
	case nil:
		return name == "null"
	case bool:
		return name == "boolean"
	case string:
		return name == "string"
	case float64:
		return name == "number" || name == "integer" && value == math.Trunc(value)
	case []any:
		return name == "array"
	default:
		return name == "object"
	}
}

// Every reference in the description leads somewhere.
func TestReferencesResolve(t *testing.T) {
	t.Parallel()
	s := sharedService(t)
	body := s.get(t, "/api/schema").want(t, 200).body
	schema := decode[endpoints](t, answer{body: body})
	var all any
	if err := json.Unmarshal(body, &all); err != nil {
		t.Fatal(err)
	}
	found := 0
	eachReference(all, func(ref string) {
		found++
		name, ours := strings.CutPrefix(ref, "#/components/schemas/")
		if !ours {
			if name, ours = strings.CutPrefix(ref, "#/schemas/"); !ours {
				t.Errorf("%q leads nowhere in this document", ref)
				return
			}
		}
		if schema.Schemas[name] == nil {
			t.Errorf("%q leads nowhere", ref)
		}
	})
	if found < 20 {
		t.Errorf("only %d references: is the document whole?", found)
	}
}

// eachReference visits every $ref in a JSON value.
func eachReference(value any, visit func(string)) {
	switch value := value.(type) {
	case map[string]any:
		if ref, ok := value["$ref"].(string); ok {
			visit(ref)
		}
		for _, member := range value {
			eachReference(member, visit)
		}
	case []any:
		for _, member := range value {
			eachReference(member, visit)
		}
	}
}
