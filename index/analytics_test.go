package index

import (
	"reflect"
	"testing"

	"agentlore/lore"
)

func TestAnalytics(t *testing.T) {
	t.Parallel()
	client := ownClient(t)
	migrate(t, client)
	empty, err := client.Analytics(t.Context(), lore.Filter{})
	if err != nil || empty.Submissions != 0 || empty.ByCategory == nil || empty.ByDay == nil || empty.ByMonth == nil || empty.BySourceType == nil || empty.Scrubbed == nil {
		t.Errorf("an empty store: %+v, %v; want empty lists", empty, err)
	}
	submission := func(category lore.Category, ecosystem string, day int, tags, kinds, entities []string) submissionDocument {
		return submissionDocument{Submission: lore.Submission{
			ID: lore.NewID(), Category: category, Ecosystem: ecosystem, Tier: lore.Tier(1 + day%2), Tags: tags, Entities: entities,
			CreatedAt: at(0).AddDate(0, 0, day),
		}, ScrubbedKinds: kinds}
	}
	put(t, client, lore.Submissions,
		submission(lore.CategoryFailure, "ethereum", 0, []string{"gas", "rpc"}, []string{"email", "jwt"}, []string{"EIP-1559"}),
		submission(lore.CategoryFailure, "solana", 0, []string{"rpc"}, nil, nil),
		submission(lore.CategorySecurity, "ethereum", 3, []string{"rpc"}, []string{"email"}, []string{"EIP-1559"}),
	)
	put(t, client, lore.Sources, lore.Source{ID: lore.NewID(), Type: lore.SourceBot, CreatedAt: at(1)}, lore.Source{ID: lore.NewID(), Type: lore.SourceAgent, CreatedAt: at(1)}, lore.Source{ID: lore.NewID(), Type: lore.SourceBot, CreatedAt: at(1)})

	got, err := client.Analytics(t.Context(), lore.Filter{})
	want := lore.Analytics{
		Submissions: 3,
		ByCategory:  []lore.FacetCount{{Value: "failure", Count: 2}, {Value: "security", Count: 1}},
		ByTier:      []lore.FacetCount{{Value: "1", Count: 2}, {Value: "2", Count: 1}},
		ByEcosystem: []lore.FacetCount{{Value: "ethereum", Count: 2}, {Value: "solana", Count: 1}},
		ByDay:       []lore.FacetCount{{Value: "2026-03-01", Count: 2}, {Value: "2026-03-04", Count: 1}},
		ByMonth:     []lore.FacetCount{{Value: "2026-03", Count: 3}},
		TopTags:     []lore.FacetCount{{Value: "rpc", Count: 3}, {Value: "gas", Count: 1}}, TopEntities: []lore.FacetCount{{Value: "EIP-1559", Count: 2}},
		Scrubbed:     []lore.FacetCount{{Value: "email", Count: 2}, {Value: "jwt", Count: 1}},
		BySourceType: []lore.FacetCount{{Value: "bot", Count: 2}, {Value: "agent", Count: 1}},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v; got\n%+v\nwant\n%+v", err, got, want)
	}
	got, err = client.Analytics(t.Context(), lore.Filter{Since: at(1), Until: at(0).AddDate(0, 0, 4), Ecosystem: "ethereum"})
	if err != nil || got.Submissions != 1 || len(got.ByCategory) != 1 || got.ByCategory[0].Value != "security" || len(got.BySourceType) != 2 {
		t.Errorf("filtered: %+v, %v; want the one submission, and all sources", got, err)
	}
}

// One source that writes much, and that nobody bears out, makes no tag or entity come first; how many reports have it is still said.
func TestACrowdMakesNoTopTag(t *testing.T) {
	t.Parallel()
	client := ownClient(t)
	migrate(t, client)
	var documents []any
	add := func(count int, source func() string, tag, entity string) {
		for range count {
			documents = append(documents, submissionDocument{Submission: lore.Submission{
				ID: lore.NewID(), SourceID: source(), Category: lore.CategoryFailure, Tier: lore.TierRaw, Tags: []string{tag}, Entities: []string{entity}, CreatedAt: at(0),
			}})
		}
	}
	stranger := lore.NewID()
	add(CrowdFrom+5, func() string { return stranger }, "mine", "EIP-1")
	add(3, lore.NewID, "ours", "EIP-2")
	add(2, lore.NewID, "mine", "EIP-3")
	put(t, client, lore.Submissions, documents...)
	got, err := client.Analytics(t.Context(), lore.Filter{})
	tags := []lore.FacetCount{{Value: "mine", Count: CrowdFrom + 7}, {Value: "ours", Count: 3}} // three sources each
	entities := []lore.FacetCount{{Value: "EIP-2", Count: 3}, {Value: "EIP-3", Count: 2}, {Value: "EIP-1", Count: CrowdFrom + 5}}
	if err != nil || !reflect.DeepEqual(got.TopTags, tags) || !reflect.DeepEqual(got.TopEntities, entities) || got.Submissions != CrowdFrom+10 {
		t.Errorf("%v; tags %+v, want %+v; entities %+v, want %+v", err, got.TopTags, tags, got.TopEntities, entities)
	}
}
