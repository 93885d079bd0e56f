package index

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"testing"

	"agentlore/lore"
)

// put stores documents, past the writers, in a collection of a client and makes them searchable.
func put(t *testing.T, client *Client, collection lore.Collection, documents ...any) {
	t.Helper()
	for _, document := range documents {
		id := idOf(t, document)
		if err := client.CreateDocument(t.Context(), client.AliasOf(collection), id, document); err != nil {
			t.Fatalf("store in %s: %v", collection, err)
		}
	}
	refresh(t, client, string(collection))
}

func idOf(t *testing.T, document any) string {
	t.Helper()
	switch document := document.(type) {
	case submissionDocument:
		return document.ID
	case lore.KnowledgeUnit:
		return document.ID
	case lore.Source:
		return document.ID
	case map[string]any:
		return document["id"].(string)
	case lore.Pattern:
		return document.ID
	case lore.Asset:
		return document.ID
	}
	t.Fatalf("the test doesn't know the id of a %T", document)
	return ""
}

func TestGet(t *testing.T) {
	t.Parallel()
	client := sharedClient(t)
	stored := submissionDocument{Submission: lore.Submission{ID: lore.NewID(), Summary: "get", CreatedAt: at(1)}, ScrubbedTotal: 3, ScrubbedKinds: []string{"email"}}
	put(t, client, lore.Submissions, stored)
	// Read into anything: what is private isn't even sent by Elasticsearch.
	read, err := NewCollection[map[string]any](client, lore.Submissions, "submission").Get(t.Context(), stored.ID)
	if err != nil || read["summary"] != "get" {
		t.Fatalf("%v, %v", read, err)
	}
	for _, name := range PrivateFields {
		if _, there := read[name]; there {
			t.Errorf("%s is shown to readers", name)
		}
	}
	listed, err := NewCollection[map[string]any](client, lore.Submissions, "submission").List(t.Context(), lore.ListQuery{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	for _, item := range listed.Results {
		for _, name := range PrivateFields {
			if _, there := item[name]; there {
				t.Errorf("%s is shown in lists", name)
			}
		}
	}
	for _, id := range []string{lore.NewID(), "", "x", "../_search", strings.ToUpper(stored.ID), "*", stored.ID + "/", strings.Repeat("a", 600)} {
		_, err := NewCollection[lore.Submission](client, lore.Submissions, "submission").Get(t.Context(), id)
		if lore.CodeOf(err) != lore.CodeNotFound || !strings.Contains(err.Error(), "submission") || id != "" && len(id) > 1 && strings.Contains(err.Error(), id) {
			t.Errorf("id %q: %v, want not_found that names the kind and not the id", id, err)
		}
	}
}

// Each filter finds what has the value, and nothing else.
func TestListFilters(t *testing.T) {
	t.Parallel()
	client := ownClient(t)
	migrate(t, client)
	make := func(change func(*lore.Submission)) submissionDocument {
		s := lore.Submission{
			ID: lore.NewID(), SourceID: lore.NewID(), Summary: "list", Category: lore.CategoryGeneral, Tags: []string{"common"},
			Ecosystem: "ethereum", Tier: 1, Entities: []string{}, CreatedAt: at(5),
		}
		change(&s)
		return submissionDocument{Submission: s}
	}
	plain := make(func(*lore.Submission) {})
	special := make(func(s *lore.Submission) {
		s.Category, s.Tags, s.Ecosystem, s.Tier = lore.CategorySecurity, []string{"common", "rare tag"}, "solana", 2
		s.PatternID, s.Entities, s.CreatedAt = lore.NewID(), []string{"EIP-1559"}, at(8)
	})
	put(t, client, lore.Submissions, plain, special)
	list := NewCollection[lore.Submission](client, lore.Submissions, "submission")
	for name, filter := range map[string]lore.Filter{
		"category": {Category: "security"}, "ecosystem": {Ecosystem: "solana"}, "tag": {Tag: "rare tag"}, "tier": {Tier: 2},
		"source": {SourceID: special.SourceID}, "pattern": {PatternID: special.PatternID}, "entity": {Entity: "EIP-1559"},
		"since": {Since: at(8)}, "several": {Category: "security", Tag: "common", Until: at(9)},
	} {
		got, err := list.List(t.Context(), lore.ListQuery{Filter: filter, Limit: 10})
		if err != nil || len(got.Results) != 1 || got.Results[0].ID != special.ID || got.Total != 1 || got.TotalRelation != "eq" || got.NextCursor != "" {
			t.Errorf("%s: %+v, %v; want the one that has it", name, got, err)
		}
	}
	for name, filter := range map[string]lore.Filter{"until": {Until: at(8)}, "other source": {SourceID: plain.SourceID}} {
		got, err := list.List(t.Context(), lore.ListQuery{Filter: filter, Limit: 10})
		if err != nil || len(got.Results) != 1 || got.Results[0].ID != plain.ID {
			t.Errorf("%s: %+v, %v; want the plain one", name, got, err)
		}
	}
	for name, filter := range map[string]lore.Filter{"part of a tag": {Tag: "rare"}, "both and not": {Category: "security", Ecosystem: "ethereum"}} {
		if got, err := list.List(t.Context(), lore.ListQuery{Filter: filter, Limit: 10}); err != nil || len(got.Results) != 0 || got.Results == nil {
			t.Errorf("%s: %+v, %v; want an empty list", name, got, err)
		}
	}
	newest, err := list.List(t.Context(), lore.ListQuery{Limit: 1})
	if err != nil || len(newest.Results) != 1 || newest.Results[0].ID != special.ID || newest.NextCursor == "" || newest.Total != 2 {
		t.Errorf("newest first: %+v, %v", newest, err)
	}
	oldest, err := list.List(t.Context(), lore.ListQuery{Limit: 1, Sort: lore.SortOldest})
	if err != nil || oldest.Results[0].ID != plain.ID {
		t.Errorf("oldest first: %+v, %v", oldest, err)
	}
}

// Patterns and units are listed by what bears them out, page by page, none twice and none left out; those without a rank, which no
// curator of this version has judged, come last.
func TestListsByEvidence(t *testing.T) {
	t.Parallel()
	client := ownClient(t)
	migrate(t, client)
	var items []any
	for i := range 30 {
		p := lore.Pattern{ID: lore.NewID(), Summary: "s", Tier: lore.Tier(1 + i%3), CreatedAt: at(1), FirstSeenAt: at(i % 7), LastSeenAt: at(1)}
		if i%5 > 0 {
			p.Rank = &lore.Rank{Evidence: float64(i%4) + 0.125, Trending: float64(i%8) * 1480.123}
		}
		items = append(items, p)
	}
	put(t, client, lore.Patterns, items...)
	stored := map[string]lore.Pattern{}
	for _, item := range items {
		stored[item.(lore.Pattern).ID] = item.(lore.Pattern)
	}
	rank := func(p lore.Pattern) lore.Rank {
		if p.Rank == nil {
			return lore.Rank{}
		}
		return *p.Rank
	}
	for sort, compare := range map[lore.Sort]func(a, b lore.Pattern) int{
		lore.SortEvidence: func(a, b lore.Pattern) int {
			return cmp.Or(cmp.Compare(b.Tier, a.Tier), cmp.Compare(rank(b).Evidence, rank(a).Evidence), cmp.Compare(b.ID, a.ID))
		},
		lore.SortTrending: func(a, b lore.Pattern) int {
			return cmp.Or(cmp.Compare(rank(b).Trending, rank(a).Trending), cmp.Compare(b.ID, a.ID))
		},
		lore.SortNewest: func(a, b lore.Pattern) int {
			return cmp.Or(b.FirstSeenAt.Compare(a.FirstSeenAt), cmp.Compare(b.ID, a.ID))
		},
		lore.SortOldest: func(a, b lore.Pattern) int {
			return cmp.Or(a.FirstSeenAt.Compare(b.FirstSeenAt), cmp.Compare(a.ID, b.ID))
		},
	} {
		var got, want []string
		for _, p := range slices.SortedFunc(maps.Values(stored), compare) {
			want = append(want, p.ID)
		}
		list := NewCollection[lore.Pattern](client, lore.Patterns, "pattern")
		for query := (lore.ListQuery{Sort: sort, Limit: 7}); ; {
			page, err := list.List(t.Context(), query)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range page.Results {
				if got = append(got, p.ID); p.Rank != nil {
					t.Fatal("a reader got the rank")
				}
			}
			if query.Cursor = page.NextCursor; query.Cursor == "" {
				break
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %d patterns in another order than %d", sort, len(got), len(want))
		}
	}
}
