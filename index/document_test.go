package index

import (
	"sync"
	"testing"

	"agentlore/lore"
)

// counter is a document for edits.
type counter struct {
	N int `json:"n"`
}

// Many that edit one document at a time all come through, and each edit counts once.
func TestManyEditOneDocument(t *testing.T) {
	t.Parallel()
	client := sharedClient(t)
	id := lore.NewID()
	var group sync.WaitGroup
	const writers = 64
	for range writers {
		group.Go(func() {
			_, err := Edit(t.Context(), client, client.Alias(StateIndex), id, func(held *edited, _ bool) error { held.Progress.N++; return nil })
			if err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if held, err := Get[edited](t.Context(), client, client.Alias(StateIndex), id); err != nil || held.Source.Progress.N != writers {
		t.Errorf("%d edits are stored, %v; want %d", held.Source.Progress.N, err, writers)
	}
}

type edited struct {
	Progress counter `json:"progress"`
}

// An edit over which another write is always quicker ends, and the caller is told to come back.
func TestAnEditThatAlwaysMeetsAnotherEnds(t *testing.T) {
	t.Parallel()
	client := sharedClient(t)
	id, alias, tries := lore.NewID(), client.Alias(StateIndex), 0
	_, err := Edit(t.Context(), client, alias, id, func(held *edited, _ bool) error {
		if tries++; tries > 1000 {
			t.Fatal("it goes on for ever")
		}
		return client.WriteDocument(t.Context(), alias, id, edited{counter{tries}}, nil)
	})
	if lore.CodeOf(err) != lore.CodeStoreUnavailable {
		t.Errorf("%v after %d tries, want store_unavailable", err, tries)
	}
}
