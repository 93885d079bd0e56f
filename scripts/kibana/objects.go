package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"agentlore/mappings"
)

// Versions of the saved objects' forms. Kibana brings older forms up to date when it imports them and refuses newer ones than
// its own, so each is the newest that 8.16 knows as well as 8.19 (docs/analysts.md says how that was looked up).
const (
	coreVersion      = "8.8.0"
	dataViewVersion  = "8.0.0"
	searchVersion    = "10.5.0"
	lensVersion      = "8.9.0"
	dashboardVersion = "10.2.0"
)

// savedObject is one line of an export.
type savedObject struct {
	Attributes  map[string]any `json:"attributes"`
	CoreVersion string         `json:"coreMigrationVersion"`
	ID          string         `json:"id"`
	Managed     bool           `json:"managed"`
	References  []reference    `json:"references"`
	Type        string         `json:"type"`
	TypeVersion string         `json:"typeMigrationVersion"`
}

// reference ties an object to another, by the name that the object uses for it.
type reference struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Type string `json:"type"`
}

// render returns all objects as NDJSON.
func render() ([]byte, error) {
	var objects []savedObject
	for _, view := range views {
		object, err := view.object()
		if err != nil {
			return nil, err
		}
		objects = append(objects, object)
	}
	for _, search := range searches {
		objects = append(objects, search.object())
	}
	for _, board := range boards {
		for _, panel := range board.panels {
			if panel.lens != nil {
				objects = append(objects, panel.lens.object())
			}
		}
		objects = append(objects, board.object())
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	for _, object := range objects {
		if err := encoder.Encode(object); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}

// text returns a part that Kibana keeps as JSON within JSON.
func text(v any) string {
	encoded, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("a part that can't be encoded: %v", err)) // they are made of strings, numbers, lists and maps
	}
	return string(encoded)
}

// view is a data view.
type view struct {
	name        string // of the collection; "*": all that has the fields of submissions
	title       string
	collections []string
}

func (v view) id() string { return "agentlore-" + v.name }

// object returns the data view. Fields are left to Kibana, which asks Elasticsearch; what they mean is given.
func (v view) object() (savedObject, error) {
	definitions, err := mappings.All()
	if err != nil {
		return savedObject{}, err
	}
	var patterns []string
	attributes := map[string]map[string]string{}
	for _, collection := range v.collections {
		definition, there := definitions[collection]
		if !there {
			return savedObject{}, fmt.Errorf("there is no collection %s", collection)
		}
		patterns = append(patterns, "agentlore-"+collection)
		described, _ := definition.Mappings["_meta"].(map[string]any)["fields"].(map[string]string)
		for field, description := range described {
			attributes[field] = map[string]string{"customDescription": description}
		}
	}
	return savedObject{
		Attributes: map[string]any{
			"allowHidden": false, "fieldAttrs": text(attributes), "fieldFormatMap": "{}", "fields": "[]", "name": v.title, "runtimeFieldMap": "{}",
			"sourceFilters": text([]map[string]string{{"value": "embedding"}, {"value": "signature"}}),
			"timeFieldName": "created_at", "title": strings.Join(patterns, ","), "typeMeta": "{}",
		},
		CoreVersion: coreVersion, ID: v.id(), References: []reference{}, Type: "index-pattern", TypeVersion: dataViewVersion,
	}, nil
}

// search is a saved search of Discover.
type search struct {
	name, title, description string
	view                     string
	kql                      string
	columns                  []string
}

func (s search) id() string { return "agentlore-search-" + s.name }

func (s search) object() savedObject {
	const index = "kibanaSavedObjectMeta.searchSourceJSON.index"
	return savedObject{
		Attributes: map[string]any{
			"columns": s.columns, "description": s.description, "grid": map[string]any{}, "hideChart": false, "isTextBasedQuery": false,
			"kibanaSavedObjectMeta": map[string]any{"searchSourceJSON": text(map[string]any{
				"query": kuery(s.kql), "filter": []any{}, "indexRefName": index,
			})},
			"sort": [][]string{{"created_at", "desc"}}, "timeRestore": false, "title": s.title,
		},
		CoreVersion: coreVersion, ID: s.id(), Type: "search", TypeVersion: searchVersion,
		References: []reference{{"agentlore-" + s.view, index, "index-pattern"}},
	}
}

func kuery(query string) map[string]string {
	return map[string]string{"query": query, "language": "kuery"}
}
