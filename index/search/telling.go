package search

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"agentlore/index"
	"agentlore/lore"
	"agentlore/terms"
)

const (
	// maxTailNames is how many names behind the first words count.
	maxTailNames = 8
	// plainWords is how many words of a text count whatever they are: of those behind it, the rarest for which there is room.
	plainWords = 40
	// maxCountedText bounds the text whose words are counted, in bytes: a log's messages are shorter.
	maxCountedText = 3 << 10
)

// countingRoute leads to the one shard of each index that documents are counted on, which stands for all.
const countingRoute = "0"

// frequencies is how many documents have each word, of so many documents of prose.
type frequencies struct {
	words     map[string]int64
	documents int64
}

// tellingWords shortens what is asked to the words by which it is searched: the first of the text, and those behind them that are rare in
// the corpus. Where all of them count, and no frequencies are asked for, it asks nothing. Errors:
// store_unavailable.
func (s *Searcher) tellingWords(ctx context.Context, asked *lore.SearchQuery) (known frequencies, err error) {
	asked.Text = firstBytes(asked.Text, maxCountedText)
	head, tail := splitText(asked.Text)
	if tail == "" && !asked.Frequencies && len(countedWords(head)) <= maxTerms {
		return known, nil
	}
	types := proseOf(asked.Types)
	if known, err = s.countWords(ctx, countedWords(asked.Text), types); err != nil {
		return known, err
	}
	if err = s.weigh(ctx, known, types); err != nil {
		return known, err
	}
	words, room := readWords(head), maxTerms
	if room -= costOf(words); room < 0 { // of code: names count by their parts
		words = known.rarest(countedWords(head), maxTerms)
		room = maxTerms - costOf(words)
	}
	texts := textsOf(append(words, known.rarest(countedWords(tail), room)...))
	// What is named exactly counts wherever it stands: an error message often ends in the address.
	names := lore.Entities(tail)
	asked.Text = strings.Join(append(texts, names[:min(len(names), maxTailNames)]...), " ")
	return known, nil
}

// splitText splits a text behind its first plainWords words.
func splitText(text string) (head, tail string) {
	words := strings.Fields(text)
	n := min(len(words), plainWords)
	return strings.Join(words[:n], " "), strings.Join(words[n:], " ")
}

// countedWords returns the words of a text that say something, each once, in their order.
func countedWords(text string) []queryTerm {
	var words []queryTerm
	seen := map[string]bool{}
	for _, word := range readWords(strings.Join(strings.Fields(text), " ")) {
		if lower := strings.ToLower(word.text); !seen[lower] && !terms.IsStop(lower) {
			seen[lower] = true
			words = append(words, word)
		}
	}
	return words
}

// textsOf returns the words' texts.
func textsOf(words []queryTerm) []string {
	texts := make([]string, len(words))
	for i, word := range words {
		texts[i] = word.text
	}
	return texts
}

// costOf returns how many terms words are searched by: an identifier by its parts as well, a stop word by none.
func costOf(words []queryTerm) (cost int) {
	for _, word := range words {
		if !terms.IsStop(strings.ToLower(word.text)) {
			cost += 1 + len(partsOf(word))
		}
	}
	return cost
}

// rarest returns the rarest of a text's words, in their order, for which there is room.
func (f frequencies) rarest(words []queryTerm, room int) (chosen []queryTerm) {
	for _, word := range slices.SortedStableFunc(slices.Values(words), func(a, b queryTerm) int { return cmp.Compare(f.of(a), f.of(b)) }) {
		if cost := costOf([]queryTerm{word}); cost <= room {
			chosen, room = append(chosen, word), room-cost
		}
	}
	slices.SortFunc(chosen, func(a, b queryTerm) int { return a.start - b.start })
	return chosen
}

// of returns how many documents have a word, or the rarest of its parts; more than all where none has.
func (f frequencies) of(word queryTerm) int64 {
	least := f.documents + 1
	for _, part := range append(partsOf(word), word) {
		if documents := f.words[strings.ToLower(part.text)]; documents > 0 {
			least = min(least, documents)
		}
	}
	return least
}

// countWords returns how many documents have each of words, which are as they stand in a text. Elasticsearch counts as it does for term
// vectors of a document that isn't stored: on one shard, which stands for all.
func (s *Searcher) countWords(ctx context.Context, words []queryTerm, types []lore.ItemType) (counted frequencies, err error) {
	text := strings.Join(textsOf(words), " ")
	var documents []any
	for _, alias := range s.searchAliases(types) {
		documents = append(documents, map[string]any{"_index": alias, "doc": map[string]any{"words": text}, "routing": countingRoute})
	}
	var answer struct {
		Docs []struct {
			Vectors struct {
				Words struct {
					Field struct {
						Documents int64 `json:"doc_count"`
					} `json:"field_statistics"`
					Terms map[string]struct {
						Documents int64 `json:"doc_freq"`
					} `json:"terms"`
				} `json:"words"`
			} `json:"term_vectors"`
		} `json:"docs"`
	}
	request := esapi.MtermvectorsRequest{
		Body: index.JSONBody(map[string]any{"docs": documents}), Fields: []string{"words"}, TermStatistics: new(true),
		FieldStatistics: new(true), Positions: new(false), Offsets: new(false), Payloads: new(false),
	}
	if err := s.client.Do(ctx, request, &answer); err != nil {
		return counted, err
	}
	counted.words = map[string]int64{}
	for _, one := range answer.Docs {
		counted.documents += one.Vectors.Words.Field.Documents
		for word, found := range one.Vectors.Words.Terms {
			counted.words[word] += found.Documents
		}
	}
	return counted, nil
}
