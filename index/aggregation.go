package index

import (
	"encoding/json"
	"fmt"

	"agentlore/lore"
)

// TermsOf asks for the most frequent values of a keyword or number field.
func TermsOf(field string, size int) map[string]any {
	return map[string]any{"terms": map[string]any{"field": field, "size": size}}
}

// buckets is Elasticsearch's answer to a terms or histogram aggregation.
type buckets struct {
	Buckets []bucket `json:"buckets"`
}

type bucket struct {
	Key         json.RawMessage `json:"key"`
	KeyAsString string          `json:"key_as_string"`
	Count       int64           `json:"doc_count"`
}

// value returns the bucket's key as text.
func (b bucket) value() string {
	if b.KeyAsString != "" {
		return b.KeyAsString
	}
	var text string
	if json.Unmarshal(b.Key, &text) == nil {
		return text
	}
	return string(b.Key)
}

// FacetCounts reads the values and counts of an aggregation's answer.
func FacetCounts(answer json.RawMessage) ([]lore.FacetCount, error) {
	var parsed buckets
	if err := json.Unmarshal(answer, &parsed); err != nil {
		return nil, fmt.Errorf("read aggregation: %w", err)
	}
	counts := make([]lore.FacetCount, 0, len(parsed.Buckets))
	for _, bucket := range parsed.Buckets {
		counts = append(counts, lore.FacetCount{Value: bucket.value(), Count: bucket.Count})
	}
	return counts, nil
}
