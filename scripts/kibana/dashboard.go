package main

import "fmt"

// board is a dashboard.
type board struct {
	name, title, description string
	from                     string // where its time range begins, as in now-90d
	panels                   []panel
}

// panel is a place on a dashboard: a Lens panel or a saved search. The grid is 48 wide; panels follow each other and
// begin a new row where one has no more room.
type panel struct {
	lens   *lens
	search string // name of a saved search
	wide   int    // of 48
	high   int
}

func (b board) id() string { return "agentlore-dashboard-" + b.name }

func (b board) object() savedObject {
	panels, references := []any{}, []reference{}
	x, y, row := 0, 0, 0
	for i, panel := range b.panels {
		if x+panel.wide > 48 {
			x, y, row = 0, y+row, 0
		}
		id := fmt.Sprintf("panel-%d", i)
		kind, target := "search", search{name: panel.search}.id()
		if panel.lens != nil {
			kind, target = "lens", panel.lens.id()
		}
		panels = append(panels, map[string]any{
			"type": kind, "panelIndex": id, "panelRefName": "panel_" + id,
			"gridData": map[string]any{"i": id, "x": x, "y": y, "w": panel.wide, "h": panel.high}, "embeddableConfig": map[string]any{"enhancements": map[string]any{}},
		})
		references = append(references, reference{target, id + ":panel_" + id, kind})
		x, row = x+panel.wide, max(row, panel.high)
	}
	return savedObject{
		Attributes: map[string]any{
			"description": b.description, "title": b.title, "version": 1, "timeRestore": true, "timeFrom": b.from, "timeTo": "now",
			"refreshInterval": map[string]any{"pause": true, "value": 60_000},
			"optionsJSON": text(map[string]any{
				"useMargins": true, "syncColors": false, "syncCursor": true, "syncTooltips": false, "hidePanelTitles": false,
			}),
			"panelsJSON":            text(panels),
			"kibanaSavedObjectMeta": map[string]any{"searchSourceJSON": text(map[string]any{"query": kuery(""), "filter": []any{}})},
		},
		CoreVersion: coreVersion, ID: b.id(), References: references, Type: "dashboard", TypeVersion: dashboardVersion,
	}
}
