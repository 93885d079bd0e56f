package kibana

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// document returns one that has all fields, and that the query finds.
func (a asked) document(fields map[string]map[string]any) string {
	document := map[string]any{"created_at": time.Now().UTC()}
	var absent []string
	for _, term := range termsOf(a.kql) {
		if term.not && term.value == "*" {
			absent = append(absent, term.field)
		}
	}
	wanted := slices.Clone(a.fields)
	for _, field := range a.fields { // what a computed field is computed from
		text, _ := json.Marshal(a.computed[field])
		for _, source := range computedFrom.FindAllStringSubmatch(string(text), -1) {
			wanted = append(wanted, source[1])
		}
	}
	for _, field := range wanted {
		if slices.Contains(absent, field) || fields[field] == nil {
			continue
		}
		var value any = "x"
		switch fields[field]["type"] {
		case "date":
			value = time.Now().UTC()
		case "boolean":
			value = true
		case "byte", "integer", "long", "float":
			value = 1
		}
		set(document, fields, field, value)
	}
	for _, term := range termsOf(a.kql) {
		if term.not || term.value == "*" {
			continue
		}
		value := any(term.value)
		switch {
		case strings.HasPrefix(term.value, "now") && term.operator == "<":
			value = time.Now().UTC().AddDate(-3, 0, 0)
		case strings.HasPrefix(term.value, "now"):
			value = time.Now().UTC()
		case term.operator == ">":
			var bound float64
			fmt.Sscan(term.value, &bound)
			value = bound + 1
		}
		set(document, fields, term.field, value)
	}
	text, _ := json.Marshal(document) // of times, numbers and strings
	return string(text)
}

// computedFrom finds the fields that a script reads.
var computedFrom = regexp.MustCompile(`(?:doc|_source)\['([a-z_]+)'\]`)

// set sets a field by its path. A field of a field, such as q.whole of q, has the value of that one.
func set(document map[string]any, fields map[string]map[string]any, path string, value any) {
	if parent, _, nested := strings.Cut(path, "."); nested && fields[parent] != nil {
		path = parent
	}
	if fields[path]["type"] == "alias" {
		return
	}
	for parent, rest, nested := strings.Cut(path, "."); nested; parent, rest, nested = strings.Cut(path, ".") {
		inner, there := document[parent].(map[string]any)
		if !there {
			inner = map[string]any{}
			document[parent] = inner
		}
		document, path = inner, rest
	}
	document[path] = value
}
