package index

import (
	"context"
	"fmt"

	"agentlore/lore"
	"agentlore/scrubber"
)

const (
	// similarWords is how many of a summary's words a report must have to be called similar. Fewer made unrelated reports on
	// one token similar, more missed other wordings.
	similarWords = "75%"
	// similarLeast is the least number of words of which so many must match: "it reverts" is like everything.
	similarLeast = "3<" + similarWords
)

// Similar returns stored reports that seem to say what an observation says, at most limit, those of the same words (an equal
// fingerprint, where it isn't empty) first. It is quick and rough, and the curator decides with care later. Errors:
// store_unavailable.
func (c *Client) Similar(ctx context.Context, text scrubber.Scrubbed[lore.Observation], fingerprint string, limit int) ([]lore.Similar, error) {
	either := []any{map[string]any{"match": map[string]any{"text": map[string]any{
		"query": text.Value().Summary, "minimum_should_match": similarLeast,
	}}}}
	if fingerprint != "" {
		either = append(either, map[string]any{"constant_score": map[string]any{
			"filter": map[string]any{"term": map[string]any{"fingerprint": fingerprint}}, "boost": exactBoost,
		}})
	}
	body := map[string]any{
		"query": map[string]any{"bool": map[string]any{
			"should": either, "minimum_should_match": 1,
			"must_not": []any{map[string]any{"terms": map[string]any{"status": hiddenStatuses}}},
		}},
		"size": limit, "track_total_hits": false,
		"_source": []string{"id", "summary", "tier", "pattern_id", "knowledge_unit_id", "fingerprint"},
	}
	var answer searchAnswer[struct {
		lore.Similar
		Fingerprint string `json:"fingerprint"`
	}]
	if err := c.search(ctx, []string{c.aliasOf(lore.Submissions)}, body, &answer); err != nil {
		return nil, fmt.Errorf("look for similar reports: %w", err)
	}
	var similar []lore.Similar
	for _, hit := range answer.Hits.Hits {
		one := hit.Source.Similar
		one.Summary = lore.CutAtWord(one.Summary, similarSummary)
		one.SameWords = fingerprint != "" && hit.Source.Fingerprint == fingerprint
		similar = append(similar, one)
	}
	return similar, nil
}

const (
	similarSummary = 200    // characters of a summary in an answer about something else
	exactBoost     = 1000.0 // above any sum of words
)
