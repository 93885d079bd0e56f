package main

import (
	"slices"
)

// kibanaQuery builds what Kibana sends for a panel: groups within each other, values within the last, the panel's KQL and
// the dashboard's time range as filters. Kibana turns KQL into clauses by itself; here the engine's own kql query does.
func kibanaQuery(columns map[string]column, order []string, kql, from string) map[string]any {
	filters := []any{map[string]any{"range": map[string]any{"created_at": map[string]any{"gte": from, "lte": "now", "format": "strict_date_optional_time"}}}}
	if kql != "" {
		filters = append(filters, map[string]any{"kql": map[string]any{"query": kql}})
	}
	var groups, values []string
	for _, id := range order {
		if columns[id].IsBucketed {
			groups = append(groups, id)
		} else {
			values = append(values, id)
		}
	}
	inside := map[string]any{}
	for _, id := range values {
		inside[id] = valueQuery(columns[id])
	}
	aggregations := inside
	for _, id := range slices.Backward(groups) {
		group := groupQuery(columns[id])
		// Values are asked for in every group, as Kibana does, so that groups can be ordered by them.
		sub := map[string]any{}
		for name, value := range inside {
			sub[name] = value
		}
		for name, inner := range aggregations {
			sub[name] = inner
		}
		group["aggs"] = sub
		aggregations = map[string]any{id: group}
	}
	return map[string]any{
		"size": 0, "track_total_hits": true, "query": map[string]any{"bool": map[string]any{"must": []any{}, "filter": filters, "should": []any{}, "must_not": []any{}}},
		"aggs": aggregations,
	}
}

func groupQuery(c column) map[string]any {
	if c.OperationType == "date_histogram" {
		return map[string]any{"date_histogram": map[string]any{"field": c.SourceField, "calendar_interval": "1w", "time_zone": "UTC", "min_doc_count": 1}}
	}
	return map[string]any{"terms": map[string]any{"field": c.SourceField, "size": c.Params.Size, "shard_size": 1000, "order": map[string]any{c.Params.OrderBy.ColumnID + ">value": "desc"}}}
}

// valueQuery builds a value within a filter, so that every value is read alike.
func valueQuery(c column) map[string]any {
	filter := map[string]any{"match_all": map[string]any{}}
	if c.Filter != nil {
		filter = map[string]any{"kql": map[string]any{"query": c.Filter.Query}}
	}
	kind, field := map[string]string{"average": "avg", "unique_count": "cardinality", "median": "percentiles"}[c.OperationType], c.SourceField
	if kind == "" {
		kind = c.OperationType
	}
	if kind == "count" {
		kind, field = "value_count", "_index"
	}
	value := map[string]any{"field": field}
	if kind == "percentiles" {
		value["percents"] = []int{50}
	}
	return map[string]any{"filter": filter, "aggs": map[string]any{"value": map[string]any{kind: value}}}
}
