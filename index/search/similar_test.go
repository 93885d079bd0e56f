package search

import (
	"testing"

	"agentlore/enginetest"
	"agentlore/index"
	"agentlore/index/indextest"
	"agentlore/lore"
)

// What is hidden from searches isn't named to a submitter either, and takes nobody's place in what is.
func TestSimilarReportsAreNoHiddenOnes(t *testing.T) {
	t.Parallel()
	client := indextest.Store(t)
	store := index.OpenSubmissions(client, indextest.Writer(t, client))
	const asked = "The vault of quokka rounds shares"
	var ids []string
	for i := range similarSpare + 1 {
		text := indextest.Clean(t, lore.Observation{Summary: asked, Category: lore.CategoryFailure})
		if i == similarSpare {
			text = indextest.Clean(t, lore.Observation{Summary: "Quokka vault rounds its shares down in the block of a long weekend", Category: lore.CategoryFailure})
		}
		id := lore.NewID()
		draft := lore.Draft{ID: id, Identity: lore.Identity{SourceID: lore.NewID()}, ClassifiedBy: lore.BySubmitter, CreatedAt: indextest.At(1)}
		if _, created, err := store.Create(t.Context(), draft, text); err != nil || !created {
			t.Fatal(created, err)
		}
		ids = append(ids, id)
	}
	for i, id := range ids[:similarSpare] {
		hides := []string{`{"doc":{"status":"flagged"}}`, `{"doc":{"warnings":[{"code":"injection","detail":"d"}]}}`}[i%2]
		if status, answer := enginetest.Elasticsearch(t, "POST", "/"+client.AliasOf(lore.Submissions)+"/_update/"+id, hides); status != 200 {
			t.Fatalf("%d %s", status, answer)
		}
	}
	indextest.Refresh(t, client, lore.Submissions)
	similar, err := New(client).Similar(t.Context(), indextest.Clean(t, lore.Observation{Summary: asked, Category: lore.CategoryFailure}), "", 1)
	if err != nil || len(similar) != 1 || similar[0].ID != ids[similarSpare] {
		t.Errorf("found %+v, %v; want %s alone", similar, err, ids[similarSpare])
	}
	similar, err = New(client).Similar(t.Context(), indextest.Clean(t, lore.Observation{Summary: "A vault that pays out twice in a block", Category: lore.CategoryFailure}), "", 1)
	if err != nil || len(similar) != 0 {
		t.Errorf("one word of five in common: found %+v, %v", similar, err)
	}
}
