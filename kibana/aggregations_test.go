package kibana

import (
	"slices"
	"testing"
)

// aggregations returns a layer's groups within each other, with the values in each group, so that groups can be ordered by them.
func (l layer) aggregations(t *testing.T) map[string]any {
	t.Helper()
	aggregations := map[string]any{}
	for id, column := range l.Columns {
		if !column.IsBucketed {
			aggregations[id] = map[string]any{"filter": kqlQuery(column.Filter.Query), "aggs": map[string]any{"value": column.value(t)}}
		}
	}
	values := aggregations
	for _, id := range slices.Backward(l.ColumnOrder) {
		if column := l.Columns[id]; column.IsBucketed {
			group := column.group(t)
			inner := map[string]any{}
			for _, of := range []map[string]any{values, aggregations} {
				for name, one := range of {
					inner[name] = one
				}
			}
			group["aggs"] = inner
			aggregations = map[string]any{id: group}
		}
	}
	return aggregations
}

func (c column) group(t *testing.T) map[string]any {
	t.Helper()
	switch c.OperationType {
	case "date_histogram":
		interval := c.Params.Interval
		if interval == "auto" {
			interval = "1w"
		}
		return map[string]any{"date_histogram": map[string]any{"field": c.SourceField, "calendar_interval": interval, "min_doc_count": 1}}
	case "filters":
		filters := map[string]any{}
		for _, filter := range c.Params.Filters {
			filters[filter.Label] = kqlQuery(filter.Input.Query)
		}
		return map[string]any{"filters": map[string]any{"filters": filters}}
	case "terms":
		order := map[string]any{c.Params.OrderBy.ColumnID + ">value": "desc"}
		if c.Params.OrderBy.ColumnID == "" {
			order = map[string]any{"_key": "desc"}
		}
		return map[string]any{"terms": map[string]any{"field": c.SourceField, "size": c.Params.Size, "order": order}}
	}
	t.Fatalf("this test doesn't know the group %s", c.OperationType)
	return nil
}

func (c column) value(t *testing.T) map[string]any {
	t.Helper()
	if c.OperationType == "count" {
		return map[string]any{"value_count": map[string]any{"field": "_index"}}
	}
	kinds := map[string]string{
		"sum": "sum", "average": "avg", "max": "max", "min": "min", "unique_count": "cardinality", "median": "percentiles",
		"percentile": "percentiles",
	}
	kind, known := kinds[c.OperationType]
	if !known {
		t.Fatalf("this test doesn't know the value %s", c.OperationType)
	}
	return map[string]any{kind: map[string]any{"field": c.SourceField}}
}
