package index

import (
	"fmt"
)

// Of the words of q that this process doesn't know a search asks the vocabulary two things before anything else: how many
// documents have each of them, and which more frequent words are one edit away. Elasticsearch's term suggester answers the second. It
// answers the first as well, by a trick: asked for the neighbours of a word with a strange letter before its last, with all
// letters before that one fixed, it finds the word itself and gives its frequency, summed over all shards. Shard by shard no
// other part of an answer tells whether a word is unknown everywhere. Where nothing is one edit away, a second request looks two
// edits far, for a few words: that takes seven times as long, most of it to build the automaton of all such words, on each shard.

// strangeLetter is a letter of no alphabet (private use), so that no word of the corpus has it.
const strangeLetter = "\ue000"

// Names of the parts of the suggest section. The number behind a count is the length of its words.
const (
	askNear        = "near"
	askFar         = "far"
	askCount       = "count"
	askPrefixCount = "prefix"
)

// The lengths of the word beginnings that the prefixes field holds.
const (
	minPrefix = 4
	maxPrefix = 7
)

// rareShare is the share of a shard's documents up to which a word's neighbours are looked up: the vocabulary of a
// million documents holds every common typing error a few dozen times.
const rareShare = 0.0005

// suggestions builds the suggest section for the words of a search that aren't remembered. All are counted; those that are
// corrected where they must be are asked for their neighbours.
func suggestions(asked search) map[string]any {
	ask := map[string]any{}
	for _, word := range asked.unsure {
		addCount(ask, askCount, "words", word)
		if !asked.doubts(word) {
			continue
		}
		addNear(ask, askNear, word, 1)
		if len(word) <= maxPrefix {
			addCount(ask, askPrefixCount, "prefixes", word)
		}
	}
	return ask
}

// farSuggestions builds the suggest section for words that nothing is one edit away from.
func farSuggestions(words []string) map[string]any {
	ask := map[string]any{}
	for _, word := range words {
		addNear(ask, askFar, word, 2)
	}
	return ask
}

// countOptions is among how many neighbours of its probe a word is looked for: those that have another letter where the probe has
// the strange one may come before it, 26 of them at most in plain letters. Five took as long, and missed "users" and "tokens"
// among the beginnings of words.
const countOptions = 40

// addNear asks for the more frequent words that are at most so many edits away from a word. All words share a suggester.
func addNear(ask map[string]any, name, word string, edits int) {
	if shareSuggester(ask, name, word) {
		return
	}
	ask[name] = map[string]any{"text": word, "term": map[string]any{
		"field": "words", "analyzer": "whitespace", "suggest_mode": "popular", "max_term_freq": rareShare,
		"prefix_length": 1, "min_word_length": minCorrectable, "max_edits": edits, "size": 8, "shard_size": 16,
		"string_distance": "damerau_levenshtein",
	}}
}

// addCount asks for the frequency of a word in a field. Words of one length share a suggester.
func addCount(ask map[string]any, name, field, word string) {
	fixed := len(word) - 1
	name = fmt.Sprintf("%s-%d", name, len(word))
	probe := word[:fixed] + strangeLetter + word[fixed:]
	if shareSuggester(ask, name, probe) {
		return
	}
	ask[name] = map[string]any{"text": probe, "term": map[string]any{
		"field": field, "analyzer": "whitespace", "suggest_mode": "always", "prefix_length": fixed, "max_edits": 1,
		"min_word_length": 1, "size": countOptions, "shard_size": 2 * countOptions, "max_inspections": 2 * countOptions,
	}}
}

// shareSuggester adds a word to the text of a suggester that is there already, and reports whether there is one.
func shareSuggester(ask map[string]any, name, word string) bool {
	there, shared := ask[name].(map[string]any)
	if shared {
		there["text"] = there["text"].(string) + " " + word
	}
	return shared
}

// suggestion is a word of the corpus and in how many documents it stands.
type suggestion struct {
	Text      string `json:"text"`
	Documents int64  `json:"freq"`
}
