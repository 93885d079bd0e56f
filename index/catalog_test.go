package index

import (
	"testing"
	"time"

	"agentlore/lore"
	"agentlore/scrubber"
)

// The catalog follows the library: what it says anew is updated, what it drops is withdrawn and active when it is back, and what an operator
// withdrew stays so.
func TestTheCatalogFollowsTheLibrary(t *testing.T) {
	t.Parallel()
	client := ownClient(t)
	migrate(t, client)
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	asset := func(id, description string) scrubber.Scrubbed[lore.Asset] {
		return clean(t, lore.Asset{
			ID: lore.DerivedID("catalog", id), Name: id, Type: "bridge", Ecosystem: []string{}, Description: description, Tags: []string{}, Addresses: []string{},
			Entities: []string{}, Status: lore.AssetActive, Summary: id, CreatedAt: now,
			CatalogFacts: lore.CatalogFacts{Reference: &lore.Reference{ID: "catalog." + id, URL: "https://example.org", Checked: "2026-03-01"}},
		})
	}
	list := func(assets ...scrubber.Scrubbed[lore.Asset]) []scrubber.Scrubbed[lore.Asset] { return assets }
	one, two, changed := asset("one", "Bridges."), asset("two", "Bridges."), asset("two", "Bridges no more.")
	withdraw := func() {
		err := client.Change(t.Context(), lore.Target{Collection: lore.Assets, ID: one.Value().ID}, func(document map[string]any) { document["status"] = "withdrawn" })
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		name   string
		before func()
		listed []scrubber.Scrubbed[lore.Asset]
		want   ReferenceChanges
		shown  int
	}{
		{"first", nil, list(one, two), ReferenceChanges{Added: 2}, 2},
		{"the same", nil, list(one, two), ReferenceChanges{Unchanged: 2}, 2},
		{"changed", nil, list(one, changed), ReferenceChanges{Updated: 1, Unchanged: 1}, 2},
		{"dropped", nil, list(one), ReferenceChanges{Withdrawn: 1, Unchanged: 1}, 1},
		{"still dropped", nil, list(one), ReferenceChanges{Unchanged: 1}, 1},
		{"back", nil, list(one, changed), ReferenceChanges{Updated: 1, Unchanged: 1}, 2},
		{"withdrawn by an operator", withdraw, list(one, changed), ReferenceChanges{Unchanged: 2}, 1},
	} {
		if step.before != nil {
			step.before()
		}
		got, err := client.ImportCatalog(t.Context(), step.listed, now.Add(time.Hour))
		if err != nil || got != step.want {
			t.Errorf("%s: %+v, %v; want %+v", step.name, got, err, step.want)
		}
		shown, err := client.CatalogAssets(t.Context())
		if err != nil || len(shown) != step.shown {
			t.Errorf("%s: %d assets are shown, %v; want %d", step.name, len(shown), err, step.shown)
		}
	}
}
