package search

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"agentlore/lore"
)

// respelling is what a word of q is searched by instead of as it was typed.
type respelling struct {
	near   []suggestion // words of the corpus that it may stand for, likeliest first
	weight float64      // of these
	prefix string       // a beginning of words of the corpus, or ""
	kept   bool         // the corpus has the word, if rarely: it counts beside the others
}

// When a word is taken for misspelt or cut short. Of real typing errors with one edit 5 % are words of the corpus themselves,
// and of beginnings of words 28 %.
const (
	// typoRatio is how many times more frequent a neighbour at one edit must be to put a known word in doubt.
	typoRatio = 50
	// prefixRatio is how many times more documents must have a word that begins so than the word itself.
	prefixRatio = 20
	// prefixWeight counts a beginning below a word that is there in full.
	prefixWeight = 0.8
	// maxAlternatives bounds what stands in for a word: the right one is among the first four of 99 % of typing errors.
	maxAlternatives = 4
	// minAlternative is the share of the most frequent alternative's documents from which another counts: a rarer one is most often
	// another typing error, and its rarity alone would put it first.
	minAlternative = 0.05
	// maxCounted is of how many words of q the corpus is asked how rare they are: 99 % of the titles of real observations have no more.
	maxCounted = 20
	// maxCorrected is how many words of q are corrected and completed, of at most so many letters together: each letter costs.
	maxCorrected        = 9
	maxCorrectedLetters = 72
	// maxCorrectedOfMany is how many words of a q of maxCounted words or more are: the others find the result, and such a q costs most.
	maxCorrectedOfMany = 6
	// Words of so many letters are corrected: shorter ones are an edit away from dozens of others, longer ones hardly English.
	minCorrectable, maxCorrectable = 4, 16
	// A word is looked for two edits away from twoEditsFrom letters on, as in Elasticsearch's own fuzziness AUTO, and up to
	// twoEditsUpTo: the time it takes grows with the letters. maxTwoEdits is for how many words of a q of at most shortQuestion.
	twoEditsFrom, twoEditsUpTo = 6, 12
	maxTwoEdits                = 2
	shortQuestion              = 8
	// secondEditWeight counts an alternative two edits away beside one that is a single edit away.
	secondEditWeight = 0.6
)

// correct decides how the words of q are read, and learns how rare they are. The corpus is asked for what this process doesn't
// remember, before it is asked for results: much of what isn't remembered is misspelt or cut short, and results found without
// the correction would be thrown away, for several times the work. Errors: store_unavailable.
func (s *Searcher) correct(ctx context.Context, q *query) error {
	if q.Text == "" {
		return nil
	}
	s.words.recall(q)
	if len(q.unknown) == 0 && !q.countedAt.IsZero() {
		return nil
	}
	stats := map[string]*wordStats{}
	for _, word := range q.unknown {
		stats[word] = &wordStats{}
	}
	if err := s.askWords(ctx, q, q.suggestions(), stats); err != nil {
		return err
	}
	if lost := q.lostWords(stats); len(lost) > 0 {
		if err := s.askWords(ctx, q, farSuggestions(lost), stats); err != nil {
			return err
		}
	}
	for word, found := range stats {
		if slices.Contains(q.corrected, word) {
			found.respelling = respell(word, *found)
		}
		found.near = nil
		q.known[word] = *found
	}
	s.words.remember(q)
	return nil
}

// correctable reports whether a word of the words field may be misspelt: a wrong digit makes another thing.
func correctable(word string) bool {
	return len(word) >= minCorrectable && len(word) <= maxCorrectable && !strings.ContainsAny(word, "0123456789")
}

// longestWords returns the words that are corrected where they must be: the longest ones, which are rarer than short ones and
// more often mistyped. Which they are depends on q alone, so that all pages of a search are read alike.
func longestWords(words []string) []string {
	most := maxCorrected
	if len(words) >= maxCounted {
		most = maxCorrectedOfMany
	}
	words = slices.DeleteFunc(slices.Clone(words), func(word string) bool { return !correctable(word) })
	slices.SortStableFunc(words, func(a, b string) int { return len(b) - len(a) })
	letters := 0
	for i, word := range words {
		if letters += len(word); i == most || letters > maxCorrectedLetters {
			return words[:i]
		}
	}
	return words
}

// lostWords returns the words of a short q of which the corpus has neither the word nor one that is an edit away or begins so. Of many
// words the others find the result.
func (q *query) lostWords(stats map[string]*wordStats) (lost []string) {
	for _, word := range q.unknown {
		found := stats[word]
		missing := found.documents == 0 && found.beginning == 0 && len(found.near) == 0
		if missing && len(word) >= twoEditsFrom && len(word) <= twoEditsUpTo && slices.Contains(q.corrected, word) {
			lost = append(lost, word)
		}
	}
	if len(q.words) > shortQuestion {
		return nil
	}
	return lost[:min(len(lost), maxTwoEdits)]
}

// respell returns what a word may stand for, nil for one that the corpus knows well or nothing like it.
func respell(word string, found wordStats) *respelling {
	r := &respelling{kept: found.documents > 0, weight: 1}
	if found.twoEdits {
		r.weight = secondEditWeight
	}
	doubtful := func(near suggestion) bool { return near.Documents >= found.documents*typoRatio }
	if !r.kept || slices.ContainsFunc(found.near, doubtful) {
		r.near = slices.SortedStableFunc(slices.Values(found.near), func(a, b suggestion) int { return cmp.Compare(b.Documents, a.Documents) })
		rare := func(near suggestion) bool {
			return float64(near.Documents) < minAlternative*float64(r.near[0].Documents)
		}
		if i := slices.IndexFunc(r.near, rare); i >= 0 {
			r.near = r.near[:i]
		}
		r.near = r.near[:min(len(r.near), maxAlternatives)]
	}
	if !r.kept && len(word) > maxPrefix {
		r.prefix = word[:maxPrefix]
	} else if found.beginning > found.documents*prefixRatio {
		r.prefix = word
	}
	if len(r.near) == 0 && r.prefix == "" {
		return nil
	}
	return r
}

// respelling returns what a term is searched by instead of as it was typed, nil for one that is searched by as it is.
func (q *query) respelling(term queryTerm) *respelling { return q.known[term.word].respelling }

// spelt returns the likeliest spelling of a term.
func (q *query) spelt(term queryTerm) string {
	if r := q.respelling(term); r != nil && !r.kept && len(r.near) > 0 {
		return r.near[0].Text
	}
	return term.text
}

// didYouMean returns q with its misspelt words corrected, or "" if there are none. Elasticsearch's suggester also knows the words of
// deleted documents and of earlier versions, for as long as they lie in a segment: a correction must not give back what was
// erased or redacted. So each is looked for in the documents, and where that fails there is none.
func (s *Searcher) didYouMean(ctx context.Context, q *query) string {
	text, corrections := q.correctedText()
	counts := map[string]any{}
	for _, correction := range corrections {
		counts[correction] = map[string]any{"filter": map[string]any{"term": map[string]any{"words": correction}}}
	}
	if len(counts) == 0 {
		return ""
	}
	var answer struct {
		Aggregations map[string]struct {
			Documents int64 `json:"doc_count"`
		} `json:"aggregations"`
	}
	err := s.searchUncached(ctx, q, map[string]any{"timeout": searchTimeout, "size": 0, "track_total_hits": false, "aggs": counts}, &answer)
	if err != nil {
		return ""
	}
	for correction := range counts {
		if answer.Aggregations[correction].Documents == 0 {
			return ""
		}
	}
	return text
}

// correctedText returns q with its misspelt words corrected, and the words that it has instead.
func (q *query) correctedText() (string, []string) {
	var text strings.Builder
	var corrections []string
	at := 0
	for _, term := range q.terms {
		correction := q.spelt(term)
		if correction == term.text {
			continue
		}
		text.WriteString(q.Text[at:term.start])
		text.WriteString(inCaseOf(term.text, correction))
		at = term.end
		corrections = append(corrections, correction)
	}
	return text.String() + q.Text[at:], corrections
}

// inCaseOf returns a word with the capital that the typed one began with.
func inCaseOf(typed, word string) string {
	if first := typed[:1]; first != strings.ToLower(first) {
		return strings.ToUpper(word[:1]) + word[1:]
	}
	return word
}

// proseOf returns those of the types asked for whose documents judge how rare a word is. Assets count only where nothing else is
// asked for: an entry of a few words has hardly any of the words of prose, and many of them would make all of those look rare.
func proseOf(types []lore.ItemType) []lore.ItemType {
	var prose []lore.ItemType
	for _, searchable := range lore.SearchTypes() {
		if searchable.Type != lore.TypeAsset && (len(types) == 0 || slices.Contains(types, searchable.Type)) {
			prose = append(prose, searchable.Type)
		}
	}
	if len(prose) == 0 {
		return types
	}
	return prose
}
