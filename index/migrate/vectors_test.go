package migrate

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"agentlore/enginetest"
	"agentlore/index"
	"agentlore/index/indextest"
	"agentlore/lore"
)

// Vectors move with their items, and are dropped where the indices are to hold vectors of another size.
func TestVectorsMoveUnlessTheirSizeChanges(t *testing.T) {
	t.Parallel()
	client := indextest.Store(t)
	report := map[string]any{
		"id": lore.NewID(), "summary": "Oracle is stale", "created_at": indextest.At(1), "embedding": strings.Repeat("7f", 384), "embedding_model": "m",
	}
	alias := client.AliasOf(lore.Submissions)
	body, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	path := "/" + alias + "/_doc/" + report["id"].(string)
	if status, answer := enginetest.Elasticsearch(t, "PUT", path+"?refresh=true", string(body)); status != http.StatusCreated {
		t.Fatalf("%d %s", status, answer)
	}
	for _, move := range []struct {
		dimensions int
		plan       Move
		kept       bool
	}{{384, Move{Shards: index.Shards{"": 2}}, true}, {16, Move{Mapping: true}, false}} {
		client.Dimensions = move.dimensions
		if moved, err := New(client).Move(t.Context(), move.plan); err != nil || moved == 0 {
			t.Fatalf("%d moved, %v", moved, err)
		}
		status, answer := enginetest.Elasticsearch(t, "GET", path, "")
		if kept := strings.Contains(string(answer), index.VectorField); status != http.StatusOK || kept != move.kept {
			t.Errorf("with %d dimensions: %d %s", move.dimensions, status, answer)
		}
	}
}
