package search

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"

	"agentlore/embed"
	"agentlore/enginetest"
	"agentlore/index/indextest"
	"agentlore/lore"
)

// pointing makes vectors that point where a test says: how near a model puts two texts is no matter here.
type pointing struct {
	vector embed.Vector
	err    error
	asked  atomic.Value
}

func (p *pointing) Model() string { return "model" }

func (p *pointing) Question(_ context.Context, text string) (embed.Vector, error) {
	p.asked.Store(text)
	return p.vector, p.err
}

// direction returns a vector that is so many degrees or so away from that of direction(0).
func direction(away int) embed.Vector {
	vector := make(embed.Vector, 384)
	vector[7], vector[8] = 100, int8(away)
	return vector
}

// pointed is a submission as it is stored with a vector.
type pointed struct {
	lore.Submission
	Embedding      string `json:"embedding"`
	EmbeddingModel string `json:"embedding_model"`
}

func at(document lore.Submission, away int, model string) pointed {
	return pointed{document, direction(away).Hex(), model}
}

// semanticStore returns a searcher by meaning whose questions all point one way, over items at angles from there.
func semanticStore(t *testing.T, documents ...pointed) (*Searcher, *pointing) {
	t.Helper()
	client := indextest.Store(t)
	indextest.Put(t, client, lore.Submissions, documents...)
	vectors := &pointing{vector: direction(0)}
	return New(client).WithVectors(vectors), vectors
}

func idsOf(result lore.SearchResult) (ids []string) {
	for _, hit := range result.Results {
		ids = append(ids, hit.ID)
	}
	return ids
}

func TestWhatMeansTheSameIsFound(t *testing.T) {
	t.Parallel()
	near, nearer, words := observed("Loan is undercollateralised", ""), observed("Borrower owes too much", ""), observed("Insolvent vault", "")
	exact := observed("Vault of 0x00000000219ab540356cBB839Cbe05303d7705Fa", "")
	other, secret := observed("Other model", ""), observed("Loan of others", "")
	other.Category, secret.Category = lore.CategorySecurity, lore.CategorySecurity
	searcher, vectors := semanticStore(t, at(near, 30, "model"), at(nearer, 10, "model"), at(words, 100, "model"), at(exact, 120, "model"),
		at(other, 0, "another"), at(secret, 20, "model"))

	found := find(t, searcher, lore.SearchQuery{Text: "insolvent", Limit: 50, Explain: true})
	ids := idsOf(found)
	if found.Semantic != lore.LayerActive || slices.Contains(ids, other.ID) {
		t.Errorf("%s: %v", found.Semantic, ids)
	}
	if !(slices.Index(ids, nearer.ID) >= 0 && slices.Index(ids, nearer.ID) < slices.Index(ids, near.ID)) {
		t.Errorf("near %s, nearer %s: %v", near.ID, nearer.ID, ids)
	}
	for _, hit := range found.Results {
		want := []string{layerSemantic}
		if hit.ID == words.ID {
			want = []string{layerKeyword, layerSemantic}
		}
		if !slices.Equal(hit.MatchedBy, want) {
			t.Errorf("%s is matched by %v, want %v", hit.Summary, hit.MatchedBy, want)
		}
		sum := 0.0
		for _, part := range hit.Explanation.Words {
			sum += part
		}
		if total := sum*hit.Explanation.Factor + hit.Explanation.Neighbours; total-hit.Score > 0.01 || hit.Score-total > 0.01 {
			t.Errorf("%s has the score %v, and its parts make %v: %+v", hit.Summary, hit.Score, total, hit.Explanation)
		}
	}
	if plain := find(t, searcher, lore.SearchQuery{Text: "insolvent", Limit: 50}); !slices.Equal(idsOf(plain), ids) {
		t.Errorf("explained %v, otherwise %v", ids, idsOf(plain))
	}

	// What q names exactly comes first, the filters hold, and a misspelt q is asked for as it was meant.
	found = find(t, searcher, lore.SearchQuery{Text: "loan at 0x00000000219ab540356cBB839Cbe05303d7705Fa", Limit: 50})
	if ids := idsOf(found); len(ids) < 4 || ids[0] != exact.ID {
		t.Errorf("what is named exactly is not first: %v", ids)
	}
	for _, facets := range []bool{false, true} {
		found = find(t, searcher, lore.SearchQuery{Text: "insolvent", Limit: 50, Filter: lore.Filter{Category: string(lore.CategorySecurity)}, Facets: facets})
		if ids := idsOf(found); !slices.Contains(ids, secret.ID) || slices.Contains(ids, near.ID) {
			t.Errorf("with a filter: %v", ids)
		}
	}
	find(t, searcher, lore.SearchQuery{Text: "Insolvnt vault"})
	if asked := vectors.asked.Load(); asked != "Insolvent vault" {
		t.Errorf("the vector of %q was asked for", asked)
	}
}

// Where no vector comes, or the index can't take it, a search is what it is without the layer, and says so.
func TestSearchDoesWithoutMeaning(t *testing.T) {
	t.Parallel()
	searcher, vectors := semanticStore(t, at(observed("Loan is insolvent", ""), 0, "model"), at(observed("Insolvent vault", ""), 90, "model"), at(observed("Other", ""), 0, "model"))
	words := find(t, New(searcher.client), lore.SearchQuery{Text: "insolvent"})
	if words.Semantic != lore.LayerReserved || len(words.Results) != 2 {
		t.Fatalf("%s, %v", words.Semantic, idsOf(words))
	}
	for name, break_ := range map[string]func(){
		"late":          func() { vectors.err = errors.New("late") },
		"of other size": func() { vectors.err, vectors.vector = nil, direction(0)[:20] },
	} {
		break_()
		got := find(t, searcher, lore.SearchQuery{Text: "insolvent"})
		if got.Semantic != lore.LayerUnavailable || fmt.Sprint(got.Results) != fmt.Sprint(words.Results) {
			t.Errorf("%s: %s, %v, want %v", name, got.Semantic, got.Results, words.Results)
		}
	}
}

// Pages by offset neither repeat nor skip, past the window too.
func TestPagesByMeaningMeet(t *testing.T) {
	t.Parallel()
	var documents []pointed
	for i := range 90 {
		documents = append(documents, at(observed(fmt.Sprintf("Report %d of a vault", i), ""), i+1, "model"))
	}
	searcher, _ := semanticStore(t, documents...)
	seen := map[string]bool{}
	for offset := 0; offset < 90; offset += 15 {
		for _, id := range idsOf(find(t, searcher, lore.SearchQuery{Text: "vault", Limit: 15, Offset: offset})) {
			if seen[id] {
				t.Errorf("%s is on two pages", id)
			}
			seen[id] = true
		}
	}
	if len(seen) != 90 {
		t.Errorf("%d of 90 are on the pages", len(seen))
	}
}

// Where the layer isn't set up, what is sent to Elasticsearch is what it was before there was one.
func TestNothingMoreIsSentWithoutTheLayer(t *testing.T) {
	t.Parallel()
	way := enginetest.NewProxy(t)
	store := indextest.Store(t)
	indextest.Put(t, store, lore.Submissions, observed("Vault is insolvent", ""))
	searcher := New(indextest.Open(t, store.Prefix, way.URL))
	find(t, searcher, lore.SearchQuery{Text: "vault"}) // its words are known from here on
	var requests atomic.Int64
	way.Set(func(r *http.Request) int {
		if requests.Add(1); r.URL.Query().Get("search_type") != "dfs_query_then_fetch" {
			t.Errorf("another request: %s", r.URL)
		}
		return 0
	}, nil)
	find(t, searcher, lore.SearchQuery{Text: "vault"})
	if asked := requests.Load(); asked != 1 {
		t.Errorf("a search takes %d requests", asked)
	}
	q := parse(lore.SearchQuery{Text: "vault"}, indextest.At(1))
	if body, err := q.body(); err != nil || body["knn"] != nil || body["size"] != rerankWindow {
		t.Errorf("%v, %v", body, err)
	}
}
