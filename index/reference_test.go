package index

import (
	"testing"
	"time"

	"agentlore/lore"
	"agentlore/scrubber"
)

// An entry that the library drops is withdrawn, and active again when it is back, unless what agents said of it withdrew it as well. One
// that is back isn't said to be removed: it is unchanged from then on, and can be dropped again.
func TestReferenceEntriesComeAndGo(t *testing.T) {
	t.Parallel()
	client := ownClient(t)
	migrate(t, client)
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	entry := func(id string) scrubber.Scrubbed[lore.KnowledgeUnit] {
		return clean(t, lore.KnowledgeUnit{
			ID: lore.DerivedID("reference", id), Summary: id + " fails", Category: lore.CategoryFailure,
			Ecosystem: []string{}, Tags: []string{}, Entities: []string{},
			Tier: lore.TierValidated, Confidence: 0.8, Evidence: lore.Evidence{SubmissionIDs: []string{}}, Status: lore.UnitActive,
			Reference: &lore.Reference{ID: id, URL: "https://example.org", Checked: "2026-03-01"}, CreatedAt: now,
			PromotedAt: now, FirstSeenAt: now, LastSeenAt: now,
		})
	}
	kept, good, bad := entry("kept"), entry("good"), entry("bad")
	all, less := []scrubber.Scrubbed[lore.KnowledgeUnit]{kept, good, bad}, []scrubber.Scrubbed[lore.KnowledgeUnit]{kept}
	steps := []struct {
		name      string
		library   []scrubber.Scrubbed[lore.KnowledgeUnit]
		want      ReferenceChanges
		good, bad lore.UnitStatus
	}{
		{"first", all, ReferenceChanges{Added: 3}, lore.UnitActive, lore.UnitActive},
		{"dropped", less, ReferenceChanges{Withdrawn: 2, Unchanged: 1}, lore.UnitWithdrawn, lore.UnitWithdrawn},
		{"still dropped", less, ReferenceChanges{Unchanged: 1}, lore.UnitWithdrawn, lore.UnitWithdrawn},
		{"back", all, ReferenceChanges{Updated: 2, Unchanged: 1}, lore.UnitActive, lore.UnitWithdrawn},
		{"still there", all, ReferenceChanges{Unchanged: 3}, lore.UnitActive, lore.UnitWithdrawn},
		{"dropped again", less, ReferenceChanges{Withdrawn: 2, Unchanged: 1}, lore.UnitWithdrawn, lore.UnitWithdrawn},
	}
	for i, step := range steps {
		got, err := client.ImportReference(t.Context(), step.library, now)
		if err != nil || got != step.want {
			t.Errorf("%s: %+v, %v; want %+v", step.name, got, err, step.want)
		}
		if i == 0 {
			err := client.Change(t.Context(), lore.Target{Collection: lore.KnowledgeUnits, ID: bad.Value().ID}, func(document map[string]any) {
				document["missing"] = []lore.Requirement{lore.RequireConfidence}
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		ids := []string{good.Value().ID, bad.Value().ID}
		stored, err := ReadByID[lore.KnowledgeUnit](t.Context(), client, client.AliasOf(lore.KnowledgeUnits), ids)
		if err != nil {
			t.Fatal(err)
		}
		if stored[good.Value().ID].Status != step.good || stored[bad.Value().ID].Status != step.bad {
			t.Errorf("%s: good is %s, bad is %s", step.name, stored[good.Value().ID].Status, stored[bad.Value().ID].Status)
		}
		if removed := stored[good.Value().ID].Reference.RemovedAt; (removed != nil) != (len(step.library) < len(all)) {
			t.Errorf("%s: good was removed at %v", step.name, removed)
		}
	}
}
