package index

import (
	"maps"
	"testing"
	"time"

	"agentlore/enginetest"
	"agentlore/lore"
	"agentlore/mappings"
)

// A store made before items had warnings: the start of this version lets its documents have them.
func TestAnIndexOfAnotherVersionGetsTheFieldsThatItLacks(t *testing.T) {
	t.Parallel()
	client := openClient(t, enginetest.Prefix(t), enginetest.ElasticsearchURL(t))
	definitions, err := mappings.All()
	if err != nil {
		t.Fatal(err)
	}
	old := definitions[string(lore.Submissions)]
	properties := maps.Clone(old.Mappings["properties"].(map[string]any))
	delete(properties, "warnings")
	old.Mappings = maps.Clone(old.Mappings)
	old.Mappings["properties"], old.Mappings["_meta"] = properties, map[string]any{"hash": "another"}
	alias := client.AliasOf(lore.Submissions)
	if err := client.CreateNamed(t.Context(), alias+"-"+FirstGeneration, old, client.IndexSettings(old), map[string]any{alias: map[string]any{}}); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second start has nothing to do
		outdated, _, err := client.Migrate(t.Context())
		if err != nil || len(outdated) != 1 || outdated[0] != alias {
			t.Fatalf("outdated %v, %v; want %s", outdated, err, alias)
		}
	}
	warned := submissionDocument{Submission: lore.Submission{
		ID: lore.NewID(), Summary: "s", CreatedAt: time.Now().UTC(), Warnings: []lore.ItemWarning{{Code: "injection", Detail: "d"}},
	}}
	if err := client.CreateDocument(t.Context(), alias, warned.ID, warned); err != nil {
		t.Errorf("an item with warnings is refused: %v", err)
	}
}
