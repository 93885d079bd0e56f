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
	// maxContextWords is how many words of the context count beside those of the text: a log says much besides its message.
	maxContextWords = 6
	// plainWords is how many words of a text count whatever they are: of those behind it, words that one document in fewIn has.
	plainWords = 40
	fewIn      = 500
	// maxCountedText and maxCountedContext bound the texts whose words are counted, in bytes: a log's messages are shorter, and to count the
	// words of all of its other lines takes longer than to search.
	maxCountedText    = 3 << 10
	maxCountedContext = 1 << 10
)

// frequencies is how many documents have each word, of so many documents of prose.
type frequencies struct {
	words     map[string]int64
	documents int64
}

// tellingWords shortens what is asked to the words by which it is searched: the first of the text, those behind them that are rare in the
// corpus, and a few of the context. Where all of them count, and no frequencies are asked for, it asks nothing. Errors:
// store_unavailable.
func (s *Searcher) tellingWords(ctx context.Context, asked *lore.SearchQuery) (known frequencies, err error) {
	asked.Text, asked.Context = cutText(asked.Text, maxCountedText), cutText(asked.Context, maxCountedContext)
	head, tail := splitText(asked.Text)
	if tail == "" && asked.Context == "" && !asked.Frequencies && len(countedWords(head)) <= maxTerms {
		return known, nil
	}
	if known, err = s.countWords(ctx, countedWords(asked.Text+" "+asked.Context), proseOf(asked.Types)); err != nil {
		return known, err
	}
	words, room := readWords(head), maxTerms
	if room -= costOf(words); room < 0 { // of code: names count by their parts
		words = known.rarest(countedWords(head), maxTerms)
		room = maxTerms - costOf(words)
	}
	words = append(words, known.rarest(known.few(countedWords(tail)), room)...)
	room = min(maxContextWords, maxTerms-costOf(words))
	words = append(words, known.rarest(countedWords(asked.Context), room)...)
	texts := textsOf(words)
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

func cutText(text string, most int) string {
	return strings.ToValidUTF8(text[:min(len(text), most)], "")
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

// few returns the words that few documents have: prose wanders off, a log names things to its end.
func (f frequencies) few(words []queryTerm) (few []queryTerm) {
	for _, word := range words {
		if f.rank(word) <= max(1, f.documents/fewIn) {
			few = append(few, word)
		}
	}
	return few
}

// rarest returns the rarest of words, in their order, for which there is room.
func (f frequencies) rarest(words []queryTerm, room int) (chosen []queryTerm) {
	order := make([]int, len(words))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(f.rank(words[a]), f.rank(words[b])) })
	var places []int
	for _, place := range order {
		if cost := costOf(words[place : place+1]); cost <= room {
			places, room = append(places, place), room-cost
		}
	}
	slices.Sort(places)
	for _, place := range places {
		chosen = append(chosen, words[place])
	}
	return chosen
}

// rank orders words by how little they tell.
func (f frequencies) rank(word queryTerm) int64 {
	documents := int64(0)
	for _, part := range append(partsOf(word), word) {
		if n := f.words[strings.ToLower(part.text)]; n > 0 && (documents == 0 || n < documents) {
			documents = n
		}
	}
	if documents == 0 {
		return f.documents + 1
	}
	return documents
}

// countWords returns how many documents have each of words, which are as they stand in a text. Elasticsearch counts as it does for term
// vectors of a document that isn't stored: on one shard, which stands for all.
func (s *Searcher) countWords(ctx context.Context, words []queryTerm, types []lore.ItemType) (counted frequencies, err error) {
	text := strings.Join(textsOf(words), " ")
	var documents []any
	for _, alias := range s.searchAliases(types) {
		documents = append(documents, map[string]any{"_index": alias, "doc": map[string]any{"words": text}, "routing": "0"})
	}
	yes, no := true, false
	body := index.JSONBody(map[string]any{"docs": documents})
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
		Body: body, Fields: []string{"words"}, TermStatistics: &yes, FieldStatistics: &yes, Positions: &no, Offsets: &no, Payloads: &no,
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
