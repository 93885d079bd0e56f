package search

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"agentlore/enginetest"
	"agentlore/index/indextest"
	"agentlore/lore"
)

// storeWork is what a search asks of the store, in what its time grows with.
type storeWork struct {
	requests, counted, near, far, terms, alternatives int
}

// most is what any q may ask for.
var most = storeWork{
	requests: 4, counted: maxCounted + maxCorrected, near: maxCorrected, far: maxTwoEdits, terms: 2 * maxTerms,
	alternatives: maxAlternativesInAll + 7*maxAcronyms,
}

// sum weighs the work by what it takes, in twentieths of a millisecond (57,911 observations, two cores).
func (w storeWork) sum() int {
	return 30*w.requests + 4*w.counted + 6*w.near + 50*w.far + 2*w.terms + 4*w.alternatives
}

// within reports whether nothing is more than the other work has.
func (w storeWork) within(other storeWork) bool {
	return w.requests <= other.requests && w.counted <= other.counted && w.near <= other.near && w.far <= other.far &&
		w.terms <= other.terms && w.alternatives <= other.alternatives
}

// add adds the work of one request.
func (w *storeWork) add(body []byte) error {
	var asked struct {
		Suggest map[string]struct {
			Text string `json:"text"`
		} `json:"suggest"`
		Query any `json:"query"`
	}
	if err := json.Unmarshal(body, &asked); err != nil {
		return err
	}
	w.requests++
	for name, one := range asked.Suggest {
		words := len(strings.Fields(one.Text))
		switch kind, _, _ := strings.Cut(name, "-"); kind {
		case suggestNear:
			w.near += words
		case suggestFar:
			w.far += words
		default:
			w.counted += words
		}
	}
	w.query(asked.Query, false)
	return nil
}

// query adds the terms of a query, those of which only the best counts as alternatives.
func (w *storeWork) query(query any, either bool) {
	switch query := query.(type) {
	case []any:
		for _, part := range query {
			w.query(part, either)
		}
	case map[string]any:
		if text, ok := query["query"].(string); ok {
			terms := 0
			for _, word := range readWords(text) {
				_, cost := word.within(math.MaxInt)
				terms += cost
			}
			if either {
				w.alternatives += terms
			} else {
				w.terms += terms
			}
			return
		}
		for name, part := range query {
			w.query(part, either || name == "dis_max")
		}
	}
}

// Whatever 512 characters say, a search asks the store for no more than a few words' worth.
func TestAQuestionAsksForLittle(t *testing.T) {
	t.Parallel()
	store := searchStore(t, corpus()...)
	watched := enginetest.NewProxy(t)
	searcher := New(indextest.Open(t, store.client.Prefix, watched.URL))
	var work storeWork
	watched.Set(func(r *http.Request) int {
		if strings.HasSuffix(r.URL.Path, "/_search") {
			body, err := io.ReadAll(r.Body)
			if err == nil {
				err = work.add(body)
			}
			if err != nil {
				t.Error(err)
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
		}
		return 0
	}, nil)
	highest := storeWork{}
	best := climb(400, 10, newQuestioner(corpus()), func(text string) lore.SearchQuery { return lore.SearchQuery{Text: text, Limit: 10} },
		func(query lore.SearchQuery, _ int) int {
			searcher.words.forget()
			work = storeWork{}
			find(t, searcher, query)
			if !work.within(most) {
				t.Fatalf("%q asks for %+v, at most %+v", query.Text, work, most)
			}
			highest = storeWork{
				max(highest.requests, work.requests), max(highest.counted, work.counted), max(highest.near, work.near),
				max(highest.far, work.far), max(highest.terms, work.terms), max(highest.alternatives, work.alternatives),
			}
			return work.sum()
		})
	t.Logf("%+v of %+v; the costliest, %d: %q", highest, most, best[0].cost, best[0].query.Text)
	if highest.near < maxCorrected || highest.far == 0 || highest.alternatives < maxAlternativesInAll/2 || highest.terms < maxTerms {
		t.Errorf("no question came near what is allowed: %+v of %+v", highest, most)
	}
}

// forget lets a search ask for all of its words again.
func (m wordMemory) forget() {
	for _, key := range m.Keys() {
		if !strings.HasSuffix(key, "]") { // which is the number of documents
			m.Remove(key)
		}
	}
}

// measuredQuestion is a question with what it took, and what titles with the same parameters took by turns with it.
type measuredQuestion struct {
	query        lore.SearchQuery
	times, usual []time.Duration
}

func (m measuredQuestion) ratio() float64 { return float64(median(m.times)) / float64(median(m.usual)) }

func median(times []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(times))
	return sorted[len(sorted)/2]
}

// The costliest of 10,000 questions takes at most five times as long as the median title asked as a question with the same parameters,
// both by turns. It runs with AGENTLORE_LONG=1 over the observations of AGENTLORE_DATA.
func TestTheCostliestQuestion(t *testing.T) {
	if os.Getenv("AGENTLORE_LONG") == "" || os.Getenv("AGENTLORE_DATA") == "" {
		t.Skip("takes ten minutes: AGENTLORE_LONG=1 and AGENTLORE_DATA run it")
	}
	var documents []lore.Submission
	for _, one := range sharedData[struct{ Summary, Content string }](t, "observations.jsonl.gz") {
		documents = append(documents, observed(one.Summary, one.Content))
	}
	searcher := searchStore(t, documents...)
	var entries []any
	for _, entry := range sharedData[lore.CatalogEntry](t, "assets.jsonl.gz") {
		entries = append(entries, entry.Asset(indextest.At(1)))
	}
	for some := range slices.Chunk(entries, 2000) {
		indextest.Put(t, searcher.client, lore.Assets, some...)
	}
	q := newQuestioner(documents)
	ask := func(query lore.SearchQuery, known bool) time.Duration {
		if !known {
			searcher.words.forget()
		}
		began := time.Now()
		find(t, searcher, query)
		return time.Since(began)
	}
	for _, of := range []struct {
		name string
		make func(text string) lore.SearchQuery
	}{
		{"q alone", func(text string) lore.SearchQuery { return lore.SearchQuery{Text: text, Limit: 10} }},
		{"with all parameters", q.parameters},
	} {
		title := func() lore.SearchQuery { return of.make(cut(q.one(q.titles))) }
		for range 500 {
			ask(title(), true)
		}
		costliest := climb(5_000, 20, q, of.make, func(query lore.SearchQuery, least time.Duration) time.Duration {
			took := ask(query, false)
			for range 2 { // one time alone is often another's
				if took > least {
					took = min(took, ask(query, false))
				}
			}
			return took
		})
		// Each is asked by turns with titles that have its parameters: the ratio tells what q alone can do.
		measured := make([]measuredQuestion, len(costliest))
		for range 15 {
			for i, one := range costliest {
				measured[i].query = one.query
				measured[i].times = append(measured[i].times, ask(one.query, false))
				for usual := one.query; len(measured[i].usual) < 3*len(measured[i].times); { // titles differ by more than one question's times
					usual.Text = cut(q.one(q.titles))
					ask(usual, true) // most words of most questions are remembered
					measured[i].usual = append(measured[i].usual, ask(usual, true))
				}
			}
		}
		slices.SortFunc(measured, func(a, b measuredQuestion) int { return cmp.Compare(b.ratio(), a.ratio()) })
		for i, one := range measured {
			if i < 3 {
				t.Logf("%s: %.1f times its median title, %s to %s: %+v", of.name, one.ratio(), median(one.times), median(one.usual), one.query)
			}
		}
		if ratio := measured[0].ratio(); ratio > 5 {
			t.Errorf("%s: the costliest question takes %.1f times as long as the median one", of.name, ratio)
		}
	}
}
