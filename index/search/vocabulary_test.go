package search

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"agentlore/enginetest"
	"agentlore/index/indextest"
	"agentlore/lore"
)

// correctedQuery returns a query whose words are corrected.
func correctedQuery(t *testing.T, searcher *Searcher, text string, types ...lore.ItemType) *query {
	t.Helper()
	q := parse(lore.SearchQuery{Text: text, Limit: 5, Types: types}, time.Now())
	if err := searcher.correct(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	return q
}

// The corpus is asked once for a word that it knows, each time for one that it doesn't, and apart for each choice of types.
// No word is kept that isn't of the corpus: it might be a secret.
func TestKnownWordsAreAskedForOnce(t *testing.T) {
	t.Parallel()
	searcher := searchStore(t, observed("oracle price is stale", ""), observed("oracle is paused", ""), observed("usdt2 inflation", ""))
	if first := correctedQuery(t, searcher, "stale oracle usdt2"); len(first.unknown) != 3 {
		t.Errorf("at first %v were asked for", first.unknown)
	}
	if second := correctedQuery(t, searcher, "USDT2 paused oracle"); len(second.unknown) != 1 || second.unknown[0] != "paused" {
		t.Errorf("then %v were asked for, want paused alone", second.unknown)
	}
	for range 2 {
		if misspelt := correctedQuery(t, searcher, "orcale zzsecretzz"); len(misspelt.unknown) != 2 || misspelt.known["orcale"].respelling == nil {
			t.Errorf("%v were asked for, known %v", misspelt.unknown, misspelt.known)
		}
	}
	if other := correctedQuery(t, searcher, "oracle", lore.TypePattern); len(other.unknown) != 1 {
		t.Error("patterns are thought to have the words of submissions")
	}
	for _, key := range searcher.words.Keys() {
		if strings.Contains(key, "orcale") || strings.Contains(key, "zzsecretzz") {
			t.Errorf("%s is kept", key)
		}
	}
}

// A word is counted, and so are the words that it begins, however many others differ from it by one letter more.
func TestWordAmongManyLikeItIsCounted(t *testing.T) {
	t.Parallel()
	documents := []lore.Submission{observed("fees are taken", ""), observed("tokens are sent", "")}
	for letter := 'a'; letter <= 'z'; letter++ {
		documents = append(documents, observed(fmt.Sprintf("the fee%cs and token%cs of it", letter, letter), ""))
	}
	searcher := searchStore(t, documents...)
	for _, word := range []string{"fees", "tokens"} {
		if known := correctedQuery(t, searcher, word).known[word]; known.documents != 1 || known.beginning != 2 {
			t.Errorf("%s stands in %d documents and begins words of %d, want 1 and 2", word, known.documents, known.beginning)
		}
	}
}

// A word that the corpus has and that may stand for more, as the beginning of others, is asked for once too, and is read alike then.
func TestDoubtfulWordsAreAskedForOnce(t *testing.T) {
	t.Parallel()
	documents := []lore.Submission{observed("liqui is a token", "")}
	for i := range 2 * prefixRatio {
		documents = append(documents, observed(fmt.Sprintf("liquidity of pool %d", i), ""))
	}
	searcher := searchStore(t, documents...)
	var found, read [2]string
	for i, unknown := range []int{2, 0} {
		q := correctedQuery(t, searcher, "liqui pool")
		if r := q.known["liqui"].respelling; len(q.unknown) != unknown || r == nil || r.prefix != "liqui" {
			t.Fatalf("time %d: %v were asked for, spelling %v", i+1, q.unknown, r)
		}
		read[i] = fmt.Sprint(*q.known["liqui"].respelling, q.known["pool"])
		for _, hit := range foundBy(t, searcher, q) {
			found[i] += fmt.Sprintln(hit.Document.ID, hit.Score, hit.Matched)
		}
	}
	if found[0] == "" || found[0] != found[1] || read[0] != read[1] {
		t.Errorf("read as %s, found\n%sthen read as %s, found\n%s", read[0], found[0], read[1], found[1])
	}
}

// Words that are new to the process are asked for before results, which are the same as when it knows them; known words cost one
// request.
func TestNewWordsAreAskedForFirst(t *testing.T) {
	t.Parallel()
	store := searchStore(t, observed("oracle price is stale", ""), observed("oracle is paused", "by its guardian"), observed("usdt2 inflation", ""))
	watched := enginetest.NewProxy(t)
	searcher := New(indextest.Open(t, store.client.Prefix, watched.URL))
	var requests []string
	watched.Set(func(r *http.Request) int {
		if strings.HasSuffix(r.URL.Path, "/_search") {
			body, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(body))
			requests = append(requests, strings.Join(slices.Sorted(maps.Keys(members(t, body))), " "))
		}
		return 0
	}, nil)
	ask := func(q string) (found, asked []string) {
		requests = nil
		found = summaries(find(t, searcher, lore.SearchQuery{Text: q}))
		return found, requests
	}
	const (
		counted    = "query size suggest timeout track_total_hits"
		words      = "suggest timeout"
		results    = "indices_boost post_filter query size timeout track_total_hits"
		correction = "aggs size timeout track_total_hits" // whether what is shown as corrected is there
	)
	before, asked := ask("stale oracle guardian")
	if len(before) != 2 || !slices.Equal(asked, []string{counted, results}) {
		t.Errorf("of new words: found %q by %q", before, asked)
	}
	if after, asked := ask("stale oracle guardian"); !slices.Equal(before, after) || !slices.Equal(asked, []string{results}) {
		t.Errorf("of known words: found %q, not %q, by %q", after, before, asked)
	}
	if found, asked := ask("stale oracle guardain"); !slices.Equal(before, found) || !slices.Equal(asked, []string{words, results, correction}) {
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

// Documents are counted with the words, once a minute at most. A word is believed for a day, or until there are half as many
// documents again.
func TestWordsAreBelievedUntilTheCorpusGrows(t *testing.T) {
	t.Parallel()
	searcher := searchStore(t, observed("oracle price is stale", ""), observed("oracle is paused", ""))
	memory := searcher.words
	documents := func() int64 {
		all, _ := memory.Get("[]")
		return all.of
	}
	ask := func(text string, unknown int, of int64) {
		t.Helper()
		if q := correctedQuery(t, searcher, text); len(q.unknown) != unknown || documents() != of {
			t.Errorf("%s: %v were asked for, of %d documents; want %d of %d", text, q.unknown, documents(), unknown, of)
		}
	}
	later := func(passed time.Duration) {
		for _, word := range memory.Keys() {
			remembered, _ := memory.Get(word)
			remembered.at = remembered.at.Add(-passed)
			memory.Add(word, remembered)
		}
	}
	ask("CVE-2024-1234", 0, 2) // has no word that is counted
	ask("oracle", 1, 2)
	load(t, searcher, observed("vault is drained", ""))
	ask("vault", 1, 2)
	later(2 * documentsBelieved)
	ask("oracle vault", 0, 2)
	ask("oracle drained", 1, 3)
	ask("oracle vault drained", 0, 3)
	load(t, searcher, observed("bridge is halted", ""))
	later(2 * documentsBelieved)
	ask("halted oracle", 1, 4)
	ask("oracle", 1, 4) // of two when it was asked for
	later(wordBelieved)
	ask("oracle", 1, 4)
}
