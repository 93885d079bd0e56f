// Package kibana holds what analysts import into Kibana. Its tests read the file as Kibana does, hold every field to the mappings,
// and run every query on a real Elasticsearch.
package kibana

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"testing"
)

const objectsFile = "agentlore.ndjson"

// prefix begins the indices in the titles of data views. The compose file replaces it by its own.
const prefix = "agentlore-"

// object is a saved object, as far as it is looked at.
type object struct {
	ID, Type             string
	TypeMigrationVersion string
	Managed              bool
	References           []struct{ ID, Name, Type string }
	Attributes           struct {
		Title, Name, TimeFieldName, TimeFrom, TimeTo, FieldAttrs, PanelsJSON, RuntimeFieldMap string
		ControlGroupInput                                                                     struct{ PanelsJSON string }
		Columns                                                                               []string
		Sort                                                                                  [][2]string
		KibanaSavedObjectMeta                                                                 struct{ SearchSourceJSON string }
		State                                                                                 struct {
			Query            query
			DatasourceStates struct {
				FormBased struct{ Layers map[string]layer }
			}
		}
	}
}

type query struct{ Query, Language string }

// layer is what a Lens panel shows: columns, groups before values.
type layer struct {
	ColumnOrder []string
	Columns     map[string]column
}

type column struct {
	OperationType, SourceField string
	IsBucketed                 bool
	Filter                     query
	Params                     struct {
		Size     int
		Interval string
		Filters  []struct {
			Input query
			Label string
		}
		OrderBy struct{ ColumnID string }
	}
}

// panel is an object's place on a dashboard.
type panel struct {
	PanelIndex, PanelRefName, Type string
	GridData                       struct{ X, Y, W, H int }
	EmbeddableConfig               struct {
		Enhancements struct {
			DynamicActions struct{ Events []drilldown }
		}
	}
}

// drilldown leads from a value of a panel to another dashboard, and takes the value along as a filter.
type drilldown struct {
	EventID  string
	Triggers []string
	Action   struct {
		FactoryID, Name string
		Config          struct{ UseCurrentFilters, UseCurrentDateRange bool }
	}
}

func mustRead(t *testing.T) (objects map[string]object, lines [][]byte) {
	t.Helper()
	text, err := os.ReadFile(objectsFile)
	if err != nil {
		t.Fatal(err)
	}
	objects, lines = map[string]object{}, bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	for i, line := range lines {
		o := decoded[object](t, string(line))
		if _, there := objects[o.ID]; there || o.ID == "" || o.Attributes.Title+o.Attributes.Name == "" {
			t.Errorf("line %d: no title, or no id of its own: %q", i+1, o.ID)
		}
		objects[o.ID] = o
	}
	return objects, lines
}

// decoded reads JSON, also where Kibana keeps it as text within JSON.
func decoded[T any](t *testing.T, text string) (value T) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatalf("%v in %.200s", err, text)
	}
	return value
}

// versions are the newest forms that Kibana 8.16 to 8.19 know: each refuses a form that is newer than its own.
var versions = map[string]string{"index-pattern": "8.0.0", "search": "10.5.0", "lens": "8.9.0", "dashboard": "10.2.0", "tag": "8.0.0"}

// attributes are all that an object of these types may have: their mappings are strict, so Elasticsearch refuses an object with
// another one, and with it the import. (index-pattern and search have `dynamic: false`.) From elastic/kibana at
// 7940fcd0501b34f217afd4e53b4b0e7fe9e16c15, packages/kbn-check-mappings-update-cli/current_mappings.json; a dashboard's are those of
// its schema v1, which forbids others (3c37204bef8a077edf1758caa45474499c2941c7). A lens got `version` in 9.2, by pull request 229534.
var attributes = map[string][]string{
	"lens": {"description", "state", "title", "visualizationType"},
	"tag":  {"color", "description", "name"},
	"dashboard": {
		"controlGroupInput", "description", "hits", "kibanaSavedObjectMeta", "optionsJSON", "panelsJSON", "refreshInterval", "timeFrom",
		"timeRestore", "timeTo", "title", "version",
	},
}

// dataViews are those that copies refer to: analysts' own charts break if one goes.
var dataViews = []string{
	"agentlore-submissions", "agentlore-patterns", "agentlore-families", "agentlore-knowledge-units", "agentlore-sources",
	"agentlore-safety-flags", "agentlore-events", "agentlore-suggestions", "agentlore-assets", "agentlore-searchlog",
}

// An object has no attribute that Kibana doesn't know, and is managed: an analyst changes a copy, which outlives the next version. (An
// import keeps the file's managed: collect_saved_objects.ts at 1d91b9aac055d322f9f5d3e91d8c048c8eaf3a76.)
func TestObjectsImport(t *testing.T) {
	objects, lines := mustRead(t)
	for _, id := range dataViews {
		if objects[id].Type != "index-pattern" {
			t.Errorf("there is no data view %s", id)
		}
	}
	for _, line := range lines {
		raw := decoded[struct {
			ID, Type   string
			Managed    bool
			Attributes map[string]any
		}](t, string(line))
		if !raw.Managed {
			t.Errorf("%s isn't managed", raw.ID)
		}
		for name := range raw.Attributes {
			if allowed := attributes[raw.Type]; allowed != nil && !slices.Contains(allowed, name) {
				t.Errorf("%s: Kibana 8.19 refuses %s of a %s", raw.ID, name, raw.Type)
			}
		}
	}
}

func TestObjectsAreWhole(t *testing.T) {
	objects, _ := mustRead(t)
	used := map[string]bool{}
	for id, o := range objects {
		if o.TypeMigrationVersion == "" || o.TypeMigrationVersion != versions[o.Type] {
			t.Errorf("%s is a %s of form %q", id, o.Type, o.TypeMigrationVersion)
		}
		named := map[string]bool{}
		for _, r := range o.References {
			used[r.ID], named[r.Name] = true, true
			if objects[r.ID].Type != r.Type {
				t.Errorf("%s refers to %s %s, which is not there", id, r.Type, r.ID)
			}
		}
		switch o.Type {
		case "index-pattern":
			if o.Attributes.TimeFieldName == "" {
				t.Errorf("%s has no time", id)
			}
		case "search":
			source := decoded[struct{ IndexRefName string }](t, o.Attributes.KibanaSavedObjectMeta.SearchSourceJSON)
			if !named[source.IndexRefName] || len(o.Attributes.Columns) == 0 {
				t.Errorf("%s has no data view or no columns", id)
			}
		case "lens":
			for name, layer := range o.Attributes.State.DatasourceStates.FormBased.Layers {
				ordered := slices.Clone(layer.ColumnOrder)
				if slices.Sort(ordered); !named["indexpattern-datasource-layer-"+name] || !slices.Equal(ordered, slices.Sorted(maps.Keys(layer.Columns))) {
					t.Errorf("%s: layer %s has no data view, or columns without a place", id, name)
				}
			}
		case "dashboard":
			checkPlaces(t, o, named)
			checkDrilldowns(t, o, objects)
		}
	}
	for id, o := range objects {
		if o.Type == "lens" && !used[id] {
			t.Errorf("%s is on no dashboard", id)
		}
	}
}

// checkPlaces checks that each panel of a dashboard leads somewhere and none lies over another.
func checkPlaces(t *testing.T, o object, named map[string]bool) {
	t.Helper()
	panels := decoded[[]panel](t, o.Attributes.PanelsJSON)
	controls := decoded[map[string]struct{ Type string }](t, o.Attributes.ControlGroupInput.PanelsJSON)
	drilldowns, sliders := 0, 0
	for _, p := range panels {
		drilldowns += len(p.EmbeddableConfig.Enhancements.DynamicActions.Events)
	}
	for id, control := range controls {
		switch control.Type {
		case "timeSlider": // common/constants.ts of the controls at 27b118902623d2f1dc4f0c0337269950e753e015; it has no data view
			sliders++
		case "optionsListControl":
			if !named["controlGroup_"+id+":optionsListDataView"] {
				t.Errorf("%s: the control %s has no data view", o.ID, id)
			}
		default:
			t.Errorf("%s: the control %s is a %s", o.ID, id, control.Type)
		}
	}
	// One panel has the links to the other dashboards, and one reference is the tag's.
	if len(panels) == 0 || len(panels)-1+len(controls)-sliders+drilldowns+1 != len(o.References) || sliders != 1 || o.Attributes.TimeFrom == "" {
		t.Errorf("%s has %d panels, %d references, %d time sliders, time from %q", o.ID, len(panels), len(o.References), sliders, o.Attributes.TimeFrom)
	}
	taken := map[[2]int]bool{}
	for _, p := range panels {
		if place := p.GridData; p.Type != "visualization" && !named[p.PanelIndex+":"+p.PanelRefName] || place.X+place.W > 48 {
			t.Errorf("%s: %s leads nowhere or stands outside", o.ID, p.PanelIndex)
		}
		for x := range p.GridData.W {
			for y := range p.GridData.H {
				if at := [2]int{p.GridData.X + x, p.GridData.Y + y}; taken[at] {
					t.Fatalf("%s: %s lies over another", o.ID, p.PanelIndex)
				} else {
					taken[at] = true
				}
			}
		}
	}
}

// checkDrilldowns checks that each drill-down leads to a dashboard all of whose panels have the data view of the value that it takes along:
// others would show nothing. Kibana finds the dashboard by the reference's name: dashboard_drilldown_persistable_state.ts at
// 246921e560e7e61fbc246e817b985513728ed410, dashboard_container_references.ts at 29e37d8f5c2155e5b8b9657b0fba30ca85f3d819. Its security
// solution ships such objects.
func checkDrilldowns(t *testing.T, o object, objects map[string]object) {
	t.Helper()
	byName := map[string]object{}
	for _, r := range o.References {
		byName[r.Name] = objects[r.ID]
	}
	for _, p := range decoded[[]panel](t, o.Attributes.PanelsJSON) {
		shown := byName[p.PanelIndex+":"+p.PanelRefName]
		for _, d := range p.EmbeddableConfig.Enhancements.DynamicActions.Events {
			to := byName[p.PanelIndex+":drilldown:"+d.Action.FactoryID+":"+d.EventID+":dashboardId"]
			config := d.Action.Config
			if d.Action.FactoryID != "DASHBOARD_TO_DASHBOARD_DRILLDOWN" || !slices.Equal(d.Triggers, []string{"FILTER_TRIGGER"}) ||
				!config.UseCurrentFilters || !config.UseCurrentDateRange || d.Action.Name == "" || to.Type != "dashboard" {
				t.Errorf("%s: the drill-down of %s leads to %q", o.ID, shown.ID, to.ID)
			}
			for _, r := range to.References {
				if there := objects[r.ID]; (r.Type == "lens" || r.Type == "search") && there.References[0].ID != shown.References[0].ID {
					t.Errorf("%s: %s leads to %s, where %s is of other data", o.ID, shown.ID, to.ID, there.ID)
				}
			}
		}
	}
}

// computedFields are those that Kibana computes from others, so that nothing is stored twice.
var computedFields = map[string]map[string]string{
	"quarter":             {"customLabel": "Quarter", "customDescription": "Year and quarter of created_at; computed by Kibana"},
	"days_to_established": {"customLabel": "Days to established", "customDescription": "From the first report to the one that established the pattern; computed by Kibana"},
	"title":               {"customLabel": "Title", "customDescription": "The summary as one value; computed by Kibana"},
	"days_open":           {"customLabel": "Days open", "customDescription": "Until an operator decided; computed by Kibana"},
}

// computed returns the fields that a data view computes, by name, as Elasticsearch's runtime mappings.
func (o object) computed(t *testing.T) map[string]any {
	t.Helper()
	if o.Attributes.RuntimeFieldMap == "" {
		return nil
	}
	return decoded[map[string]any](t, o.Attributes.RuntimeFieldMap)
}
