package main

import "fmt"

// Kinds of Lens panels.
const (
	bars    = "bar_stacked"
	across  = "bar_horizontal_stacked" // bars that lie
	lines   = "line"
	pie     = "donut"
	table   = "table"
	numeral = "metric"
)

// lens is a panel: what is counted, in which groups.
type lens struct {
	name, title string
	view        string
	kind        string
	kql         string // what it is about; empty: everything
	groups      []group
	values      []value
}

// group is a dimension: values of a field, or time.
type group struct {
	field string
	label string
	time  bool
	size  int // most frequent values; for fields
}

// value is what is counted in each group.
type value struct {
	operation string // count, sum, average, max, unique_count, median
	field     string // none for count
	label     string
	kql       string // what is counted; empty: everything
}

func (l lens) id() string { return "agentlore-lens-" + l.name }

// layer is the name of a panel's only layer.
const layer = "layer"

func (l lens) object() savedObject {
	columns, order := map[string]any{}, []string{}
	var groups, values []string
	for i, group := range l.groups {
		id := fmt.Sprintf("group-%d", i)
		columns[id] = group.column("value-0")
		groups, order = append(groups, id), append(order, id)
	}
	for i, value := range l.values {
		id := fmt.Sprintf("value-%d", i)
		columns[id] = value.column()
		values, order = append(values, id), append(order, id)
	}
	kind, visualization := l.visualization(groups, values)
	return savedObject{
		Attributes: map[string]any{
			"description": "", "title": l.title, "version": 1, "visualizationType": kind,
			"state": map[string]any{
				"adHocDataViews": map[string]any{}, "filters": []any{}, "internalReferences": []any{}, "query": kuery(l.kql),
				"datasourceStates": map[string]any{
					"formBased": map[string]any{"layers": map[string]any{layer: map[string]any{
						"columnOrder": order, "columns": columns, "incompleteColumns": map[string]any{}, "sampling": 1,
					}}},
					"indexpattern": map[string]any{"layers": map[string]any{}},
					"textBased":    map[string]any{"layers": map[string]any{}},
				},
				"visualization": visualization,
			},
		},
		CoreVersion: coreVersion, ID: l.id(), Type: "lens", TypeVersion: lensVersion,
		References: []reference{{"agentlore-" + l.view, "indexpattern-datasource-layer-" + layer, "index-pattern"}},
	}
}

// column returns a group as a column that is ordered by a value's.
func (g group) column(by string) map[string]any {
	if g.time {
		return map[string]any{
			"customLabel": true, "dataType": "date", "isBucketed": true, "label": g.label, "operationType": "date_histogram",
			"params": map[string]any{"dropPartials": false, "includeEmptyRows": true, "interval": "auto"}, "scale": "interval", "sourceField": g.field,
		}
	}
	kind := "string"
	if g.field == "tier" {
		kind = "number"
	}
	return map[string]any{
		"customLabel": true, "dataType": kind, "isBucketed": true, "label": g.label, "operationType": "terms", "scale": "ordinal", "sourceField": g.field,
		"params": map[string]any{
			"exclude": []any{}, "excludeIsRegex": false, "include": []any{}, "includeIsRegex": false, "missingBucket": false,
			"orderBy": map[string]any{"columnId": by, "type": "column"}, "orderDirection": "desc", "otherBucket": false,
			"parentFormat": map[string]any{"id": "terms"}, "size": g.size,
		},
	}
}

// column returns a value as a column.
func (v value) column() map[string]any {
	column := map[string]any{
		"customLabel": true, "dataType": "number", "isBucketed": false, "label": v.label, "operationType": v.operation, "scale": "ratio",
		"sourceField": v.field, "params": map[string]any{"emptyAsNull": true},
	}
	if v.operation == "count" {
		column["sourceField"] = "___records___"
	}
	if v.kql != "" {
		column["filter"] = kuery(v.kql)
	}
	return column
}

// visualization returns how the columns are shown.
func (l lens) visualization(groups, values []string) (kind string, state map[string]any) {
	switch l.kind {
	case table:
		columns := []any{}
		for _, id := range append(groups, values...) {
			columns = append(columns, map[string]any{"columnId": id})
		}
		return "lnsDatatable", map[string]any{"columns": columns, "layerId": layer, "layerType": "data", "paging": map[string]any{"enabled": true, "size": 10}}
	case numeral:
		return "lnsMetric", map[string]any{"layerId": layer, "layerType": "data", "metricAccessor": values[0]}
	case pie:
		return "lnsPie", map[string]any{"shape": "donut", "layers": []any{map[string]any{
			"categoryDisplay": "default", "layerId": layer, "layerType": "data", "legendDisplay": "default", "metrics": values, "nestedLegend": false,
			"numberDisplay": "value", "primaryGroups": groups,
		}}}
	}
	data := map[string]any{
		"accessors": values, "layerId": layer, "layerType": "data", "position": "top", "seriesType": l.kind, "showGridlines": false, "xAccessor": groups[0],
	}
	if len(groups) > 1 {
		data["splitAccessor"] = groups[1]
	}
	return "lnsXY", map[string]any{
		"layers": []any{data}, "legend": map[string]any{"isVisible": true, "position": "right"}, "preferredSeriesType": l.kind,
		"title": "Empty XY chart", "valueLabels": "hide",
		"axisTitlesVisibilitySettings": map[string]any{"x": true, "yLeft": true, "yRight": true},
		"gridlinesVisibilitySettings":  map[string]any{"x": true, "yLeft": true, "yRight": true},
		"tickLabelsVisibilitySettings": map[string]any{"x": true, "yLeft": true, "yRight": true},
		"labelsOrientation":            map[string]any{"x": 0, "yLeft": 0, "yRight": 0},
	}
}
