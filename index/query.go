package index

import (
	"time"

	"agentlore/lore"
)

// exactTotalUpTo is how many results of a list are counted exactly; beyond it the total is a lower bound ("gte").
const exactTotalUpTo = lore.MaxWindow

// listBody builds the query of a list of a collection: everything in the filter, in the order asked for.
func listBody(collection lore.Collection, query lore.ListQuery, binding string) (map[string]any, error) {
	body := map[string]any{
		"query":            map[string]any{"bool": map[string]any{"filter": FilterClauses(query.Filter)}},
		"sort":             listOrder(collection, query.Sort),
		"size":             query.Limit + 1, // the one too many tells whether a next page exists
		"track_total_hits": exactTotalUpTo,
		"_source":          map[string]any{"excludes": PrivateFields},
	}
	if query.Cursor == "" && query.After != nil {
		body["search_after"] = []any{query.After.CreatedAt.UnixMilli(), query.After.ID}
		return body, nil
	}
	return body, StartAt(body, query.Cursor, query.Offset, binding)
}

// StartAt adds to a query body where its page starts: behind the cursor's document, or at an offset.
func StartAt(body map[string]any, token string, offset int, binding string) error {
	if token == "" {
		body["from"] = offset
		// Elasticsearch refuses from+size beyond its window: at the very edge there is no room for the one too many.
		if size := body["size"].(int); offset+size > lore.MaxWindow {
			body["size"] = lore.MaxWindow - offset
		}
		return nil
	}
	after, err := readCursor(token, binding, len(body["sort"].([]any)))
	if err != nil {
		return err
	}
	body["search_after"] = after
	return nil
}

// listOrder sorts a list of a collection. Every order ends with the id, as TimeOrder does.
func listOrder(collection lore.Collection, sort lore.Sort) []any {
	by := func(field string) any { return map[string]any{field: map[string]any{"order": "desc", "missing": 0}} }
	derived := collection == lore.Patterns || collection == lore.KnowledgeUnits
	switch {
	case sort == lore.SortEvidence:
		return []any{by("tier"), by("rank.evidence"), by("confidence"), map[string]any{"id": "desc"}}
	case sort == lore.SortTrending:
		return []any{by("rank.trending"), map[string]any{"id": "desc"}}
	case derived && sort == lore.SortOldest:
		return []any{map[string]any{"first_seen_at": "asc"}, map[string]any{"id": "asc"}}
	case derived && sort != lore.SortStored && sort != lore.SortMade:
		return []any{map[string]any{"first_seen_at": "desc"}, map[string]any{"id": "desc"}}
	}
	return TimeOrder(sort)
}

// TimeOrder sorts by time; the id, unique over all collections, makes the order total, so that pages neither repeat nor
// skip where many documents share a time.
func TimeOrder(sort lore.Sort) []any {
	order := "desc"
	if sort == lore.SortOldest || sort == lore.SortStored {
		order = "asc"
	}
	return []any{map[string]any{"created_at": order}, map[string]any{"id": order}}
}

// FilterClauses turns a filter into clauses that must all hold. They don't score, so Elasticsearch may cache them.
func FilterClauses(filter lore.Filter) []any {
	filter = filter.Writable()
	clauses := []any{}
	for _, wanted := range [...]struct{ field, value string }{
		{"category", filter.Category}, {"ecosystem", filter.Ecosystem}, {"tags", filter.Tag}, {"type", filter.Type}, {"kind", filter.Kind},
		{"reason", filter.Reason}, {"status", filter.Status}, {"source_id", filter.SourceID}, {"pattern_id", filter.PatternID},
		{"family_id", filter.FamilyID}, {"severity", filter.Severity}, {"raised_by", filter.RaisedBy}, {"target.id", filter.TargetID},
		{"entities", filter.Entity}, {"follows", filter.Follows}, {"asked.source_id", filter.AskerID},
	} {
		if wanted.value != "" {
			clauses = append(clauses, Term(wanted.field, wanted.value))
		}
	}
	if filter.Tier > 0 {
		clauses = append(clauses, Term("tier", filter.Tier))
	}
	open := Term("status", lore.FlagOpen)
	if !filter.LapsedBefore.IsZero() {
		clauses = append(clauses, without(map[string]any{"bool": map[string]any{
			"filter": []any{open, before("created_at", filter.LapsedBefore)}, "must_not": []any{Term("raised_by", lore.RaisedByAgentlore)},
		}}))
	}
	if filter.HideOpenLeaks {
		clauses = append(clauses, without(map[string]any{"bool": map[string]any{"filter": []any{Term("reason", lore.FlagLeak), open}}}))
	}
	if filter.Origin == lore.OriginAgents {
		for _, field := range []string{"ref", "reference.id"} { // imported reports have the one, the library's units the other
			clauses = append(clauses, without(map[string]any{"exists": map[string]any{"field": field}}))
		}
	}
	if filter.Unflagged {
		clauses = append(clauses, without(TermsQuery("warnings.code", lore.LeftOutCodes())))
	}
	bounds := map[string]any{}
	if !filter.Since.IsZero() {
		bounds["gte"] = filter.Since.Format(time.RFC3339Nano)
	}
	if !filter.Until.IsZero() {
		bounds["lt"] = filter.Until.Format(time.RFC3339Nano)
	}
	if len(bounds) > 0 {
		clauses = append(clauses, map[string]any{"range": map[string]any{"created_at": bounds}})
	}
	return clauses
}

// without is a clause that asks for what another one doesn't find.
func without(clause map[string]any) map[string]any {
	return map[string]any{"bool": map[string]any{"must_not": []any{clause}}}
}

// Term is a clause that asks for one value of a field.
func Term(field string, value any) map[string]any {
	return map[string]any{"term": map[string]any{field: value}}
}
