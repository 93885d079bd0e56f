package index

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"agentlore/lore"
)

// askedOf returns a search after its answer: what it had to ask the vocabulary for.
func askedOf(t *testing.T, client *Client, q string, types ...lore.ItemType) search {
	t.Helper()
	asked := newSearch(lore.SearchQuery{Text: q, Limit: 5, Types: types}, time.Now())
	if _, err := client.find(t.Context(), &asked); err != nil {
		t.Fatal(err)
	}
	return asked
}

// The corpus is asked once for a word that it knows, each time for one that it doesn't, and apart for each choice of types.
// No word is kept that isn't of the corpus: it might be a secret.
func TestKnownWordsAreAskedForOnce(t *testing.T) {
	t.Parallel()
	client := searchStore(t, observed("oracle price is stale", ""), observed("oracle is paused", ""), observed("usdt2 inflation", ""))
	if first := askedOf(t, client, "stale oracle usdt2"); len(first.unsure) != 3 {
		t.Errorf("at first %v were asked for", first.unsure)
	}
	if second := askedOf(t, client, "USDT2 paused oracle"); len(second.unsure) != 1 || second.unsure[0] != "paused" {
		t.Errorf("then %v were asked for, want paused alone", second.unsure)
	}
	for range 2 {
		if misspelt := askedOf(t, client, "orcale zzsecretzz"); len(misspelt.unsure) != 2 || misspelt.spelling["orcale"].near == nil {
			t.Errorf("%v were asked for, spelling %v", misspelt.unsure, misspelt.spelling)
		}
	}
	if other := askedOf(t, client, "oracle", lore.TypePattern); len(other.unsure) != 1 {
		t.Error("patterns are thought to have the words of submissions")
	}
	memory := client.words.of(nil)
	for _, word := range []string{"orcale", "zzsecretzz"} {
		if _, kept := memory.words[word]; kept {
			t.Errorf("%s is kept", word)
		}
	}
}

// Words that are new to the process are asked for before results, which are the same as when it knows them; known words cost one
// request.
func TestNewWordsAreAskedForFirst(t *testing.T) {
	t.Parallel()
	store := searchStore(t, observed("oracle price is stale", ""), observed("oracle is paused", "by its guardian"), observed("usdt2 inflation", ""))
	watched := newFaults(t)
	client := openClient(t, store.prefix, watched.url)
	var requests []string
	watched.set(func(r *http.Request) int {
		if strings.HasSuffix(r.URL.Path, "/_search") {
			body, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(body))
			requests = append(requests, strings.Join(slices.Sorted(maps.Keys(members(t, body))), " "))
		}
		return 0
	}, nil)
	ask := func(q string) (found, asked []string) {
		requests = nil
		found = summaries(find(t, client, lore.SearchQuery{Text: q}))
		return found, requests
	}
	const words, results = "suggest timeout", "indices_boost post_filter query size timeout track_total_hits"
	before, asked := ask("stale oracle guardian")
	if len(before) != 2 || !slices.Equal(asked, []string{words, results}) {
		t.Errorf("of new words: found %q by %q", before, asked)
	}
	if after, asked := ask("stale oracle guardian"); !slices.Equal(before, after) || !slices.Equal(asked, []string{results}) {
		t.Errorf("of known words: found %q, not %q, by %q", after, before, asked)
	}
	if found, asked := ask("stale oracle guardain"); !slices.Equal(before, found) || !slices.Equal(asked, []string{words, results}) {
		t.Errorf("of one misspelt word in three: found %q, not %q, by %q", found, before, asked)
	}
}

// members reads an object.
func members(t *testing.T, text []byte) map[string]json.RawMessage {
	t.Helper()
	var object map[string]json.RawMessage
	if err := json.Unmarshal(text, &object); err != nil {
		t.Error(err)
	}
	return object
}

// While the number of documents can't be had anew, the last one serves; without any the search fails.
func TestNumberOfDocumentsIsKept(t *testing.T) {
	t.Parallel()
	down := errors.New("down")
	answers := []func() (int64, error){
		func() (int64, error) { return 0, down },
		func() (int64, error) { return 40, nil },
		func() (int64, error) { return 0, down },
		func() (int64, error) { return 90, nil },
	}
	memory := wordMemory{documents: func(context.Context, []lore.ItemType) (int64, error) {
		next := answers[0]
		answers = answers[1:]
		return next()
	}}
	ask := func() (int64, error) {
		asked := newSearch(lore.SearchQuery{Text: "oracle"}, time.Now())
		known, err := memory.recall(t.Context(), &asked)
		return known.documents, err
	}
	grow := func() { memory.of(nil).counted = time.Now().Add(-documentsBelieved) }
	if _, err := ask(); !errors.Is(err, down) {
		t.Errorf("without a count: %v", err)
	}
	for _, want := range []int64{40, 40} {
		if got, err := ask(); err != nil || got != want {
			t.Errorf("%d, %v; want %d", got, err, want)
		}
	}
	grow()
	if got, err := ask(); err != nil || got != 40 {
		t.Errorf("while the store is down: %d, %v", got, err)
	}
	grow()
	if got, err := ask(); err != nil || got != 90 {
		t.Errorf("afterwards: %d, %v", got, err)
	}
}
