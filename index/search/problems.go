package search

import (
	"cmp"
	"slices"

	"agentlore/lore"
)

// byProblem makes one result of all that are of one problem, in the place of the best of them. A knowledge unit stands for its pattern
// and its reports, a pattern for its reports; of reports alone the one that says best what to do.
func byProblem(hits []*searchHit) []*searchHit {
	units := map[string]string{} // by pattern: the unit that it has become
	reports := map[string]*searchHit{}
	for _, hit := range hits {
		reports[hit.Document.ID] = hit
		if hit.itemType == lore.TypeKnowledgeUnit && hit.Document.PatternID != "" {
			units[hit.Document.PatternID] = hit.Document.ID
		}
	}
	groups := map[string][]*searchHit{}
	var problems []string // in the order of their first results
	for _, hit := range hits {
		problem := hit.problemOf(units)
		if first := reports[hit.Document.Follows]; first != nil { // whether it was compared yet or not
			problem = first.problemOf(units)
		}
		if len(groups[problem]) == 0 {
			problems = append(problems, problem)
		}
		groups[problem] = append(groups[problem], hit)
	}
	found := make([]*searchHit, len(problems))
	for i, problem := range problems {
		group := groups[problem]
		best := slices.MinFunc(group, func(a, b *searchHit) int { return cmp.Compare(a.standIn(), b.standIn()) })
		first := best
		for _, hit := range group {
			if hit.Document.Supersedes && hit.Document.Follows == first.Document.ID && !first.confirmed() && (best == first || hit.Document.CreatedAt.After(best.Document.CreatedAt)) {
				best = hit
			}
		}
		best.alike, best.Score = len(group)-1, group[0].Score
		found[i] = best
	}
	validFirst(found)
	return found
}

// gathered sets the total to that of the problems: what was not among the best isn't gathered.
func (r *searchResponse) gathered(problems int) {
	if r.Hits.Total.Value > int64(len(r.Hits.Hits)) {
		r.Hits.Total.Relation = "gte"
	}
	r.Hits.Total.Value = int64(problems)
}

// problemOf returns the id of the item that stands for the problem.
func (h *searchHit) problemOf(units map[string]string) string {
	document := &h.Document
	if h.itemType == lore.TypeKnowledgeUnit {
		return document.ID
	}
	pattern := document.PatternID
	if h.itemType == lore.TypePattern {
		pattern = document.ID
	}
	return cmp.Or(document.KnowledgeUnitID, units[pattern], pattern, document.Follows, document.ID)
}

// standIn orders the results of one problem by how well they stand for it.
func (h *searchHit) standIn() int {
	order := map[lore.ItemType]int{lore.TypeKnowledgeUnit: 0, lore.TypePattern: 10, lore.TypeSubmission: 20, lore.TypeAsset: 30}[h.itemType]
	if h.Document.Resolution == "" || h.Document.FixWithheld != "" {
		order++
	}
	if !h.confirmed() {
		order += 2
	}
	return order + 4*h.invalid()
}

// confirmed reports whether somebody with standing confirmed the fix.
func (h *searchHit) confirmed() bool {
	return h.Document.FixEvidence != nil && h.Document.FixEvidence.ConfirmedBy > 0
}

// validFirst puts reports that judges called invalid behind the others: one never leads where another says what to do.
func validFirst(hits []*searchHit) {
	slices.SortStableFunc(hits, func(a, b *searchHit) int { return cmp.Compare(a.invalid(), b.invalid()) })
}

// invalid is 1 for a report that judges called invalid.
func (h *searchHit) invalid() int {
	if slices.Contains(h.Document.Tags, lore.InvalidTag) {
		return 1
	}
	return 0
}
