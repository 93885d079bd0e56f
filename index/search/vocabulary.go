package search

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"agentlore/index"
)

// wordStats is what the corpus knows of one word, and what follows for q.
type wordStats struct {
	documents  int64        // that have it
	beginning  int64        // that have a word that begins so; 0 where that wasn't asked
	near       []suggestion // more frequent words one edit away, or two
	twoEdits   bool
	respelling *respelling // what it is searched by instead of as it was typed; nil: as it was typed
}

// suggestion is a word of the corpus.
type suggestion struct {
	Text      string `json:"text"`
	Documents int64  `json:"freq"` // that have it
}

// Of the words of q that this process doesn't know a search asks the vocabulary two things before anything else: how many
// documents have each of them, and which more frequent words are one edit away. Elasticsearch's term suggester answers the second. It
// answers the first as well, by a trick: asked for the neighbours of a word with a strange letter before its last, with all
// letters before that one fixed, it finds the word itself and gives its frequency, summed over all shards. Shard by shard no
// other part of an answer tells whether a word is unknown everywhere. Where nothing is one edit away, a second request looks two
// edits far, for a few words: that takes seven times as long, most of it to build the automaton of all such words, on each shard.

// strangeLetter is a letter of no alphabet (private use), so that no word of the corpus has it.
const strangeLetter = "\ue000"

// Names of the suggesters. The number behind a count is the length of its words.
const (
	suggestNear      = "near"
	suggestFar       = "far"
	countWords       = "count"
	countBeginnings  = "prefix"
	minPrefix        = 4 // the lengths of the beginnings that the prefixes field holds
	maxPrefix        = 7
	countSuggestions = 40 // see addCount
	// maxNearShare is the share of a shard's documents up to which a word's neighbours are looked up: the vocabulary of a million
	// documents holds every common typing error a few dozen times.
	maxNearShare = 0.0005
)

// suggestions asks for the numbers of documents of unknown words, and for the neighbours and beginnings of those that are corrected.
func (q *query) suggestions() map[string]any {
	suggesters := map[string]any{}
	for _, word := range q.unknown {
		addCount(suggesters, countWords, "words", word)
		if !slices.Contains(q.corrected, word) {
			continue
		}
		addNear(suggesters, suggestNear, word, 1)
		if len(word) <= maxPrefix {
			addCount(suggesters, countBeginnings, "prefixes", word)
		}
	}
	return suggesters
}

// farSuggestions asks for the words that are two edits away from others.
func farSuggestions(words []string) map[string]any {
	suggesters := map[string]any{}
	for _, word := range words {
		addNear(suggesters, suggestFar, word, 2)
	}
	return suggesters
}

// addNear asks for the more frequent words that are at most so many edits away from a word. All words share a suggester.
func addNear(suggesters map[string]any, name, word string, edits int) {
	addTo(suggesters, name, word, map[string]any{
		"field": "words", "analyzer": "whitespace", "suggest_mode": "popular", "max_term_freq": maxNearShare,
		"prefix_length": 1, "min_word_length": minCorrectable, "max_edits": edits, "size": 8, "shard_size": 16,
		"string_distance": "damerau_levenshtein",
	})
}

// addCount asks for the frequency of a word in a field. Words of one length share a suggester. The word is among the first
// countSuggestions neighbours of its probe: before it may come those that have another letter where the probe has the strange one.
func addCount(suggesters map[string]any, name, field, word string) {
	fixed := len(word) - 1
	addTo(suggesters, fmt.Sprintf("%s-%d", name, len(word)), word[:fixed]+strangeLetter+word[fixed:], map[string]any{
		"field": field, "analyzer": "whitespace", "suggest_mode": "always", "prefix_length": fixed, "max_edits": 1,
		"min_word_length": 1, "size": countSuggestions, "shard_size": 2 * countSuggestions, "max_inspections": 2 * countSuggestions,
	})
}

// addTo adds a word to the text of a suggester.
func addTo(suggesters map[string]any, name, word string, settings map[string]any) {
	if there, shared := suggesters[name].(map[string]any); shared {
		there["text"] = there["text"].(string) + " " + word
	} else {
		suggesters[name] = map[string]any{"text": word, "term": settings}
	}
}

// askWords asks the corpus for suggestions and adds what it knows to the statistics. Where the last time is a while ago it asks for
// how many documents there are, too: that takes a tenth of the request, and a request of its own as long as all of it.
func (s *Searcher) askWords(ctx context.Context, q *query, suggesters map[string]any, stats map[string]*wordStats) error {
	body := map[string]any{"timeout": searchTimeout, "suggest": suggesters}
	counts := time.Since(q.countedAt) > documentsBelieved
	if counts {
		body["query"] = map[string]any{"terms": map[string]any{"_index": s.searchAliases(proseOf(q.Types))}}
		body["size"], body["track_total_hits"] = 0, true
	}
	var answer struct {
		index.SearchAnswer[struct{}]
		Suggest map[string][]struct {
			Text    string       `json:"text"`
			Options []suggestion `json:"options"`
		} `json:"suggest"`
	}
	if err := s.searchUncached(ctx, q, body, &answer); err != nil {
		return err
	}
	if counts {
		q.documents, q.countedAt = answer.Hits.Total.Value, time.Now()
	}
	for name, entries := range answer.Suggest {
		kind, _, _ := strings.Cut(name, "-")
		for _, entry := range entries {
			word := strings.Replace(entry.Text, strangeLetter, "", 1)
			found, asked := stats[word]
			itself := slices.IndexFunc(entry.Options, func(option suggestion) bool { return option.Text == word })
			switch {
			case !asked:
			case kind == suggestNear || kind == suggestFar:
				found.near, found.twoEdits = entry.Options, kind == suggestFar
			case kind == countWords && itself >= 0:
				found.documents = entry.Options[itself].Documents
			case kind == countBeginnings && itself >= 0:
				found.beginning = entry.Options[itself].Documents
			}
		}
	}
	return nil
}

// wordMemory remembers what the corpus knows of words: of most words of most searches, which then needn't be asked for again. It
// holds nothing but words of the corpus, which was scrubbed: a word that isn't there, as a secret in q would be, is never kept.
type wordMemory struct {
	*lru.Cache[string, rememberedWord] // by the types that a search is for and the word
}

// rememberedWord is what was known of a word when there were so many documents; of the empty word, how many there were.
type rememberedWord struct {
	wordStats
	of int64
	at time.Time
}

// How long a word and the number of documents are believed, and how many words are kept. A known word hardly becomes an unknown
// one, and how rare it is counts by its logarithm, so that a word is believed for a day, unless
// the corpus has grown or shrunk by half since. To ask for words takes a quarter of a search's time, and of one search a
// second four in five have a word that nobody searched for in ten minutes, one in eight one that nobody did in most of a day.
const (
	wordBelieved      = 24 * time.Hour
	wordGrowth        = 1.5
	documentsBelieved = time.Minute
	rememberedWords   = 50_000
)

func newWordMemory() wordMemory {
	words, _ := lru.New[string, rememberedWord](rememberedWords) // it fails on no size but below 1
	return wordMemory{words}
}

// believed reports whether a word still is what it was, now that there are so many documents.
func (w rememberedWord) believed(documents int64) bool {
	before, after := float64(w.of), float64(documents)
	return time.Since(w.at) < wordBelieved && after <= before*wordGrowth && before <= after*wordGrowth
}

// memoryKey begins the keys of searches for the same types as q.
func (q *query) memoryKey() string { return fmt.Sprint(slices.Sorted(slices.Values(q.Types))) }

// recall leaves in q what is remembered of its words, and those that must be asked for.
func (m wordMemory) recall(q *query) {
	key := q.memoryKey()
	all, _ := m.Get(key)
	q.documents, q.countedAt = all.of, all.at
	for _, word := range q.words {
		remembered, there := m.Get(key + word)
		if !there || !remembered.believed(q.documents) {
			q.unknown = append(q.unknown, word)
			continue
		}
		if !slices.Contains(q.corrected, word) {
			remembered.respelling = nil
		}
		q.known[word] = remembered.wordStats
	}
}

// remember keeps the number of documents, and what the corpus knows of those of the words that it has. Of a word that could be corrected
// and wasn't, because q is long, it isn't known what it may stand for.
func (m wordMemory) remember(q *query) {
	key := q.memoryKey()
	m.Add(key, rememberedWord{of: q.documents, at: q.countedAt})
	for _, word := range q.unknown {
		if q.known[word].documents > 0 && (!correctable(word) || slices.Contains(q.corrected, word)) {
			m.Add(key+word, rememberedWord{q.known[word], q.documents, time.Now()})
		}
	}
}
