package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"agentlore/enginetest"
	"agentlore/mappings"
)

// object is a saved object as the committed file has it.
type object struct {
	ID          string
	Type        string
	TypeVersion string `json:"typeMigrationVersion"`
	CoreVersion string `json:"coreMigrationVersion"`
	References  []reference
	Attributes  struct {
		Title, Description, Name, TimeFieldName, FieldAttrs, PanelsJSON, OptionsJSON, TimeFrom, TimeTo, VisualizationType string
		TimeRestore                                                                                                       bool
		Columns                                                                                                           []string
		Sort                                                                                                              [][]string
		KibanaSavedObjectMeta                                                                                             struct{ SearchSourceJSON string }
		State                                                                                                             lensState
	}
}

// lensState is what a Lens panel asks for.
type lensState struct {
	Query            struct{ Query, Language string }
	Filters          []any
	DatasourceStates struct {
		FormBased struct {
			Layers map[string]struct {
				ColumnOrder []string
				Columns     map[string]column
			}
		}
	}
	Visualization json.RawMessage
}

// column is a dimension or a value of a Lens panel.
type column struct {
	Label, OperationType, SourceField, DataType, Scale string
	IsBucketed                                         bool
	Filter                                             *struct{ Query, Language string }
	Params                                             struct {
		Size           int
		OrderBy        struct{ Type, ColumnID string }
		OrderDirection string
		Interval       string
	}
}

// committed reads the committed objects.
func committed(t *testing.T) []object {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(enginetest.Root(), output))
	if err != nil {
		t.Fatal(err)
	}
	var objects []object
	for line := range bytes.Lines(text) {
		var o object
		if err := json.Unmarshal(line, &o); err != nil {
			t.Fatal(err)
		}
		objects = append(objects, o)
	}
	return objects
}

func inner[T any](t *testing.T, text string) T {
	t.Helper()
	var value T
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatalf("JSON within JSON: %v in %.200s", err, text)
	}
	return value
}

func TestCommittedIsWhatContentSays(t *testing.T) {
	want, err := render()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(enginetest.Root(), output))
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not what content.go says (%v): go run ./scripts/kibana", output, err)
	}
}

// What Kibana 8.19 insists on when it imports: forms and their versions, references that lead somewhere, parts that fit.
func TestShapes(t *testing.T) {
	versions := map[string]string{"index-pattern": dataViewVersion, "search": searchVersion, "lens": lensVersion, "dashboard": dashboardVersion}
	objects := committed(t)
	kinds := map[string]string{}
	for _, o := range objects {
		if kinds[o.ID] != "" {
			t.Errorf("%s is there twice", o.ID)
		}
		kinds[o.ID] = o.Type
	}
	used := map[string]bool{}
	for _, o := range objects {
		if o.TypeVersion == "" || o.TypeVersion != versions[o.Type] || o.CoreVersion != coreVersion || o.Attributes.Title == "" || o.References == nil {
			t.Errorf("%s lacks a type, a version, a title or references", o.ID)
		}
		named := map[string]bool{}
		for _, r := range o.References {
			used[r.ID], named[r.Name] = true, true
			if kinds[r.ID] != r.Type {
				t.Errorf("%s refers to %s %s, which is not there", o.ID, r.Type, r.ID)
			}
		}
		switch o.Type {
		case "index-pattern":
			inner[map[string]map[string]string](t, o.Attributes.FieldAttrs)
			if o.Attributes.TimeFieldName != "created_at" || o.Attributes.Name == "" {
				t.Errorf("%s has no time or no name", o.ID)
			}
		case "search":
			source := inner[map[string]any](t, o.Attributes.KibanaSavedObjectMeta.SearchSourceJSON)
			if name, _ := source["indexRefName"].(string); !named[name] || len(o.Attributes.Columns) == 0 || len(o.Attributes.Sort) != 1 {
				t.Errorf("%s has no data view, no columns or no order", o.ID)
			}
		case "lens":
			checkLens(t, o, named)
		case "dashboard":
			checkDashboard(t, o, named)
		}
	}
	for id, kind := range kinds {
		if kind != "dashboard" && kind != "index-pattern" && !used[id] && !strings.Contains(id, "search-") {
			t.Errorf("%s stands on no dashboard", id)
		}
	}
}

func checkLens(t *testing.T, o object, named map[string]bool) {
	t.Helper()
	state := o.Attributes.State
	if len(state.DatasourceStates.FormBased.Layers) != 1 || !slices.Contains([]string{"lnsXY", "lnsPie", "lnsDatatable", "lnsMetric"}, o.Attributes.VisualizationType) {
		t.Errorf("%s has %d layers, shown as %s", o.ID, len(state.DatasourceStates.FormBased.Layers), o.Attributes.VisualizationType)
	}
	for name, layer := range state.DatasourceStates.FormBased.Layers {
		if !named["indexpattern-datasource-layer-"+name] {
			t.Errorf("%s: layer %s has no data view", o.ID, name)
		}
		buckets := true // groups come before values
		for _, id := range layer.ColumnOrder {
			c, there := layer.Columns[id]
			if !there || c.Label == "" || c.IsBucketed && !buckets || !strings.Contains(string(state.Visualization), `"`+id+`"`) {
				t.Errorf("%s: column %s is missing, has no label, stands wrong or is not shown", o.ID, id)
			}
			buckets = c.IsBucketed
			if _, there := layer.Columns[c.Params.OrderBy.ColumnID]; c.OperationType == "terms" && (!there || c.Params.Size < 1) {
				t.Errorf("%s: column %s has no order or no size", o.ID, id)
			}
		}
		if len(layer.ColumnOrder) != len(layer.Columns) || state.Query.Language != "kuery" || state.Filters == nil {
			t.Errorf("%s lacks a column's place, a query or filters", o.ID)
		}
	}
}

// panelOf is a panel's place and what is in it.
type panelOf struct {
	Type, PanelIndex, PanelRefName string
	GridData                       struct {
		I          string
		X, Y, W, H int
	}
}

func checkDashboard(t *testing.T, o object, named map[string]bool) {
	t.Helper()
	panels := inner[[]panelOf](t, o.Attributes.PanelsJSON)
	inner[map[string]bool](t, o.Attributes.OptionsJSON)
	inner[map[string]any](t, o.Attributes.KibanaSavedObjectMeta.SearchSourceJSON)
	if len(panels) == 0 || len(panels) != len(named) || !o.Attributes.TimeRestore || o.Attributes.TimeTo != "now" || o.Attributes.Description == "" {
		t.Errorf("%s has %d panels and %d references, or no time or description", o.ID, len(panels), len(named))
	}
	taken := map[[2]int]bool{}
	for _, p := range panels {
		if !named[p.PanelIndex+":"+p.PanelRefName] || p.GridData.I != p.PanelIndex || p.GridData.X+p.GridData.W > 48 {
			t.Errorf("%s: panel %s leads nowhere or stands outside", o.ID, p.PanelIndex)
		}
		for x := range p.GridData.W {
			for y := range p.GridData.H {
				at := [2]int{p.GridData.X + x, p.GridData.Y + y}
				if taken[at] {
					t.Fatalf("%s: panel %s lies over another", o.ID, p.PanelIndex)
				}
				taken[at] = true
			}
		}
	}
}

var kqlField = regexp.MustCompile(`([@a-z_.]+)\s*(?::|>|<)`)

// Every field that is named exists in all indices of its data view, with a type that fits what is done with it.
func TestFieldsExist(t *testing.T) {
	definitions, err := mappings.All()
	if err != nil {
		t.Fatal(err)
	}
	patterns := map[string]string{}
	for _, o := range committed(t) {
		if o.Type == "index-pattern" {
			patterns[o.ID] = o.Attributes.Title
		}
	}
	kindOf := func(view, field string) []string {
		var kinds []string
		for index := range strings.SplitSeq(patterns[view], ",") {
			properties, _ := definitions[strings.TrimPrefix(index, "agentlore-")].Mappings["properties"].(map[string]any)
			kind, _ := mappings.Fields(properties)[field]["type"].(string)
			kinds = append(kinds, kind)
		}
		return kinds
	}
	fits := map[string][]string{
		"terms": {"keyword", "boolean", "byte", "integer"}, "date_histogram": {"date"}, "unique_count": {"keyword"}, "shown": nil, "kql": nil,
		"sum": {"integer", "float", "byte"}, "average": {"integer", "float", "byte"}, "max": {"integer", "float", "byte", "date"}, "median": {"integer", "float"},
	}
	for _, o := range committed(t) {
		if o.Type != "lens" && o.Type != "search" {
			continue
		}
		view := o.References[0].ID
		check := func(field, use string) {
			t.Helper()
			for _, kind := range kindOf(view, field) {
				if allowed := fits[use]; kind == "" || allowed != nil && !slices.Contains(allowed, kind) {
					t.Errorf("%s: %s is of type %q: not fit for %s", o.ID, field, kind, use)
				}
			}
		}
		queries := []string{o.Attributes.State.Query.Query}
		for _, field := range o.Attributes.Columns {
			check(field, "shown")
		}
		if o.Type == "search" {
			queries = append(queries, inner[struct{ Query struct{ Query string } }](t, o.Attributes.KibanaSavedObjectMeta.SearchSourceJSON).Query.Query)
			check(o.Attributes.Sort[0][0], "date_histogram")
		}
		for _, layer := range o.Attributes.State.DatasourceStates.FormBased.Layers {
			for _, c := range layer.Columns {
				if c.OperationType != "count" {
					check(c.SourceField, c.OperationType)
				}
				if c.Filter != nil {
					queries = append(queries, c.Filter.Query)
				}
			}
		}
		for _, query := range queries {
			for _, found := range kqlField.FindAllStringSubmatch(query, -1) {
				check(found[1], "kql")
			}
		}
	}
}
