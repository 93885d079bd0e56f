package search

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentlore/enginetest"
	"agentlore/index/indextest"
	"agentlore/lore"
)

// corpus is a small store whose words have neighbours, parts and beginnings in common.
func corpus() []lore.Submission {
	documents := []lore.Submission{
		observed("Uniswap pool reverts on swap", "The call reverts because slippage protection is missing in latestRoundData."),
		observed("Chainlink oracle returns a stale price", "latestRoundData is read without a check of updatedAt, so that liquidations use an old price."),
		observed("Bridge withdrawal is stuck", "The relayer never submits the proof; retry after the challenge period."),
		observed("Reentrancy in the staking vault", "An attacker re-enters withdraw before balances are updated and drains deposits."),
		observed("Gas estimation fails on Arbitrum", "eth_estimateGas ignores the L1 fee: multiply by 1.2."),
		observed("Token approval must be reset", "USDT reverts unless the allowance is zero first."),
	}
	for i := range 30 { // words get frequencies, as in any corpus
		documents = append(documents, observed("Liquidity of the pool", strings.Repeat("vulnerability liquidity pool oracle reentrancy ", 1+i%3)))
	}
	return documents
}

func TestSearch(t *testing.T) {
	t.Parallel()
	searcher := searchStore(t, corpus()...)
	for _, test := range []struct {
		name, q, first string
		layer          string
		didYouMean     string
	}{
		{"words", "stale oracle price", "Chainlink oracle returns a stale price", "keyword", ""},
		{"other forms of the words", "oracles returning stale prices", "Chainlink oracle returns a stale price", "keyword", ""},
		{"an identifier as it is", "latestRoundData updatedAt", "Chainlink oracle returns a stale price", "keyword", ""},
		{"the parts of an identifier", "latest round data updated", "Chainlink oracle returns a stale price", "keyword", ""},
		{"a typing error", "chainlink orcale stale", "Chainlink oracle returns a stale price", "fuzzy", "chainlink oracle stale"},
		{"typing errors in every word", "brigde witdrawal stukc", "Bridge withdrawal is stuck", "fuzzy", "bridge withdrawal stuck"},
		{"a capital keeps its place", "Brigde withdrawal", "Bridge withdrawal is stuck", "keyword", "Bridge withdrawal"},
		{"the beginning of a word", "chall peri", "Bridge withdrawal is stuck", "partial", ""},
		{"the beginning of a long word", "reentran stak", "Reentrancy in the staking vault", "partial", ""},
		{"a method", "eth_estimateGas", "Gas estimation fails on Arbitrum", "keyword", ""},
		{"punctuation around words", `"gas" (estimation)?!`, "Gas estimation fails on Arbitrum", "keyword", ""},
		{"operators are words", "USDT AND NOT (allowance OR zero)", "Token approval must be reset", "keyword", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			result := find(t, searcher, lore.SearchQuery{Text: test.q})
			if len(result.Results) == 0 || result.Results[0].Summary != test.first {
				t.Fatalf("%q finds %q first, want %q", test.q, summaries(result)[:min(3, len(result.Results))], test.first)
			}
			if !slices.Contains(result.Results[0].MatchedBy, test.layer) {
				t.Errorf("%q was matched by %v, want %s", test.q, result.Results[0].MatchedBy, test.layer)
			}
			if test.didYouMean != "" && result.DidYouMean != test.didYouMean {
				t.Errorf("did_you_mean is %q, want %q", result.DidYouMean, test.didYouMean)
			}
		})
	}
	t.Run("what is spelt well is not corrected", func(t *testing.T) {
		for _, q := range []string{"oracle", "Uniswap pool", "liquidity", "stuck withdrawal"} {
			if got := find(t, searcher, lore.SearchQuery{Text: q}).DidYouMean; got != "" {
				t.Errorf("%q: did you mean %q?", q, got)
			}
		}
	})
	t.Run("numbers are not corrected", func(t *testing.T) {
		if result := find(t, searcher, lore.SearchQuery{Text: "1.3"}); len(result.Results) != 0 {
			t.Errorf("1.3 finds %q, which says 1.2", summaries(result))
		}
	})
	t.Run("nothing is found for what nobody wrote", func(t *testing.T) {
		for _, q := range []string{"zzqqxx", "🦄", "***", `"`, `\`, "。", "()"} {
			if result := find(t, searcher, lore.SearchQuery{Text: q}); len(result.Results) != 0 || result.Total != 0 {
				t.Errorf("%q finds %q", q, summaries(result))
			}
		}
	})
	t.Run("stop words alone are searched for", func(t *testing.T) {
		if result := find(t, searcher, lore.SearchQuery{Text: "is in the"}); len(result.Results) == 0 {
			t.Error("nothing was found by words that stand in every text")
		}
	})
}

func TestSearchFindsAllTypes(t *testing.T) {
	t.Parallel()
	searcher := searchStore(t, observed("Wormhole guardian delay", ""))
	created := indextest.At(2)
	indextest.Put(t, searcher.client, lore.KnowledgeUnits, lore.KnowledgeUnit{
		ID: lore.NewID(), Summary: "Wormhole guardians sign within minutes", Category: lore.CategoryIntegration, Tier: lore.TierValidated,
		Confidence: 0.9, Status: lore.UnitActive, Ecosystem: []string{"solana"}, CreatedAt: created,
	})
	entry := lore.CatalogEntry{Name: "Wormhole", Type: "bridge", Description: "Messages between chains", Ecosystem: lore.StringList{"solana", "ethereum"}}
	indextest.Put(t, searcher.client, lore.Assets, entry.Asset(created))
	pattern := lore.NewID()
	if status, answer := enginetest.Elasticsearch(t, "POST", "/"+searcher.client.AliasOf(lore.Patterns)+"/_doc/"+pattern+"?refresh=true",
		`{"id":"`+pattern+`","summary":"Wormhole messages stay pending","status":"emerging","tier":1,"created_at":"2026-03-01T00:00:00Z"}`); status != http.StatusCreated {
		t.Fatalf("%d %s", status, answer)
	}
	result := find(t, searcher, lore.SearchQuery{Text: "wormhole", Facets: true})
	types := map[lore.ItemType]int{}
	for _, hit := range result.Results {
		types[hit.Type]++
	}
	want := map[lore.ItemType]int{lore.TypeSubmission: 1, lore.TypeKnowledgeUnit: 1, lore.TypePattern: 1, lore.TypeAsset: 1}
	if diff := cmp.Diff(want, types); diff != "" {
		t.Error(diff)
	}
	counts := map[string]int64{}
	for _, facet := range result.Facets["type"] {
		counts[facet.Value] = facet.Count
	}
	if diff := cmp.Diff(map[string]int64{"submission": 1, "knowledge": 1, "pattern": 1, "asset": 1}, counts); diff != "" {
		t.Errorf("facets: %s", diff)
	}
	for _, kind := range []lore.ItemType{lore.TypeAsset, lore.TypeKnowledgeUnit} {
		if only := find(t, searcher, lore.SearchQuery{Text: "wormhole", Types: []lore.ItemType{kind}}); len(only.Results) != 1 || only.Results[0].Type != kind {
			t.Errorf("type %s finds %v", kind, only.Results)
		}
	}
	if result := find(t, searcher, lore.SearchQuery{Text: "wormhol gaurdian"}); result.DidYouMean != "wormhole guardian" {
		t.Errorf("did_you_mean is %q", result.DidYouMean)
	}
}

// A word that one collection knows and the others don't is known.
func TestWordKnownInOneCollection(t *testing.T) {
	t.Parallel()
	var documents []lore.Submission
	for range 40 {
		documents = append(documents, observed("penne recipes are no observation", ""))
	}
	searcher := searchStore(t, documents...)
	indextest.Put(t, searcher.client, lore.Assets, lore.CatalogEntry{Name: "Pepne", Type: "token"}.Asset(indextest.At(1)))
	result := find(t, searcher, lore.SearchQuery{Text: "pepne"})
	if len(result.Results) == 0 || result.Results[0].Type != lore.TypeAsset || result.DidYouMean != "" {
		t.Errorf("%v, did_you_mean %q: want the asset", summaries(result), result.DidYouMean)
	}
}

func TestHiddenStatuses(t *testing.T) {
	t.Parallel()
	searcher := searchStore(t)
	unit := func(status lore.UnitStatus) lore.KnowledgeUnit {
		return lore.KnowledgeUnit{ID: lore.NewID(), Summary: "Permit2 allowance " + string(status), Status: status, Tier: lore.TierValidated, Ecosystem: []string{}, CreatedAt: indextest.At(1)}
	}
	indextest.Put(t, searcher.client, lore.KnowledgeUnits, unit(lore.UnitActive), unit(lore.UnitWithdrawn), unit(lore.UnitSuperseded), unit(lore.StatusFlagged))
	if got := summaries(find(t, searcher, lore.SearchQuery{Text: "permit2 allowance"})); !slices.Equal(got, []string{"Permit2 allowance active"}) {
		t.Errorf("a search shows %q", got)
	}
	for _, status := range []lore.UnitStatus{lore.UnitWithdrawn, lore.UnitSuperseded, lore.StatusFlagged} {
		got := summaries(find(t, searcher, lore.SearchQuery{Text: "permit2", Filter: lore.Filter{Status: string(status)}}))
		if !slices.Equal(got, []string{"Permit2 allowance " + string(status)}) {
			t.Errorf("status %s shows %q", status, got)
		}
	}
}

// Time-outs and failed shards are an error and never a short list that looks whole.
func TestSearchIsWholeOrFails(t *testing.T) {
	t.Parallel()
	way := enginetest.NewProxy(t)
	searcher := New(indextest.Open(t, indextest.Store(t).Prefix, way.URL))
	way.Set(func(r *http.Request) int {
		if strings.HasSuffix(r.URL.Path, "/_search") {
			if r.URL.Query().Get("allow_partial_search_results") != "false" {
				t.Error("partial results are allowed")
			}
			return http.StatusServiceUnavailable
		}
		return 0
	}, nil)
	var problem *lore.Problem
	if _, err := searcher.Search(t.Context(), lore.SearchQuery{Text: "x", Limit: 1}); !errors.As(err, &problem) || problem.Code != lore.CodeStoreUnavailable {
		t.Errorf("%v, want store_unavailable", err)
	}
}
