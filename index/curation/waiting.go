package curation

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"agentlore/index"
	"agentlore/lore"
)

const (
	// reviewPage is how many items of each kind a review lists at once.
	reviewPage = 200
	// listedOf is how many suggestions or flags of one source wait in the list. Those of a source with more are counted
	// in one line, so that they bury nobody else's.
	listedOf = 20
	// mostRaisers is how many sources are looked at, those with most first, and mostFlags how many of the oldest flags.
	mostRaisers = 10_000
	mostFlags   = 1000
)

// Waiting is what waits for an operator. Totals count beyond the lists.
type Waiting struct {
	Suggestions []lore.Suggestion
	// Flagged are items with their open flags: first those that most owners with standing flagged (agentlore counts as
	// one), then those that most owners did, then the longest waiting.
	Flagged     []FlaggedItem
	MoreFlagged bool // there are more of them
	// Suggesters and Flaggers are sources of whom more waits than is listed, those with most first.
	Suggesters, Flaggers []Busy
	// Approvals are patterns, and submissions without one, that lack nothing but an operator's approval or a worked of
	// an owner with standing.
	Approvals []WaitingApproval
	// Disputed are knowledge units that owners with standing say fail or do harm.
	Disputed                                                    []WaitingApproval
	SuggestionsTotal, FlagsTotal, ApprovalsTotal, DisputedTotal int64
}

// FlaggedItem is an item with its open flags: those of owners with standing first, then the oldest.
type FlaggedItem struct {
	Target lore.Target       `json:"target"`
	Owners int               `json:"owner_count"` // who flagged it, agentlore among them
	Trust  int               `json:"standing_count"`
	Flags  []lore.SafetyFlag `json:"flags"`
}

// Busy is a source of whom so much waits that only its number is listed.
type Busy struct {
	SourceID string `json:"source_id"`
	Number   int64  `json:"waiting_count"`
}

// WaitingApproval is an item that would be knowledge if an operator approved it.
type WaitingApproval struct {
	Collection lore.Collection `json:"collection"`
	ID         string          `json:"id"`
	Category   lore.Category   `json:"category"`
	Summary    string          `json:"summary"`
	Resolution string          `json:"resolution"`
	Owners     int             `json:"owner_count"`
}

// Waiting lists what waits, and with a source's id by what that source says alone. Standing holds the principals with
// standing. Open flags for a leak, which the public doesn't see, are among it; those of banned sources are not. Errors:
// store_unavailable.
func (r *Review) Waiting(ctx context.Context, standing map[string]bool, by string) (waiting Waiting, err error) {
	err = r.suggestionsWaiting(ctx, &waiting, by)
	if err == nil {
		err = r.flagsWaiting(ctx, &waiting, standing, by)
	}
	if err != nil || by != "" {
		return waiting, err
	}
	lacking := []any{
		index.Term("missing", lore.RequireApproval),
		map[string]any{"bool": map[string]any{"must_not": []any{map[string]any{"exists": map[string]any{"field": "pattern_id"}}}}},
	}
	approvals, err := oldest[WaitingApproval](ctx, r.client, reviewPage, lacking, nil, lore.Patterns, lore.Submissions)
	for _, hit := range approvals.Hits.Hits {
		hit.Source.Collection = r.client.CollectionOf(hit.Index)
		waiting.Approvals = append(waiting.Approvals, hit.Source)
	}
	waiting.ApprovalsTotal = approvals.Hits.Total.Value
	if err != nil {
		return waiting, err
	}
	dispute := []any{index.Term("disputed", true), index.Term("status", lore.UnitActive)}
	disputed, err := oldest[WaitingApproval](ctx, r.client, reviewPage, dispute, nil, lore.KnowledgeUnits)
	for _, hit := range disputed.Hits.Hits {
		hit.Source.Collection = lore.KnowledgeUnits
		waiting.Disputed = append(waiting.Disputed, hit.Source)
	}
	waiting.DisputedTotal = disputed.Hits.Total.Value
	return waiting, err
}

// suggestionsWaiting adds the oldest open suggestions.
func (r *Review) suggestionsWaiting(ctx context.Context, waiting *Waiting, by string) error {
	open := []any{index.Term("status", lore.SuggestionOpen)}
	busy := []string{}
	if by != "" {
		open = append(open, index.Term("source_id", by))
	} else {
		from, err := r.numbers(ctx, lore.Suggestions, "source_id", open)
		if err != nil {
			return err
		}
		waiting.Suggesters, busy = busyOf(from)
	}
	found, err := oldest[lore.Suggestion](ctx, r.client, reviewPage, open, []any{index.TermsQuery("source_id", busy)}, lore.Suggestions)
	for _, hit := range found.Hits.Hits {
		waiting.Suggestions = append(waiting.Suggestions, hit.Source)
	}
	waiting.SuggestionsTotal = found.Hits.Total.Value
	for _, one := range waiting.Suggesters {
		waiting.SuggestionsTotal += one.Number
	}
	return err
}

// flagsWaiting adds the flagged items.
func (r *Review) flagsWaiting(ctx context.Context, waiting *Waiting, standing map[string]bool, by string) error {
	open := []any{index.Term("status", lore.FlagOpen)}
	if by != "" {
		open = append(open, index.Term("raised_by", by))
	}
	from, err := r.numbers(ctx, lore.SafetyFlags, "raised_by", open)
	if err != nil {
		return err
	}
	from = slices.DeleteFunc(from, func(one Busy) bool { return one.SourceID == lore.RaisedByAgentlore })
	raisers := make([]string, len(from))
	for i, one := range from {
		raisers[i] = one.SourceID
	}
	accounts, err := New(r.client, nil).AccountsOf(ctx, raisers)
	if err != nil {
		return err
	}
	banned, trusted := []string{}, []string{lore.RaisedByAgentlore}
	for _, raiser := range raisers {
		if account := accounts[raiser]; account.Banned {
			banned = append(banned, raiser)
		} else if standing[account.Principal] {
			trusted = append(trusted, raiser)
		}
	}
	from = slices.DeleteFunc(from, func(one Busy) bool { return slices.Contains(banned, one.SourceID) })
	leftOut := banned
	if by == "" {
		var busy []string
		waiting.Flaggers, busy = busyOf(from)
		leftOut = append(leftOut, busy...)
	}
	// First what somebody with standing flagged, so that however many newcomers flag something it is among what is
	// read.
	without := func(sources ...string) []any {
		return []any{index.TermsQuery("raised_by", append(append([]string{}, leftOut...), sources...))}
	}
	ofTrusted := append(slices.Clone(open), index.TermsQuery("raised_by", trusted))
	flags, err := oldest[lore.SafetyFlag](ctx, r.client, mostFlags, ofTrusted, without(), lore.SafetyFlags)
	if err != nil {
		return err
	}
	others, err := oldest[lore.SafetyFlag](ctx, r.client, mostFlags, open, without(trusted...), lore.SafetyFlags)
	if err != nil {
		return err
	}
	waiting.FlagsTotal = flags.Hits.Total.Value + others.Hits.Total.Value
	for _, one := range waiting.Flaggers {
		waiting.FlagsTotal += one.Number
	}
	items := map[string]*FlaggedItem{}
	for _, hit := range append(flags.Hits.Hits, others.Hits.Hits...) {
		items[hit.Source.Target.ID] = &FlaggedItem{Target: hit.Source.Target}
	}
	if by == "" { // who flags much is counted where others flag the same
		if err := r.allFlagsOn(ctx, items, banned); err != nil {
			return err
		}
	} else {
		for _, hit := range append(flags.Hits.Hits, others.Hits.Hits...) {
			item := items[hit.Source.Target.ID]
			item.Flags = append(item.Flags, hit.Source)
		}
	}
	for _, item := range items {
		item.count(accounts, trusted)
		waiting.Flagged = append(waiting.Flagged, *item)
	}
	slices.SortFunc(waiting.Flagged, func(a, b FlaggedItem) int {
		return cmp.Or(cmp.Compare(b.Trust, a.Trust), cmp.Compare(b.Owners, a.Owners), a.oldest().CreatedAt.Compare(b.oldest().CreatedAt),
			cmp.Compare(a.Target.ID, b.Target.ID))
	})
	waiting.MoreFlagged = len(waiting.Flagged) > reviewPage
	waiting.Flagged = waiting.Flagged[:min(len(waiting.Flagged), reviewPage)]
	return nil
}

// allFlagsOn adds the open flags of items, but for those of banned sources.
func (r *Review) allFlagsOn(ctx context.Context, items map[string]*FlaggedItem, banned []string) error {
	ids := make([]string, 0, len(items))
	for id := range items {
		ids = append(ids, id)
	}
	query := map[string]any{"bool": map[string]any{
		"filter":   []any{index.Term("status", lore.FlagOpen), index.TermsQuery("target.id", ids)},
		"must_not": []any{index.TermsQuery("raised_by", banned)},
	}}
	return index.EachPage(ctx, r.client, r.client.AliasOf(lore.SafetyFlags), query, index.ByID, func(flags []lore.SafetyFlag) error {
		for _, flag := range flags {
			item := items[flag.Target.ID]
			item.Flags = append(item.Flags, flag)
		}
		return nil
	})
}

// count counts who flagged an item and puts its flags in order. Principals that gave one owner are one.
func (f *FlaggedItem) count(accounts map[string]lore.Account, trusted []string) {
	all, trust := map[string]bool{}, map[string]bool{}
	for _, flag := range f.Flags {
		owner := cmp.Or(accounts[flag.RaisedBy].OwnerKey, accounts[flag.RaisedBy].Principal, flag.RaisedBy)
		all[owner] = true
		if slices.Contains(trusted, flag.RaisedBy) {
			trust[owner] = true
		}
	}
	f.Owners, f.Trust = len(all), len(trust)
	newcomer := func(flag lore.SafetyFlag) int {
		if slices.Contains(trusted, flag.RaisedBy) {
			return 0
		}
		return 1
	}
	slices.SortFunc(f.Flags, func(a, b lore.SafetyFlag) int {
		return cmp.Or(newcomer(a)-newcomer(b), a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
}

// oldest returns the flag that waits longest.
func (f *FlaggedItem) oldest() lore.SafetyFlag {
	return slices.MinFunc(f.Flags, func(a, b lore.SafetyFlag) int { return a.CreatedAt.Compare(b.CreatedAt) })
}

// numbers counts what passes a filter by a field that holds sources, the most first.
func (r *Review) numbers(ctx context.Context, collection lore.Collection, field string, filter []any) ([]Busy, error) {
	body := map[string]any{
		"size": 0, "track_total_hits": false, "query": map[string]any{"bool": map[string]any{"filter": filter}},
		"aggs": map[string]any{"sources": index.TermsOf(field, mostRaisers)},
	}
	var answer index.SearchAnswer[json.RawMessage]
	if err := r.client.Query(ctx, []string{r.client.AliasOf(collection)}, body, &answer); err != nil {
		return nil, fmt.Errorf("count %s: %w", collection, err)
	}
	counts, err := index.FacetCounts(answer.Aggregations["sources"])
	var numbers []Busy
	for _, one := range counts {
		numbers = append(numbers, Busy{one.Value, one.Count})
	}
	return numbers, err
}

// busyOf returns the sources of whom more waits than is listed, and their ids.
func busyOf(sources []Busy) (busy []Busy, ids []string) {
	ids = []string{}
	for _, one := range sources {
		if one.Number > listedOf {
			busy, ids = append(busy, one), append(ids, one.SourceID)
		}
	}
	return busy, ids
}

// oldest returns the first page of what passes a filter and isn't left out, oldest first, with its exact number.
func oldest[T any](
	ctx context.Context, c *index.Client, size int, filter, leftOut []any, collections ...lore.Collection,
) (index.SearchAnswer[T], error) {
	body := map[string]any{
		"query": map[string]any{"bool": map[string]any{"filter": filter, "must_not": leftOut}}, "sort": index.TimeOrder(lore.SortOldest),
		"size": size, "track_total_hits": true,
	}
	var aliases []string
	for _, collection := range collections {
		aliases = append(aliases, c.AliasOf(collection))
	}
	var answer index.SearchAnswer[T]
	return answer, c.Query(ctx, aliases, body, &answer)
}
