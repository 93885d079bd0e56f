package index

import (
	"fmt"
	"testing"

	"agentlore/lore"
)

func TestLibraries(t *testing.T) {
	t.Parallel()
	client := ownClient(t)
	migrate(t, client)
	if none, err := client.Libraries(t.Context(), ""); err != nil || none == nil || len(none) != 0 {
		t.Errorf("an empty store: %v, %v; want an empty list", none, err)
	}
	unit := func(summary string, tier lore.Tier, confidence float64, status lore.UnitStatus, ecosystems ...string) lore.KnowledgeUnit {
		return lore.KnowledgeUnit{
			ID: lore.NewID(), Summary: summary, Category: lore.CategoryFailure, Ecosystem: ecosystems, Tier: tier, Confidence: confidence,
			Status: status, CreatedAt: at(1), FirstSeenAt: at(1), LastSeenAt: at(1), PromotedAt: at(1),
		}
	}
	put(t, client, lore.KnowledgeUnits,
		unit("third", 3, 0.8, lore.UnitActive, "ethereum"), unit("first", 4, 0.7, lore.UnitActive, "ethereum", "base"),
		unit("fourth", 3, 0.7, lore.UnitActive, "ethereum"), unit("second", 3, 0.9, lore.UnitActive, "ethereum"),
		unit("gone", 4, 1, lore.UnitWithdrawn, "ethereum"), unit("replaced", 4, 1, lore.UnitSuperseded, "ethereum"),
		unit("everywhere", 3, 0.7, lore.UnitActive),
	)
	all, err := client.Libraries(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int64{}
	for _, library := range all {
		counts[library.Ecosystem+"/"+string(library.Category)] = library.Count
	}
	if first := all[0]; first.Ecosystem != "ethereum" {
		t.Errorf("%q comes first, of which less is known", first.Ecosystem)
	}
	if fmt.Sprint(counts) != "map[/failure:1 base/failure:1 ethereum/failure:4]" {
		t.Errorf("libraries are %v", counts)
	}
	one, err := client.Libraries(t.Context(), "ethereum")
	if err != nil || len(one) != 1 || len(one[0].Best) != 3 || one[0].Count != 4 {
		t.Fatalf("one ecosystem: %+v, %v; want its library alone, with the best three", one, err)
	}
	for i, want := range []string{"first", "second", "third"} {
		if one[0].Best[i].Summary != want {
			t.Errorf("best %d is %s, want %s", i, one[0].Best[i].Summary, want)
		}
	}
}

// Nothing is cut, however many ecosystems there are.
func TestLibrariesOfManyEcosystems(t *testing.T) {
	t.Parallel()
	client := ownClient(t)
	migrate(t, client)
	const many = 450
	var units []any
	for i := range 5 {
		unit := lore.KnowledgeUnit{ID: lore.NewID(), Category: lore.CategoryFailure, Tier: 3, Status: lore.UnitActive, CreatedAt: at(1), FirstSeenAt: at(1), LastSeenAt: at(1), PromotedAt: at(1)}
		for j := range many / 5 {
			unit.Ecosystem = append(unit.Ecosystem, fmt.Sprintf("chain-%03d", i*many/5+j))
		}
		units = append(units, unit)
	}
	put(t, client, lore.KnowledgeUnits, units...)
	if all, err := client.Libraries(t.Context(), ""); err != nil || len(all) != many {
		t.Errorf("%d libraries, %v; want %d", len(all), err, many)
	}
	if one, err := client.Libraries(t.Context(), "chain-449"); err != nil || len(one) != 1 || one[0].Count != 1 {
		t.Errorf("the last ecosystem: %+v, %v", one, err)
	}
}
