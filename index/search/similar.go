package search

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"agentlore/index"
	"agentlore/lore"
	"agentlore/scrubber"
	"agentlore/terms"
)

const (
	// similarShare is the share of a summary's terms that a report must have to be called similar. Of 600 labelled summaries 84 %
	// find one of the same so, and 69 % of what is named is right; at three quarters 75 and 70 %, at a half 86 and 68 %.
	similarShare = 0.6
	// similarLeast is the number of words up to which all must be there: "it reverts" is like everything.
	similarLeast = 3
	// similarWords is how many of a summary's words the store is asked for, the longest, which are its rarest as a rule.
	similarWords = 8
	// similarSpare is how many more than asked for are looked at: hidden ones, and those that have too few of the words, fall away.
	similarSpare = 4
)

// similarHit is what is read of a report that may be similar.
type similarHit struct {
	lore.Similar
	Fingerprint string             `json:"fingerprint"`
	Status      string             `json:"status"`
	Warnings    []lore.ItemWarning `json:"warnings"`
	Signature   []byte             `json:"signature"`
}

// Similar returns stored reports that seem to say what an observation says, at most limit, those of the same words (an equal
// fingerprint, where it isn't empty) first. It is quick and rough, and the curator decides with care later. Errors:
// store_unavailable.
//
// The store is asked for a few words alone and demands nothing of a hit: to count for each report how many words it has, or to
// leave hidden ones out, keeps Lucene from skipping those that can't be among the first. Both are decided here.
func (s *Searcher) Similar(ctx context.Context, text scrubber.Scrubbed[lore.Observation], fingerprint string, limit int) ([]lore.Similar, error) {
	either := []any{map[string]any{"match": map[string]any{"text": longestText(text.Value().Summary, similarWords)}}}
	if fingerprint != "" {
		either = append(either, map[string]any{"constant_score": map[string]any{
			"filter": map[string]any{"term": map[string]any{"fingerprint": fingerprint}}, "boost": exactBoost,
		}})
	}
	body := map[string]any{
		"query": map[string]any{"bool": map[string]any{"should": either}},
		"size":  limit + similarSpare, "track_total_hits": false,
		"_source": []string{"id", "summary", "tier", "pattern_id", "knowledge_unit_id", "fingerprint", "status", "warnings.code", index.SignatureField},
	}
	crowds, err := s.client.Crowds(ctx)
	if err != nil {
		return nil, fmt.Errorf("look for similar reports: %w", err)
	}
	if len(crowds) > 0 { // else one of them may fill all places; it, too, keeps Lucene from skipping
		body["collapse"] = map[string]any{"field": "source_id"}
	}
	var answer index.SearchAnswer[similarHit]
	if err := s.client.Query(ctx, []string{s.client.AliasOf(lore.Submissions)}, body, &answer); err != nil {
		return nil, fmt.Errorf("look for similar reports: %w", err)
	}
	wanted := hashes(text.Value().Summary)
	var similar []lore.Similar
	for _, hit := range answer.Hits.Hits {
		one := hit.Source
		one.SameWords = fingerprint != "" && one.Fingerprint == fingerprint
		if len(similar) == limit || slices.Contains(hiddenStatuses, one.Status) || lore.LeavesOut(one.Warnings) || !one.SameWords && !saysMost(one.Signature, wanted) {
			continue
		}
		one.Summary = lore.CutAtWord(one.Summary, similarSummary)
		similar = append(similar, one.Similar)
	}
	return similar, nil
}

const (
	similarSummary = 200    // characters of a summary in an answer about something else
	exactBoost     = 1000.0 // above any sum of words
)

// longestText returns the longest words of a text that are no stop words, at most so many; where there is none, the text as it is.
func longestText(text string, most int) string {
	var words []string
	for _, word := range terms.JoinedWords(text) {
		if !terms.IsStop(strings.ToLower(word)) && !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	if len(words) == 0 {
		return text
	}
	slices.SortStableFunc(words, func(a, b string) int { return len(b) - len(a) })
	return strings.Join(words[:min(most, len(words))], " ")
}

// hashes returns the hashes of a text's terms, each once.
func hashes(text string) []terms.Hash {
	var found []terms.Hash
	terms.Each(text, func(term string) { found = append(found, terms.HashOf(term)) })
	slices.Sort(found)
	return slices.Compact(found)
}

// saysMost reports whether a report has enough of the terms.
func saysMost(signature []byte, wanted []terms.Hash) bool {
	has := 0
	terms.ReadSignature(signature).Each(func(hash terms.Hash, _, _ int) {
		if _, found := slices.BinarySearch(wanted, hash); found {
			has++
		}
	})
	if len(wanted) <= similarLeast {
		return has == len(wanted) && has > 0
	}
	return float64(has) >= similarShare*float64(len(wanted))
}
