package curation

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"agentlore/index"
	"agentlore/lore"
)

// trustVerdicts are what operators decide of principals.
var trustVerdicts = []lore.Verdict{lore.VerdictVouch, lore.VerdictInvite, lore.VerdictUnvouch, lore.VerdictBan, lore.VerdictUnban, lore.VerdictRevoke, lore.VerdictIssue}

// Lineage returns what operators decided of a principal and of its sources, oldest first. Errors: store_unavailable.
func (r *Review) Lineage(ctx context.Context, principal string, sources []string) (found []lore.Decision, err error) {
	for some := range slices.Chunk(append([]string{principal}, sources...), index.ChangePage) {
		about := map[string]any{"bool": map[string]any{"should": []any{index.TermsQuery("subject.id", some), index.Term("others", principal)}}}
		query := map[string]any{"bool": map[string]any{"filter": []any{index.TermsQuery("decision", trustVerdicts), about}}}
		part, err := index.ReadAll[lore.Decision](ctx, r.client, r.client.Alias(index.DecisionsIndex), query, index.ByTime)
		if err != nil {
			return nil, err
		}
		found = append(found, part...)
	}
	slices.SortStableFunc(found, func(a, b lore.Decision) int { return a.At.Compare(b.At) })
	return slices.CompactFunc(found, func(a, b lore.Decision) bool { return a.ID == b.ID }), nil
}

// WithdrawnBy returns the submissions that a source withdrew since a time and nobody decided on again, but for those that it had submitted
// since. Errors: store_unavailable.
func (r *Review) WithdrawnBy(ctx context.Context, sourceID string, since time.Time) ([]string, error) {
	alias := r.client.Alias(index.DecisionsIndex)
	if err := r.client.Do(ctx, esapi.IndicesRefreshRequest{Index: []string{alias}}, nil); err != nil {
		return nil, err
	}
	filter := append(index.SinceClause(since), index.Term("decision", lore.VerdictWithdraw), index.Term("who", lore.WhoIsSource(sourceID)))
	withdrawals, err := index.ReadAll[lore.Decision](ctx, r.client, alias, map[string]any{"bool": map[string]any{"filter": filter}}, index.ByTime)
	if err != nil {
		return nil, err
	}
	ids := []string{}
	for _, one := range withdrawals {
		ids = append(ids, one.Subject.ID)
	}
	last := map[string]lore.Decision{}
	verdicts := []lore.Verdict{lore.VerdictApprove, lore.VerdictWithdraw, lore.VerdictRestore}
	if err = r.client.EachDecision(ctx, lore.DecisionFilter{Verdicts: verdicts, Subjects: ids}, func(one lore.Decision) error {
		last[one.Subject.ID] = one
		return nil
	}); err != nil {
		return nil, err
	}
	stored, err := index.ReadByID[lore.Submission](ctx, r.client, r.client.AliasOf(lore.Submissions), ids, index.VectorField)
	ids = slices.DeleteFunc(ids, func(id string) bool {
		submission, there := stored[id]
		return !there || !submission.CreatedAt.Before(since) || last[id].Who != lore.WhoIsSource(sourceID)
	})
	slices.Sort(ids)
	return slices.Compact(ids), err
}

// Confirmation is a report that counts towards its principal's standing, and who found that it works.
type Confirmation struct {
	Brief
	Worked []string `json:"worked,omitempty"` // ids of sources
}

// Confirmations returns the reports of sources that were confirmed, in order of id. Errors: store_unavailable.
func (r *Review) Confirmations(ctx context.Context, sources []string) ([]Confirmation, error) {
	query := map[string]any{"bool": map[string]any{"filter": []any{index.Term("confirmed", true), index.TermsQuery("source_id", sources)}}}
	var ids []string
	confirmed := map[string]int{}
	var found []Confirmation
	err := index.EachHit(ctx, r.client, r.client.AliasOf(lore.Submissions), query, index.ByID, func(hits []index.Hit[Brief]) error {
		for _, hit := range hits {
			confirmed[hit.Source.ID] = len(found)
			ids, found = append(ids, hit.Source.ID), append(found, Confirmation{Brief: hit.Source})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	said, err := allWith[lore.Outcome](ctx, r.client, r.client.Alias(index.OutcomesIndex), "target.id", ids, index.ByTime)
	for _, outcome := range said {
		if outcome.Result == lore.ResultWorked && !slices.Contains(sources, outcome.SourceID) {
			one := &found[confirmed[outcome.Target.ID]]
			one.Worked = append(one.Worked, outcome.SourceID)
		}
	}
	return found, err
}

// Resting is a knowledge unit or a pattern that is made of somebody's reports, or that somebody confirmed.
type Resting struct {
	Collection lore.Collection `json:"collection"`
	ID         string          `json:"id"`
	Summary    string          `json:"summary"`
	Status     string          `json:"status"`
	Tier       lore.Tier       `json:"tier"`
	Reports    int             `json:"reports"`          // of the sources, in it
	Worked     int             `json:"worked,omitempty"` // what the sources found to work: it, or reports in it
}

// RestsOn is what would be judged anew without the words of some sources.
type RestsOn struct {
	Units    []Resting `json:"knowledge_units,omitempty"` // active ones
	Patterns []Resting `json:"patterns,omitempty"`
	// Authors are the sources of others whose confirmed reports these found to work.
	Authors []string `json:"authors,omitempty"`
}

// RestsOn returns what rests on what sources said, the highest tier first. Errors: store_unavailable.
func (r *Review) RestsOn(ctx context.Context, sources []string) (rests RestsOn, err error) {
	units, patterns := map[string]*Resting{}, map[string]*Resting{}
	touch := func(all map[string]*Resting, id string) *Resting {
		if all[id] == nil {
			all[id] = new(Resting)
		}
		return all[id]
	}
	each := func(query map[string]any, visit func(id string, of ...*Resting)) error {
		fields := []any{"pattern_id", "knowledge_unit_id"}
		return index.EachRow(ctx, r.client, r.client.AliasOf(lore.Submissions), query, fields, func(id string, row index.Row) error {
			var of []*Resting
			if unit := row.First("knowledge_unit_id"); unit != "" {
				of = append(of, touch(units, unit))
			}
			if pattern := row.First("pattern_id"); pattern != "" {
				of = append(of, touch(patterns, pattern))
			}
			visit(id, of...)
			return nil
		})
	}
	if err = each(index.TermsQuery("source_id", sources), func(_ string, of ...*Resting) {
		for _, one := range of {
			one.Reports++
		}
	}); err != nil {
		return rests, err
	}
	worked := map[string]int{} // by submission
	query := map[string]any{"bool": map[string]any{"filter": []any{index.Term("outcome", lore.ResultWorked), index.TermsQuery("source_id", sources)}}}
	err = index.EachPage(ctx, r.client, r.client.Alias(index.OutcomesIndex), query, index.ByTime, func(page []lore.Outcome) error {
		for _, outcome := range page {
			if outcome.Target.Collection == lore.KnowledgeUnits {
				touch(units, outcome.Target.ID).Worked++
			} else {
				worked[outcome.Target.ID]++
			}
		}
		return nil
	})
	for some := range slices.Chunk(slices.Sorted(maps.Keys(worked)), index.ChangePage) {
		if err == nil {
			err = each(index.TermsQuery("id", some), func(id string, of ...*Resting) {
				for _, one := range of {
					one.Worked += worked[id]
				}
			})
		}
		if err == nil {
			query := map[string]any{"bool": map[string]any{"filter": []any{index.TermsQuery("id", some), index.Term("confirmed", true)}}}
			err = index.EachColumn(ctx, r.client, r.client.AliasOf(lore.Submissions), query, "source_id", func(_, source string) {
				rests.Authors = append(rests.Authors, source)
			})
		}
	}
	if err != nil {
		return rests, err
	}
	slices.Sort(rests.Authors)
	rests.Authors = slices.Compact(rests.Authors)
	store := New(r.client, nil)
	shownUnits, err := store.Units(ctx, slices.Sorted(maps.Keys(units)))
	if err != nil {
		return rests, err
	}
	for id, unit := range shownUnits {
		if one := units[id]; unit.Status == lore.UnitActive {
			one.Collection, one.ID, one.Summary, one.Status, one.Tier = lore.KnowledgeUnits, id, unit.Summary, string(unit.Status), unit.Tier
			rests.Units = append(rests.Units, *one)
		}
	}
	shownPatterns, err := store.Patterns(ctx, slices.Sorted(maps.Keys(patterns)))
	for id, pattern := range shownPatterns {
		one := patterns[id]
		one.Collection, one.ID, one.Summary, one.Status, one.Tier = lore.Patterns, id, pattern.Summary, string(pattern.Status), pattern.Tier
		rests.Patterns = append(rests.Patterns, *one)
	}
	for _, some := range [][]Resting{rests.Units, rests.Patterns} {
		slices.SortFunc(some, func(a, b Resting) int { return cmp.Or(cmp.Compare(b.Tier, a.Tier), cmp.Compare(a.ID, b.ID)) })
	}
	return rests, err
}
