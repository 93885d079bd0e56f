package index

import (
	"context"
	"fmt"
	"sync"
	"time"

	"agentlore/lore"
)

const (
	// CrowdFrom is how many reports a source may have before it is a crowd, for each of them that others bore out, and
	// one.
	CrowdFrom = 20
	// mostCrowds is how many sources are looked at, those with most reports first.
	mostCrowds = 1000
	// crowdsBelieved is how long a process believes who is a crowd: to ask takes some 30 ms at a million reports.
	crowdsBelieved = 10 * time.Second
)

// crowds are the sources that are crowds, as this process knows them.
type crowds struct {
	mu      sync.Mutex
	sources []string
	at      time.Time
}

// Crowds returns the ids of the sources that are crowds: they have written many reports, of which others bore out
// hardly any. Who counts documents counts theirs as one voice, for one stranger can write a thousand. An import's
// reports, which have a ref, are an operator's act and don't count among them. Errors: store_unavailable.
func (c *Client) Crowds(ctx context.Context) ([]string, error) {
	known := &c.crowds
	known.mu.Lock()
	defer known.mu.Unlock()
	if time.Since(known.at) < crowdsBelieved {
		return known.sources, nil
	}
	borneOut := map[string]any{"bool": map[string]any{"should": []any{
		Term("confirmed", true), map[string]any{"range": map[string]any{"tier": map[string]any{"gte": lore.TierValidated}}},
	}}}
	body := map[string]any{
		"size": 0, "track_total_hits": false, "query": map[string]any{"bool": map[string]any{"must_not": []any{imported}}},
		"aggs": map[string]any{"sources": map[string]any{
			"terms": map[string]any{"field": "source_id", "size": mostCrowds, "min_doc_count": CrowdFrom + 1},
			"aggs":  map[string]any{"borne_out": map[string]any{"filter": borneOut}},
		}},
	}
	var answer struct {
		Aggregations struct {
			Sources struct {
				Buckets []struct {
					Source   string `json:"key"`
					Reports  int64  `json:"doc_count"`
					BorneOut struct {
						Reports int64 `json:"doc_count"`
					} `json:"borne_out"`
				} `json:"buckets"`
			} `json:"sources"`
		} `json:"aggregations"`
	}
	if err := c.Query(ctx, []string{c.AliasOf(lore.Submissions)}, body, &answer); err != nil {
		return nil, fmt.Errorf("look for crowds: %w", err)
	}
	known.at, known.sources = time.Now(), nil
	for _, of := range answer.Aggregations.Sources.Buckets {
		if of.Reports > CrowdFrom*(1+of.BorneOut.Reports) {
			known.sources = append(known.sources, of.Source)
		}
	}
	return known.sources, nil
}

// imported finds what an import brought.
var imported = map[string]any{"exists": map[string]any{"field": "ref"}}

// OfSources finds the reports of sources that no import brought.
func OfSources(sources []string) map[string]any {
	return map[string]any{"bool": map[string]any{"filter": []any{TermsQuery("source_id", sources)}, "must_not": []any{imported}}}
}
