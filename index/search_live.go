package index

import (
	"context"
	"net/http"

	"github.com/elastic/go-elasticsearch/v8/esapi"
)

// corrections returns the words that didYouMean puts in place of others.
func (s spelling) corrections() []string {
	var words []string
	for _, instead := range s {
		if !instead.kept && len(instead.near) > 0 {
			words = append(words, instead.near[0].text)
		}
	}
	return words
}

// inUse reports whether each of the words, in the form of the words field, stands in a document of the collections. Elasticsearch's
// suggester also knows the words of deleted documents and of earlier versions, for as long as they lie in a segment: a correction must
// not give back what was erased or redacted. Each word takes looking for one document.
func (c *Client) inUse(ctx context.Context, aliases, words []string) (bool, error) {
	var lines []any
	for _, word := range words {
		lines = append(lines, map[string]any{"index": aliases}, map[string]any{
			"query": map[string]any{"term": map[string]any{"words": word}}, "size": 0, "terminate_after": 1, "track_total_hits": 1,
		})
	}
	body, err := JSONLines(lines...)
	if err != nil {
		return false, err
	}
	var answer struct {
		Responses []struct {
			Hits struct {
				Total struct {
					Value int64 `json:"value"`
				} `json:"total"`
			} `json:"hits"`
			Status int `json:"status"`
		} `json:"responses"`
	}
	request := esapi.MsearchRequest{Body: body, FilterPath: []string{"responses.status", "responses.hits.total.value"}}
	if err := c.Do(ctx, request, &answer); err != nil {
		return false, err
	}
	for _, response := range answer.Responses {
		if response.Status != http.StatusOK || response.Hits.Total.Value == 0 {
			return false, nil
		}
	}
	return len(answer.Responses) == len(words), nil
}
